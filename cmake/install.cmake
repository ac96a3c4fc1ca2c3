# SPDX-License-Identifier: BSD-3-Clause
# What `cmake --install` lays down. Nothing in it names the prefix, so the prefix may be moved afterwards.
include(CMakePackageConfigHelpers)

install(TARGETS ginshmem EXPORT ginshmemTargets LIBRARY)
install(TARGETS oshrun gin_shmem_info RUNTIME)
if(GIN_SHMEM_HAVE_CUDA)
  install(TARGETS ginshmem_nccl LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
if(GIN_SHMEM_HAVE_CPU)
  install(TARGETS ginshmem_cpu EXPORT ginshmemTargets LIBRARY)
  install(FILES cmake/ginshmem_kernels.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/ginshmem)
endif()
if(GIN_SHMEM_HAVE_UCX)
  install(TARGETS ginshmem_ucx LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
if(GIN_SHMEM_HAVE_MPI)
  install(TARGETS ginshmem_mpi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
install(DIRECTORY include/ device/ TYPE INCLUDE FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp" PATTERN "*.cuh")
install(FILES LICENSE README.md TYPE DOC)

set(gs_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/ginshmem)
install(EXPORT ginshmemTargets NAMESPACE ginshmem:: DESTINATION ${gs_package_dir})
configure_package_config_file(cmake/ginshmemConfig.cmake.in ${PROJECT_BINARY_DIR}/ginshmemConfig.cmake
  INSTALL_DESTINATION ${gs_package_dir} PATH_VARS CMAKE_INSTALL_BINDIR)
# Until 1.0 a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/ginshmemConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/ginshmemConfig.cmake ${PROJECT_BINARY_DIR}/ginshmemConfigVersion.cmake
  DESTINATION ${gs_package_dir})

# The same for programs that look for NVSHMEM; the version is that of the API (include/nvshmem/gin_nvshmem/types.h).
configure_package_config_file(cmake/NVSHMEMConfig.cmake.in ${PROJECT_BINARY_DIR}/NVSHMEMConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/nvshmem PATH_VARS CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/NVSHMEMConfigVersion.cmake VERSION 3.5.0
                                 COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/NVSHMEMConfig.cmake ${PROJECT_BINARY_DIR}/NVSHMEMConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/nvshmem)

# The .pc file finds the prefix from where it lies itself. A library outside the linker's own folders needs a run path.
set(gs_pc_dir ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH GS_PC_TO_PREFIX ${gs_pc_dir} ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" GS_PC_TO_PREFIX "${GS_PC_TO_PREFIX}")
file(RELATIVE_PATH GS_PC_INCLUDEDIR ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
file(RELATIVE_PATH GS_PC_LIBDIR ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_LIBDIR})
set(GS_PC_RPATH " -Wl,-rpath,\${libdir}")
if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  set(GS_PC_RPATH "")
endif()
configure_file(cmake/ginshmem.pc.in ${PROJECT_BINARY_DIR}/ginshmem.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/ginshmem.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(GIN_SHMEM_HAVE_CPU)
  configure_file(cmake/ginshmem_cpu.pc.in ${PROJECT_BINARY_DIR}/ginshmem_cpu.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/ginshmem_cpu.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()
