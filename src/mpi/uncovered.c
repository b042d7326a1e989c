/* Calls that take no simulated time: each says so once, and MPI does its work. Programs in Fortran call
 * MPI by names that go around this library, so they are not begun at all. */
#include <stdio.h>
#include <stdlib.h>

#include "mpi/rank.h"

#define UNCOVERED(name, parameters, arguments)                                                               \
    int name parameters                                                                                      \
    {                                                                                                        \
        rank_tell_uncovered(#name);                                                                          \
        return P##name arguments;                                                                            \
    }
#include "mpi/uncovered.def"
#undef UNCOVERED

static _Noreturn void refuse_fortran(void)
{
    fputs("warpbeam: MPI programs in Fortran are not covered: their messages would not be simulated.\n",
          stderr);
    exit(EXIT_FAILURE);
}

#define FORTRAN(name)                                                                                        \
    __attribute__((visibility("default"))) void name(void);                                                  \
    void name(void) { refuse_fortran(); }
FORTRAN(mpi_init_)
FORTRAN(mpi_init_f08_)
FORTRAN(mpi_init_thread_)
FORTRAN(mpi_init_thread_f08_)
