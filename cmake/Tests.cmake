# Every test_<name>.c is one executable and one ctest entry; the other files of its folder are helpers
# that are linked into each of them. Tests see the library's own headers.
pkg_check_modules(CMOCKA IMPORTED_TARGET cmocka)
pkg_check_modules(ZSTD IMPORTED_TARGET libzstd)
if(NOT CMOCKA_FOUND OR NOT ZSTD_FOUND)
    message(STATUS "cmocka or libzstd is not installed: no tests are built")
    return()
endif()

# Links the library into every test of the folder; further arguments are given to each.
function(add_test_folder folder library)
    file(GLOB sources CONFIGURE_DEPENDS tests/${folder}/*.c)
    set(helpers ${sources})
    list(FILTER helpers EXCLUDE REGEX "/test_[^/]*$")
    set(tests ${sources})
    list(FILTER tests INCLUDE REGEX "/test_[^/]*$")
    foreach(source ${tests})
        get_filename_component(name ${source} NAME_WE)
        add_executable(${name} ${source} ${helpers})
        set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
        target_include_directories(${name} PRIVATE src tests/${folder})
        target_compile_definitions(${name} PRIVATE SOURCE_DIRECTORY="${CMAKE_SOURCE_DIR}")
        target_link_libraries(${name} PRIVATE workloads ${library} warpbeam_flags PkgConfig::CMOCKA
                              PkgConfig::ZSTD PkgConfig::JANSSON)
        add_test(NAME ${name} COMMAND ${name} ${ARGN} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
        set_tests_properties(${name} PROPERTIES TIMEOUT 300)
    endforeach()
endfunction()

if(NOT WARPBEAM_FUZZ)
    add_test_folder(unit warpbeam_static)
    add_test_folder(isa warpbeam_static ${CMAKE_SOURCE_DIR}/tests/isa/golden/h200.bin.zst)
    add_test_folder(end-to-end warpbeam_static)
    target_link_libraries(test_paper PRIVATE papers)
    add_test_folder(rt rt_static)
    # What runs on several threads waits for long where another test takes one of two processors.
    set_tests_properties(test_cycle_determinism test_dtbl test_device_sync test_launch_random test_timeline
                         test_world test_report test_graph_cycle test_graph_check test_trace
                         test_trace_barriers test_paper
                         PROPERTIES PROCESSORS 2)
else()
    file(GLOB fuzzers CONFIGURE_DEPENDS tests/fuzz/*.c)
    foreach(source ${fuzzers})
        get_filename_component(name ${source} NAME_WE)
        add_executable(${name} ${source})
        set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz)
        target_include_directories(${name} PRIVATE src)
        target_link_libraries(${name} PRIVATE rt_static warpbeam_flags)
        target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    endforeach()
endif()
