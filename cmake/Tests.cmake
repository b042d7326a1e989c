# Every test_<name>.c is one executable and one ctest entry; the other files of its folder are helpers
# that are compiled once and linked into those that use them. Tests see the library's own headers.
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
    set(common common_${folder})
    add_library(${common} INTERFACE)
    target_include_directories(${common} INTERFACE src tests/${folder})
    target_compile_definitions(${common} INTERFACE SOURCE_DIRECTORY="${CMAKE_SOURCE_DIR}")
    # It halves the time that compiling them takes; the library that they call is optimized.
    target_compile_options(${common} INTERFACE $<$<CONFIG:Release>:-O1>)
    # It halves the time that linking them takes: every one has the library in it.
    target_link_options(${common} INTERFACE -no-pie -Wl,--build-id=none)
    target_link_libraries(${common} INTERFACE workloads ${library} warpbeam_flags PkgConfig::CMOCKA
                          PkgConfig::ZSTD PkgConfig::JANSSON)
    if(helpers)
        add_library(helpers_${folder} STATIC EXCLUDE_FROM_ALL ${helpers})
        target_link_libraries(helpers_${folder} PUBLIC ${common})
        set(common helpers_${folder})
    endif()
    foreach(source ${tests})
        get_filename_component(name ${source} NAME_WE)
        add_executable(${name} ${source})
        set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
        target_link_libraries(${name} PRIVATE ${common})
        if(name MATCHES "^test_rnn_")
            target_link_libraries(${name} PRIVATE wbrnn_core)
            # The library of networks looks for the driver in the program first.
            set_target_properties(${name} PROPERTIES ENABLE_EXPORTS ON)
        endif()
        # The same holds under sanitizers, except for what compares a great many numbers itself.
        if(WARPBEAM_SANITIZE AND NOT name MATCHES "^test_(lane_|flow)")
            target_compile_options(${name} PRIVATE -O0)
        endif()
        add_test(NAME ${name} COMMAND ${name} ${ARGN} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
        set_tests_properties(${name} PROPERTIES TIMEOUT 300)
    endforeach()
endfunction()

if(NOT WARPBEAM_FUZZ)
    add_test_folder(unit warpbeam_static)
    add_test_folder(isa warpbeam_static ${CMAKE_SOURCE_DIR}/tests/isa/golden/h200.bin.zst)
    add_test_folder(mutants warpbeam_static)
    target_link_libraries(helpers_mutants PUBLIC helpers_isa)
    add_test_folder(end-to-end warpbeam_static)
    foreach(name test_channels_paper test_claso_paper test_paper test_rnn_paper test_saws_paper test_sync_paper test_wait_signal_paper)
        target_link_libraries(${name} PRIVATE papers)
    endforeach()
    target_link_libraries(test_sweep PRIVATE sweep)
    target_link_libraries(test_fidelity PRIVATE bench_fidelity_parts)
    add_test_folder(rt rt_static)
    target_link_libraries(helpers_rt PUBLIC wbrnn_core)
    # A program as others write them, with libraries as they have them.
    if(TARGET libcuda)
        add_executable(rnn_lstm tests/rnn/lstm.c)
        set_target_properties(rnn_lstm PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
        # The reference is not exported.
        target_link_libraries(rnn_lstm PRIVATE warpbeam_rnn wbrnn_core warpbeam_flags)
        add_test(NAME rnn_lstm COMMAND warpbeam run --functional --quiet -- $<TARGET_FILE:rnn_lstm>)
    endif()
    include(cmake/MpiTests.cmake)
    include(cmake/PolicyObjects.cmake)
    include(cmake/Examples.cmake)
    if(TARGET warpbeam_examples)
        add_test_folder(examples warpbeam_examples)
        foreach(name test_events test_throttle test_active_set test_block_examples test_outside)
            target_sources(${name} PRIVATE tests/end-to-end/harness.c tests/end-to-end/shell.c)
            target_include_directories(${name} PRIVATE tests/end-to-end)
        endforeach()
        # What holds for the policies that are shipped holds for these, too.
        add_executable(test_example_policies tests/unit/test_policies.c)
        set_target_properties(test_example_policies PROPERTIES
                              RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
        target_link_libraries(test_example_policies PRIVATE common_examples)
        add_test(NAME test_example_policies COMMAND test_example_policies)
    endif()
    # The RNN library's Python module, with networks on the simulated GPU. A Python without sanitizers cannot
    # load a library that has them.
    find_package(Python3 COMPONENTS Interpreter QUIET)
    if(Python3_FOUND AND TARGET cudart_13 AND TARGET warpbeam AND NOT WARPBEAM_SANITIZE)
        add_test(NAME rnn_python COMMAND warpbeam run --functional --quiet -- ${Python3_EXECUTABLE}
                 ${CMAKE_SOURCE_DIR}/rnn/python/test_warpbeam_rnn.py)
        set_tests_properties(rnn_python PROPERTIES TIMEOUT 300
                             ENVIRONMENT WARPBEAM_RNN_LIBRARY=$<TARGET_FILE:warpbeam_rnn>)
    endif()
    # Kept PTX beside its sources, of modules that are compiled fast and have most headers. One preset's run is
    # enough: nothing of it depends on the build.
    if(NOT WARPBEAM_SANITIZE)
        add_test(NAME rnn_ptx COMMAND ${CMAKE_SOURCE_DIR}/rnn/kernels/check.sh prepare product stream_phased)
        set_tests_properties(rnn_ptx PROPERTIES TIMEOUT 120 SKIP_RETURN_CODE 77)
    endif()
    # A sweep on a Slurm of its own, where one is installed.
    if(TARGET warpbeam AND NOT WARPBEAM_SANITIZE)
        add_test(NAME sweep_slurm COMMAND ${CMAKE_SOURCE_DIR}/tests/sweep/slurm.sh $<TARGET_FILE:warpbeam>)
        set_tests_properties(sweep_slurm PROPERTIES TIMEOUT 150 SKIP_RETURN_CODE 77)
    endif()
    foreach(script folders named_files sizes)
        add_test(NAME ${script} COMMAND ${CMAKE_SOURCE_DIR}/scripts/${script}.sh)
    endforeach()
    # What runs on several threads waits for long where another test takes one of two processors.
    set_tests_properties(test_cycle_determinism test_dtbl test_device_sync test_launch_random test_timeline
                         test_world test_report test_graph_cycle test_graph_check test_trace
                         test_trace_barriers test_paper test_cut_runs test_policy_pairs
                         PROPERTIES PROCESSORS 2)
else()
    file(GLOB fuzzer_sources CONFIGURE_DEPENDS tests/fuzz/*.c)
    add_custom_target(fuzzers)
    foreach(source ${fuzzer_sources})
        get_filename_component(name ${source} NAME_WE)
        add_executable(${name} ${source})
        set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz)
        target_include_directories(${name} PRIVATE src)
        target_compile_definitions(${name} PRIVATE SOURCE_DIRECTORY="${CMAKE_SOURCE_DIR}")
        target_link_libraries(${name} PRIVATE workloads rt_static warpbeam_flags)
        target_link_options(${name} PRIVATE -fsanitize=fuzzer)
        add_dependencies(fuzzers ${name})
    endforeach()
endif()
