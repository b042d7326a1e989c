/* Always: an SM takes blocks as long as they fit. */
#include "grid/policy.h"

static bool may(const void *state, const DispatchView *view, const BlockRef *block)
{
    (void)state, (void)view, (void)block;
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
