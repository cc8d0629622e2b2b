# ktrial_library / ktrial_executable / ktrial_test: one place for warnings, include paths and
# sanitizer flags, so that a folder's CMakeLists.txt only lists sources and dependencies.

option(KTRIAL_WERROR "Treat warnings in our own code as errors" ON)
option(KTRIAL_BENCH "Build the Google Benchmark suites in bench/" OFF)
option(KTRIAL_FUZZ "Build the libFuzzer targets in fuzz/ (clang only)" OFF)
option(KTRIAL_TESTS "Build the tests" ON)
set(KTRIAL_SANITIZE "" CACHE STRING "Sanitizers to build with, as for -fsanitize=")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

find_program(KTRIAL_CCACHE ccache)
if(KTRIAL_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Every checkout and every preset with the same flags share the cache: no absolute path counts.
  set(CMAKE_CXX_COMPILER_LAUNCHER
    ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${KTRIAL_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
endif()
find_program(KTRIAL_MOLD mold)
if(KTRIAL_MOLD)
  add_link_options(-fuse-ld=mold)
endif()
# No absolute path in the objects either.
add_compile_options(-ffile-prefix-map=${CMAKE_SOURCE_DIR}=.)

if(KTRIAL_SANITIZE)
  add_compile_options(-fsanitize=${KTRIAL_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${KTRIAL_SANITIZE})
  if(KTRIAL_SANITIZE MATCHES "undefined")
    # These three double the compile time of coroutine code and never fired usefully there.
    add_compile_options(-fno-sanitize=null,alignment,vptr -fno-sanitize-recover=undefined)
  endif()
  if(KTRIAL_SANITIZE MATCHES "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Wno-tsan)
  endif()
endif()

add_library(ktrial_options INTERFACE)
target_include_directories(ktrial_options INTERFACE ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR}/generated)
target_compile_options(ktrial_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor
  -Woverloaded-virtual $<$<BOOL:${KTRIAL_WERROR}>:-Werror>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14)
  # With optimisation these are false in inlined std::vector and std::string (GCC bug 105329 and its kin).
  target_compile_options(ktrial_options INTERFACE
    -Wno-array-bounds -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread -Wno-maybe-uninitialized)
endif()
# For what reads files of the checkout; a header, so that only its users differ between checkouts.
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/source_dir.h CONTENT [[
#pragma once
#define KTRIAL_SOURCE_DIR "@CMAKE_SOURCE_DIR@"
]] @ONLY)
target_compile_definitions(ktrial_options INTERFACE
  BOOST_ASIO_SEPARATE_COMPILATION BOOST_BEAST_SEPARATE_COMPILATION BOOST_ASIO_NO_DEPRECATED)

# ktrial_library(name SRCS a.cc ... DEPS lib ... [PRIVATE_DEPS lib ...])
function(ktrial_library name)
  cmake_parse_arguments(ARG "" "" "SRCS;DEPS;PRIVATE_DEPS" ${ARGN})
  add_library(${name} STATIC ${ARG_SRCS})
  target_link_libraries(${name} PUBLIC ktrial_options ${ARG_DEPS} PRIVATE ${ARG_PRIVATE_DEPS})
endfunction()

# ktrial_executable(name SRCS ... DEPS ...)
function(ktrial_executable name)
  cmake_parse_arguments(ARG "" "" "SRCS;DEPS" ${ARGN})
  add_executable(${name} ${ARG_SRCS})
  target_link_libraries(${name} PRIVATE ktrial_options ${ARG_DEPS})
endfunction()

# ktrial_test(name SRCS x_test.cc ... DEPS ... [LABELS unit|e2e|capture|slow])
# One binary per folder; every TEST becomes a ctest entry.
function(ktrial_test name)
  if(NOT KTRIAL_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SRCS;DEPS;LABELS" ${ARGN})
  if(NOT ARG_LABELS)
    set(ARG_LABELS unit)
  endif()
  add_executable(${name} ${ARG_SRCS})
  target_link_libraries(${name} PRIVATE ktrial_options ${ARG_DEPS} GTest::gmock GTest::gtest_main)
  # A test runs once for each build: its own code is not worth optimising (codec_test took minutes).
  target_compile_options(${name} PRIVATE -O0)
  gtest_discover_tests(${name} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT 120 DISCOVERY_TIMEOUT 60
    DISCOVERY_MODE PRE_TEST)
endfunction()
