/* All warp schedulers: those that the build found in this folder, then those that were loaded. */
#include "sm/sched/registry.h"

#include <string.h>

#include "policy_lists.h"
#include "sm/sched/sched.h"

#define DECLARE(file) extern const WarpScheduler sched_##file;
SCHED_POLICIES(DECLARE)
#undef DECLARE

#define ONE(file) +1
enum { COMPILED = 0 SCHED_POLICIES(ONE), MOST = COMPILED + MOST_LOADED_POLICIES };
#undef ONE

/* Null from behind the last on. */
static const WarpScheduler *all[MOST] = {
#define LIST(file) &sched_##file,
    SCHED_POLICIES(LIST)
#undef LIST
};

const WarpScheduler *sched_at(size_t index) { return index < MOST ? all[index] : NULL; }

const WarpScheduler *sched_find(const char *name)
{
    for (size_t i = 0; sched_at(i); i++) {
        if (strcmp(all[i]->about.name, name) == 0)
            return all[i];
    }
    return NULL;
}

void sched_add(const WarpScheduler *policy)
{
    size_t end = 0;
    while (sched_at(end))
        end++;
    all[end] = policy;
}

static Policy at(size_t index)
{
    const WarpScheduler *found = sched_at(index);
    return found ? found->about : (Policy){0};
}

const PolicyKind sched_policies = {"warp_scheduler", "Which ready warp issues?", at};
