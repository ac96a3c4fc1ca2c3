# SPDX-License-Identifier: BSD-3-Clause
# ginshmem_kernels_on_cpu(target): the .cu files of target, an executable or a library, are compiled by the C++ compiler
# for the CPU machine, and the target is linked to it. Call it in the folder that made the target.
function(ginshmem_kernels_on_cpu target)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cu$")
  set_source_files_properties(${sources} PROPERTIES LANGUAGE CXX COMPILE_OPTIONS "-x;c++")
  target_compile_features(${target} PRIVATE cxx_std_17)
  target_link_libraries(${target} PRIVATE ginshmem::ginshmem_cpu)
endfunction()
