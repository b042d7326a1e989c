# The flags every file of the project is compiled with, as the target warpbeam_flags.
add_library(warpbeam_flags INTERFACE)

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_FLAGS_RELEASE "-O3")
set(CMAKE_C_FLAGS_DEBUG "-O0 -g")
set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O1 -g -fno-omit-frame-pointer")

# Results must be those of the GPU on any host and compiler: no contraction of a*b+c, no assumptions
# about aliasing of registers that are read as several types.
target_compile_definitions(warpbeam_flags INTERFACE _GNU_SOURCE)
target_compile_options(warpbeam_flags INTERFACE
    -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion
    -fno-strict-aliasing -ffp-contract=off -fno-math-errno)
# clang warns where it is asked to vectorize a loop and does not; that is no fault of the code.
target_compile_options(warpbeam_flags INTERFACE $<$<C_COMPILER_ID:Clang>:-Wno-pass-failed>)
if(WARPBEAM_WERROR)
    target_compile_options(warpbeam_flags INTERFACE -Werror)
endif()
if(WARPBEAM_NATIVE)
    target_compile_options(warpbeam_flags INTERFACE -march=native)
endif()
if(WARPBEAM_SANITIZE)
    # Their reports need lines, not variables; with those, building takes a quarter longer.
    target_compile_options(warpbeam_flags INTERFACE
        -g1 -fsanitize=${WARPBEAM_SANITIZE} -fno-sanitize-recover=all)
    target_link_options(warpbeam_flags INTERFACE -fsanitize=${WARPBEAM_SANITIZE})
endif()
if(WARPBEAM_FUZZ)
    if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
        message(FATAL_ERROR "The fuzzers need clang: configure with -DCMAKE_C_COMPILER=clang.")
    endif()
    target_compile_options(warpbeam_flags INTERFACE -fsanitize=fuzzer-no-link)
    target_link_options(warpbeam_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
