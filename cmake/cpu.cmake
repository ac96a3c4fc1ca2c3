# SPDX-License-Identifier: BSD-3-Clause
# The machine that runs kernels on the CPU, libginshmem_cpu: it needs a C++ compiler and nothing else. Sets
# GIN_SHMEM_HAVE_CPU.
include(CheckLanguage)
if(CMAKE_C_COMPILER_ID MATCHES "Clang" AND NOT CMAKE_CXX_COMPILER AND NOT DEFINED ENV{CXX})
  # CMake would take c++, and so another compiler's sanitizers with it.
  get_filename_component(gs_compilers ${CMAKE_C_COMPILER} DIRECTORY)
  find_program(GIN_SHMEM_CLANGXX clang++ HINTS ${gs_compilers})
  if(GIN_SHMEM_CLANGXX)
    set(CMAKE_CXX_COMPILER ${GIN_SHMEM_CLANGXX} CACHE FILEPATH "C++ compiler")
  endif()
endif()
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
