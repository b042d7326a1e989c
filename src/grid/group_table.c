/* Linking is what figure 5 of the paper draws, branch by branch. A group has at most one place that it can
 * take, so taking it is one look; whoever finds it taken goes to global memory, however empty the table
 * is. */
#include "grid/group_table.h"

#include <string.h>

#include "base/alloc.h"

void group_table_init(GroupTable *table, uint32_t size)
{
    *table = (GroupTable){.entries = xcalloc(size, sizeof(GridKernel *)), .size = size};
}

void group_table_free(GroupTable *table) { xfree(table->entries); }

/* -- joining -- */

/* Cooperative launches keep their size: nothing joins them. */
static bool is_eligible(const GridKernel *kernel, const GridKernel *group)
{
    const Launch *a = &kernel->seen.launch, *b = &group->seen.launch;
    return a->program == b->program && memcmp(a->block, b->block, sizeof a->block) == 0 &&
           a->shared_bytes == b->shared_bytes && a->dynamic_shared_bytes == b->dynamic_shared_bytes &&
           memcmp(a->env, b->env, sizeof a->env) == 0;
}

GridKernel *group_search(const Distributor *distributor, const GridKernel *group, uint32_t *searched)
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

/* No probing: one look, one cycle. */
static bool take_entry(GroupTable *table, GridKernel *group)
{
    const uint32_t index = group->group.hardware_thread & (table->size - 1);
    group->group.is_here = !table->entries[index];
    group->group.index = group->group.is_here ? index : NO_ENTRY;
    if (!group->group.is_here)
        return false;
    table->entries[index] = group;
    table->used++;
    return true;
}

GroupLink group_link(GroupTable *table, GridKernel *kernel, GridKernel *group)
{
    GroupList *list = &kernel->groups;
    GroupLink link = {.in_table = take_entry(table, group), .marks_again = !kernel->is_marked};
    group->group.joined = kernel;
    group->group.next = NULL;
    link.behind = list->last;
    if (list->last)
        list->last->group.next = group;
    link.is_next = !list->next;
    if (link.is_next)
        list->next = group;
    list->last = group;
    list->open++;
    return link;
}

void group_dispatched(GridKernel *kernel)
{
    kernel->groups.next = kernel->groups.next->group.next;
    if (!kernel->groups.next)
        kernel->groups.last = NULL;
}

void group_release(GroupTable *table, GridKernel *group)
{
    group->group.joined->groups.open--;
    if (group->group.index == NO_ENTRY)
        return;
    table->entries[group->group.index] = NULL;
    table->used--;
}

/* A pointer to a group, an index of the table or an address, takes 4 bytes; an entry holds three dimensions,
 * the address of the parameters, Next and ExeBL in 20. */
enum { POINTER_BYTES = 4, ENTRY_BYTES = 20 };

uint64_t group_registers_bytes(const GpuConfig *config)
{
    const uint64_t entries = config->concurrent_kernels * 2 * POINTER_BYTES;
    const uint64_t marks = (config->concurrent_kernels + 7) / 8; /* a bit each: has it been marked before */
    const uint64_t blocks = config->sm_count * config->max_blocks_per_sm * POINTER_BYTES;
    return entries + marks + POINTER_BYTES + blocks;
}

uint64_t group_table_bytes(const GpuConfig *config) { return config->aggregated_groups * ENTRY_BYTES; }
