# The library with the policies of examples/ in it, for the tests of tests/examples. examples/ has the folders
# of src/: a policy that is moved there is shipped, without a change.
#
# Policies bring knobs, which are fields of GpuConfig, so what uses that is compiled once more; folders that
# come before it are not. Where the library is optimized as a whole it cannot be taken apart, and there are no
# tests of examples.
if(NOT library_objects STREQUAL "$<TARGET_OBJECTS:objects>")
    return()
endif()

set(examples_directory ${CMAKE_BINARY_DIR}/generated_examples)
write_policy_lists(${examples_directory} examples)
policy_version(${examples_directory} examples)

file(GLOB_RECURSE example_sources CONFIGURE_DEPENDS examples/*.c)
set(knowing_sources ${library_sources})
list(FILTER knowing_sources EXCLUDE REGEX "/src/(base|sim|isa|ptx|depend)/")
add_library(warpbeam_examples STATIC ${example_sources} ${knowing_sources}
            ${examples_directory}/policy_version.h)
target_include_directories(warpbeam_examples BEFORE PUBLIC ${examples_directory} examples)
target_include_directories(warpbeam_examples PUBLIC include src PRIVATE ${IBERTY_INCLUDE})
target_compile_definitions(warpbeam_examples PRIVATE WARPBEAM_VERSION="${PROJECT_VERSION}")
# It halves the time that compiling it takes.
target_compile_options(warpbeam_examples PRIVATE $<$<CONFIG:Release,RelWithDebInfo>:-O1>)
target_link_libraries(warpbeam_examples PUBLIC warpbeam_static PRIVATE warpbeam_flags)
