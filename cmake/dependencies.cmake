# SPDX-License-Identifier: BSD-3-Clause
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(PMIX REQUIRED IMPORTED_TARGET pmix)
pkg_check_modules(HWLOC REQUIRED IMPORTED_TARGET hwloc)
if(GIN_SHMEM_TESTS)
  pkg_check_modules(CMOCKA IMPORTED_TARGET cmocka)
  if(NOT CMOCKA_FOUND)
    message(FATAL_ERROR "The tests need CMocka (Debian and Ubuntu: libcmocka-dev). Install it, "
                        "or configure with -DGIN_SHMEM_TESTS=OFF.")
  endif()
endif()
