/* A run by wait-signal. All layers that fit on chip are one launch, a pass; what a pass' last layer
 * computes is the input of the next pass. A long run goes in chunks of steps, so that exchanged
 * sequences stay within bounds: each chunk runs all passes, and finds the layers' states where the chunk
 * before left them. Before each chunk one kernel fills the exchanged sequences. */
#include "network.h"

#include <stdio.h>
#include <string.h>

enum {
    PREPARE_THREADS = 256,
    PREPARE_BLOCKS_SM = 8, /* of the kernel that fills; it goes through all in strides of its grid */
    PRODUCT_TILE = 64,     /* a block computes so many units' rows x so many sequences' steps: prepare.cu */
    PARTIAL_SUMS = 16,     /* of a warp tile: four rows of four sequences */
    ALIGNMENT = 256,
};

/* Where things lie in `work`. */
typedef struct Layout {
    uint64_t input, own, own_bytes; /* exchanged sequences: of the input, of layer 0, from layer to layer */
    uint64_t ahead, carry, carry_bytes;
    uint64_t flags, flag_bytes;     /* of one pass */
    uint64_t lengths;
    uint64_t partial;               /* of kernels that read weights from memory */
    size_t bytes;
} Layout;

static uint32_t tiles_of(const WbRnn *rnn)
{
    return (rnn->shape.batch + JOB_BATCH - 1) / JOB_BATCH;
}

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

static bool needs_flags(WbRnnSync sync)
{
    return sync == WBRNN_SYNC_ARRAYS || sync == WBRNN_SYNC_ENTRY || sync == WBRNN_SYNC_COUNTER;
}

/* Whether the kernel reads weights from memory in each step. */
static bool reads_weights(const RnnPlan *plan)
{
    return plan->state_place != PLACE_REGISTERS;
}

/* Blocks of a layer, or of each of its two groups. */
static uint32_t group_blocks(const RnnPlan *plan)
{
    return plan->split ? plan->layer_blocks / 2 : plan->layer_blocks;
}

/* Relative to the beginning of `work`. Depends on nothing but shape, plan and the chunk's length. */
static Layout layout_of(const WbRnn *rnn, uint32_t steps)
{
    const RnnPlan *plan = &rnn->plan;
    const uint64_t slots = (uint64_t)chunk_of(rnn, steps) + 1;
    const uint64_t values = slots * tiles_of(rnn) * plan->positions * JOB_BATCH;
    const uint64_t sequence = values * network_type_bytes(rnn);
    Layout layout = {.own_bytes = (sequence + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT};
    layout.carry_bytes = (uint64_t)rnn->shape.batch * rnn->shape.hidden * sizeof(float);
    if (needs_flags(plan->sync))
        layout.flag_bytes = (uint64_t)plan->layers_in_flight * JOB_FLAG_WORDS(group_blocks(plan)) *
                            sizeof(uint32_t);
    size_t bytes = 0;
    layout.lengths = take(&bytes, JOB_SEQUENCES * sizeof(uint32_t));
    layout.input = take(&bytes, plan->input_ahead ? 0 : sequence);
    layout.own = take(&bytes, layout.own_bytes * rnn->shape.layers);
    layout.ahead = take(
        &bytes, plan->input_ahead ? values * (plan_gates(rnn->shape.kind) == 1 ? 1 : 4) * sizeof(float) : 0);
    layout.carry = take(&bytes, layout.carry_bytes * rnn->shape.layers);
    layout.flags = take(&bytes, layout.flag_bytes * plan->passes);
    if (reads_weights(plan))
        layout.partial = take(&bytes, (uint64_t)plan->layers_in_flight * group_blocks(plan) *
                                          plan->block_tiles * PARTIAL_SUMS * sizeof(float));
    layout.bytes = bytes;
    return layout;
}

static size_t work_bytes(const WbRnn *rnn, uint32_t steps)
{
    return layout_of(rnn, steps).bytes;
}

/* -- a chunk -- */

/* One chunk of a run: `steps` from `first` on. */
typedef struct Chunk {
    WbRnn *rnn;
    const WbRnnRun *run;
    void *stream;
    Layout layout; /* in addresses of the device */
    uint32_t first, steps, previous;
    uint64_t x;    /* of its first step */
    uint32_t x_step, x_sequence, y_step, y_sequence;
} Chunk;

static Layout layout_at(const WbRnn *rnn, uint32_t steps)
{
    Layout layout = layout_of(rnn, steps);
    uint64_t *const parts[] = {&layout.input, &layout.own,     &layout.ahead,  &layout.carry,
                               &layout.flags, &layout.lengths, &layout.partial};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        *parts[i] += rnn->work.address;
    return layout;
}

static WbRnnStatus launch(const Chunk *chunk, RnnKernel *kernel, const RnnLaunch *launch)
{
    RnnDevice *device = chunk->rnn->device;
    return network_device(chunk->rnn, device->calls->launch(device, kernel, launch, chunk->stream));
}

static WbRnnStatus prepare(const Chunk *chunk)
{
    const WbRnn *rnn = chunk->rnn;
    const Layout *at = &chunk->layout;
    RnnPrepare job = {.x = chunk->x, .below = rnn->plan.input_ahead ? 0 : at->input,
                      .h0 = (uintptr_t)chunk->run->h0, .lengths = at->lengths,
                      .flags = at->flags, .flag_words = at->flag_bytes * rnn->plan.passes / sizeof(uint32_t),
                      .stuck = rnn->stuck, .layers = rnn->shape.layers, .steps = chunk->steps,
                      .batch = rnn->shape.batch, .tiles = tiles_of(rnn), .hidden = rnn->shape.hidden,
                      .input = rnn->shape.input, .groups = rnn->shape.groups, .slice = rnn->plan.slice,
                      .x_step = chunk->x_step, .x_sequence = chunk->x_sequence, .type = rnn->shape.type,
                      .previous = chunk->previous};
    for (uint32_t layer = 0; layer < rnn->shape.layers; layer++)
        job.own[layer] = at->own + layer * at->own_bytes;
    for (uint32_t i = 0; i < rnn->shape.batch; i++)
        job.length[i] = chunk->run->lengths ? chunk->run->lengths[i] : chunk->run->steps;
    const uint64_t values = (uint64_t)(rnn->shape.layers + 1) * (chunk->steps + 1) * tiles_of(rnn) *
                            rnn->plan.positions;
    const uint64_t blocks = (values + PREPARE_THREADS - 1) / PREPARE_THREADS;
    const uint64_t most = (uint64_t)rnn->device->gpu.sms * PREPARE_BLOCKS_SM;
    return launch(chunk, rnn->prepare, &(RnnLaunch){.blocks = (uint32_t)(blocks < most ? blocks : most),
                                                    .threads = PREPARE_THREADS,
                                                    .arguments = &job, .bytes = sizeof job});
}

/* The first layer's O U of all steps. */
static WbRnnStatus product(const Chunk *chunk)
{
    const WbRnn *rnn = chunk->rnn;
    const uint32_t gates = plan_gates(rnn->shape.kind), rows = gates == 1 ? 1 : 4;
    const RnnProduct job = {.x = chunk->x, .w_input = rnn->weights[0].w_input, .ahead = chunk->layout.ahead,
                            .steps = chunk->steps, .batch = rnn->shape.batch, .tiles = tiles_of(rnn),
                            .gates = gates, .hidden = rnn->shape.hidden, .input = rnn->shape.input,
                            .groups = rnn->shape.groups, .slice = rnn->plan.slice, .x_step = chunk->x_step,
                            .x_sequence = chunk->x_sequence, .type = rnn->shape.type};
    /* Tiles do not cross from one group's units to the next one's. */
    const uint32_t units = rnn->shape.hidden / rnn->shape.groups, tile = PRODUCT_TILE / rows;
    const uint64_t across = (uint64_t)rnn->shape.groups * ((units + tile - 1) / tile);
    const uint64_t down = ((uint64_t)chunk->steps * job.tiles * JOB_BATCH + PRODUCT_TILE - 1) / PRODUCT_TILE;
    return launch(chunk, rnn->product, &(RnnLaunch){.blocks = (uint32_t)(across * down),
                                                    .threads = PREPARE_THREADS,
                                                    .arguments = &job, .bytes = sizeof job});
}

static uint64_t state_of(const WbRnn *rnn, const void *states, uint32_t layer)
{
    const size_t bytes = (size_t)rnn->shape.batch * rnn->shape.hidden * network_type_bytes(rnn);
    return states ? (uintptr_t)states + layer * bytes : 0;
}

static RnnLayer layer_of(const Chunk *chunk, uint32_t layer)
{
    const WbRnn *rnn = chunk->rnn;
    const Layout *at = &chunk->layout;
    const RnnWeightsAt *weights = &rnn->weights[layer];
    const bool ahead = layer == 0 && rnn->plan.input_ahead, cells = network_has_cells(rnn->shape.kind);
    const bool first = chunk->first == 0, last = chunk->first + chunk->steps == chunk->run->steps;
    const uint64_t carry = cells ? at->carry + layer * at->carry_bytes : 0;
    RnnLayer result = {.w_input = weights->w_input, .w_state = weights->w_state, .bias = weights->bias,
                       .extra = weights->extra, .own = at->own + layer * at->own_bytes,
                       .c0 = first ? state_of(rnn, chunk->run->c0, layer) : carry,
                       .cn = last ? state_of(rnn, chunk->run->cn, layer) : carry,
                       .hn = last ? state_of(rnn, chunk->run->hn, layer) : 0, .ahead = ahead ? at->ahead : 0,
                       .carry = carry};
    result.below = layer ? result.own - at->own_bytes : ahead ? 0 : at->input;
    if (layer + 1 == rnn->shape.layers)
        result.y = (uintptr_t)chunk->run->y;
    return result;
}

static WbRnnStatus pass(const Chunk *chunk, uint32_t number)
{
    const WbRnn *rnn = chunk->rnn;
    const RnnPlan *plan = &rnn->plan;
    const uint32_t first = number * plan->layers_in_flight, left = rnn->shape.layers - first;
    RnnJob job = {.layers = left < plan->layers_in_flight ? left : plan->layers_in_flight,
                  .first_layer = first,
                  .blocks = group_blocks(plan),
                  .hidden = rnn->shape.hidden,
                  .groups = rnn->shape.groups,
                  .slice = plan->slice,
                  .batch = rnn->shape.batch,
                  .tiles = tiles_of(rnn),
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
                  .flags = chunk->layout.flags + number * chunk->layout.flag_bytes,
                  .stuck = rnn->stuck,
                  .told = rnn->told_address,
                  .watchdog = rnn->options.watchdog_ms * 1000000ull,
                  .memory = {.block_tiles = plan->block_tiles, .state_place = plan->state_place,
                             .input_place = plan->input_place, .cell_place = plan->cell_place,
                             .partial = chunk->layout.partial}};
    for (uint32_t i = 0; i < job.layers; i++)
        job.layer[i] = layer_of(chunk, first + i);
    return launch(chunk, rnn->kernel,
                  &(RnnLaunch){.blocks = job.layers * (plan->layer_blocks + plan->collectors),
                               .threads = JOB_THREADS, .shared_bytes = plan->shared_bytes,
                               .cluster = plan->sync == WBRNN_SYNC_CLUSTER ? plan->layer_blocks : 0,
                               .together = true, .arguments = &job, .bytes = sizeof job});
}

static WbRnnStatus run_chunk(const Chunk *chunk)
{
    WbRnnStatus status = prepare(chunk);
    if (!status && chunk->rnn->plan.input_ahead)
        status = product(chunk);
    for (uint32_t number = 0; number < chunk->rnn->plan.passes && !status; number++)
        status = pass(chunk, number);
    return status;
}

/* -- the method -- */

static WbRnnStatus enqueue(WbRnn *rnn, const WbRnnRun *run, void *stream)
{
    const uint32_t batch = rnn->shape.batch, input = rnn->shape.input, hidden = rnn->shape.hidden;
    const bool batch_first = run->batch_first;
    Chunk chunk = {.rnn = rnn, .run = run, .stream = stream, .layout = layout_at(rnn, run->steps),
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
        status = run_chunk(&chunk);
        chunk.previous = chunk.steps;
        chunk.first += chunk.steps;
    }
    return status;
}

static uint32_t claimed(const WbRnn *rnn)
{
    /* However many blocks share an SM, they never lie on more SMs than they are. */
    const uint32_t blocks = rnn->plan.layers_in_flight * (rnn->plan.layer_blocks + rnn->plan.collectors);
    return blocks < rnn->device->gpu.sms ? blocks : rnn->device->gpu.sms;
}

/* Kernels of a cell are a module: of rnn_wait_lstm_16x16 it is wait_lstm. Those that read weights from memory
 * are few and small: wait_memory has them for all cells. */
static void name_module(const RnnPlan *plan, char *name, size_t size)
{
    const char *begin = plan->kernel + strlen("rnn_"), *end = strrchr(begin, '_');
    if (reads_weights(plan))
        begin = "wait_memory", end = begin + strlen(begin);
    snprintf(name, size, "%.*s%s", (int)(end - begin), begin,
             plan->sync == WBRNN_SYNC_HARDWARE ? "_hardware" : "");
}

static WbRnnStatus load(WbRnn *rnn)
{
    RnnDevice *device = rnn->device;
    char module[RNN_MODULE_NAME];
    name_module(&rnn->plan, module, sizeof module);
    WbRnnStatus status = device->calls->kernel(device, module, rnn->plan.kernel, rnn->plan.shared_bytes,
                                               &rnn->kernel);
    if (!status)
        status = device->calls->kernel(device, "prepare", "rnn_prepare", 0, &rnn->prepare);
    if (!status && rnn->plan.input_ahead)
        status = device->calls->kernel(device, "prepare", "rnn_product", 0, &rnn->product);
    return network_device(rnn, status);
}

const RnnMethod method_wait_signal = {.claimed = claimed, .load = load, .work_bytes = work_bytes,
                                      .enqueue = enqueue};
