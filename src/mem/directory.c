/* Requests at the directory: whom to probe, what to grant, and who is next. */
#include "mem/directory.h"

#include <string.h>

#include "mem/coherent.h"
#include "mem/directory_entry.h"

/* -- busy units -- */

static DirectoryTask *new_task(Directory *directory, DirectoryEntry *entry)
{
    if (directory->free_task == DIRECTORY_NONE) {
        directory->free_task = directory->tasks.count;
        VEC_PUSH(&directory->tasks, ((DirectoryTask){.next_free = DIRECTORY_NONE}));
    }
    entry->task = directory->free_task;
    DirectoryTask *task = &directory->tasks.items[entry->task];
    directory->free_task = task->next_free;
    *task = (DirectoryTask){.unit = entry->unit};
    directory->busy++;
    return task;
}

static DirectoryTask *task_of(Directory *directory, const DirectoryEntry *entry)
{
    return entry->task == DIRECTORY_NONE ? NULL : &directory->tasks.items[entry->task];
}

/* The unit is busy with nothing any more: the next that waits is looked up, or it is free. */
static void go_on(L2Slice *slice, DirectoryEntry *entry, Cycle now)
{
    Directory *directory = slice->directory;
    DirectoryTask *task = task_of(directory, entry);
    if (task->waiting.first) {
        task->is_again = true;
        l2_look_up_again(slice, request_list_pop(&task->waiting), now);
        return;
    }
    task->next_free = directory->free_task;
    directory->free_task = entry->task;
    entry->task = DIRECTORY_NONE;
    directory->busy--;
}

/* -- probes -- */

static Request *new_probe(Directory *directory)
{
    Request *probe = directory->free_probes;
    if (!probe) {
        probe = xaligned(_Alignof(Request), sizeof *probe);
        VEC_PUSH(&directory->probes, probe);
        return probe;
    }
    directory->free_probes = probe->next;
    return probe;
}

static void send_probe(L2Slice *slice, DirectoryTask *task, uint32_t cache, RequestAsk ask, bool wants_data,
                       Cycle now)
{
    Request *probe = new_probe(slice->directory);
    const unsigned bytes = offsetof(Request, data);
    memset(probe, 0, bytes);
    probe->line = task->unit & ~(uint64_t)(LINE_BYTES - 1);
    probe->sectors = coherent_sectors(slice->config, task->unit);
    probe->sm = cache;
    probe->slice = slice->number;
    probe->kind = REQUEST_PROBE;
    probe->ask = (uint8_t)ask;
    probe->has_data = wants_data;
    task->answers_left++;
    slice->statistics.probes++;
    l2_ring_push(&slice->delays[L2_DELAY_HIT], probe, now + slice->config->l2_latency);
}

/* Whether the asker has the bytes, as it says and the directory knows. */
static bool has_bytes(const DirectoryEntry *entry, const Request *request)
{
    return request->ask == ASK_OWN && request->state != UNIT_NONE &&
           (entry->owner == request->sm || entry_shares(entry, request->sm));
}

/* Probes all that have to answer before the request can be served; whether there are any. */
static bool probe_caches(L2Slice *slice, DirectoryEntry *entry, Request *request, Cycle now)
{
    const bool reads = request->ask == ASK_READ || (!request->ask && request->kind == REQUEST_LOAD);
    const uint32_t asker = request->ask ? request->sm : DIRECTORY_NONE;
    const bool has_owner = entry->owner != DIRECTORY_NONE && entry->owner != asker;
    uint64_t others[DIRECTORY_WORDS] = {0};
    uint64_t any = 0;
    for (unsigned i = 0; !reads && i < DIRECTORY_WORDS; i++) {
        others[i] = entry->sharers[i];
        if (asker / 64 == i)
            others[i] &= ~(1ull << asker % 64);
        any |= others[i];
    }
    if (!has_owner && !any)
        return false;
    Directory *directory = slice->directory;
    DirectoryTask *task =
        entry->task == DIRECTORY_NONE ? new_task(directory, entry) : task_of(directory, entry);
    task->request = request;
    task->is_again = task->is_shared = task->has_data = task->is_orphan = false;
    if (has_owner)
        send_probe(slice, task, entry->owner, request->ask == ASK_READ ? ASK_READ : ASK_OWN,
                   !has_bytes(entry, request), now);
    for (unsigned i = 0; i < DIRECTORY_WORDS; i++)
        for (uint64_t rest = others[i]; rest; rest &= rest - 1)
            send_probe(slice, task, i * 64 + (uint32_t)__builtin_ctzll(rest), ASK_OWN, false, now);
    slice->statistics.probe_rounds++;
    slice->statistics.unit_recalls += !request->ask;
    return true;
}

/* -- grants -- */

/* The asker has what it asks for as soon as the reply has come. */
static void grant(L2Slice *slice, DirectoryEntry *entry, Request *request)
{
    DirectoryTask *task = task_of(slice->directory, entry);
    if (!task)
        task = new_task(slice->directory, entry);
    const bool is_orphan = task->is_orphan;
    entry_remove(entry, request->sm);
    const bool is_alone = entry->owner == DIRECTORY_NONE && !entry_has_sharers(entry);
    if (request->ask == ASK_OWN || (is_orphan && is_alone))
        request->state = UNIT_MODIFIED;
    else if (is_orphan)
        request->state = UNIT_OWNED;
    else
        request->state = is_alone ? UNIT_EXCLUSIVE : UNIT_SHARED;
    if (request->state == UNIT_SHARED)
        entry_add(entry, request->sm);
    else
        entry->owner = request->sm;
    slice->statistics.ownership_grants += request->ask == ASK_OWN;
    task->is_shared = request->state == UNIT_SHARED && (task->is_shared || !task->sending);
    task->is_again = task->is_orphan = task->has_data = false;
    task->sending++;
}

/* Those that wait to read go along with a grant to read. */
static void let_along(L2Slice *slice, const DirectoryEntry *entry, Cycle now)
{
    DirectoryTask *task = task_of(slice->directory, entry);
    if (!task->is_shared || entry->owner != DIRECTORY_NONE || !task->waiting.first ||
        task->waiting.first->ask != ASK_READ)
        return;
    task->is_again = true;
    l2_look_up_again(slice, request_list_pop(&task->waiting), now);
}

/* Grants what needs nothing of L2. */
static void grant_at_once(L2Slice *slice, DirectoryEntry *entry, Request *request, int delay, Cycle ready)
{
    const bool had = has_bytes(entry, request);
    slice->statistics.upgrade_grants += had;
    slice->statistics.cache_transfers += !had;
    request->has_data = !had;
    grant(slice, entry, request);
    l2_ring_push(&slice->delays[delay], request, ready);
}

void directory_sent(L2Slice *slice, const Request *request, Cycle now)
{
    if (request->kind != REQUEST_LOAD || !request->ask)
        return;
    DirectoryEntry *entry = entry_of(slice->directory, coherent_unit_of(slice->config, request));
    DirectoryTask *task = task_of(slice->directory, entry);
    if (!--task->sending && !task->is_again)
        go_on(slice, entry, now);
}

/* -- lookups -- */

/* Whether the request can go beside grants that are on their way. */
static bool goes_along(const DirectoryEntry *entry, const DirectoryTask *task, const Request *request)
{
    return task->sending && task->is_shared && !task->waiting.first && !task->request &&
           request->ask == ASK_READ && entry->owner == DIRECTORY_NONE;
}

/* A write-back that the directory no longer waits for. */
static bool is_stale(const DirectoryEntry *entry, const Request *request)
{
    return request->ask == ASK_LEAVE && entry->owner != request->sm;
}

/* What nobody has copies of: contexts. */
static bool is_private(const Request *request) { return request->is_context && !request->place; }

DirectoryAnswer directory_look_up(L2Slice *slice, Request *request, bool again, Cycle now)
{
    if (is_private(request))
        return DIRECTORY_PASSES;
    Directory *directory = slice->directory;
    DirectoryEntry *entry = entry_of(directory, coherent_unit_of(slice->config, request));
    DirectoryTask *task = task_of(directory, entry);
    if (task && !again && !goes_along(entry, task, request)) {
        request_list_append(&task->waiting, request);
        slice->statistics.unit_waits++;
        return DIRECTORY_KEEPS;
    }
    if (slice->replies.count >= slice->config->l2_reply_queue)
        return DIRECTORY_WAITS;
    if (is_stale(entry, request)) {
        slice->statistics.stale_write_backs++;
        l2_ring_push(&slice->delays[L2_DELAY_HIT], request, now + slice->config->l2_latency);
        directory_commit(slice, request, again, now);
        return DIRECTORY_KEEPS;
    }
    if (request->ask != ASK_LEAVE && probe_caches(slice, entry, request, now))
        return DIRECTORY_KEEPS;
    if (!has_bytes(entry, request))
        return DIRECTORY_PASSES;
    grant_at_once(slice, entry, request, L2_DELAY_HIT, now + slice->config->l2_latency);
    return DIRECTORY_KEEPS;
}

void directory_commit(L2Slice *slice, Request *request, bool again, Cycle now)
{
    if (is_private(request))
        return;
    DirectoryEntry *entry = entry_of(slice->directory, coherent_unit_of(slice->config, request));
    if (request->ask == ASK_READ || request->ask == ASK_OWN) {
        request->has_data = true;
        grant(slice, entry, request);
        let_along(slice, entry, now);
        return;
    }
    if (request->ask == ASK_LEAVE && entry->owner == request->sm) {
        slice->statistics.unit_write_backs++;
        entry_remove(entry, request->sm);
    }
    if (again) {
        task_of(slice->directory, entry)->is_again = false;
        go_on(slice, entry, now);
    }
}

/* -- answers -- */

/* All that were probed have answered. */
static void serve(L2Slice *slice, DirectoryEntry *entry, DirectoryTask *task, Cycle now)
{
    Request *request = task->request;
    task->request = NULL;
    if (request->ask && (task->has_data || has_bytes(entry, request))) {
        grant_at_once(slice, entry, request, L2_DELAY_FILL, now + slice->config->l2_fill_latency);
        return;
    }
    request->has_data = task->has_data;
    task->is_again = true;
    l2_look_up_again(slice, request, now);
}

static void take_answer(L2Slice *slice, Request *probe, Cycle now)
{
    Directory *directory = slice->directory;
    DirectoryEntry *entry = entry_of(directory, coherent_unit_of(slice->config, probe));
    DirectoryTask *task = task_of(directory, entry);
    const bool stays = probe->ask == ASK_READ && probe->state != UNIT_NONE;
    const bool owns = stays && probe->state != UNIT_EXCLUSIVE;
    entry_remove(entry, probe->sm);
    if (owns)
        entry->owner = probe->sm;
    else if (stays)
        entry_add(entry, probe->sm);
    task->has_data |= probe->has_data;
    task->is_orphan |= probe->has_data && probe->state == UNIT_NONE;
    probe->next = directory->free_probes;
    directory->free_probes = probe;
    if (!--task->answers_left)
        serve(slice, entry, task, now);
}

Cycle directory_advance(L2Slice *slice, Cycle now)
{
    Directory *directory = slice->directory;
    Crossbar *crossbar = slice->shared->crossbar;
    Cycle next = CYCLE_NEVER;
    while (directory->arrived.first) {
        const Cycle free = crossbar_in_free(crossbar, TO_SLICE, slice->number, now);
        if (free > now) {
            next = free;
            break;
        }
        Request *probe = request_list_pop(&directory->arrived);
        l2_ring_push(&directory->answers, probe, crossbar_take(crossbar, TO_SLICE, probe, now));
    }
    while (l2_ring_ready(&directory->answers) <= now)
        take_answer(slice, l2_ring_pop(&directory->answers), now);
    return clock_earlier(next, l2_ring_ready(&directory->answers));
}
