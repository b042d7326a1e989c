/* Kernels that launch work: whole kernels, as CUDA dynamic parallelism does, and thread blocks that join a
 * kernel which is already there, as in Dynamic Thread Block Launch [DTBL §4.1].
 *
 *     void *buffer = wb_get_parameter_buffer(8, sizeof(Parameters));
 *     *(Parameters *)buffer = ...;                           laid out as the kernel's parameters are
 *     wb_launch_agg_group((const void *)child, buffer, dim3(blocks), dim3(threads), 0);
 *
 * Any thread may launch, with any dimensions. Launches that threads of one warp make in the same call are
 * handed over together. All functions but the first return 0 or the number that CUDA gives the error; the
 * first returns null where no launch can be taken any more. Parents write what children read before they
 * launch; a kernel counts as complete when all that it launched has completed. Included by
 * warpbeam_device.h. */
#ifndef WARPBEAM_DEVICE_LAUNCH_H
#define WARPBEAM_DEVICE_LAUNCH_H

/* Launches into one stream run one after the other, those into different streams side by side. 0 is the
 * block's own stream. */
typedef unsigned long long wb_stream;
#define WB_STREAM_BLOCK ((wb_stream)0)           /* launches of the block, one after the other */
#define WB_STREAM_THREAD ((wb_stream)2)          /* launches of the thread, one after the other */
#define WB_STREAM_TAIL ((wb_stream)3)            /* after the launching kernel and all its other launches */
#define WB_STREAM_FIRE_AND_FORGET ((wb_stream)4) /* each launch by itself */

/* Memory for the parameters of one launch, which that launch takes over: cudaGetParameterBuffer. */
extern "C" __device__ void *wb_get_parameter_buffer(size_t alignment, size_t size);
/* Blocks of threads that run `kernel`, together with one of its launches that is under way if there is one
 * with blocks of that shape, else as a launch of their own: cudaLaunchAggGroup of the paper. */
extern "C" __device__ int wb_launch_agg_group(const void *kernel, void *buffer, dim3 agg_dim, dim3 tb_dim,
                                              unsigned shared_bytes);
/* A kernel: cudaLaunchDevice. */
extern "C" __device__ int wb_launch_device(const void *kernel, void *buffer, dim3 grid_dim, dim3 block_dim,
                                           unsigned shared_bytes, wb_stream stream);
/* A stream of the launching kernel: cudaStreamCreateWithFlags. */
extern "C" __device__ int wb_stream_create(wb_stream *stream);
/* Waits until all that threads of the block have launched so far has completed, aggregated groups and the
 * tail stream apart: cudaDeviceSynchronize in device code. The block leaves its SM meanwhile. */
extern "C" __device__ int wb_device_sync(void);
/* The last error of the calling thread's launches, which is forgotten then: cudaGetLastError. */
extern "C" __device__ int wb_last_error(void);

#endif
