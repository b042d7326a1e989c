/* Always: an SM takes blocks as long as they fit. */
#include "grid/policy.h"

static bool may(void *state, const DispatchView *view, const GridKernel *kernel, uint32_t sm)
{
    (void)state, (void)view, (void)kernel, (void)sm;
    return true;
}

extern const BlockAdmit admit_always;
const BlockAdmit admit_always = {
    .base =
        {
            .about =
                {
                    .name = "always",
                    .description = "An SM takes blocks as long as they fit",
                    .source = "What GPUs do by default",
                },
        },
    .may = may,
};
