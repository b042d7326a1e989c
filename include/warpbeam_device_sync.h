/* Blocks that wait for each other: a barrier of all blocks of a kernel, and events that blocks wait for and
 * signal to [sync thesis, chapters 4 and 6], and both for kernels of several GPUs [chapter 8]. A block that
 * waits may leave its SM meanwhile, so that a grid may be larger than the machine.
 *
 *     wb_global_sync();                            all blocks of the kernel have come here
 *     wb_wait(event, target);                      the block waits until the event has had `target` calls
 *     wb_signal(event, target);                    one call of the block to the event, without waiting
 *     wb_system_sync();                            the same of a kernel on each GPU of the system
 *     wb_wait_gpu(gpu, event, target);             an event that belongs to a GPU: kernels of all GPUs may
 *     wb_signal_gpu(gpu, event, target);           wait for it and signal to it
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

/* ---- several GPUs ---- */

/* The number of this GPU among those of its system, and how many they are. */
extern "C" __device__ unsigned wb_this_gpu(void);
extern "C" __device__ unsigned wb_gpu_count(void);
/* Waits until all blocks of the kernel have called it, and all blocks of one kernel on every other GPU of the
 * system. The units of the GPUs tell each other over the links. */
extern "C" __device__ void wb_system_sync(void);
/* The same for the GPUs whose bits are set: bit i is GPU i. This one is among them. Kernels of different sets
 * do not meet. */
extern "C" __device__ void wb_system_sync_group(unsigned gpus);
/* As wb_wait() and wb_signal(), of an event that belongs to a GPU, this one or another: it is there before and
 * after any kernel. */
extern "C" __device__ void wb_wait_gpu(unsigned gpu, unsigned event, unsigned target);
extern "C" __device__ void wb_signal_gpu(unsigned gpu, unsigned event, unsigned target);

/* The same barrier by flags in memory [figure 56], which needs nothing of the units but wb_global_sync(). The
 * last block of a GPU's kernel that comes sets the GPU's flag. Then it polls the flags of all others, while
 * the other blocks wait at the global sync. A turn is 1 for the first sync, 2 for the next, and so on; they
 * go on from launch to launch. All words are 0 before the first turn.
 *
 *     wb_system_sync_flags(flags, turn);               all of it; or in parts:
 *     bool last = wb_system_arrive_flags(flags, turn); the block has come, and need not wait yet
 *     wb_system_await_flag(flags, gpu, turn);          until all blocks of that GPU have come: their data
 *                                                      can be fetched
 *     wb_system_wait_flags(flags, turn, last);         until all have
 *
 * All threads of a block make these calls but wb_system_await_flag(), which any may make. A thread that has
 * awaited a GPU reads its data past the L1 (__ldcg(), or volatile). Blocks that poll have to be on their SMs at once; those
 * that only sync need not.
 *
 * Of each GPU the host makes one of these, in memory that the GPU can read. Flags lie where the host puts
 * them: in the GPU that sets them, and others read them there; one for each reader, in its memory, where it
 * polls without a way; or in pinned memory of the host. */
enum { WB_FLAG_GPUS = 32 };
struct WbSystemFlags {
    unsigned *arrived;                     /* a word in this GPU's memory: blocks that have come */
    unsigned *mine[WB_FLAG_GPUS];          /* [gpu]: where that GPU looks for this one's flag; of several the
                                              same may be given */
    const unsigned *theirs[WB_FLAG_GPUS];  /* [gpu]: where this GPU looks for that one's */
    unsigned gpus, self;                   /* how many, and which this is */
};

static __device__ __forceinline__ unsigned wb_thread_rank()
{
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}

/* Turns may pass the largest number. */
static __device__ __forceinline__ void wb_system_await_flag(const WbSystemFlags *flags, unsigned gpu,
                                                            unsigned turn)
{
    while ((int)(*(const volatile unsigned *)flags->theirs[gpu] - turn) < 0) {
    }
    __threadfence_system();
}

/* Each place is written once, whoever looks there. */
static __device__ __forceinline__ void wb_system_set_flag(const WbSystemFlags *flags, unsigned turn)
{
    const unsigned *before = nullptr;
    for (unsigned gpu = 0; gpu < flags->gpus; gpu++) {
        if (gpu == flags->self || flags->mine[gpu] == before)
            continue;
        *(volatile unsigned *)flags->mine[gpu] = turn;
        before = flags->mine[gpu];
    }
}

/* Whether it is the last block of its GPU, which has to be known to wb_system_wait_flags(). */
static __device__ __forceinline__ bool wb_system_arrive_flags(const WbSystemFlags *flags, unsigned turn)
{
    __threadfence_system();
    __syncthreads();
    bool is_last = false;
    if (wb_thread_rank() == 0) {
        const unsigned blocks = gridDim.x * gridDim.y * gridDim.z;
        is_last = atomicInc(flags->arrived, blocks - 1) == blocks - 1;
        if (is_last) {
            __threadfence_system();
            wb_system_set_flag(flags, turn);
        }
    }
    return __syncthreads_or(is_last);
}

static __device__ __forceinline__ void wb_system_wait_flags(const WbSystemFlags *flags, unsigned turn, bool is_last)
{
    const unsigned thread = wb_thread_rank(), threads = blockDim.x * blockDim.y * blockDim.z;
    if (is_last)
        for (unsigned gpu = thread; gpu < flags->gpus; gpu += threads)
            if (gpu != flags->self)
                wb_system_await_flag(flags, gpu, turn);
    wb_global_sync();
}

static __device__ __forceinline__ void wb_system_sync_flags(const WbSystemFlags *flags, unsigned turn)
{
    wb_system_wait_flags(flags, turn, wb_system_arrive_flags(flags, turn));
}

/* `bytes` bytes of the block's shared memory hold what is in global memory there, and neither changes while
 * the kernel runs: a block that leaves its SM need not save them, and reads them again. One thread may say it
 * for its block. The machine finds out itself of arrays that are only filled from global memory before the
 * first sync or wait; this is for those it does not find. */
extern "C" __device__ void wb_read_only(const void *shared, unsigned bytes, const void *global);

#endif
