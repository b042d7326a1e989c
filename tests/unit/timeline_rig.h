/* A GPU for tests of streams: gtx480 in cycle mode, a cycle of which is a nanosecond, with a test's PTX and
 * some words of memory that are zero at first. A test file defines `text` before it includes this. */
#ifndef TIMELINE_RIG_H
#define TIMELINE_RIG_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "warpbeam.h"

static WbGpu *gpu;
static WbModule *module;
static uint64_t words;

static inline void check(WbStatus status)
{
    if (status != WB_OK)
        fail_msg("%s: %s", wb_status_name(status), wb_error(gpu));
}

static inline WbModule *load(void)
{
    WbModule *loaded;
    check(wb_module_load(gpu, "test.ptx", text, strlen(text), &loaded));
    return loaded;
}

static inline int open_gpu(void **state)
{
    (void)state;
    check(wb_gpu_open("gtx480", &gpu, NULL, 0));
    check(wb_gpu_set(gpu, "mode", "cycle"));
    check(wb_gpu_set(gpu, "clock_khz", "1000000"));
    module = load();
    check(wb_malloc(gpu, 4096, &words));
    check(wb_set_device(gpu, words, 0, 4096));
    return 0;
}

static inline int close_gpu(void **state)
{
    (void)state;
    wb_gpu_close(gpu);
    return 0;
}

static inline WbStream *make_stream(unsigned flags, int priority)
{
    WbStream *stream;
    check(wb_stream_create(gpu, flags, priority, &stream));
    return stream;
}

static inline uint32_t word_at(uint32_t word)
{
    uint32_t value;
    check(wb_copy_from_device(gpu, &value, words + 4 * word, 4));
    return value;
}

static inline WbRecord record_at(size_t index)
{
    WbRecord record;
    check(wb_record_at(gpu, index, &record));
    return record;
}

#endif
