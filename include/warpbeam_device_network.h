/* Messages to the memory of GPUs on any node, in the middle of a kernel [sync thesis, section 8.2].
 *
 *     wb_put(wb_remote(halo, right), edge, bytes);   send bytes of this GPU to GPU `right`
 *     wb_signal_remote(wb_remote(flag, right), 1);   set a word there, when what the block has put is there
 *     wb_get(here, wb_remote(there, left), bytes);   get bytes of GPU `left`
 *     wb_wait_remote();                              the block waits until all of that is complete
 *
 * GPUs of all nodes have numbers, node by node. wb_remote() names their memory: what lies there at the same
 * offset as the pointer does here. GPUs that allocate the same in the same order have it at the same offsets.
 * A pointer into device memory of another GPU of the same process names that as it is.
 *
 * Each calling thread sends a message of its own. Its call returns when the network card has taken the
 * message. The bytes must not change, and not be used, until wb_wait_remote() has returned. What other threads
 * have written to them must be visible: __threadfence() and a barrier before the call.
 *
 * What one block sends to one GPU takes effect there message by message, in the order of its calls. Within a
 * message, between blocks and between GPUs there is no order. Included by warpbeam_device.h. */
#ifndef WARPBEAM_DEVICE_NETWORK_H
#define WARPBEAM_DEVICE_NETWORK_H

/* What the pointer is here, at GPU number `gpu` of all nodes. For the functions below only. */
static __device__ __inline__ void *wb_remote(const void *pointer, unsigned gpu)
{
    return (void *)(((unsigned long long)pointer & 0xFFFFFFFFFFull) | (unsigned long long)gpu << 40 | 1ull << 63);
}

/* Sends `bytes` bytes from `local` to `remote`. */
extern "C" __device__ void wb_put(void *remote, const void *local, unsigned long long bytes);
/* Gets `bytes` bytes from `remote` to `local`. */
extern "C" __device__ void wb_get(void *local, const void *remote, unsigned long long bytes);
/* Sets the word of 4 bytes at `remote`. */
extern "C" __device__ void wb_signal_remote(void *remote, unsigned value);
/* Adds to the word of 4 bytes at `remote`, in one piece as an atomic does. */
extern "C" __device__ void wb_add_remote(void *remote, unsigned value);
/* Waits until what the block has put, set, added and got so far is complete: there, or here. One thread may
 * call it; all of the block waits. */
extern "C" __device__ void wb_wait_remote(void);

#endif
