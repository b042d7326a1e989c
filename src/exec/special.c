/* Special registers are not stored anywhere: each is computed from the launch, the block, the warp or the
 * machine when an instruction reads it. Ranges of the enum are in the order of special.def, so x, y and z are
 * indices. */
#include "exec/special.h"

#include "exec/machine.h"
#include "warpbeam_flow_layout.h"

/* Without clusters every block is a cluster of its own, as PTX defines for launches that name none. */
static uint64_t cluster_value(const Block *block, SpecialRegister reg)
{
    switch (reg) {
    case SPECIAL_clusterid_x:
        return block->index[0];
    case SPECIAL_clusterid_y:
        return block->index[1];
    case SPECIAL_clusterid_z:
        return block->index[2];
    case SPECIAL_nclusterid_x:
        return block->launch->grid[0];
    case SPECIAL_nclusterid_y:
        return block->launch->grid[1];
    case SPECIAL_nclusterid_z:
        return block->launch->grid[2];
    case SPECIAL_cluster_nctaid_x:
    case SPECIAL_cluster_nctaid_y:
    case SPECIAL_cluster_nctaid_z:
    case SPECIAL_cluster_nctarank:
        return 1;
    default:
        return 0;
    }
}

static uint64_t thread_value(const Warp *warp, SpecialRegister reg, unsigned lane)
{
    const uint32_t *size = warp->block->launch->block;
    uint32_t thread = warp->index * warp->width + lane;
    Mask bit = (Mask)1 << lane;
    switch (reg) {
    case SPECIAL_tid_x:
        return thread % size[0];
    case SPECIAL_tid_y:
        return thread / size[0] % size[1];
    case SPECIAL_tid_z:
        return thread / (size[0] * size[1]);
    case SPECIAL_laneid:
        return lane;
    case SPECIAL_lanemask_eq:
        return (uint32_t)bit;
    case SPECIAL_lanemask_lt:
        return (uint32_t)(bit - 1);
    case SPECIAL_lanemask_le:
        return (uint32_t)(bit | (bit - 1));
    case SPECIAL_lanemask_gt:
        return (uint32_t) ~(bit | (bit - 1));
    case SPECIAL_lanemask_ge:
        return (uint32_t) ~(bit - 1);
    default:
        return 0;
    }
}

/* Whoever looks at the clock may be waiting for a time. */
static uint64_t clock_of_machine(Machine *machine)
{
    /* The watchdog must not take a loop that waits for a time for one that spins. */
    machine->changes++;
    return machine->clock;
}

static uint64_t nanoseconds(Machine *machine)
{
    uint64_t khz = machine->clock_khz ? machine->clock_khz : 1000000;
    const uint64_t clock = clock_of_machine(machine);
    /* In two parts: the product of the whole clock would exceed 64 bits after some hours. */
    return clock / khz * 1000000 + clock % khz * 1000000 / khz;
}

static uint64_t machine_value(const Warp *warp, SpecialRegister reg)
{
    const Launch *launch = warp->block->launch;
    Machine *machine = launch->machine;
    switch (reg) {
    case SPECIAL_warpid:
        return warp->index;
    case SPECIAL_nwarpid:
        return machine->warps_per_sm;
    case SPECIAL_smid:
        return warp->block->sm;
    case SPECIAL_nsmid:
        return machine->sm_count;
    case SPECIAL_gridid:
        return launch->grid_id;
    case SPECIAL_clock:
        return (uint32_t)clock_of_machine(machine);
    case SPECIAL_clock_hi:
        return clock_of_machine(machine) >> 32;
    case SPECIAL_clock64:
        return clock_of_machine(machine);
    case SPECIAL_globaltimer:
        return nanoseconds(machine);
    case SPECIAL_globaltimer_lo:
        return (uint32_t)nanoseconds(machine);
    case SPECIAL_globaltimer_hi:
        return nanoseconds(machine) >> 32;
    case SPECIAL_total_smem_size:
    case SPECIAL_aggr_smem_size:
        return launch->shared_bytes;
    case SPECIAL_dynamic_smem_size:
        return launch->dynamic_shared_bytes;
    case SPECIAL_reserved_smem_offset_end:
    case SPECIAL_reserved_smem_offset_cap:
        return RESERVED_SHARED_BYTES;
    case SPECIAL_reserved_smem_offset_1:
        return RESERVED_SHARED_BYTES / 2;
    default:
        return 0;
    }
}

static bool differs_by_lane(SpecialRegister reg)
{
    return reg <= SPECIAL_tid_z || reg == SPECIAL_laneid ||
           (reg >= SPECIAL_lanemask_eq && reg <= SPECIAL_lanemask_gt);
}

/* What a task finds, if the block is one; else what the launch has. */
static uint64_t environment_value(const Block *block, unsigned number)
{
    const TaskGraph *flow = block->launch->flow;
    if (!flow || number > WB_ENV_FLOW_HIGH)
        return block->launch->env[number];
    switch (number) {
    case WB_ENV_CHANNEL:
        return block->task.channel;
    case WB_ENV_FIRST:
        return block->task.first;
    case WB_ENV_COUNT:
        return block->task.count;
    case WB_ENV_WAVE:
        return block->task.wave;
    default:
        return (uint32_t)(number == WB_ENV_FLOW_LOW ? flow->address : flow->address >> 32);
    }
}

uint64_t special_value(const Warp *warp, SpecialRegister reg, unsigned lane)
{
    const Block *block = warp->block;
    const Launch *launch = block->launch;
    if (reg >= SPECIAL_ntid_x && reg <= SPECIAL_ntid_z)
        return launch->block[reg - SPECIAL_ntid_x];
    if (reg >= SPECIAL_ctaid_x && reg <= SPECIAL_ctaid_z)
        return block->index[reg - SPECIAL_ctaid_x];
    if (reg >= SPECIAL_nctaid_x && reg <= SPECIAL_nctaid_z)
        return launch->grid[reg - SPECIAL_nctaid_x];
    if (reg >= SPECIAL_envreg0 && reg <= SPECIAL_envreg31)
        return environment_value(block, reg - SPECIAL_envreg0);
    if (reg >= SPECIAL_clusterid_x && reg <= SPECIAL_is_explicit_cluster)
        return cluster_value(block, reg);
    if (differs_by_lane(reg))
        return thread_value(warp, reg, lane);
    return machine_value(warp, reg);
}

/* Thread indices of consecutive lanes count up without a division a lane. */
static void thread_lanes(const Warp *warp, unsigned axis, uint32_t *lanes)
{
    const uint32_t *size = warp->block->launch->block;
    uint32_t thread = warp->index * warp->width;
    uint32_t index[3] = {thread % size[0], thread / size[0] % size[1], thread / (size[0] * size[1])};
    for (unsigned lane = 0; lane < warp->width; lane++) {
        lanes[lane] = index[axis];
        if (++index[0] == size[0]) {
            index[0] = 0;
            if (++index[1] == size[1]) {
                index[1] = 0;
                index[2]++;
            }
        }
    }
}

void special_lanes(const Warp *warp, SpecialRegister reg, unsigned bytes, void *lanes)
{
    uint32_t *lanes32 = lanes;
    uint64_t *lanes64 = lanes;
    /* Nearly every kernel reads these, so they have a way of their own. */
    if (bytes == 4 && reg <= SPECIAL_tid_z) {
        thread_lanes(warp, reg - SPECIAL_tid_x, lanes32);
        return;
    }
    /* Most are the same in all lanes and are asked for once. So is the clock: all lanes of an instruction
     * read one time. */
    bool uniform = !differs_by_lane(reg);
    uint64_t value = special_value(warp, reg, 0);
    for (unsigned lane = 0; lane < warp->width; lane++) {
        uint64_t of_lane = uniform ? value : special_value(warp, reg, lane);
        if (bytes == 4)
            lanes32[lane] = (uint32_t)of_lane;
        else
            lanes64[lane] = of_lane;
    }
}
