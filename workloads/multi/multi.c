/* The table of programs, and what all of them need: GPUs with their modules, buffers, flags and launches. */
#include "multi/multi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MODE(name) (1u << MULTI_##name)
#define SHARING (MODE(HOST) | MODE(FLAGS) | MODE(PUSH) | MODE(HARDWARE))
#define MEETING (SHARING | MODE(NETWORK))
#define POLLING (MODE(HOST) | MODE(FLAGS) | MODE(PUSH) | MODE(NETWORK))
#define FETCHING (MEETING | MODE(PREFETCH))
#define MOVING (MODE(COPY) | MODE(READ) | MODE(WRITE))

const MultiProgram multi_programs[MULTI_PROGRAMS] = {
    {"stencil2d", "Five-point stencil, rows parted among GPUs", "stencil2d.ptx", FETCHING, false,
     multi_stencil2d_run},
    {"stencil2d_weak", "The same, as many rows for every GPU", "stencil2d.ptx", FETCHING, true,
     multi_stencil2d_run},
    {"stencil3d", "Seven-point stencil, planes parted among GPUs", "stencil3d.ptx", FETCHING, false,
     multi_stencil3d_run},
    {"stencil3d_weak", "The same, as many planes for every GPU", "stencil3d.ptx", FETCHING, true,
     multi_stencil3d_run},
    {"bfs", "Breadth-first search, vertices parted among GPUs", "bfs.ptx", MEETING, false, multi_bfs_run},
    {"bfs_weak", "The same, as many vertices for every GPU", "bfs.ptx", MEETING, true, multi_bfs_run},
    {"lstm", "A recurrent network, layers parted among GPUs", "lstm.ptx", FETCHING, false, multi_lstm_run},
    {"lstm_weak", "The same, as many layers for every GPU", "lstm.ptx", FETCHING, true, multi_lstm_run},
    {"ring", "All-reduce in a ring", "allreduce.ptx", MEETING, false, multi_ring_run},
    {"tree", "All-reduce up and down a tree", "allreduce.ptx", POLLING, false, multi_tree_run},
    {"oneshot", "All-reduce, every GPU reads all vectors", "allreduce.ptx", SHARING, false,
     multi_oneshot_run},
    {"twoshot", "All-reduce, every GPU sums a part", "allreduce.ptx", SHARING, false, multi_twoshot_run},
    {"pingpong", "A flag from the first GPU to the second and back", "links.ptx", MEETING, false,
     multi_pingpong_run},
    {"meet", "GPUs meet, and do nothing else", "links.ptx", MEETING, false, multi_meet_run},
    {"chase", "Loads of the second GPU's memory, one after the other", "links.ptx", MODE(READ), false,
     multi_chase_run},
    {"peer", "Words from the second GPU to the first", "links.ptx", MOVING, false, multi_peer_run},
    {"peer_all", "Words from every GPU to its left neighbour", "links.ptx", MOVING, false,
     multi_peer_all_run},
};

const char *const multi_mode_names[MULTI_MODES] = {
    [MULTI_HOST] = "host", [MULTI_FLAGS] = "flags",       [MULTI_PREFETCH] = "prefetch",
    [MULTI_PUSH] = "push", [MULTI_HARDWARE] = "hardware", [MULTI_NETWORK] = "network",
    [MULTI_COPY] = "copy", [MULTI_READ] = "read",         [MULTI_WRITE] = "write"};

const MultiProgram *multi_find(const char *name)
{
    for (size_t i = 0; i < MULTI_PROGRAMS; i++)
        if (strcmp(multi_programs[i].name, name) == 0)
            return &multi_programs[i];
    return NULL;
}

bool multi_is_fine(const Multi *multi)
{
    for (uint32_t i = 0; i < multi->count; i++)
        if (multi->parts[i].status != WB_OK)
            return false;
    return true;
}

/* By the network, GPUs of other nodes are no peers; for all other modes they have to be. */
static bool are_peers(const Multi *multi, uint32_t i, uint32_t j)
{
    return i != j && (multi->run->mode != MULTI_NETWORK || multi_is_near(multi, i, j));
}

/* Copies of a run whose flags are the host's go through the host, too. */
static void enable_peers(Multi *multi)
{
    if (multi->run->mode == MULTI_COPY && multi->run->flags == MULTI_FLAGS_HOST)
        return;
    for (uint32_t i = 0; i < multi->count; i++)
        for (uint32_t j = 0; j < multi->count; j++) {
            WbGpu *gpu = multi->parts[i].gpu, *peer = multi->parts[j].gpu;
            if (are_peers(multi, i, j) && multi_is_fine(multi) && !wb_peer_is_enabled(gpu, peer))
                host_keep(&multi->parts[i], wb_peer_enable(gpu, peer, true));
        }
}

static void free_all(Multi *multi)
{
    for (size_t i = multi->buffer_count; i-- > 0;)
        host_free(&multi->parts[multi->buffers[2 * i]], multi->buffers[2 * i + 1]);
    free(multi->buffers);
    for (uint32_t i = 0; i < multi->count; i++)
        if (multi->pinned[i])
            host_keep(&multi->parts[i], wb_host_free(multi->parts[i].gpu, multi->pinned[i]));
}

/* Over PCIe a flag goes through the host's memory [sync-thesis §8.1]. */
static bool are_flags_in_host(const Multi *multi)
{
    enum { PCIE }; /* the first choice of the knob */
    uint64_t topology = PCIE;
    if (multi->run->flags != MULTI_FLAGS_USUAL)
        return multi->run->flags == MULTI_FLAGS_HOST;
    return multi->count > 1 && wb_gpu_get(multi->parts[0].gpu, "link_topology", &topology) == WB_OK &&
           topology == PCIE;
}

/* Failures of all parts become those of the first, which the caller sees. */
static bool tell(Multi *multi, bool right, Host *host)
{
    *host = multi->parts[0];
    for (uint32_t i = 1; i < multi->count && host->status == WB_OK; i++)
        if (multi->parts[i].status != WB_OK) {
            host->status = multi->parts[i].status;
            snprintf(host->error, sizeof host->error, "%s", multi->parts[i].error);
        }
    if (!right && host->status == WB_OK)
        snprintf(host->error, sizeof host->error,
                 "The result of %s (%s) on %u GPUs is not the one computed without them.",
                 multi->program->name, multi_mode_names[multi->run->mode], multi->count);
    return right && host->status == WB_OK;
}

bool multi_run(const MultiProgram *program, const MultiRun *run, WbGpu *const *gpus, uint32_t count,
               const char *directory, Host *host)
{
    Multi multi = {.program = program, .run = run};
    if (count < 1 || count > MULTI_GPUS) {
        *host = (Host){.gpu = gpus[0], .status = WB_ERROR_ARGUMENT};
        snprintf(host->error, sizeof host->error, "%s runs on 1 to %d GPUs, not on %u.", program->name,
                 MULTI_GPUS, count);
        return false;
    }
    uint64_t node_gpus = 0;
    wb_gpu_get(gpus[0], "node_gpus", &node_gpus);
    multi.node_gpus = node_gpus ? (uint32_t)node_gpus : count;
    for (; multi.count < count; multi.count++)
        multi.parts[multi.count] = host_begin(gpus[multi.count], directory, program->file);
    multi.flags_in_host = are_flags_in_host(&multi);
    enable_peers(&multi);
    const bool right = multi_is_fine(&multi) && program->run(&multi);
    free_all(&multi);
    for (uint32_t i = 1; i < count; i++)
        host_end(&multi.parts[i]);
    return tell(&multi, right, host);
}

double multi_together(WbGpu *const *gpus, uint32_t count)
{
    uint64_t begun = 0, ended = 0, khz = 1;
    WbRecord record;
    for (uint32_t i = 0; i < count; i++)
        for (size_t j = 0; wb_record_at(gpus[i], j, &record) == WB_OK; j++) {
            begun = record.started > begun ? record.started : begun;
            ended = record.ended > ended ? record.ended : ended;
        }
    wb_gpu_get(gpus[0], "clock_khz", &khz);
    return (double)(ended - begun) * 1e6 / (double)khz;
}

uint32_t multi_side(const Multi *multi, const uint32_t sides[INPUT_SIZES])
{
    const uint32_t side = multi->run->side ? multi->run->side : sides[multi->run->size];
    return multi->program->is_weak ? side / 4 * multi->count : side;
}

uint64_t multi_buffer(Multi *multi, uint32_t gpu, const void *data, size_t bytes)
{
    uint64_t *buffers = realloc(multi->buffers, (multi->buffer_count + 1) * 2 * sizeof *buffers);
    if (!buffers) {
        host_keep(&multi->parts[gpu], WB_ERROR_ARGUMENT);
        return 0;
    }
    const uint64_t address = host_buffer(&multi->parts[gpu], data, bytes);
    multi->buffers = buffers;
    buffers[2 * multi->buffer_count] = gpu;
    buffers[2 * multi->buffer_count++ + 1] = address;
    if (!data && multi->parts[gpu].status == WB_OK)
        host_keep(&multi->parts[gpu], wb_set_device(multi->parts[gpu].gpu, address, 0, bytes));
    return address;
}

uint64_t multi_flags(Multi *multi, uint32_t gpu, size_t bytes)
{
    Host *part = &multi->parts[gpu];
    if (!multi->flags_in_host)
        return multi_buffer(multi, gpu, NULL, bytes);
    if (part->status == WB_OK)
        host_keep(part, wb_host_alloc(part->gpu, bytes, WB_MEMORY_HOST, &multi->pinned[gpu]));
    if (part->status == WB_OK)
        memset(multi->pinned[gpu], 0, bytes);
    return (uintptr_t)multi->pinned[gpu];
}

/* As in group.cuh. */
typedef struct Group {
    uint64_t own, seen, flags[MULTI_GPUS], inboxes[MULTI_GPUS];
    uint32_t gpus, self, node_gpus;
} Group;

void multi_groups(Multi *multi, uint64_t groups[MULTI_GPUS])
{
    enum { BYTES = MULTI_LINE * sizeof(uint32_t) };
    Group made[MULTI_GPUS];
    for (uint32_t i = 0; i < multi->count; i++)
        made[i] = (Group){.own = multi_buffer(multi, i, NULL, 4 * BYTES),
                          .seen = multi_buffer(multi, i, NULL, 2 * BYTES * multi->count),
                          .gpus = multi->count,
                          .self = i,
                          .node_gpus = multi->node_gpus};
    for (uint32_t i = 0; i < multi->count; i++) {
        const uint64_t flags = multi_flags(multi, i, 2 * BYTES);
        for (uint32_t j = 0; j < multi->count; j++) {
            made[j].flags[i] = flags;
            made[j].inboxes[i] = made[i].seen + 2 * BYTES * j;
        }
    }
    for (uint32_t i = 0; i < multi->count; i++)
        groups[i] = multi_buffer(multi, i, &made[i], sizeof made[i]);
}

void multi_launch(Multi *multi, uint32_t gpu, const char *kernel, WbDim3 grid, WbDim3 block,
                  const WbArgument *arguments, uint32_t count)
{
    host_enqueue(&multi->parts[gpu], kernel,
                 &(WbLaunch){.grid = grid, .block = block, .arguments = arguments, .argument_count = count});
}

void multi_wait(Multi *multi)
{
    for (uint32_t i = 0; i < multi->count; i++)
        host_finish(&multi->parts[i]);
}

const char *multi_kernel(const Multi *multi, const char *base, char *buffer, size_t size)
{
    snprintf(buffer, size, "%s_%s", base, multi_mode_names[multi->run->mode]);
    return buffer;
}

uint32_t multi_resident(Multi *multi, const char *name, uint32_t threads)
{
    uint32_t least = 0;
    for (uint32_t i = 0; i < multi->count; i++) {
        Host *part = &multi->parts[i];
        WbKernel *kernel = NULL;
        uint32_t blocks = 0;
        uint64_t sms = 0;
        if (part->status == WB_OK)
            host_keep(part, wb_module_kernel(part->module, name, &kernel));
        if (part->status == WB_OK)
            host_keep(part, wb_kernel_occupancy(kernel, threads, 0, &blocks));
        if (part->status == WB_OK)
            host_keep(part, wb_gpu_get(part->gpu, "sm_count", &sms));
        if (part->status != WB_OK)
            return 0;
        if (!i || blocks * (uint32_t)sms < least)
            least = blocks * (uint32_t)sms;
    }
    return least;
}

void multi_begin_time(Multi *multi) { multi->parts[0].timed = wb_time(multi->parts[0].gpu); }

void multi_end_time(Multi *multi)
{
    multi_wait(multi);
    multi->parts[0].total_time = wb_time(multi->parts[0].gpu) - multi->parts[0].timed;
}
