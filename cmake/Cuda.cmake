# The stand-ins for CUDA's libraries: what both share (libwarpbeam_cuda.so), the driver API (libcuda.so.1), and
# the runtime once for each major version, since programs ask for their version's name and symbol version.
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(LZ4 REQUIRED IMPORTED_TARGET liblz4)

file(GLOB rt_sources CONFIGURE_DEPENDS src/rt/*.c)
# It stops exceptions of the program.
set_source_files_properties(src/rt/host_call.c PROPERTIES COMPILE_OPTIONS -fexceptions)
file(GLOB cudart_sources CONFIGURE_DEPENDS src/rt/cudart/*.c)
file(GLOB libcuda_sources CONFIGURE_DEPENDS src/rt/libcuda/*.c)

# rt_objects(TARGET VISIBILITY SOURCES...): compiled once for the libraries and for tests in C.
function(rt_objects target visibility)
    add_library(${target} OBJECT EXCLUDE_FROM_ALL ${ARGN})
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET ${visibility})
    target_include_directories(${target} PRIVATE include src)
    target_link_libraries(${target} PRIVATE PkgConfig::ZSTD PkgConfig::LZ4 warpbeam_flags)
endfunction()

rt_objects(rt_common_objects default ${rt_sources})
rt_objects(libcuda_objects hidden ${libcuda_sources})
set(cudart_versions 11.0 12 13)
foreach(version ${cudart_versions})
    string(REGEX MATCH "^[0-9]+" major ${version})
    rt_objects(cudart_${major}_objects hidden ${cudart_sources})
    target_compile_definitions(cudart_${major}_objects PRIVATE CUDART_MAJOR=${major})
endforeach()

# For tests in C: all of it, with CUDA 13's runtime.
add_library(rt_static STATIC EXCLUDE_FROM_ALL $<TARGET_OBJECTS:rt_common_objects>
            $<TARGET_OBJECTS:cudart_13_objects> $<TARGET_OBJECTS:libcuda_objects>)
set_target_properties(rt_static PROPERTIES LINKER_LANGUAGE C)
target_include_directories(rt_static PUBLIC include src)
target_link_libraries(rt_static PUBLIC warpbeam_static PkgConfig::ZSTD PkgConfig::LZ4 PRIVATE warpbeam_flags)

# A program that is not built with a sanitizer cannot load libraries that are.
if(WARPBEAM_SANITIZE OR WARPBEAM_FUZZ)
    return()
endif()

add_library(warpbeam_cuda SHARED $<TARGET_OBJECTS:rt_common_objects>)
set_target_properties(warpbeam_cuda PROPERTIES LINKER_LANGUAGE C SOVERSION 0 BUILD_RPATH_USE_ORIGIN ON
                      INSTALL_RPATH "$ORIGIN")
target_include_directories(warpbeam_cuda PUBLIC include src)
# A program that closes a library with kernels may be the last to use it, but its threads and handlers go on.
target_link_options(warpbeam_cuda PRIVATE -Wl,-z,nodelete -Wl,--exclude-libs,libiberty.a)
target_link_libraries(warpbeam_cuda PRIVATE warpbeam_static PkgConfig::ZSTD PkgConfig::LZ4 warpbeam_flags)

# cuda_stand_in(TARGET FILE VERSION_SCRIPT): a library of TARGET_objects that programs find by its name.
function(cuda_stand_in target file script)
    add_library(${target} SHARED $<TARGET_OBJECTS:${target}_objects>)
    set_target_properties(${target} PROPERTIES OUTPUT_NAME ${file} PREFIX "" SUFFIX "" NO_SONAME ON
        LINKER_LANGUAGE C BUILD_RPATH_USE_ORIGIN ON INSTALL_RPATH "$ORIGIN" LINK_DEPENDS ${script})
    target_link_options(${target} PRIVATE -Wl,-soname,${file} -Wl,--version-script=${script})
    target_link_libraries(${target} PRIVATE warpbeam_cuda warpbeam_flags)
endfunction()

foreach(version ${cudart_versions})
    string(REGEX MATCH "^[0-9]+" major ${version})
    set(script ${CMAKE_BINARY_DIR}/cudart-${version}.map)
    file(CONFIGURE OUTPUT ${script}
         CONTENT "libcudart.so.${version} {\n    global: cuda*; __cuda*;\n    local: *;\n};\n")
    cuda_stand_in(cudart_${major} libcudart.so.${version} ${script})
endforeach()
set(script ${CMAKE_BINARY_DIR}/libcuda.map)
file(CONFIGURE OUTPUT ${script} CONTENT "{\n    global: cu*;\n    local: *;\n};\n")
cuda_stand_in(libcuda libcuda.so.1 ${script})

install(TARGETS warpbeam_cuda cudart_11 cudart_12 cudart_13 libcuda)
