/* The simulator moves managed memory where there are several GPUs, and takes no note where there is one. */
#include "rt/managed.h"

#include "rt/progress.h"

RtError rt_managed_advise(uint64_t address, size_t size, int advice, int place)
{
    static const WbAdvice known[] = {WB_ADVICE_READ_MOSTLY, WB_ADVICE_PREFERRED, WB_ADVICE_ACCESSED_BY};
    if (rt_device_count() == 1)
        return RT_SUCCESS;
    const bool has_place = advice == 3 || advice >= 5; /* of the others the place means nothing */
    return rt_check(wb_memory_advise(rt_gpu(), address, size, known[(advice - 1) / 2],
                                     has_place ? place : (int)RT_PLACE_HOST, advice % 2));
}

RtError rt_managed_prefetch(uint64_t address, size_t size, int place, RtStream *stream)
{
    if (rt_device_count() == 1 || stream->capture)
        return RT_SUCCESS;
    rt_progress_expect();
    return RT_ON(stream->device,
                 rt_check(wb_stream_prefetch(rt_gpu(), stream->stream, address, size, place)));
}
