/* What the library for MPI programs (mpi/) asks of a program's CUDA. It finds these functions by name in the
 * process, so that a program without CUDA needs none of it. */
#ifndef RT_NETWORK_H
#define RT_NETWORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conduct/transport.h"
#include "warpbeam.h"

/* How far the host is, in picoseconds of simulated time since the first CUDA call; false: there was none. */
typedef bool RtNetworkTime(uint64_t *picoseconds);
RtNetworkTime rt_network_time;
/* The host has waited for a message, until then. */
typedef void RtNetworkReach(uint64_t picoseconds);
RtNetworkReach rt_network_reach;
/* Around a wait for messages: what is left in streams does not run on its own meanwhile (rt/progress.h). */
typedef void RtNetworkWait(bool begins);
RtNetworkWait rt_network_wait;
/* The function is told now and then how far the host is at least, in the middle of a call that simulates for
 * long. */
typedef void RtNetworkTold(uint64_t picoseconds);
typedef void RtNetworkWatch(RtNetworkTold *told);
RtNetworkWatch rt_network_watch;
/* For who looks at the simulation (live.c). */
void rt_network_look(const WbGpu *gpu);
/* Whether only the GPU can use the pointer. */
typedef bool RtNetworkIsDevice(const void *pointer);
RtNetworkIsDevice rt_network_is_device;
/* Copies between host memory and such a pointer, without any simulated time: MPI does not wait for streams.
 * False once the failure has been told, with the name of the call. */
typedef bool RtNetworkRead(const char *call, void *host, const void *device, size_t size);
typedef bool RtNetworkWrite(const char *call, void *device, const void *host, size_t size);
RtNetworkRead rt_network_read;
RtNetworkWrite rt_network_write;
/* What such a copy takes where a network card cannot reach device memory, in picoseconds. */
typedef uint64_t RtNetworkStaging(size_t size);
RtNetworkStaging rt_network_staging;

/* -- one simulation over ranks (knob network_ranks): see api/spread.h -- */

/* The name of MPI's function that says how, as `const Transport *(void)`. */
#define RT_NETWORK_TRANSPORT "warpbeam_mpi_transport"
/* MPI has begun or ended: the GPUs go on together with those of other ranks, or alone. */
typedef void RtNetworkJoin(void);
RtNetworkJoin rt_network_join;
/* CUDA has begun, with that GPU or, failing that, null. */
void rt_network_opened(WbGpu *gpu);
typedef void RtNetworkGo(uint64_t picoseconds);
RtNetworkGo rt_network_go;
/* Where they are, and when they have something to do; false: they are alone. */
typedef bool RtNetworkWork(uint64_t *now, uint64_t *next);
RtNetworkWork rt_network_work;
typedef void RtNetworkTake(const void *bytes, size_t size);
RtNetworkTake rt_network_take;
typedef void RtNetworkServe(const Leave *leave);
RtNetworkServe rt_network_serve;

#endif
