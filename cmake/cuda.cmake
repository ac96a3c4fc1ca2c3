# SPDX-License-Identifier: BSD-3-Clause
# The CUDA parts: libginshmem_nccl.so, and whatever is compiled by nvcc. Sets GIN_SHMEM_HAVE_CUDA.
#
#   GIN_SHMEM_CUDA                AUTO (where nvcc and NCCL's headers are), ON or OFF
#   GIN_SHMEM_CUDA_ARCHITECTURES  as CMAKE_CUDA_ARCHITECTURES
#   NCCL_ROOT                     a folder with include/nccl.h, before the CUDA folder and the Python wheel are looked at
# Wheels that pip has installed (nvidia-nccl-cu12, -cu13) are found through the python3 in PATH.
set(GIN_SHMEM_CUDA AUTO CACHE STRING "Build the CUDA parts: AUTO (where nvcc and NCCL are), ON or OFF")
set_property(CACHE GIN_SHMEM_CUDA PROPERTY STRINGS AUTO ON OFF)
set(GIN_SHMEM_CUDA_ARCHITECTURES "80-virtual;90" CACHE STRING "GPUs to compile for; others run the newest fitting -virtual one")
set(GIN_SHMEM_HAVE_CUDA FALSE)

# Why not, in a word; an error where the parts were asked for.
macro(gs_no_cuda)
  if(GIN_SHMEM_CUDA STREQUAL "ON")
    message(FATAL_ERROR "GIN_SHMEM_CUDA=ON: " ${ARGN})
  endif()
  message(STATUS "CUDA parts: no; " ${ARGN})
  return()
endmacro()

if(NOT GIN_SHMEM_CUDA)
  message(STATUS "CUDA parts: no; GIN_SHMEM_CUDA=${GIN_SHMEM_CUDA}")
  return()
endif()
if(GIN_SHMEM_SANITIZE)
  gs_no_cuda("sanitizers and nvcc do not go together")
endif()

# nvcc is often installed without being in PATH.
if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
  find_program(GIN_SHMEM_NVCC nvcc HINTS ENV CUDA_HOME ENV CUDA_PATH ENV CUDAToolkit_ROOT PATH_SUFFIXES bin
               PATHS /usr/local/cuda)
  if(GIN_SHMEM_NVCC)
    set(CMAKE_CUDA_COMPILER ${GIN_SHMEM_NVCC} CACHE FILEPATH "nvcc")
  endif()
endif()
set(CMAKE_CUDA_ARCHITECTURES ${GIN_SHMEM_CUDA_ARCHITECTURES})
include(CheckLanguage)
check_language(CXX)
check_language(CUDA)
if(NOT CMAKE_CXX_COMPILER OR NOT CMAKE_CUDA_COMPILER)
  gs_no_cuda("nvcc or a C++ compiler is missing (set CUDACXX to nvcc's path)")
endif()
enable_language(CXX)
enable_language(CUDA)
find_package(CUDAToolkit REQUIRED)
foreach(lang CXX CUDA)
  set(CMAKE_${lang}_STANDARD 17)
  set(CMAKE_${lang}_STANDARD_REQUIRED ON)
endforeach()

# ---- NCCL's headers, and where its library lies beside them ----
if(NOT GIN_SHMEM_NCCL_INCLUDE_DIR)
  set(gs_wheel "")
  find_program(GIN_SHMEM_PYTHON NAMES python3 python)
  if(GIN_SHMEM_PYTHON)
    execute_process(COMMAND ${GIN_SHMEM_PYTHON} -c "import nvidia.nccl as m; print(list(m.__path__)[0])"
                    OUTPUT_VARIABLE gs_wheel OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
  set(gs_nccl_roots ${NCCL_ROOT} $ENV{NCCL_ROOT} $ENV{NCCL_HOME})
  list(TRANSFORM gs_nccl_roots APPEND /include)
  find_path(GIN_SHMEM_NCCL_INCLUDE_DIR nccl_device.h NO_DEFAULT_PATH
            PATHS ${gs_nccl_roots} ${CUDAToolkit_INCLUDE_DIRS} ${gs_wheel}/include)
  find_path(GIN_SHMEM_NCCL_INCLUDE_DIR nccl_device.h)
  mark_as_advanced(GIN_SHMEM_NCCL_INCLUDE_DIR)
endif()
if(NOT GIN_SHMEM_NCCL_INCLUDE_DIR)
  gs_no_cuda("NCCL 2.28.9 or newer is missing (nccl_device.h): pip install nvidia-nccl-cu${CUDAToolkit_VERSION_MAJOR}, or set "
             "NCCL_ROOT")
endif()
file(STRINGS ${GIN_SHMEM_NCCL_INCLUDE_DIR}/nccl.h gs_nccl_version REGEX "^#define NCCL_VERSION_CODE ")
string(REGEX MATCH "[0-9]+" gs_nccl_version "${gs_nccl_version}")
if(NOT gs_nccl_version OR gs_nccl_version LESS 22809)
  gs_no_cuda("NCCL in ${GIN_SHMEM_NCCL_INCLUDE_DIR} is too old (${gs_nccl_version}; 2.28.9 is needed)")
endif()

set(GIN_SHMEM_NCCL_RPATH "")
get_filename_component(gs_nccl_root ${GIN_SHMEM_NCCL_INCLUDE_DIR} DIRECTORY)
foreach(dir IN ITEMS lib lib64 lib/${CMAKE_LIBRARY_ARCHITECTURE})
  if(EXISTS ${gs_nccl_root}/${dir}/libnccl.so.2 AND NOT gs_nccl_root STREQUAL "/usr")
    set(GIN_SHMEM_NCCL_RPATH ${gs_nccl_root}/${dir})
    break()
  endif()
endforeach()

# Warnings, for what is ours and compiled as C++ or CUDA; link to it.
set(gs_cuda_warnings -Wall -Wextra)
if(GIN_SHMEM_WERROR)
  list(APPEND gs_cuda_warnings -Werror)
endif()
list(JOIN gs_cuda_warnings "," gs_cuda_host_warnings)
add_library(gs_cuda_flags INTERFACE)
target_compile_options(gs_cuda_flags INTERFACE
  $<$<COMPILE_LANGUAGE:C,CXX>:${gs_cuda_warnings}>
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${gs_cuda_host_warnings} $<$<BOOL:${GIN_SHMEM_WERROR}>:--Werror=all-warnings>>)

set(GIN_SHMEM_HAVE_CUDA TRUE)
math(EXPR gs_minor "${gs_nccl_version} / 100 % 100")
math(EXPR gs_patch "${gs_nccl_version} % 100")
message(STATUS "CUDA parts: CUDA ${CUDAToolkit_VERSION}, NCCL 2.${gs_minor}.${gs_patch} in ${GIN_SHMEM_NCCL_INCLUDE_DIR}, for "
               "${GIN_SHMEM_CUDA_ARCHITECTURES}")
