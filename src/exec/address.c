/* Addresses between spaces: cvta, isspacep, and the cluster instructions for clusters of one block.
 * The generic address of a shared, local or parameter address is its window's base plus it; global and
 * constant addresses are generic ones already. */
#include <inttypes.h>

#include "exec/access.h"
#include "exec/handlers.h"

Space access_window(uint64_t address)
{
    if (address < SPACE_GLOBAL_END)
        return SPACE_GLOBAL;
    switch (address & ~(uint64_t)UINT32_MAX) {
    case SPACE_SHARED_BASE:
        return SPACE_SHARED;
    case SPACE_LOCAL_BASE:
        return SPACE_LOCAL;
    case SPACE_PARAM_BASE:
        return SPACE_PARAM;
    case SPACE_CODE_BASE:
        return SPACE_REG;
    default:
        return SPACE_GLOBAL;
    }
}

uint64_t access_window_base(Space space)
{
    switch (space) {
    case SPACE_SHARED:
        return SPACE_SHARED_BASE;
    case SPACE_LOCAL:
        return SPACE_LOCAL_BASE;
    case SPACE_PARAM:
        return SPACE_PARAM_BASE;
    default:
        return 0;
    }
}

static StepResult convert(Step *step, bool to_space)
{
    const uint64_t window = access_window_base((Space)step->insn->space);
    const Operand *to = step_operand(step, 0), *from = step_operand(step, 1);
    /* Windows lie above 4 GiB. */
    if (window && (Type)(step->insn->aux & AUX_TYPE_MASK) == TYPE_u32)
        return step_error(step, WB_ERROR_UNSUPPORTED, mask_first(step->mask),
                          "generic addresses have 64 bits; compile for .address_size 64");
    for (Mask rest = step->mask; rest; rest &= rest - 1) {
        const unsigned lane = mask_first(rest);
        const uint64_t address = step_value(step, from, lane);
        step_write(step, to, lane, to_space ? address - window : address + window);
    }
    return STEP_NEXT;
}

/* Constant banks lie in global memory, but are a space of their own for isspacep. */
static bool is_constant(const Step *step, uint64_t address)
{
    /* Module variables of .const are the only device memory that kernels may not write. */
    const Allocation *found = space_find(step->warp->block->launch->space, address, 1);
    return found && found->read_only && found->memory == MEMORY_DEVICE;
}

static StepResult test_space(Step *step)
{
    const Space asked = (Space)step->insn->space;
    Mask inside = 0;
    for (Mask rest = step->mask; rest; rest &= rest - 1) {
        const unsigned lane = mask_first(rest);
        const uint64_t address = step_value(step, step_operand(step, 1), lane);
        Space space = access_window(address);
        if (space == SPACE_GLOBAL && is_constant(step, address))
            space = SPACE_CONST;
        inside |= (Mask)(space == asked) << lane;
    }
    step_write_predicate(step, step_operand(step, 0), inside);
    return STEP_NEXT;
}

/* The only block of a cluster has rank 0, and sees its own shared memory under the same address. */
static StepResult map_rank(Step *step)
{
    for (Mask rest = step->mask; rest; rest &= rest - 1) {
        const unsigned lane = mask_first(rest);
        const uint64_t rank = step_value(step, step_operand(step, 2), lane);
        if (rank)
            return step_error(step, WB_ERROR_ADDRESS, lane,
                              "rank %" PRIu64 " is outside of the cluster, which has one block", rank);
        step_write(step, step_operand(step, 0), lane, step_value(step, step_operand(step, 1), lane));
    }
    return STEP_NEXT;
}

StepResult exec_address(Step *step)
{
    if (!step->mask)
        return STEP_NEXT;
    switch (step->insn->row) {
    case ROW_cvta:
        return convert(step, false);
    case ROW_cvta_to:
        return convert(step, true);
    case ROW_isspacep:
        return test_space(step);
    case ROW_mapa:
        return map_rank(step);
    default:
        for (Mask rest = step->mask; rest; rest &= rest - 1)
            step_write(step, step_operand(step, 0), mask_first(rest), 0);
        return STEP_NEXT;
    }
}
