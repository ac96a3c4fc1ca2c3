# SPDX-License-Identifier: BSD-3-Clause
# How tests are declared.
#
#   gs_mp_test(name SOURCES file... PES n... [TIMEOUT s] [LABELS l...] [ENV VAR=value...] [ARGS a...]
#              [OSHRUN_ARGS a...] [LIBRARIES l...])
#     builds the executable target test_<name> and for each n of PES the test <name>-<n>: oshrun -n n test_<name> a...
#   gs_unit_test(name SOURCES file... [TIMEOUT s] [LABELS l...] [ENV VAR=value...] [ARGS a...] [LIBRARIES l...])
#     builds test_<name> with CMocka and the library's internals (gs_ names visible), and the test <name>.
#   gs_script_test(name COMMAND word... [TIMEOUT s] [LABELS l...] [ENV VAR=value...] [PROCESSORS n])
#     any other command.
#
# TIMEOUT is in seconds of the default build (60 when not given); sanitized builds get a multiple. Exit code 77 skips.
# Under ThreadSanitizer only tests with the label `thread` are built and run.

set(gs_timeout_factor 1)
set(gs_sanitizer_env "")
set(gs_run_prefix "")
if(GIN_SHMEM_SANITIZE MATCHES "address")
  set(gs_timeout_factor 4)
  list(APPEND gs_sanitizer_env
       "LSAN_OPTIONS=print_suppressions=0:suppressions=${CMAKE_CURRENT_SOURCE_DIR}/lsan.supp"
       "UBSAN_OPTIONS=print_stacktrace=1")
elseif(GIN_SHMEM_SANITIZE MATCHES "thread")
  set(gs_timeout_factor 8)
  # At its end a program waits for reports of threads that still run: by default for a second.
  list(APPEND gs_sanitizer_env "TSAN_OPTIONS=atexit_sleep_ms=100:second_deadlock_stack=1:suppressions=${CMAKE_CURRENT_SOURCE_DIR}/tsan.supp")
  # Kernels with many bits of address randomisation place mappings where gcc 12's ThreadSanitizer cannot have them.
  find_program(GS_SETARCH setarch)
  if(GS_SETARCH)
    execute_process(COMMAND ${GS_SETARCH} -R true RESULT_VARIABLE gs_setarch_result OUTPUT_QUIET ERROR_QUIET)
    if(gs_setarch_result EQUAL 0)
      set(gs_run_prefix ${GS_SETARCH} -R)
    endif()
  endif()
endif()

# Sets *out* when a test with these labels belongs to this build.
function(gs_test_wanted out)
  set(wanted TRUE)
  if(GIN_SHMEM_SANITIZE MATCHES "thread" AND NOT "thread" IN_LIST ARGN)
    set(wanted FALSE)
  endif()
  set(${out} ${wanted} PARENT_SCOPE)
endfunction()

function(gs_test_properties test timeout processors labels env)
  if(NOT timeout)
    set(timeout 60)
  endif()
  math(EXPR timeout "${timeout} * ${gs_timeout_factor}")
  list(PREPEND env ${gs_sanitizer_env})
  set_tests_properties(${test} PROPERTIES TIMEOUT ${timeout} PROCESSORS ${processors} SKIP_RETURN_CODE 77
                       LABELS "${labels}" ENVIRONMENT "${env}")
endfunction()

function(gs_mp_test name)
  cmake_parse_arguments(PARSE_ARGV 1 T "" "TIMEOUT" "SOURCES;PES;LABELS;ENV;ARGS;OSHRUN_ARGS;LIBRARIES")
  if(NOT T_SOURCES OR NOT T_PES OR T_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "gs_mp_test(${name}): SOURCES and PES are needed; unknown: ${T_UNPARSED_ARGUMENTS}")
  endif()
  gs_test_wanted(wanted ${T_LABELS})
  if(NOT wanted)
    return()
  endif()
  add_executable(test_${name} ${T_SOURCES})
  target_link_libraries(test_${name} PRIVATE gs_flags ginshmem Threads::Threads ${T_LIBRARIES})
  list(PREPEND T_LABELS mp)
  foreach(n IN LISTS T_PES)
    add_test(NAME ${name}-${n}
             COMMAND ${gs_run_prefix} $<TARGET_FILE:oshrun> ${T_OSHRUN_ARGS} -n ${n} $<TARGET_FILE:test_${name}> ${T_ARGS})
    gs_test_properties(${name}-${n} "${T_TIMEOUT}" ${n} "${T_LABELS}" "${T_ENV}")
  endforeach()
endfunction()

function(gs_unit_test name)
  cmake_parse_arguments(PARSE_ARGV 1 T "" "TIMEOUT" "SOURCES;LABELS;ENV;ARGS;LIBRARIES")
  if(NOT T_SOURCES OR T_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "gs_unit_test(${name}): SOURCES are needed; unknown: ${T_UNPARSED_ARGUMENTS}")
  endif()
  gs_test_wanted(wanted ${T_LABELS})
  if(NOT wanted)
    return()
  endif()
  add_executable(test_${name} ${T_SOURCES})
  target_link_libraries(test_${name} PRIVATE gs_flags gs_internal PkgConfig::CMOCKA ${T_LIBRARIES})
  add_test(NAME ${name} COMMAND ${gs_run_prefix} $<TARGET_FILE:test_${name}> ${T_ARGS})
  list(PREPEND T_LABELS unit)
  gs_test_properties(${name} "${T_TIMEOUT}" 1 "${T_LABELS}" "${T_ENV}")
endfunction()

function(gs_script_test name)
  cmake_parse_arguments(PARSE_ARGV 1 T "" "TIMEOUT;PROCESSORS" "COMMAND;LABELS;ENV")
  if(NOT T_COMMAND OR T_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "gs_script_test(${name}): COMMAND is needed; unknown: ${T_UNPARSED_ARGUMENTS}")
  endif()
  gs_test_wanted(wanted ${T_LABELS})
  if(NOT wanted)
    return()
  endif()
  if(NOT T_PROCESSORS)
    set(T_PROCESSORS 1)
  endif()
  add_test(NAME ${name} COMMAND ${T_COMMAND})
  gs_test_properties(${name} "${T_TIMEOUT}" ${T_PROCESSORS} "${T_LABELS}" "${T_ENV}")
endfunction()
