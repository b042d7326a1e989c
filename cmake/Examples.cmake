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
add_library(knowing_objects OBJECT ${knowing_sources} ${examples_directory}/policy_version.h)
add_library(warpbeam_examples STATIC ${example_sources} $<TARGET_OBJECTS:knowing_objects>
            ${examples_directory}/policy_version.h)
foreach(target knowing_objects warpbeam_examples)
    target_include_directories(${target} BEFORE PUBLIC ${examples_directory} examples)
    target_include_directories(${target} PUBLIC include src PRIVATE ${IBERTY_INCLUDE})
    target_compile_definitions(${target} PRIVATE WARPBEAM_VERSION="${PROJECT_VERSION}")
    target_link_libraries(${target} PRIVATE warpbeam_flags)
endforeach()
# These two halve the time that compiling it takes: less optimization, and no sanitizers where the library's own
# tests have them. The policies and the tests have them here, too.
target_compile_options(knowing_objects PRIVATE $<$<CONFIG:Release,RelWithDebInfo>:-O1>)
if(WARPBEAM_SANITIZE)
    add_library(no_sanitizers INTERFACE) # its options come behind those of warpbeam_flags
    target_compile_options(no_sanitizers INTERFACE -fno-sanitize=all)
    target_link_libraries(knowing_objects PRIVATE no_sanitizers)
endif()
target_link_libraries(warpbeam_examples PUBLIC warpbeam_static)
