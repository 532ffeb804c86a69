# SPDX-License-Identifier: Apache-2.0
# libtorch and TVM-FFI out of the Python environment, without find_package(Torch): that one wants a CUDA toolkit.
if(NOT KBX_PYTHON AND NOT "$ENV{KBX_PYTHON}" STREQUAL "")
  set(KBX_PYTHON $ENV{KBX_PYTHON} CACHE FILEPATH "" FORCE)
endif()
if(NOT KBX_PYTHON)
  message(FATAL_ERROR "KBX_PYTHON is not set: it names the interpreter whose environment holds torch (make demo sets it up)")
endif()
execute_process(
  COMMAND ${KBX_PYTHON} -c
    "import importlib.util as u, pathlib as p, sysconfig
root = lambda m: p.Path(u.find_spec(m).origin).parent
print(sysconfig.get_paths()['purelib'], root('torch'), root('tvm_ffi'), sep=';')"
  OUTPUT_VARIABLE KBX_PYTHON_PATHS OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE KBX_PYTHON_FAILED)
if(KBX_PYTHON_FAILED)
  message(FATAL_ERROR "${KBX_PYTHON} has no torch or no apache-tvm-ffi")
endif()
list(GET KBX_PYTHON_PATHS 0 KBX_SITE_PACKAGES)
list(GET KBX_PYTHON_PATHS 1 KBX_TORCH_DIR)
list(GET KBX_PYTHON_PATHS 2 KBX_TVM_FFI_DIR)

# torch's include folder carries a newer fmt (and more) that would shadow the system's: expose only what is torch's own.
# One folder per environment and not per build folder, so that the compiler cache serves all of them.
string(SHA256 KBX_TORCH_HASH ${KBX_TORCH_DIR})
string(SUBSTRING ${KBX_TORCH_HASH} 0 12 KBX_TORCH_HASH)
if(DEFINED ENV{XDG_CACHE_HOME})
  set(KBX_CACHE $ENV{XDG_CACHE_HOME}/kbx)
else()
  set(KBX_CACHE $ENV{HOME}/.cache/kbx)
endif()
set(KBX_TORCH_INCLUDE ${KBX_CACHE}/torch-include-${KBX_TORCH_HASH})
file(MAKE_DIRECTORY ${KBX_TORCH_INCLUDE})
foreach(part ATen c10 torch caffe2)
  if(NOT EXISTS ${KBX_TORCH_INCLUDE}/${part})  # another build may be reading it right now
    file(CREATE_LINK ${KBX_TORCH_DIR}/include/${part} ${KBX_TORCH_INCLUDE}/${part} SYMBOLIC)
  endif()
endforeach()

add_library(kbx_torch INTERFACE)
target_include_directories(kbx_torch SYSTEM INTERFACE ${KBX_TORCH_INCLUDE})
target_link_libraries(kbx_torch INTERFACE
  -Wl,--no-as-needed ${KBX_TORCH_DIR}/lib/libtorch_cpu.so -Wl,--as-needed ${KBX_TORCH_DIR}/lib/libc10.so
  ${KBX_TORCH_DIR}/lib/libgomp.so.1)
# libtorch exports an incomplete std::filesystem of its own (remove_all calls through null): libstdc++ has to be searched first.
target_link_options(kbx_torch INTERFACE -Wl,--push-state,--no-as-needed -lstdc++ -Wl,--pop-state)
target_link_options(kbx_torch INTERFACE -Wl,-rpath,${KBX_TORCH_DIR}/lib -Wl,--allow-shlib-undefined)
add_library(kbx::torch ALIAS kbx_torch)

add_library(kbx_tvm_ffi INTERFACE)
target_include_directories(kbx_tvm_ffi SYSTEM INTERFACE ${KBX_TVM_FFI_DIR}/include)
target_link_libraries(kbx_tvm_ffi INTERFACE ${KBX_TVM_FFI_DIR}/lib/libtvm_ffi.so)
target_link_options(kbx_tvm_ffi INTERFACE -Wl,-rpath,${KBX_TVM_FFI_DIR}/lib)
add_library(kbx::tvm_ffi ALIAS kbx_tvm_ffi)
