# SPDX-License-Identifier: BSD-3-Clause
# The machine that runs kernels on the CPU, libginshmem_cpu: it needs a C++ compiler and nothing else. Sets
# GIN_SHMEM_HAVE_CPU.
include(CheckLanguage)
check_language(CXX)
set(GIN_SHMEM_HAVE_CPU FALSE)
if(NOT CMAKE_CXX_COMPILER)
  message(STATUS "Kernels on the CPU: no; there is no C++ compiler")
  return()
endif()
enable_language(CXX)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(GIN_SHMEM_HAVE_CPU TRUE)
include(${CMAKE_CURRENT_LIST_DIR}/ginshmem_kernels.cmake)
