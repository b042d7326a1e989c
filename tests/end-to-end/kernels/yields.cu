/* Tasks that make tasks one level deeper, in channels that are too small for them: their wavefronts yield. */
#include "warpbeam_device.h"

struct Task {
    unsigned n;
};

static __device__ __forceinline__ unsigned sm_number()
{
    unsigned number;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(number));
    return number;
}

/* result[0]: leaves of the tree of fib(n); result[1]: lanes that went on on another SM; result[2]: lanes that
 * found another value in shared memory. Level 0 of the stack is channel `stack`. */
extern "C" __global__ void leaves(unsigned stack, unsigned *result)
{
    __shared__ unsigned box[64];
    const Task *src = deq(wb_source(), wb_source_offset());
    const unsigned n = src->n, below = wb_source() + 1;
    if (wb_source() < stack)
        return;
    if (n <= 2) {
        atomicAdd(&result[0], 1u);
    } else {
        const unsigned sm = sm_number();
        box[threadIdx.x] = n + wb_source_offset();
        WB_IN_TURNS(below, 2) {
            WbElements<Task> made = talloc(below, 2);
            made[0].n = n - 1;
            made[1].n = n - 2;
            enq_n(below, made, 2);
        }
        if (sm != sm_number())
            atomicAdd(&result[1], 1u);
        if (box[threadIdx.x] != n + wb_source_offset())
            atomicAdd(&result[2], 1u);
    }
    tfree(wb_source(), wb_source_offset());
}

/* Frees its element twice. */
extern "C" __global__ void twice(unsigned stack, unsigned *result)
{
    result[0] = stack;
    tfree(wb_source(), wb_source_offset());
    tfree(wb_source(), wb_source_offset());
}

/* Yields for another wavefront than itself. */
extern "C" __global__ void for_another(unsigned stack, unsigned *result)
{
    result[0] = stack;
    wb_wave_yield(wb_env_wave() + 1);
}
