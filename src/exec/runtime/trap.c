/* Traps. A kernel often traps because a call of the device runtime failed, so the sentence tells of that. */
#include "exec/handlers.h"
#include "exec/runtime/device_runtime.h"

StepResult exec_trap(Step *step)
{
    char why[768];
    const char *what =
        step->insn->row == ROW_brkpt ? "the kernel reached a breakpoint (brkpt)" : "the kernel trapped";
    const bool is_known = runtime_tell_failure(step, step->mask, why, sizeof why);
    return step_error(step, WB_ERROR_TRAP, mask_first(step->mask), "%s%s%s", what, is_known ? " " : "",
                      is_known ? why : "");
}
