/* All warp schedulers, as the build found them in this folder. */
#include "sm/sched/registry.h"

#include <string.h>

#include "policy_lists.h"
#include "sm/sched/sched.h"

#define DECLARE(file) extern const WarpScheduler sched_##file;
SCHED_POLICIES(DECLARE)
#undef DECLARE

static const WarpScheduler *const all[] = {
#define LIST(file) &sched_##file,
    SCHED_POLICIES(LIST)
#undef LIST
};

const WarpScheduler *sched_at(size_t index) { return index < sizeof all / sizeof *all ? all[index] : NULL; }

const WarpScheduler *sched_find(const char *name)
{
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (strcmp(all[i]->about.name, name) == 0)
            return all[i];
    }
    return NULL;
}

static Policy at(size_t index)
{
    const WarpScheduler *found = sched_at(index);
    return found ? found->about : (Policy){0};
}

const PolicyKind sched_policies = {"warp_scheduler", "Which ready warp issues?", at};
