# SPDX-License-Identifier: Apache-2.0
# Compiler settings for all targets, and the two functions that declare components and tests.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

# ATen's headers cost more to optimise than they gain from it.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")

find_program(KBX_CCACHE ccache)
if(KBX_CCACHE)
  # Paths below the source folder count as relative: another clone, or another build folder, finds the same objects.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} ${KBX_CCACHE})
endif()
find_program(KBX_MOLD mold)
if(KBX_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

# A compile job that includes ATen takes up to 1 GiB: at most one per 2 GiB of memory.
cmake_host_system_information(RESULT KBX_MEMORY_MIB QUERY TOTAL_PHYSICAL_MEMORY)
math(EXPR KBX_COMPILE_JOBS "${KBX_MEMORY_MIB} / 2048")
if(KBX_COMPILE_JOBS LESS 1)
  set(KBX_COMPILE_JOBS 1)
endif()
set_property(GLOBAL PROPERTY JOB_POOLS compile=${KBX_COMPILE_JOBS} link=2)
set(CMAKE_JOB_POOL_COMPILE compile)
set(CMAKE_JOB_POOL_LINK link)

# What every target of ours is compiled with.
add_library(kbx_options INTERFACE)
target_compile_options(kbx_options INTERFACE -Wall -Wextra -Werror=return-type -Wshadow=local)
if(KBX_SANITIZE)
  target_compile_options(kbx_options INTERFACE -fsanitize=${KBX_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(kbx_options INTERFACE -fsanitize=${KBX_SANITIZE})
endif()

# kbx_component(name SOURCES a.cpp ... LINK targets...): the static library kbx_<name> of a folder of src/.
function(kbx_component name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  if(NOT ARG_SOURCES)
    add_library(kbx_${name} INTERFACE)
    target_include_directories(kbx_${name} INTERFACE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/runner)
    target_link_libraries(kbx_${name} INTERFACE ${ARG_LINK})
    return()
  endif()
  add_library(kbx_${name} STATIC ${ARG_SOURCES})
  target_include_directories(kbx_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/runner)
  target_link_libraries(kbx_${name} PUBLIC ${ARG_LINK} PRIVATE kbx_options)
endfunction()

# kbx_test(name SOURCES a_test.cpp ... LINK targets... [LABELS unit|cli|gpu|slow] [ENVIRONMENT A=b] [TIMEOUT s]): a GoogleTest program.
function(kbx_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;LINK;LABELS;ENVIRONMENT" ${ARGN})
  if(NOT ARG_LABELS)
    set(ARG_LABELS unit)
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} kbx_options GTest::gtest_main)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT} ENVIRONMENT "${ARG_ENVIRONMENT}")
endfunction()
