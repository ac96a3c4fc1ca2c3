# SPDX-License-Identifier: BSD-3-Clause
# Becomes build/all/CTestTestfile.cmake (see ./dev test): one ctest run, with one summary, over the builds beside it.
# The tests of the sanitized builds get the name of the build in front. Not handled: DEPENDS and fixtures, whose values
# are names of tests; no test here uses them.
set(gs_prefix "")
subdirs("../default")

# Each argument in brackets of its own, so that semicolons and quotes in it survive.
function(add_test name)
  set(words "")
  math(EXPR last "${ARGC} - 1")
  foreach(i RANGE 1 ${last})
    string(APPEND words " [====[${ARGV${i}}]====]")
  endforeach()
  cmake_language(EVAL CODE "_add_test([====[${gs_prefix}${name}]====] ${words})")
endfunction()
function(set_tests_properties name)
  set(words "")
  math(EXPR last "${ARGC} - 1")
  foreach(i RANGE 1 ${last})
    string(APPEND words " [====[${ARGV${i}}]====]")
  endforeach()
  cmake_language(EVAL CODE "_set_tests_properties([====[${gs_prefix}${name}]====] ${words})")
endfunction()

foreach(gs_build asan tsan)
  set(gs_prefix "${gs_build}.")
  subdirs("../${gs_build}")
endforeach()
