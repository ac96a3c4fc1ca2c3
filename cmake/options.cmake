# SPDX-License-Identifier: BSD-3-Clause
option(GIN_SHMEM_TESTS "Build the tests (needs CMocka)" ON)
option(GIN_SHMEM_WERROR "Treat warnings as errors" ON)
set(GIN_SHMEM_SANITIZE "" CACHE STRING "Sanitizers to build with: address,undefined or thread")

# Warnings, for what is ours; link to it.
add_library(gs_flags INTERFACE)
target_compile_options(gs_flags INTERFACE -Wall -Wextra $<$<BOOL:${GIN_SHMEM_WERROR}>:-Werror>)

# Sanitizers go to every target: a half instrumented process misses races and reports false ones.
if(GIN_SHMEM_SANITIZE)
  add_compile_options(-fsanitize=${GIN_SHMEM_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${GIN_SHMEM_SANITIZE})
  if(GIN_SHMEM_SANITIZE MATCHES "thread" AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
    # gcc warns that ThreadSanitizer does not see fences; a race it reports because of that is for tsan.supp.
    add_compile_options(-Wno-tsan)
  endif()
endif()
