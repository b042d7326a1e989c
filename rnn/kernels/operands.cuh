/* Operands: what other blocks publish comes from slots in global memory to shared memory, where all warps of
 * a block read it. Values carry their own flags: a quad that has not been written is read again. */
#ifndef WBRNN_OPERANDS_CUH
#define WBRNN_OPERANDS_CUH

#include "sync.cuh"

/* A block's way to slots of groups of SLICE positions; its threads take quads in turn. Invariant: a thread
 * that gives up says so in left[phase & 1], which all read behind the next barrier. */
template <uint32_t SLICE> struct Operands {
    static constexpr int quads = SLICE > JOB_THREADS ? SLICE / JOB_THREADS : 1; /* of a thread, at least */

    const RnnJob &job;
    const uint32_t layer_index;
    const uint32_t positions;
    uint32_t *const left; /* two flags: a thread of the block has given up, by parity of the phase */
    uint32_t phase = 0;

    __device__ Operands(const RnnJob &job, uint32_t layer_index, uint32_t *left)
        : job(job), layer_index(layer_index), positions(job.groups * SLICE), left(left)
    {
        if (threadIdx.x < 2)
            left[threadIdx.x] = 0;
    }

    /* Reads this thread's quads of a slot without waiting for them. */
    __device__ __forceinline__ void look(const float4 *from, float4 (&quad)[quads]) const
    {
#pragma unroll
        for (int i = 0; i < quads; i++)
            if (SLICE >= JOB_THREADS || threadIdx.x < positions)
                quad[i] = quad_read(from + i * JOB_THREADS + threadIdx.x);
    }

    /* A quad that was not there when it was looked at. */
    __device__ __forceinline__ float4 await(const float4 *from, uint32_t step, uint32_t what)
    {
        Watch watch{layer_index, step, what};
        float4 quad;
        do {
            quad = quad_read(from);
            if (watch.is_over(job)) {
                left[phase & 1] = 1;
                break;
            }
        } while (!is_written(quad));
        return quad;
    }

    /* Puts a slot's quads into shared memory as they come; `quad` is what look() saw. */
    __device__ __forceinline__ void stage(const float4 *from, float4 *to, const float4 (&quad)[quads],
                                          uint32_t step, uint32_t what)
    {
#pragma unroll
        for (int i = 0; i < quads; i++)
            if (SLICE >= JOB_THREADS || threadIdx.x < positions) {
                const uint32_t at = i * JOB_THREADS + threadIdx.x;
                to[at] = is_written(quad[i]) ? quad[i] : await(from + at, step, what);
            }
        for (uint32_t at = quads * JOB_THREADS + threadIdx.x; at < positions; at += JOB_THREADS)
            to[at] = await(from + at, step, what);
    }

    /* A slot on its way to shared memory, without waiting for it: staged_copies() looks at it later. */
    __device__ __forceinline__ void copy(const float4 *from, float4 *to) const
    {
#pragma unroll
        for (int i = 0; i < quads; i++)
            quad_copy(to + i * JOB_THREADS + threadIdx.x, from + i * JOB_THREADS + threadIdx.x);
        for (uint32_t at = quads * JOB_THREADS + threadIdx.x; at < positions; at += JOB_THREADS)
            quad_copy(to + at, from + at);
    }

    /* Reads those quads again that had not been written when they were copied, all of them at once. */
    __device__ __forceinline__ void complete(const float4 *from, float4 *to, uint32_t step, uint32_t what)
    {
        Watch watch{layer_index, step, what};
        bool missing = true;
        while (missing) {
            float4 quad[quads];
            missing = false;
#pragma unroll
            for (int i = 0; i < quads; i++)
                if (!is_written(to[i * JOB_THREADS + threadIdx.x]))
                    quad[i] = quad_read(from + i * JOB_THREADS + threadIdx.x), missing = true;
            if (!missing)
                break;
#pragma unroll
            for (int i = 0; i < quads; i++)
                if (!is_written(to[i * JOB_THREADS + threadIdx.x]))
                    to[i * JOB_THREADS + threadIdx.x] = quad[i];
            if (watch.is_over(job)) {
                left[phase & 1] = 1;
                return;
            }
        }
        for (uint32_t at = quads * JOB_THREADS + threadIdx.x; at < positions; at += JOB_THREADS)
            if (!is_written(to[at]))
                to[at] = await(from + at, step, what);
    }

    /* All threads of the block have staged their quads. False: one has given up. */
    __device__ __forceinline__ bool staged()
    {
        __syncthreads();
        return !left[phase++ & 1];
    }
};

#endif
