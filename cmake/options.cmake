# SPDX-License-Identifier: BSD-3-Clause
option(GIN_SHMEM_TESTS "Build the tests (needs CMocka)" ON)
option(GIN_SHMEM_WERROR "Treat warnings as errors" ON)
set(GIN_SHMEM_SANITIZE "" CACHE STRING "Sanitizers to build with: address,undefined or thread")

add_library(gs_flags INTERFACE)
target_compile_options(gs_flags INTERFACE -Wall -Wextra $<$<BOOL:${GIN_SHMEM_WERROR}>:-Werror>)
if(GIN_SHMEM_SANITIZE)
  target_compile_options(gs_flags INTERFACE -fsanitize=${GIN_SHMEM_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(gs_flags INTERFACE -fsanitize=${GIN_SHMEM_SANITIZE})
endif()
