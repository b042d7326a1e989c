/* Each knob is within its bounds already; here is what they must be together: sizes that hold each other,
 * caches of whole sets, clocks in their order. The first contradiction is told, with the names and values of
 * the knobs. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>

#include "config/config.h"

typedef struct Named {
    const char *name;
    uint64_t value;
} Named;
#define NAMED(field)                                                                                         \
    (Named) { #field, config->field }

static WbStatus check_order(const GpuConfig *config, Error *error)
{
    const struct {
        Named small, large;
    } pairs[] = {
        {NAMED(max_threads_per_block), NAMED(max_threads_per_sm)},
        {NAMED(shared_bytes_per_block), NAMED(shared_bytes_per_sm)},
        {NAMED(heap_bytes), NAMED(global_bytes)},
        {NAMED(warp_width), NAMED(max_threads_per_sm)},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (pairs[i].small.value > pairs[i].large.value)
            return error_set(error, WB_ERROR_ARGUMENT,
                             "%s: %s (%" PRIu64 ") is larger than %s (%" PRIu64 ").", config->name,
                             pairs[i].small.name, pairs[i].small.value, pairs[i].large.name,
                             pairs[i].large.value);
    return WB_OK;
}

WbStatus config_check(const GpuConfig *config, Error *error)
{
    if (config->graph_local_nodes == 1)
        return error_set(error, WB_ERROR_ARGUMENT,
                         "%s: graph_local_nodes is 1; a node runs when the next one is known, so the Local "
                         "Node Array has at least 2 entries.",
                         config->name);
    return check_order(config, error);
}

/* -- the machine as a whole -- */

/* Caches consist of whole sets, in every slice as many. */
static WbStatus check_caches(const GpuConfig *config, Error *error)
{
    enum { DATA_LINE = 128, CONST_LINE = 64 };
    const struct {
        Named bytes, ways;
        uint64_t line, slices;
    } caches[] = {
        {NAMED(l1_bytes), NAMED(l1_ways), DATA_LINE, 1},
        {NAMED(l1_bytes_min), NAMED(l1_ways), DATA_LINE, 1},
        {NAMED(l2_bytes), NAMED(l2_ways), DATA_LINE, config->l2_slices},
        {NAMED(icache_bytes), NAMED(icache_ways), config->icache_line_bytes, 1},
        {NAMED(const_cache_bytes), NAMED(const_cache_ways), CONST_LINE, 1},
        {NAMED(icache_next_bytes), NAMED(icache_ways), config->icache_line_bytes, 1},
    };
    const size_t unused = config->unified_bytes ? 0 : 1; /* the size of the L1 that is not looked at */
    const size_t count = sizeof caches / sizeof *caches - !config->icache_next_bytes; /* the last one */
    for (size_t i = 0; i < count; i++) {
        /* One set in every slice: less than that cannot be split up evenly. */
        const uint64_t set = caches[i].ways.value * caches[i].line * caches[i].slices;
        if (i != unused && (caches[i].bytes.value < set || caches[i].bytes.value % set))
            return error_set(error, WB_ERROR_ARGUMENT,
                             "%s: %s is %" PRIu64 ", but with %" PRIu64 " for %s and lines of %" PRIu64
                             " bytes it must be a multiple of %" PRIu64 "%s.",
                             config->name, caches[i].bytes.name, caches[i].bytes.value, caches[i].ways.value,
                             caches[i].ways.name, caches[i].line, set,
                             caches[i].slices > 1 ? " to fill all l2_slices" : "");
    }
    if (config->icache_line_bytes % config->instruction_bytes)
        return error_set(error, WB_ERROR_ARGUMENT,
                         "%s: icache_line_bytes is %" PRIu64
                         ", but it must be a multiple of instruction_bytes (%" PRIu64 ").",
                         config->name, config->icache_line_bytes, config->instruction_bytes);
    return WB_OK;
}

/* The list ascends, and its last size is what an SM has. */
static WbStatus check_carveouts(const GpuConfig *config, Error *error)
{
    enum { MOST_SHARED = 16777216 }; /* as the knob's own bound is */
    uint64_t previous = 0;
    const char *text = config->shared_carveouts;
    while (*text) {
        char *end;
        const uint64_t bytes = strtoull(text, &end, 10) * 1024;
        if (!isdigit((unsigned char)*text) || (*end && *end != ',') || bytes > MOST_SHARED ||
            /* The first may be 0. */
            (bytes <= previous && text != config->shared_carveouts))
            return error_set(error, WB_ERROR_ARGUMENT,
                             "%s: shared_carveouts is '%s'; it must be sizes in KiB, ascending, with commas "
                             "between them.",
                             config->name, config->shared_carveouts);
        previous = bytes;
        text = *end ? end + 1 : end;
    }
    if (previous && previous != config->shared_bytes_per_sm)
        return error_set(error, WB_ERROR_ARGUMENT,
                         "%s: the largest of shared_carveouts makes %" PRIu64
                         " bytes, but shared_bytes_per_sm is %" PRIu64 ".",
                         config->name, previous, config->shared_bytes_per_sm);
    return WB_OK;
}

static WbStatus check_unified(const GpuConfig *config, Error *error)
{
    if (!config->unified_bytes)
        return WB_OK;
    if (config->shared_bytes_per_sm + config->l1_bytes_min > config->unified_bytes)
        return error_set(error, WB_ERROR_ARGUMENT,
                         "%s: shared_bytes_per_sm (%" PRIu64 ") and l1_bytes_min (%" PRIu64
                         ") are together larger than unified_bytes (%" PRIu64 ").",
                         config->name, config->shared_bytes_per_sm, config->l1_bytes_min,
                         config->unified_bytes);
    return check_carveouts(config, error);
}

WbStatus config_check_machine(const GpuConfig *config, Error *error)
{
    if (config->max_threads_per_sm % config->warp_width)
        return error_set(error, WB_ERROR_ARGUMENT,
                         "%s: max_threads_per_sm is %" PRIu64
                         ", but it must be a multiple of warp_width (%" PRIu64 ").",
                         config->name, config->max_threads_per_sm, config->warp_width);
    if (config->issue_width > config->instruction_buffer)
        return error_set(error, WB_ERROR_ARGUMENT,
                         "%s: issue_width is %" PRIu64 ", but instruction_buffer holds only %" PRIu64 ".",
                         config->name, config->issue_width, config->instruction_buffer);
    if (config->dram_data_khz < config->dram_command_khz)
        return error_set(error, WB_ERROR_ARGUMENT,
                         "%s: dram_data_khz (%" PRIu64
                         ") counts transfers and cannot be less than dram_command_khz (%" PRIu64 ").",
                         config->name, config->dram_data_khz, config->dram_command_khz);
    if (check_caches(config, error) || check_unified(config, error))
        return error->status;
    return WB_OK;
}
