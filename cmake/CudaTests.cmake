# Every program of tests/cuda is one ctest entry, cuda_<name>: it is built with nvcc when it first runs, and
# runs on the simulated GPU, without timing and with it. Where there is no nvcc, one entry says so and is
# skipped.
if(NOT TARGET cudart_13)
    return()
endif()
find_program(NVCC nvcc PATHS $ENV{CUDA_HOME}/bin $ENV{CUDA_PATH}/bin /usr/local/cuda/bin)
if(NVCC)
    file(GLOB cuda_programs CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}/tests/cuda tests/cuda/*.cu)
else()
    set(cuda_programs programs)
endif()
foreach(program ${cuda_programs})
    get_filename_component(name ${program} NAME_WE)
    add_test(NAME cuda_${name}
             COMMAND ${CMAKE_SOURCE_DIR}/tests/cuda/run.sh --simulated ${CMAKE_BINARY_DIR} ${name})
    set_tests_properties(cuda_${name} PROPERTIES TIMEOUT 300 SKIP_RETURN_CODE 77
        ENVIRONMENT "NVCC=${NVCC};CUDA_TEST_BUILD=${CMAKE_BINARY_DIR}/tests/cuda")
endforeach()
