/* Work that a kernel finds, launched in one of three ways from one source [DTBL fig. 3]: not at all (flat),
 * as kernels in streams of their own (CUDA dynamic parallelism), or as aggregated groups of blocks (DTBL).
 *
 * A kernel that finds work is a template over the mode; a kernel of each mode gets its name by
 *
 *     MODES(expand, (const uint32_t *starts, uint32_t *levels), (starts, levels))
 *
 * which makes expand_flat, expand_cdp and expand_dtbl of `template <Mode mode> __device__ void
 * expand(...)`. Compiled by: ../build_ptx.sh dtbl */
#ifndef DTBL_LAUNCH_CUH
#define DTBL_LAUNCH_CUH

#include "../common/parameters.cuh"

enum Mode { FLAT, CDP, DTBL };

#define MODES(name, parameters, arguments)                                                                   \
    extern "C" __global__ void name##_flat parameters { name<FLAT> arguments; }                              \
    extern "C" __global__ void name##_cdp parameters { name<CDP> arguments; }                                \
    extern "C" __global__ void name##_dtbl parameters { name<DTBL> arguments; }

/* How many of `count` elements a thread launches, in blocks of so many threads: as many as fill blocks, if
 * they are `least` or more. The rest it does itself, as the programs of DTBL's authors do
 * (gtcasl/dragon_li). */
__device__ __forceinline__ unsigned launched_part(unsigned count, unsigned least, unsigned threads)
{
    if (count < least)
        return 0;
    return count < threads ? count : count / threads * threads;
}

/* Every thread that calls launches `blocks` blocks of `threads` threads of the kernel. The types of the
 * arguments are those of its parameters. Nothing is lost silently: a launch that is refused ends the run. */
template <Mode mode, typename... Parameters>
__device__ __forceinline__ void launch(void (*kernel)(Parameters...), unsigned blocks, unsigned threads,
                                       Parameters... parameters)
{
    static_assert(mode != FLAT, "a flat kernel launches nothing");
    wb_stream stream = WB_STREAM_BLOCK;
    if (mode == CDP && wb_stream_create(&stream) != 0)
        __trap();
    char *buffer = (char *)wb_get_parameter_buffer(8, parameter_end<Parameters...>(0));
    if (!buffer)
        __trap();
    put_parameters(buffer, 0, parameters...);
    const void *const entry = (const void *)kernel;
    const int error = mode == CDP ? wb_launch_device(entry, buffer, dim3(blocks), dim3(threads), 0, stream)
                                  : wb_launch_agg_group(entry, buffer, dim3(blocks), dim3(threads), 0);
    if (error != 0)
        __trap();
}

#endif
