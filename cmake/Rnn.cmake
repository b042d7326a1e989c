# The library of recurrent networks (rnn/): libwarpbeam_rnn, static and shared. Its host side is plain C and
# stands alone: it knows nothing of src/. Kernels are in it as PTX, and with WARPBEAM_RNN_NATIVE as machine code
# of an H200, which need not be compiled when a network is created.
option(WARPBEAM_RNN_NATIVE "Put machine code for sm_90 into libwarpbeam_rnn (needs nvcc)" OFF)

# Adds a row to rnn_images.c, which takes the file in as it is.
set(rnn_images "")
set(rnn_image_files "")
set(rnn_image_rows "")
function(rnn_image module capability file)
    set(symbol rnn_image_${module}_${capability})
    set(rnn_images "${rnn_images}IMAGE(${symbol}, \"${file}\")\n" PARENT_SCOPE)
    set(rnn_image_rows "${rnn_image_rows}    {\"${module}\", ${capability}, ${symbol}, ${symbol}_end},\n"
        PARENT_SCOPE)
    set(rnn_image_files ${rnn_image_files} ${file} PARENT_SCOPE)
endfunction()

file(GLOB rnn_ptx CONFIGURE_DEPENDS rnn/kernels/*.ptx)
list(SORT rnn_ptx)
foreach(file ${rnn_ptx})
    get_filename_component(module ${file} NAME_WE)
    rnn_image(${module} 0 ${file})
endforeach()

if(WARPBEAM_RNN_NATIVE)
    find_program(NVCC nvcc PATHS $ENV{CUDA_HOME}/bin $ENV{CUDA_PATH}/bin /usr/local/cuda/bin REQUIRED)
    file(GLOB rnn_kernels CONFIGURE_DEPENDS rnn/kernels/*.cu rnn/kernels/*.cuh rnn/kernels/*.h rnn/kernels/*.def)
    foreach(file ${rnn_ptx})
        get_filename_component(module ${file} NAME_WE)
        set(cubin ${CMAKE_BINARY_DIR}/rnn/${module}.cubin)
        add_custom_command(OUTPUT ${cubin} DEPENDS ${rnn_kernels} VERBATIM COMMAND
            ${CMAKE_COMMAND} -E env NVCC=${NVCC} ${CMAKE_SOURCE_DIR}/rnn/kernels/build.sh --cubin
            ${CMAKE_BINARY_DIR}/rnn ${module})
        rnn_image(${module} 90 ${cubin})
    endforeach()
endif()

file(CONFIGURE OUTPUT ${GENERATED_DIRECTORY}/rnn_images.c @ONLY CONTENT "/* The kernels that the build found. */
#include \"images.h\"

#define IMAGE(symbol, file)                                                                                  \\
    extern const char symbol[], symbol##_end[];                                                              \\
    __asm__(\".pushsection .rodata\\n.balign 16\\n\" #symbol \":\\n.incbin \\\"\" file \"\\\"\\n.byte 0\\n\" #symbol    \\
            \"_end:\\n.popsection\\n\");

#pragma GCC visibility push(hidden)
@rnn_images@#pragma GCC visibility pop

const RnnImage rnn_images[] = {
@rnn_image_rows@};
const size_t rnn_image_count = sizeof rnn_images / sizeof *rnn_images;
")
set_source_files_properties(${GENERATED_DIRECTORY}/rnn_images.c PROPERTIES
                            OBJECT_DEPENDS "${rnn_image_files}")

# Everything is hidden except what rnn/warpbeam_rnn.h declares; tests link the static library and see all.
file(GLOB rnn_sources CONFIGURE_DEPENDS rnn/*.c)
add_library(wbrnn_objects OBJECT ${rnn_sources} ${GENERATED_DIRECTORY}/rnn_images.c)
set_target_properties(wbrnn_objects PROPERTIES POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden)
target_include_directories(wbrnn_objects PUBLIC rnn)
target_link_libraries(wbrnn_objects PRIVATE warpbeam_flags)

add_library(wbrnn_core STATIC $<TARGET_OBJECTS:wbrnn_objects>)
add_library(warpbeam_rnn SHARED $<TARGET_OBJECTS:wbrnn_objects>)
foreach(library wbrnn_core warpbeam_rnn)
    set_target_properties(${library} PROPERTIES OUTPUT_NAME warpbeam_rnn LINKER_LANGUAGE C)
    target_include_directories(${library} PUBLIC rnn)
    target_link_libraries(${library} PUBLIC Threads::Threads m ${CMAKE_DL_LIBS} PRIVATE warpbeam_flags)
endforeach()
set_target_properties(warpbeam_rnn PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION 0)
install(TARGETS wbrnn_core warpbeam_rnn)
install(FILES rnn/warpbeam_rnn.h TYPE INCLUDE)
install(FILES rnn/python/warpbeam_rnn.py rnn/python/warpbeam_rnn_torch.py
        DESTINATION ${CMAKE_INSTALL_DATADIR}/warpbeam/python)
