/* The log's bounds are kept when an entry is made: where it would be too long, it is thinned first, and the
 * entry is left out if the new stride says so. */
#include "grid/grid_kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

static uint32_t name_index(EventLog *log, const char *name)
{
    for (uint32_t i = 0; i < log->names.count; i++)
        if (strcmp(log->names.items[i], name) == 0)
            return i;
    const size_t size = strlen(name) + 1;
    VEC_PUSH(&log->names, (char *)memcpy(xmalloc(size), name, size));
    return log->names.count - 1;
}

EventLog *log_create(const char *name, uint64_t block_count, uint32_t limit, uint64_t block_stride,
                     uint64_t launch_stride)
{
    EventLog *log = xcalloc(1, sizeof *log);
    log->limit = limit;
    log->block_stride = block_stride;
    log->launch_stride = launch_stride;
    log->block_count = block_count;
    log->keeps_stays = true;
    log->barrier_stride = 1;
    name_index(log, name);
    return log;
}

void log_keep_barriers(EventLog *log, uint32_t limit, uint64_t stride)
{
    log->barrier_limit = limit;
    log->barrier_stride = stride;
}

void log_free(EventLog *log)
{
    if (!log)
        return;
    VEC_FREE(&log->stays);
    VEC_FREE(&log->waits);
    for (uint32_t i = 0; i < log->launches.count; i++)
        free(log->launches.items[i].blocks);
    VEC_FREE(&log->launches);
    VEC_FREE(&log->barriers);
    VEC_FREE(&log->places);
    for (uint32_t i = 0; i < log->names.count; i++)
        xfree(log->names.items[i]);
    VEC_FREE(&log->names);
    xfree(log);
}

LogPlace log_launch(const LogPlace *parent, uint64_t parent_block, const char *name, uint64_t block_count)
{
    EventLog *log = parent->log;
    if (!log)
        return (LogPlace){0};
    const LogPlace place = {
        .log = log,
        .number = ++log->launch_count,
        .parent = parent->number,
        .first_block = log->block_count,
        .name = name_index(log, name),
        .parent_block = parent_block,
        .caller = parent->first_block + parent_block,
    };
    log->block_count += block_count;
    return place;
}

static bool is_launch_kept(const EventLog *log, uint32_t number)
{
    return (number - 1) % log->launch_stride == 0;
}

BlockRecord *log_new_blocks(const LogPlace *place, uint64_t block_count)
{
    if (!place->log || !place->log->keeps_blocks || !is_launch_kept(place->log, place->number))
        return NULL;
    return calloc(block_count, sizeof(BlockRecord));
}

void log_cut_blocks(BlockRecord *blocks, uint64_t block_count, Cycle now)
{
    for (uint64_t i = 0; blocks && i < block_count; i++) {
        BlockRecord *block = &blocks[i];
        const bool was_sent = block->dispatched || block->started; /* the first one may be in cycle 0 */
        if (!was_sent)
            block->sm = NO_SM;
        else if (!block->ended)
            block->ended = now;
        if (was_sent && !block->started)
            block->started = block->ended;
    }
}

static bool is_kept(const EventLog *log, uint64_t number) { return number % log->block_stride == 0; }

/* Whether there is room for one more of the block's times, and it is to be kept. */
static bool has_room(EventLog *log, uint64_t number)
{
    if (!is_kept(log, number))
        return false;
    while (log->stays.count + log->waits.count >= log->limit && log->block_stride < LOG_MOST_STRIDE)
        log_thin(log, 2 * log->block_stride, log->launch_stride);
    return is_kept(log, number) && log->stays.count + log->waits.count < log->limit;
}

LoggedBlock log_block(const LogPlace *place, const uint32_t grid[3], uint64_t index)
{
    const uint64_t row = index / grid[0];
    return (LoggedBlock){
        .launch = place->number,
        .name = place->name,
        .at = {(uint32_t)(index % grid[0]), (uint32_t)(row % grid[1]), (uint32_t)(row / grid[1])},
        .index = index,
        .number = place->first_block + index,
    };
}

bool log_stay(EventLog *log, const LoggedStay *stay)
{
    if (!log->keeps_stays || !has_room(log, stay->block.number))
        return false;
    VEC_PUSH(&log->stays, *stay);
    return true;
}

/* "k.cu:12 (k.ptx:266)", or without the first where the PTX does not tell. */
static void describe_place(const Module *module, const PtxInsn *insn, char *text, size_t size)
{
    const SourcePlace *source = &insn->source;
    uint32_t line;
    const char *ptx = file_last_part(module_file(module, insn->place.line, &line));
    if (source->line && source->file < module->file_count && module->files[source->file])
        snprintf(text, size, "%s:%u (%s:%u)", file_last_part(module->files[source->file]), source->line, ptx,
                 line);
    else
        snprintf(text, size, "%s:%u", ptx, line);
}

/* The place of an instruction in its source, among the log's names. */
static uint32_t place_of(EventLog *log, const Program *program, uint32_t pc)
{
    char text[512];
    for (uint32_t i = 0; i < log->places.count; i++)
        if (log->places.items[i].pc == pc && log->places.items[i].program == program)
            return log->places.items[i].name;
    const Insn *insn = &program->code[pc];
    describe_place(program->functions[insn->function].module, insn->ptx, text, sizeof text);
    VEC_PUSH(&log->places, ((LoggedPlace){program, pc, name_index(log, text)}));
    return log->places.items[log->places.count - 1].name;
}

void log_barriers(EventLog *log, const BarrierLog *barriers, const Program *program)
{
    LoggedStay *stay = &log->stays.items[log->stays.count - 1];
    stay->barriers = barriers->count;
    stay->barrier_stride = barriers->stride;
    if (!log->barrier_limit || stay->block.number % log->barrier_stride)
        return;
    stay->first_barrier = log->barriers.count;
    stay->barrier_count = barriers->phases.count;
    for (uint32_t i = 0; i < barriers->phases.count; i++) {
        const BarrierPhase *phase = &barriers->phases.items[i];
        VEC_PUSH(&log->barriers, ((LoggedBarrier){*phase, place_of(log, program, phase->pc)}));
    }
    while (log->barriers.count > log->barrier_limit && log->barrier_stride < LOG_MOST_STRIDE)
        log_thin_barriers(log, 2 * log->barrier_stride);
    if (log->barriers.count > log->barrier_limit) {
        log->barriers.count -= stay->barrier_count;
        stay->barrier_count = 0;
    }
}

const char *log_wait_reason(const LoggedWait *wait)
{
    return wait->reason == WAIT_REASONS ? "dispatcher" : wait_texts[wait->reason].name;
}

void log_wait(EventLog *log, const LoggedWait *wait)
{
    if (has_room(log, wait->block.number))
        VEC_PUSH(&log->waits, *wait);
}

void log_complete(const LogPlace *place, LoggedLaunch launch)
{
    EventLog *log = place->log;
    if (!is_launch_kept(log, place->number)) {
        free(launch.blocks);
        return;
    }
    launch.number = place->number;
    launch.parent = place->parent;
    launch.parent_block = place->parent_block;
    launch.caller = place->caller;
    launch.first_block = place->first_block;
    launch.started = place->begun;
    launch.name = place->name;
    VEC_PUSH(&log->launches, launch);
    while (log->launches.count > log->limit)
        log_thin(log, log->block_stride, 2 * log->launch_stride);
}

static void thin_blocks(EventLog *log, uint64_t stride)
{
    uint32_t stays = 0, waits = 0;
    log->block_stride = stride;
    for (uint32_t i = 0; i < log->stays.count; i++)
        if (is_kept(log, log->stays.items[i].block.number))
            log->stays.items[stays++] = log->stays.items[i];
    for (uint32_t i = 0; i < log->waits.count; i++)
        if (is_kept(log, log->waits.items[i].block.number))
            log->waits.items[waits++] = log->waits.items[i];
    log->stays.count = stays;
    log->waits.count = waits;
    log_thin_barriers(log, stride > log->barrier_stride ? stride : log->barrier_stride);
}

static void thin_launches(EventLog *log, uint64_t stride)
{
    uint32_t kept = 0;
    log->launch_stride = stride;
    for (uint32_t i = 0; i < log->launches.count; i++) {
        if (is_launch_kept(log, log->launches.items[i].number))
            log->launches.items[kept++] = log->launches.items[i];
        else
            free(log->launches.items[i].blocks);
    }
    log->launches.count = kept;
}

void log_thin_barriers(EventLog *log, uint64_t stride)
{
    LoggedBarriers kept = {0};
    if (stride < log->barrier_stride)
        return;
    log->barrier_stride = stride;
    for (uint32_t i = 0; i < log->stays.count; i++) {
        LoggedStay *stay = &log->stays.items[i];
        const uint32_t first = stay->first_barrier;
        if (stay->block.number % stride)
            stay->barrier_count = 0;
        stay->first_barrier = kept.count;
        for (uint32_t b = 0; b < stay->barrier_count; b++)
            VEC_PUSH(&kept, log->barriers.items[first + b]);
    }
    VEC_FREE(&log->barriers);
    log->barriers = kept;
}

void log_drop_barriers(EventLog *log)
{
    log->barrier_limit = 0;
    VEC_FREE(&log->barriers);
    for (uint32_t i = 0; i < log->stays.count; i++)
        log->stays.items[i].barrier_count = 0;
}

void log_thin(EventLog *log, uint64_t block_stride, uint64_t launch_stride)
{
    if (block_stride > log->block_stride)
        thin_blocks(log, block_stride);
    if (launch_stride > log->launch_stride)
        thin_launches(log, launch_stride);
}

/* -- order -- */

static int compare(uint64_t a, uint64_t b) { return a < b ? -1 : a > b; }

static int by_launch(const void *a, const void *b)
{
    return compare(((const LoggedLaunch *)a)->number, ((const LoggedLaunch *)b)->number);
}

static int by_stay(const void *a, const void *b)
{
    const LoggedStay *one = a, *other = b;
    return one->block.number != other->block.number ? compare(one->block.number, other->block.number)
                                                    : compare(one->time.dispatched, other->time.dispatched);
}

static int by_wait(const void *a, const void *b)
{
    const LoggedWait *one = a, *other = b;
    return one->block.number != other->block.number ? compare(one->block.number, other->block.number)
                                                    : compare(one->left, other->left);
}

void log_sort(EventLog *log)
{
    if (log->launches.count)
        qsort(log->launches.items, log->launches.count, sizeof *log->launches.items, by_launch);
    if (log->stays.count)
        qsort(log->stays.items, log->stays.count, sizeof *log->stays.items, by_stay);
    if (log->waits.count)
        qsort(log->waits.items, log->waits.count, sizeof *log->waits.items, by_wait);
}
