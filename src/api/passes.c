/* Launches in several passes. A profiler that cannot take all its counters at once launches a kernel again
 * and again, and puts memory back in between (Nsight Compute calls it kernel replay). Caches are not put
 * back: the last pass, which counts here, finds in them what the one before has left.
 *
 * All that is in streams ends before a pass begins. What a pass has changed is written back by the host, in
 * pieces, as its copies are, so that L2 has the old data. Passes but the last leave no record, and no trace
 * in totals; what they print is printed. A kernel runs once if it runs without timing, if its blocks depend
 * on each other by a graph, or if it allocates or frees memory itself, as that cannot be put back. */
#include "api/passes.h"

#include <string.h>

#include "api/gpu.h"
#include "base/alloc.h"
#include "base/host_range.h"

enum { PIECE = 4096 };

/* Memory as it was. Invariant: pieces[i] is null where all bytes were zero. */
typedef struct SavedMemory {
    uint64_t base, size;
    uint8_t *host;
    bool is_device;
    uint8_t **pieces;
} SavedMemory;
typedef VEC(SavedMemory) SavedList;

static uint64_t piece_size(const SavedMemory *saved, uint64_t piece)
{
    const uint64_t left = saved->size - piece * PIECE;
    return left < PIECE ? left : PIECE;
}

static uint64_t piece_count(const SavedMemory *saved) { return (saved->size + PIECE - 1) / PIECE; }

static const uint8_t zeros[PIECE];

static const uint8_t *bytes_of(const SavedMemory *saved, uint64_t piece)
{
    return saved->pieces[piece] ? saved->pieces[piece] : zeros;
}

/* -- saving -- */

static SavedMemory save_one(const Allocation *allocation)
{
    SavedMemory saved = {.base = allocation->base,
                         .size = allocation->size,
                         .host = allocation->host,
                         .is_device = allocation->memory == MEMORY_DEVICE};
    saved.pieces = xcalloc(piece_count(&saved), sizeof *saved.pieces);
    for (uint64_t piece = 0; piece < piece_count(&saved); piece++) {
        const uint64_t size = piece_size(&saved, piece);
        const uint8_t *from = saved.host + piece * PIECE;
        if (memcmp(from, zeros, size) == 0)
            continue;
        saved.pieces[piece] = xmalloc(size);
        memcpy(saved.pieces[piece], from, size);
    }
    return saved;
}

/* Host memory that belongs to somebody else may be gone. */
static bool is_there(const Allocation *allocation)
{
    return allocation->memory != MEMORY_REGISTERED ||
           host_range_is_mapped(allocation->base, allocation->size);
}

static SavedList save(const AddressSpace *space)
{
    SavedList list = {0};
    const Allocation *next = tree_neighbours(&space->live, 0).after;
    for (; next; next = tree_neighbours(&space->live, next->base).after)
        if (!next->read_only && is_there(next))
            VEC_PUSH(&list, save_one(next));
    return list;
}

static void saved_free(SavedList *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        for (uint64_t piece = 0; piece < piece_count(&list->items[i]); piece++)
            xfree(list->items[i].pieces[piece]);
        xfree(list->items[i].pieces);
    }
    VEC_FREE(list);
}

/* -- putting back -- */

static bool is_changed(const SavedMemory *saved, uint64_t piece)
{
    return memcmp(saved->host + piece * PIECE, bytes_of(saved, piece), piece_size(saved, piece)) != 0;
}

/* Pieces [first, end). */
static WbStatus put_back(WbGpu *gpu, const SavedMemory *saved, uint64_t first, uint64_t end)
{
    const uint64_t size = (end - first - 1) * PIECE + piece_size(saved, end - 1);
    uint8_t *bytes = xmalloc(size);
    WbStatus status = WB_OK;
    for (uint64_t piece = first; piece < end; piece++)
        memcpy(bytes + (piece - first) * PIECE, bytes_of(saved, piece), piece_size(saved, piece));
    if (saved->is_device)
        status = wb_copy_to_device(gpu, saved->base + first * PIECE, bytes, size);
    else
        memcpy(saved->host + first * PIECE, bytes, size);
    xfree(bytes);
    return status;
}

static WbStatus restore(WbGpu *gpu, const SavedList *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        const SavedMemory *saved = &list->items[i];
        if (!space_find_own(&gpu->space, saved->base, saved->size))
            continue; /* the kernel has freed it */
        for (uint64_t first = 0, end; first < piece_count(saved); first = end + 1) {
            for (end = first; end < piece_count(saved) && is_changed(saved, end);)
                end++;
            const WbStatus status = end > first ? put_back(gpu, saved, first, end) : WB_OK;
            if (status)
                return status;
        }
    }
    return WB_OK;
}

/* -- passes -- */

/* What the GPU's totals are made of. */
typedef struct Totals {
    uint64_t *values; /* of all statistics */
    ExecStatistics untimed;
    uint32_t records;
} Totals;

static Totals keep_totals(const WbGpu *gpu)
{
    Totals kept = {.values = xmalloc(gpu->statistics.count * sizeof *kept.values),
                   .untimed = gpu->machine.statistics,
                   .records = gpu->next_record};
    uint64_t *to = kept.values;
    for (unsigned c = 0; c < components_known; to += components[c++].table->count)
        memcpy(to, gpu->statistics.values[c], components[c].table->count * sizeof *to);
    return kept;
}

static void put_totals_back(WbGpu *gpu, const Totals *kept)
{
    const uint64_t *from = kept->values;
    for (unsigned c = 0; c < components_known; from += components[c++].table->count)
        memcpy(gpu->statistics.values[c], from, components[c].table->count * sizeof *from);
    gpu->machine.statistics = kept->untimed;
    gpu->next_record = kept->records;
}

bool passes_drops_record(const WbGpu *gpu)
{
    return gpu->pass == PASS_EARLY && gpu->space.version == gpu->pass_version;
}

/* False in *is_repeated: no other pass may follow. */
static WbStatus run_pass(WbStream *stream, WbKernel *kernel, const WbLaunch *launch, bool *is_repeated)
{
    WbGpu *gpu = kernel->module->gpu;
    const Totals totals = keep_totals(gpu);
    gpu->pass_version = gpu->space.version;
    WbStatus status = wb_stream_launch(stream, kernel, launch);
    if (status == WB_OK)
        status = wb_wait(gpu);
    *is_repeated = status == WB_OK && gpu->next_record != totals.records && passes_drops_record(gpu);
    if (*is_repeated)
        put_totals_back(gpu, &totals);
    xfree(totals.values);
    return status;
}

static WbStatus run_passes(WbStream *stream, WbKernel *kernel, const WbLaunch *launch, const SavedList *saved)
{
    WbGpu *gpu = kernel->module->gpu;
    bool is_repeated = true;
    WbStatus status = WB_OK;
    for (uint64_t left = gpu->config.launch_passes; is_repeated && status == WB_OK; left--) {
        gpu->pass = left > 1 ? PASS_EARLY : PASS_LAST;
        status = run_pass(stream, kernel, launch, &is_repeated);
        if (is_repeated)
            status = restore(gpu, saved);
    }
    gpu->pass = PASS_NONE;
    return status;
}

bool passes_wanted(const WbGpu *gpu, const WbLaunch *launch)
{
    return gpu->config.launch_passes > 1 && gpu->config.mode == MODE_CYCLE && gpu->pass == PASS_NONE &&
           !(launch && (launch->mapping || launch->graph));
}

WbStatus passes_launch(WbStream *stream, WbKernel *kernel, const WbLaunch *launch)
{
    WbGpu *gpu = kernel->module->gpu;
    if (gpu->system->gpus.count > 1 || gpu->system->transport)
        return gpu_refuse(gpu, "Launches run in several passes (knob launch_passes) where there is one GPU; "
                               "with several, others may see what a pass has written.");
    WbStatus status = wb_wait(gpu);
    if (status)
        return status;
    SavedList saved = save(&gpu->space);
    status = run_passes(stream, kernel, launch, &saved);
    saved_free(&saved);
    return status;
}
