/* Units of several GPUs: which there are, and words that they send each other.
 *
 * A word goes through the GPU's hub over the links (mem/hub.h). Without time the receiver takes it in within
 * the call that sends it: so it may be answered before that returns. */
#include <stdio.h>
#include <string.h>

#include "exec/machine.h"
#include "grid/unit.h"

void unit_group_free(UnitGroup *group)
{
    VEC_FREE(&group->sites);
    arena_free(&group->arena);
}

/* -- places of calls -- */

/* Kernels have few calls, and blocks make the same one after the other: the last is found at once. */
const CallSite *unit_group_site(UnitGroup *group, const Block *block, uint32_t pc)
{
    const Launch *launch = block->launch;
    const CallPlace place = {.program = launch->program, .pc = pc};
    char text[512];
    if (group->site && group->program == launch->program && group->grid_id == launch->grid_id &&
        group->pc == pc)
        return group->site;
    unit_place_text(&place, text, sizeof text);
    group->program = launch->program;
    group->grid_id = launch->grid_id;
    group->pc = pc;
    for (uint32_t i = 0; i < group->sites.count; i++) {
        group->site = group->sites.items[i];
        if (strcmp(group->site->kernel, launch->program->name) == 0 && strcmp(group->site->place, text) == 0)
            return group->site;
    }
    CallSite *site = ARENA_NEW(&group->arena, CallSite);
    site->kernel = arena_strndup(&group->arena, launch->program->name, strlen(launch->program->name));
    site->place = arena_strndup(&group->arena, text, strlen(text));
    VEC_PUSH(&group->sites, site);
    return group->site = site;
}

/* -- who there is -- */

void outer_units_join(OuterUnits *units, UnitGroup *group, uint32_t gpu)
{
    units->group = group;
    units->gpu = gpu;
    group->items[gpu] = units;
    for (uint32_t i = 0; i < units->count; i++) {
        units->items[i]->group = group;
        units->items[i]->gpu = gpu;
    }
}

/* Whether links lead there. */
static bool is_of_node(const OuterUnit *unit, uint32_t gpu)
{
    const uint32_t each = unit->group->node_gpus;
    return !each || gpu / each == unit->gpu / each;
}

OuterUnit *unit_peer(const OuterUnit *unit, uint32_t gpu)
{
    if (!unit->group || gpu >= unit->group->count || !is_of_node(unit, gpu))
        return NULL;
    return outer_units_find(unit->group->items[gpu], unit->kind);
}

bool unit_words_under_way(const OuterUnit *unit)
{
    uint64_t sent = 0, told = 0;
    for (uint32_t i = 0; unit->kind->told && unit->group && i < unit->group->count; i++) {
        const OuterUnit *peer = unit_peer(unit, i);
        sent += peer ? peer->words_sent : 0;
        told += peer ? peer->words_told : 0;
    }
    return sent != told;
}

bool unit_check_gpu(IntrinsicCall *call, const OuterUnit *unit, unsigned lane, uint32_t gpu)
{
    const uint32_t count = unit->group ? unit->group->count : 1;
    if (gpu >= count)
        step_error(call->step, WB_ERROR_EXECUTION, lane,
                   "%s on GPU %u names GPU %u, but the system has %u GPU%s, the first of them GPU 0",
                   call->call->name, unit->gpu, gpu, count, count == 1 ? "" : "s");
    else if (unit->group && !is_of_node(unit, gpu))
        step_error(call->step, WB_ERROR_EXECUTION, lane,
                   "%s on GPU %u names GPU %u, which is in another node: links lead to the %u GPUs of its "
                   "own (knob node_gpus)",
                   call->call->name, unit->gpu, gpu, unit->group->node_gpus);
    else if (gpu != unit->gpu && !unit_peer(unit, gpu))
        step_error(call->step, WB_ERROR_EXECUTION, lane, "%s on GPU %u names GPU %u, which is closed",
                   call->call->name, unit->gpu, gpu);
    else
        return true;
    return false;
}

/* -- words -- */

_Static_assert(sizeof(PeerWord) <= HUB_WORD_BYTES, "a word of a unit fits into one of the hub");

void unit_tell(OuterUnit *unit, uint32_t gpu, PeerWord word, uint32_t bytes, Cycle now)
{
    OuterUnit *peer = unit_peer(unit, gpu);
    word.from = unit->gpu;
    if (!unit->latency) {
        peer->kind->told(peer, &word, now);
        return;
    }
    HubWord sent = {.gpu = gpu, .shard = shard_in_group(&peer->shard), .kind = MESSAGE_PEER, .bytes = bytes};
    memcpy(sent.data, &word, sizeof word);
    unit->words_sent++;
    hub_send_word(unit->link, &sent, now);
}

const Error *unit_failed_untimed(const OuterUnit *unit)
{
    if (unit->latency)
        return NULL;
    if (unit->failure.error.status != WB_OK)
        return &unit->failure.error;
    for (uint32_t i = 0; unit->group && i < unit->group->count; i++) {
        const OuterUnit *peer = unit_peer(unit, i);
        if (peer && peer->failure.error.status != WB_OK)
            return &peer->failure.error;
    }
    return NULL;
}

/* -- what kernels ask -- */

static StepResult give(IntrinsicCall *call, uint32_t value)
{
    for (Mask rest = call->step->mask; rest; rest &= rest - 1)
        memcpy(call->results + (size_t)mask_first(rest) * call->result_stride, &value, sizeof value);
    return STEP_NEXT;
}

StepResult intrinsic_this_gpu(IntrinsicCall *call)
{
    const OuterUnits *units = call->step->warp->block->launch->machine->units;
    return give(call, units ? units->gpu : 0);
}

StepResult intrinsic_gpu_count(IntrinsicCall *call)
{
    const OuterUnits *units = call->step->warp->block->launch->machine->units;
    return give(call, units && units->group ? units->group->count : 1);
}
