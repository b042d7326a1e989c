/* Instructions that name memory but move nothing: fences, prefetches, cache policies. */
#include "exec/access.h"
#include "exec/handlers.h"

/* One order of all accesses needs no fence. */
StepResult exec_fence(Step *step)
{
    (void)step;
    return STEP_NEXT;
}

/* Prefetches of addresses that nobody may access are ignored, as hardware does. discard and
 * applypriority name a line of 128 bytes, which has to be there. Cache policies are opaque numbers
 * that nothing here looks at. */
StepResult exec_prefetch(Step *step)
{
    AccessLanes lanes;
    Access access;
    if (!step->mask)
        return STEP_NEXT;
    switch (step->insn->row) {
    case ROW_applypriority:
    case ROW_discard:
        access_init_bytes(&access, &lanes, step, ACCESS_HINT, (Space)step->insn->space, 0, 128, 128,
                          step->mask);
        return access_prepare(step, &access);
    case ROW_createpolicy_fractional:
    case ROW_createpolicy_range:
    case ROW_createpolicy_cvt:
        for (Mask rest = step->mask; rest; rest &= rest - 1)
            step_write(step, step_operand(step, 0), mask_first(rest), 0);
        return STEP_NEXT;
    default:
        return STEP_NEXT;
    }
}
