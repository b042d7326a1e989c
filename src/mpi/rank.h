/* libwarpbeam_mpi.so: MPI's calls in simulated time.
 *
 * The library defines MPI's functions and lies before MPI's own in the process (LD_PRELOAD, by `warpbeam
 * run`); those are still there by their other names, PMPI_... A rank's host has one clock: where the
 * program has used CUDA it is that of the simulated GPU's host (rt/network.h), and it goes on by what
 * MPI's calls take. Messages do not go through MPI but through the conductor (conduct/conductor.h), which
 * says when they arrive and who receives them. MPI itself starts the ranks, and keeps communicators,
 * groups, datatypes and operators.
 *
 * As src/rt, this is one process's: its state is global. A call runs between rank_begin() and rank_end(). */
#ifndef MPI_RANK_H
#define MPI_RANK_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "conduct/ask.h"
#include "conduct/network.h"
#include "conduct/transport.h"

/* Invariant: is_open from MPI_Init to MPI_Finalize. */
typedef struct Own {
    bool is_open;
    pid_t process;       /* that opened it, not a child of it */
    uint32_t rank, size; /* in MPI_COMM_WORLD */
    uint64_t now;        /* how far its host is, in picoseconds */
    uint64_t next_id;    /* of requests and probes */
    Network network;
    const char *call; /* under way */
    uint64_t begun;   /* when it began */
    uint64_t inside;  /* time in calls so far */
    uint64_t messages, bytes; /* that it has sent */
} Own;

extern Own own;

/* The beginning of a call: the clock has caught up with CUDA's. */
void rank_begin(const char *call);
/* Its end; hands the error through. */
int rank_end(int error);
void rank_spend(uint64_t picoseconds);

/* An ask of the present call at the present time. */
Ask rank_ask(AskKind kind);
/* Asks, and waits for the answer; its tail is to be given to xfree(). Where the program ends instead, it
 * does not return. */
uint8_t *rank_answer(const Ask *ask, const void *tail, Answer *answer);
/* Ends all ranks, with that status. */
_Noreturn void rank_abort(int status);

/* CUDA simulates in a call of the program's, and has come to that time: other ranks need not wait for
 * less. */
void rank_is_at(uint64_t picoseconds);

/* Says what is wrong with the call, and lets the communicator's error handler have it; returns the error
 * unless that ends the program. MPI_COMM_NULL: that of MPI_COMM_WORLD. */
int rank_fail(MPI_Comm communicator, int error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Says once that time does not know the call. */
void rank_tell_uncovered(const char *call);

/* -- device memory (device.c) -- */

/* CUDA's time, in picoseconds; 0: the program has not used it. */
uint64_t device_time(void);
void device_reach(uint64_t picoseconds);
/* Around a wait for messages. */
void device_wait(bool begins);
bool device_owns(const void *pointer);
bool device_read(void *host, const void *device, size_t size);
bool device_write(void *device, const void *host, size_t size);
/* GPUs that go on together with those of other ranks (knob network_ranks); without them, nothing happens. */
void device_join(void);
void device_part(void);
/* They go on to that time. */
void device_go(uint64_t picoseconds);
/* Where they are, and when they have something to do; false: there are none. */
bool device_work(uint64_t *now, uint64_t *next);
/* They go on as the answer says, with its parcels. */
void device_serve(const Answer *answer, const uint8_t *tail);
/* For CUDA's library, which finds it by name; null: GPUs of this rank are alone. */
__attribute__((visibility("default"))) const Transport *warpbeam_mpi_transport(void);
/* The host's time for so many bytes of device memory, before they leave or after they have come. */
uint64_t device_staging(size_t size);

#endif
