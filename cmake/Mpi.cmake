# The library for MPI programs, libwarpbeam_mpi.so, where Open MPI's headers are. It is loaded before MPI into
# programs that do not know it, so it holds little: what it shares with the simulator is compiled into it.
pkg_check_modules(MPI IMPORTED_TARGET ompi-c)
if(NOT MPI_FOUND OR WARPBEAM_SANITIZE OR WARPBEAM_FUZZ)
    message(STATUS "No library for MPI programs: it needs Open MPI's headers, and no sanitizers")
    return()
endif()

file(GLOB mpi_sources CONFIGURE_DEPENDS src/mpi/*.c src/conduct/*.c)
add_library(warpbeam_mpi SHARED ${mpi_sources} src/base/alloc.c)
set_target_properties(warpbeam_mpi PROPERTIES C_VISIBILITY_PRESET hidden)
target_include_directories(warpbeam_mpi PRIVATE include src)
target_link_libraries(warpbeam_mpi PRIVATE PkgConfig::MPI Threads::Threads ${CMAKE_DL_LIBS} warpbeam_flags)
install(TARGETS warpbeam_mpi)
