/* Filling exchanged sequences, the first layer's product, and what kernels are told of a run. */
#include "chunk.h"

#include <stdio.h>

enum {
    PREPARE_THREADS = 256,
    PREPARE_BLOCKS_SM = 8, /* of the kernel that fills; it goes through all in strides of its grid */
    PRODUCT_TILE = 64,     /* a block computes so many units' rows x so many sequences' steps: product.cu */
    PARTIAL_SUMS = 16,     /* of a warp tile: four rows of four sequences */
    PARTIAL_HALF_SUMS = 128, /* of halves: 16 rows of eight */
    ALIGNMENT = 256,
};

static uint32_t chunk_of(const WbRnn *rnn, uint32_t steps)
{
    const uint32_t chunk = rnn->plan.chunk_steps;
    return chunk && steps > chunk ? chunk : steps;
}

static uint64_t take(size_t *bytes, uint64_t count)
{
    const uint64_t at = *bytes;
    *bytes += (count + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return at;
}

static bool needs_flags(const RnnPlan *plan)
{
    const WbRnnSync sync = plan->sync;
    return plan->method == WBRNN_PERSISTENT || sync == WBRNN_SYNC_ARRAYS || sync == WBRNN_SYNC_ENTRY ||
           sync == WBRNN_SYNC_COUNTER;
}

/* Blocks of a layer, or of each of its two groups. */
uint32_t chunk_group_blocks(const RnnPlan *plan)
{
    return plan->split ? plan->layer_blocks / 2 : plan->layer_blocks;
}

/* Sums that blocks keep in memory. */
static uint64_t partial_bytes(const RnnPlan *plan, bool half)
{
    if (plan->method == WBRNN_PERSISTENT && !half)
        return plan->cell_place == PLACE_GLOBAL ? plan->layer_blocks * plan_persistent_partial(plan) : 0;
    if (plan->state_place == PLACE_REGISTERS || plan->method == WBRNN_STREAM)
        return 0;
    return (uint64_t)plan->layers_in_flight * chunk_group_blocks(plan) * plan->block_tiles * sizeof(float) *
           (half ? PARTIAL_HALF_SUMS : PARTIAL_SUMS * plan->warps_per_tile);
}

/* Layers whose preactivations of O U lie in memory. */
static uint32_t sequences_ahead(const WbRnn *rnn)
{
    const bool all = rnn->plan.method == WBRNN_STREAM || rnn->plan.split;
    return all ? rnn->shape.layers : rnn->plan.input_ahead ? 1 : 0;
}

/* Relative to the beginning of `work`. Depends on nothing but shape, plan and the chunk's length. */
static RnnLayout layout_of(const WbRnn *rnn, uint32_t steps)
{
    const RnnPlan *plan = &rnn->plan;
    const bool half = rnn->shape.type != WBRNN_F32;
    const uint64_t slots = (uint64_t)chunk_of(rnn, steps) + 1;
    const uint64_t values = slots * plan->batch_tiles * plan->positions * plan->batch_tile;
    const uint64_t sequence = values * network_type_bytes(rnn);
    RnnLayout layout = {.own_bytes = (sequence + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT};
    layout.carry_bytes = (uint64_t)rnn->shape.batch * rnn->shape.hidden * sizeof(float);
    if (needs_flags(plan))
        layout.flag_bytes = (uint64_t)plan->layers_in_flight * plan->batch_tiles *
                            JOB_FLAG_WORDS(chunk_group_blocks(plan)) * sizeof(uint32_t);
    size_t bytes = 0;
    layout.lengths = take(&bytes, JOB_SEQUENCES * sizeof(uint32_t));
    layout.input = take(&bytes, plan->input_ahead ? 0 : sequence);
    layout.own = take(&bytes, layout.own_bytes * rnn->shape.layers);
    layout.ahead_bytes = values * (plan_gates(rnn->shape.kind) == 1 ? 1 : 4) * sizeof(float);
    layout.ahead = take(&bytes, layout.ahead_bytes * sequences_ahead(rnn));
    layout.carry = take(&bytes, layout.carry_bytes * rnn->shape.layers);
    layout.flags = take(&bytes, layout.flag_bytes * plan->passes);
    layout.partial = take(&bytes, partial_bytes(plan, half));
    layout.bytes = bytes;
    return layout;
}

size_t chunk_work_bytes(const WbRnn *rnn, uint32_t steps)
{
    return layout_of(rnn, steps).bytes;
}

/* -- a chunk -- */

static RnnLayout layout_at(const WbRnn *rnn, uint32_t steps)
{
    RnnLayout layout = layout_of(rnn, steps);
    uint64_t *const parts[] = {&layout.input, &layout.own,     &layout.ahead,  &layout.carry,
                               &layout.flags, &layout.lengths, &layout.partial};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        *parts[i] += rnn->work.address;
    return layout;
}

WbRnnStatus chunk_launch(const RnnChunk *chunk, RnnKernel *kernel, const RnnLaunch *launch)
{
    RnnDevice *device = chunk->rnn->device;
    return network_device(chunk->rnn, device->calls->launch(device, kernel, launch, chunk->stream));
}

static WbRnnStatus prepare(const RnnChunk *chunk)
{
    const WbRnn *rnn = chunk->rnn;
    const RnnLayout *at = &chunk->layout;
    RnnPrepare job = {.x = chunk->x, .below = rnn->plan.input_ahead ? 0 : at->input,
                      .h0 = (uintptr_t)chunk->run->h0, .lengths = at->lengths,
                      .flags = at->flags, .flag_words = at->flag_bytes * rnn->plan.passes / sizeof(uint32_t),
                      .stuck = rnn->stuck, .layers = rnn->shape.layers, .steps = chunk->steps,
                      .batch = rnn->shape.batch, .tiles = rnn->plan.batch_tiles, .hidden = rnn->shape.hidden,
                      .input = rnn->shape.input, .groups = rnn->shape.groups, .slice = rnn->plan.slice,
                      .x_step = chunk->x_step, .x_sequence = chunk->x_sequence, .type = rnn->shape.type,
                      .previous = chunk->previous};
    for (uint32_t layer = 0; layer < rnn->shape.layers; layer++)
        job.own[layer] = at->own + layer * at->own_bytes;
    for (uint32_t i = 0; i < rnn->shape.batch; i++)
        job.length[i] = chunk->run->lengths ? chunk->run->lengths[i] : chunk->run->steps;
    const uint64_t values = (uint64_t)(rnn->shape.layers + 1) * (chunk->steps + 1) * rnn->plan.batch_tiles *
                            rnn->plan.positions;
    const uint64_t blocks = (values + PREPARE_THREADS - 1) / PREPARE_THREADS;
    const uint64_t most = (uint64_t)rnn->device->gpu.sms * PREPARE_BLOCKS_SM;
    return chunk_launch(chunk, rnn->prepare, &(RnnLaunch){.blocks = (uint32_t)(blocks < most ? blocks : most),
                                                    .threads = PREPARE_THREADS,
                                                    .arguments = &job, .bytes = sizeof job});
}

WbRnnStatus chunk_product(const RnnChunk *chunk, uint32_t layer)
{
    const WbRnn *rnn = chunk->rnn;
    const uint32_t gates = plan_gates(rnn->shape.kind), rows = gates == 1 ? 1 : 4;
    const uint64_t below = chunk->layout.own + (layer - 1) * chunk->layout.own_bytes;
    const RnnProduct job = {.x = layer ? below : chunk->x, .exchanged = layer != 0,
                            .w_input = rnn->weights[layer].w_input, .ahead = chunk->layout.ahead,
                            .steps = chunk->steps, .batch = rnn->shape.batch, .tiles = rnn->plan.batch_tiles,
                            .gates = gates, .hidden = rnn->shape.hidden, .input = network_inputs(rnn, layer),
                            .groups = rnn->shape.groups, .slice = rnn->plan.slice, .x_step = chunk->x_step,
                            .x_sequence = chunk->x_sequence, .type = rnn->shape.type};
    /* Tiles do not cross from one group's units to the next one's. */
    const uint32_t units = rnn->shape.hidden / rnn->shape.groups, tile = PRODUCT_TILE / rows;
    const uint64_t across = (uint64_t)rnn->shape.groups * ((units + tile - 1) / tile);
    const uint64_t columns = (uint64_t)chunk->steps * job.tiles * rnn->plan.batch_tile;
    const uint64_t down = (columns + PRODUCT_TILE - 1) / PRODUCT_TILE;
    return chunk_launch(chunk, rnn->product, &(RnnLaunch){.blocks = (uint32_t)(across * down),
                                                    .threads = PREPARE_THREADS,
                                                    .arguments = &job, .bytes = sizeof job});
}

static uint64_t state_of(const WbRnn *rnn, const void *states, uint32_t layer)
{
    const size_t bytes = (size_t)rnn->shape.batch * rnn->shape.hidden * network_type_bytes(rnn);
    return states ? (uintptr_t)states + layer * bytes : 0;
}

RnnLayer chunk_layer(const RnnChunk *chunk, uint32_t layer)
{
    const WbRnn *rnn = chunk->rnn;
    const RnnLayout *at = &chunk->layout;
    const RnnWeightsAt *weights = &rnn->weights[layer];
    const bool before = rnn->plan.inputs_ahead || (layer == 0 && rnn->plan.input_ahead);
    const bool ahead = before || rnn->plan.split; /* or handed over by blocks of O U */
    const bool cells = network_has_cells(rnn->shape.kind);
    const bool first = chunk->first == 0, last = chunk->first + chunk->steps == chunk->run->steps;
    const uint64_t carry = cells ? at->carry + layer * at->carry_bytes : 0;
    RnnLayer result = {.w_input = before ? 0 : weights->w_input, .w_state = weights->w_state,
                       .bias = weights->bias, .extra = weights->extra,
                       .own = at->own + layer * at->own_bytes,
                       .c0 = first ? state_of(rnn, chunk->run->c0, layer) : carry,
                       .cn = last ? state_of(rnn, chunk->run->cn, layer) : carry,
                       .hn = last ? state_of(rnn, chunk->run->hn, layer) : 0, .ahead = ahead ? at->ahead : 0,
                       .carry = carry};
    if (rnn->plan.split)
        result.ahead += layer * at->ahead_bytes;
    if (!before)
        result.below = layer ? result.own - at->own_bytes : at->input;
    if (layer + 1 == rnn->shape.layers)
        result.y = (uintptr_t)chunk->run->y;
    return result;
}

RnnJob chunk_job(const RnnChunk *chunk, uint32_t first, uint32_t layers, uint32_t pass)
{
    const WbRnn *rnn = chunk->rnn;
    const RnnPlan *plan = &rnn->plan;
    RnnJob job = {.layers = layers,
                  .first_layer = first,
                  .blocks = chunk_group_blocks(plan),
                  .hidden = rnn->shape.hidden,
                  .groups = rnn->shape.groups,
                  .slice = plan->slice,
                  .batch = rnn->shape.batch,
                  .tiles = rnn->plan.batch_tiles,
                  .steps = chunk->steps,
                  .first_step = chunk->first,
                  .kind = rnn->shape.kind,
                  .sync = plan->sync,
                  .split = plan->split,
                  .y_step = chunk->y_step,
                  .y_sequence = chunk->y_sequence,
                  .leave = rnn->leave,
                  .lengths = chunk->layout.lengths,
                  .times = (uintptr_t)chunk->run->times,
                  .flags = chunk->layout.flags + pass * chunk->layout.flag_bytes,
                  .stuck = rnn->stuck,
                  .told = rnn->told_address,
                  .watchdog = rnn->options.watchdog_ms * 1000000ull,
                  .memory = {.block_tiles = plan->block_tiles, .state_kept = plan->state_kept,
                             .input_kept = plan->input_kept, .cell_place = plan->cell_place,
                             .partial = chunk->layout.partial}};
    for (uint32_t i = 0; i < job.layers; i++)
        job.layer[i] = chunk_layer(chunk, first + i);
    return job;
}

/* -- a run -- */

/* Split: values that blocks of O U hand over carry their own flags. */
static WbRnnStatus unwrite_ahead(const RnnChunk *chunk)
{
    RnnDevice *device = chunk->rnn->device;
    const size_t words = chunk->layout.ahead_bytes * chunk->rnn->shape.layers / sizeof(uint32_t);
    return network_device(chunk->rnn, device->calls->fill(device, chunk->layout.ahead, JOB_UNWRITTEN, words,
                                                          chunk->stream));
}

static WbRnnStatus run_chunk(const RnnChunk *chunk, WbRnnStatus (*compute)(const RnnChunk *chunk))
{
    WbRnnStatus status = prepare(chunk);
    if (!status && chunk->rnn->plan.split)
        status = unwrite_ahead(chunk);
    if (!status && chunk->rnn->plan.input_ahead)
        status = chunk_product(chunk, 0);
    return status ? status : compute(chunk);
}

WbRnnStatus chunk_enqueue(WbRnn *rnn, const WbRnnRun *run, void *stream,
                          WbRnnStatus (*compute)(const RnnChunk *chunk))
{
    const uint32_t batch = rnn->shape.batch, input = rnn->shape.input, hidden = rnn->shape.hidden;
    const bool batch_first = run->batch_first;
    RnnChunk chunk = {.rnn = rnn, .run = run, .stream = stream, .layout = layout_at(rnn, run->steps),
                      .x_step = batch_first ? input : batch * input,
                      .x_sequence = batch_first ? run->steps * input : input,
                      .y_step = batch_first ? hidden : batch * hidden,
                      .y_sequence = batch_first ? run->steps * hidden : hidden};
    const uint32_t longest = chunk_of(rnn, run->steps);
    WbRnnStatus status = WBRNN_OK;
    while (chunk.first < run->steps && !status) {
        const uint32_t left = run->steps - chunk.first;
        chunk.steps = left < longest ? left : longest;
        chunk.x = (uintptr_t)run->x + (uint64_t)chunk.first * chunk.x_step * network_type_bytes(rnn);
        status = run_chunk(&chunk, compute);
        chunk.previous = chunk.steps;
        chunk.first += chunk.steps;
    }
    return status;
}

/* Halves of both types are moved by the same kernel, as they are; products know the type. */
WbRnnStatus chunk_load(WbRnn *rnn)
{
    const RnnDeviceCalls *calls = rnn->device->calls;
    const bool half = rnn->shape.type != WBRNN_F32;
    WbRnnStatus status = calls->kernel(rnn->device, "prepare", half ? "rnn_prepare_half" : "rnn_prepare", 0,
                                       &rnn->prepare);
    char module[RNN_MODULE_NAME] = "product";
    if (half)
        snprintf(module, sizeof module, "product_%s", wbrnn_type_name(rnn->shape.type));
    if (!status && rnn->plan.input_ahead)
        status = calls->kernel(rnn->device, module, half ? "rnn_product_half" : "rnn_product", 0,
                               &rnn->product);
    return network_device(rnn, status);
}
