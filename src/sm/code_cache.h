/* Instruction caches of an SM: when a line of code is there.
 *
 * Lines arrive at a cycle that is known when they are asked for, so a cache keeps that cycle instead of a
 * list of those who wait. There are one or two levels. A line that is not in the first comes from the second
 * after `icache_next_latency` cycles, or from beyond after `icache_miss_latency`, and lines come one after
 * the other, `icache_next_interval` or `icache_miss_interval` cycles apart. With a line that is missing the
 * lines behind it are asked for, `icache_prefetch` of them; with `icache_stream` also behind a line that is
 * there.
 *
 * A launch brings code with it (`launch_prefetch`): with two levels the first line into the first level and
 * `launch_code_bytes` into the second, else the first lines that a miss would bring. */
#ifndef SM_CODE_CACHE_H
#define SM_CODE_CACHE_H

#include "config/config.h"
#include "sim/clock.h"

typedef struct CodeCache CodeCache;

typedef struct CodeLine {
    Cycle ready; /* when it is there: not before the fetch */
    bool missed; /* nobody had asked for it */
} CodeLine;

CodeCache *code_cache_create(const GpuConfig *config);
void code_cache_free(CodeCache *cache);
void code_cache_empty(CodeCache *cache);
/* A fetch of a line by its number in the kernel, whose own number stands above bit 32. */
CodeLine code_cache_fetch(CodeCache *cache, uint64_t kernel, uint32_t line, Cycle now);
/* What the launch brings of a kernel is there, if the SM has not run it, `wait` cycles from now. */
void code_cache_begin(CodeCache *cache, uint64_t kernel, Cycle wait, Cycle now);

#endif
