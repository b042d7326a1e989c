/* Sentences about launches in cycle mode that do not end. */
#include "api/cycle.h"

#include <inttypes.h>
#include <stdio.h>

#include "exec/hang.h"

static const char *const wait_descriptions[WAIT_COUNT] = {
#define WAIT(identifier, description) [WAIT_##identifier] = description,
#include "sm/wait.def"
#undef WAIT
};

/* Text that grows as far as there is room. */
typedef struct Description {
    char text[1400];
    size_t used;
    uint32_t blocks, left_out;
} Description;

static void describe_warp(Description *description, const WarpSlot *slot)
{
    char *end = description->text + description->used;
    const size_t room = sizeof description->text - description->used;
    if (slot->warp->live) {
        description->used += hang_describe_warp(slot->warp, wait_descriptions[slot->wait], end, room);
    } else if (room > 100) {
        const int written =
            snprintf(end, room, "\n    warp %u: %s", slot->warp->index, wait_descriptions[slot->wait]);
        description->used += (size_t)written;
    }
}

static void describe_block(Description *description, const Sm *sm, uint32_t index)
{
    const Block *block = sm->blocks[index].block;
    const size_t room = sizeof description->text - description->used;
    description->blocks++;
    if (room < 300) {
        description->left_out++;
        return;
    }
    const int written = snprintf(description->text + description->used, room,
                                 "\n  block (%u,%u,%u) on SM %u:", block->index[0], block->index[1],
                                 block->index[2], sm->number);
    description->used += (size_t)written;
    for (uint32_t i = 0; i < MAX_WARPS; i++) {
        if (sm->warps[i].warp && sm->warps[i].block == index)
            describe_warp(description, &sm->warps[i]);
    }
}

WbStatus cycle_describe_hang(const CycleMachine *machine, const GridKernel *kernel, const char *what,
                             Error *error)
{
    Description description = {.text = ""};
    for (uint32_t s = 0; s < machine->sm_count; s++) {
        const Sm *sm = machine->sms[s];
        for (uint32_t i = 0; i < sm->block_capacity; i++) {
            if (sm->blocks[i].block && sm->blocks[i].kernel == kernel->kernel)
                describe_block(&description, sm, i);
        }
    }
    char more[64] = "", graph[512] = "";
    if (kernel->graph) {
        graph[0] = ' ';
        dats_describe(machine->front_end->dats, graph + 1, sizeof graph - 1);
    }
    if (description.left_out)
        snprintf(more, sizeof more, "\n  and %u blocks more", description.left_out);
    return error_set(error, WB_ERROR_DEADLOCK,
                     "kernel '%.200s' %s; %" PRIu64 " of its %" PRIu64 " blocks have ended, %" PRIu64
                     " have not been dispatched, %u are on SMs.%s%s%s",
                     kernel->kernel->launch.program->name, what, kernel->ended_blocks, kernel->block_count,
                     kernel->block_count - kernel->dispatched_blocks, description.blocks,
                     graph, description.text, more);
}
