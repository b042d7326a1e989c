#include "grid/distributor.h"

#include <string.h>

#include "base/alloc.h"

void distributor_init(Distributor *distributor, uint32_t count)
{
    *distributor = (Distributor){.count = count};
    distributor->entries = xcalloc(count, sizeof(GridKernel *));
    distributor->is_here = xcalloc(count, sizeof *distributor->is_here);
}

void distributor_free(Distributor *distributor)
{
    xfree(distributor->entries);
    xfree(distributor->is_here);
}

bool distributor_reserve(Distributor *distributor, GridKernel *kernel)
{
    if (distributor->used == distributor->count)
        return false;
    uint32_t entry = 0;
    while (distributor->entries[entry])
        entry++;
    distributor->entries[entry] = kernel;
    distributor->used++;
    kernel->entry = entry;
    return true;
}

void distributor_arrived(Distributor *distributor, const GridKernel *kernel)
{
    distributor->is_here[kernel->entry] = true;
}

void distributor_release(Distributor *distributor, GridKernel *kernel)
{
    distributor->entries[kernel->entry] = NULL;
    distributor->is_here[kernel->entry] = false;
    distributor->used--;
    kernel->entry = NO_ENTRY;
}

/* Cooperative launches keep their size: nothing joins them. */
static bool is_eligible(const GridKernel *kernel, const GridKernel *group)
{
    const Launch *a = &kernel->seen.launch, *b = &group->seen.launch;
    return a->program == b->program && memcmp(a->block, b->block, sizeof a->block) == 0 &&
           a->shared_bytes == b->shared_bytes && a->dynamic_shared_bytes == b->dynamic_shared_bytes &&
           memcmp(a->env, b->env, sizeof a->env) == 0;
}

GridKernel *distributor_search(const Distributor *distributor, const GridKernel *group, uint32_t *searched)
{
    for (uint32_t i = 0; i < distributor->count; i++) {
        GridKernel *kernel = distributor->entries[i];
        if (!kernel || !distributor->is_here[i] || !is_eligible(kernel, group))
            continue;
        *searched = i + 1;
        return kernel;
    }
    *searched = distributor->count;
    return NULL;
}
