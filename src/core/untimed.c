/* The core without time: every instruction happens at once. */
#include "core/in_order.h"

uint64_t core_run_untimed(Core *core, uint64_t instructions)
{
    InOrderAccess access;
    uint64_t count = 0;
    for (; count < instructions && core->state == CORE_RUNS; count++) {
        const InOrderStep step = in_order_step(core, &access);
        if (step == IN_ORDER_FENCE) {
            core->pc++;
        } else if (step == IN_ORDER_ACCESS) {
            if (access.place.where == CORE_AT_DEVICE)
                in_order_device(core, &access, 0);
            else
                in_order_copy(&core->code.insns[core->pc], &access);
            in_order_end_access(core, &access);
        }
    }
    return count;
}
