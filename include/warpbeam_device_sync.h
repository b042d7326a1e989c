/* Blocks that wait for each other: a barrier of all blocks of a kernel, and events that blocks wait for and
 * signal to [sync thesis, chapters 4 and 6]. A block that waits may leave its SM meanwhile, so that a grid
 * may be larger than the machine.
 *
 *     wb_global_sync();                            all blocks of the kernel have come here
 *     wb_wait(event, target);                      the block waits until the event has had `target` calls
 *     wb_signal(event, target);                    one call of the block to the event, without waiting
 *
 * Waits and signals both count: `target` is the number of blocks that wait for the event and signal to it.
 * All threads of a block make these calls, as they do with __syncthreads(); a warp whose threads have all
 * ended counts as come. What a block has written before it syncs or signals is seen by those who wake.
 * Included by warpbeam_device.h. */
#ifndef WARPBEAM_DEVICE_SYNC_H
#define WARPBEAM_DEVICE_SYNC_H

/* Waits until all blocks of the kernel have called it. */
extern "C" __device__ void wb_global_sync(void);
/* Waits until the event has had `target` waits and signals, this one included; all of them name the same
 * target. Then the event is as new: its number can be used again. */
extern "C" __device__ void wb_wait(unsigned event, unsigned target);
/* A signal of the block to the event, once all its threads have come. */
extern "C" __device__ void wb_signal(unsigned event, unsigned target);
/* A signal of each calling thread, to an event of its own; the others of its block need not come. */
extern "C" __device__ void wb_signal_each(unsigned event, unsigned target);

/* `bytes` bytes of the block's shared memory hold what is in global memory there, and neither changes while
 * the kernel runs: a block that leaves its SM need not save them, and reads them again. One thread may say it
 * for its block. The machine finds out itself of arrays that are only filled from global memory before the
 * first sync or wait; this is for those it does not find. */
extern "C" __device__ void wb_read_only(const void *shared, unsigned bytes, const void *global);

#endif
