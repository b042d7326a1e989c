/* What the GPU hands out to a block: every amount is rounded up to the unit in which there is more of it. */
#include "grid/resources.h"

static uint64_t round_up(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit * unit; }

Resources resources_of_sm(const GpuConfig *config)
{
    return (Resources){
        .blocks = config->max_blocks_per_sm,
        .warps = config->max_threads_per_sm / config->warp_width,
        .registers = config->registers_per_sm,
        .shared_bytes = config->shared_bytes_per_sm,
        .barriers = config->barriers_per_sm,
    };
}

Resources resources_of_block(const GpuConfig *config, const BlockShape *shape)
{
    const uint64_t width = config->warp_width;
    const uint64_t warps = round_up(shape->threads, width) / width;
    const uint64_t warp_registers = round_up(shape->registers * width, config->register_allocation_unit);
    return (Resources){
        .blocks = 1,
        .warps = warps,
        .registers = round_up(warps, config->warp_allocation_unit) * warp_registers,
        .shared_bytes =
            round_up(shape->shared_bytes + config->shared_reserved_bytes, config->shared_allocation_unit),
        /* 0 barriers on an SM means that they are not counted. */
        .barriers = config->barriers_per_sm ? shape->barriers : 0,
    };
}

static uint64_t fit(uint64_t so_far, uint64_t free, uint64_t need)
{
    const uint64_t count = need ? free / need : so_far;
    return count < so_far ? count : so_far;
}

uint64_t resources_fit(const Resources *free, const Resources *block)
{
    uint64_t count = fit(free->blocks, free->warps, block->warps);
    count = fit(count, free->registers, block->registers);
    count = fit(count, free->shared_bytes, block->shared_bytes);
    return fit(count, free->barriers, block->barriers);
}
