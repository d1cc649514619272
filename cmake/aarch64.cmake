# aarch64.cmake: builds for 64-bit Arm on another machine, and runs what was built in qemu; for g++ and clang.
# Flow: a toolchain file, given to CMake by the presets neon and neon_clang. It shows that code runs, not how fast.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
if(NOT CMAKE_CXX_COMPILER)
  set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
endif()
set(CMAKE_CXX_COMPILER_TARGET aarch64-linux-gnu)   # clang's --target; g++ is a compiler for one machine

# Boost, xsimd, flatbuffers, xxHash and doctest are headers, the same for every machine: they are taken from here, but
# only where the cross compiler has none of that name, so that no header of this machine's C library gets in.
set(CMAKE_CXX_FLAGS_INIT "-idirafter /usr/include")
if(NOT xsimd_DIR)
  file(GLOB xsimd_DIR /usr/lib/*/cmake/xsimd)   # Debian files it under this machine's architecture
endif()

# Any machine of the architecture, with all that this qemu knows; the C library is the cross compiler's.
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -cpu max -L /usr/aarch64-linux-gnu)
