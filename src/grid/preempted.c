/* Lists and entries of blocks that have given up their places. */
#include "grid/preempted.h"

#include "base/alloc.h"
#include "grid/event_log.h"

void preempted_init(Preempted *preempted, uint32_t sm_count)
{
    *preempted = (Preempted){.sm_count = sm_count, .sms = xcalloc(sm_count, sizeof *preempted->sms)};
}

void preempted_free(Preempted *preempted) { xfree(preempted->sms); }

static void count(Preempted *preempted, PreemptedQueue queue, uint32_t sm, uint32_t by)
{
    if (queue == QUEUE_GLOBAL) {
        preempted->global_entries += by;
        return;
    }
    preempted->local_entries += by;
    preempted->sms[sm].entries += by;
}

void preempted_enter(Preempted *preempted, PreemptedQueue queue, uint32_t sm, const Resources *need)
{
    count(preempted, queue, sm, 1);
    if (queue == QUEUE_LOCAL)
        preempted->sms[sm].need = *need;
}

void preempted_leave(Preempted *preempted, PreemptedQueue queue, uint32_t sm)
{
    count(preempted, queue, sm, -1u);
}

/* In which a block stands, or will, that may go on. */
static ReadyList *list_of(Preempted *preempted, const Resumption *resumption)
{
    if (resumption->home == NO_SM)
        return &preempted->ready;
    return &preempted->sms[resumption->home].ready[resumption->is_local ? QUEUE_LOCAL : QUEUE_GLOBAL];
}

void preempted_put(Preempted *preempted, Resumption *resumption)
{
    ReadyList *list = list_of(preempted, resumption);
    resumption->next = NULL;
    *(list->last ? &list->last->next : &list->first) = resumption;
    list->last = resumption;
    list->count++;
    preempted->ready_count++;
}

void preempted_take(Preempted *preempted, Resumption *resumption)
{
    ReadyList *list = list_of(preempted, resumption);
    Resumption **link = &list->first, *before = NULL;
    for (; *link != resumption; link = &before->next)
        before = *link;
    *link = resumption->next;
    if (list->last == resumption)
        list->last = before;
    list->count--;
    preempted->ready_count--;
}

/* Of another kernel: blocks of one need the same. */
Resumption *preempted_behind(const Preempted *preempted, const Resumption *resumption)
{
    Resumption *next = preempted->passes ? resumption->next : NULL;
    while (next && next->kernel == resumption->kernel)
        next = next->next;
    return next;
}

/* The SM's contexts stay where they were while there is room for all of one, then they move. */
static uint64_t count_local(const GpuConfig *config, Resources free, const Resources *need, uint64_t bytes)
{
    uint64_t count = 0;
    for (; count < config->preempted_local && free.registers >= need->registers &&
           free.shared_bytes >= need->shared_bytes;
         count++) {
        free.registers -= need->registers;
        free.shared_bytes -= need->shared_bytes;
    }
    const uint64_t moved = (free.registers * sizeof(uint32_t) + free.shared_bytes) / (bytes ? bytes : 1);
    return count + moved < config->preempted_local ? count + moved : config->preempted_local;
}

PreemptedCapacity preempted_capacity(const GpuConfig *config, const Resources *need, uint64_t context_bytes)
{
    Resources free = resources_of_sm(config);
    const uint64_t resident = resources_fit(&free, need);
    for (uint64_t i = 0; i < resident; i++)
        resources_take(&free, need);
    const uint64_t local = config->context_local ? count_local(config, free, need, context_bytes) : 0;
    return (PreemptedCapacity){.resident = config->sm_count * resident,
                               .local = config->sm_count * local,
                               .global = config->preempted_global};
}
