/* What the lanes of a wavefront do together, and wavefronts that yield [channels §3.2.2, §6]. Included by
 * warpbeam_device.h.
 *
 * The first four are for the lanes that make the call at once: in divergent code, a part of the wavefront.
 * They are instructions of the SM, as shuffles are. A loop around them has to end for all lanes in the same
 * turn: lanes that wait where others are to join them wait as long as those make such calls, also on GPUs
 * whose lanes go their own ways (from Volta on). */
#ifndef WARPBEAM_DEVICE_WAVE_H
#define WARPBEAM_DEVICE_WAVE_H

/* The sum of the values of all calling lanes below this one. */
extern "C" __device__ unsigned wb_wave_prefix(unsigned value);
/* The sum of the values of all calling lanes. */
extern "C" __device__ unsigned wb_wave_total(unsigned value);
/* Whether this is the highest calling lane. */
extern "C" __device__ bool wb_wave_leader(void);
/* The value of the highest calling lane. */
extern "C" __device__ unsigned wb_wave_broadcast(unsigned value);
/* Whether the other lanes of the wavefront cannot go on before the calling ones do: they have ended, wait
 * where lanes meet, or ask the same and are higher. On GPUs whose lanes go their own ways, ask again and again
 * before the wavefront yields: it takes all its lanes with it, wherever they are. */
extern "C" __device__ bool wb_wave_is_last(void);

/* The wavefront leaves its SM until the aggregator restarts it; `wave` is its number, %envreg3. */
extern "C" __device__ void wb_wave_yield(unsigned wave);
/* Ends the launch with a sentence. `code` is one of WB_FAIL_... */
extern "C" __device__ void wb_channel_fail(unsigned code, unsigned channel, unsigned value, unsigned line);

#endif
