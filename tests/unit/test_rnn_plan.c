/* The planner of RNNs: 200 shapes and what becomes of them, line by line in rnn_plans.txt; what holds for
 * plans of any shape; sentences about what cannot work.
 *
 * After a change that moves plans `RNN_PLANS_WRITE=1 build/dev/tests/test_rnn_plan` writes the table again; a
 * new line needs only what stands before its equals sign. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan.h"

enum { LINE = 1024, THREADS = 256, WARPS = 8 };

static const struct {
    const char *name;
    RnnGpu gpu;
} gpus[] = {
    {"h200",
     {.sms = 132,
      .shared_block = 227 << 10,
      .shared_sm = 228 << 10,
      .registers_sm = 65536,
      .registers_thread = 255,
      .l2_bytes = 60 << 20,
      .capability = 90}},
    {"titanx",
     {.sms = 25,
      .shared_block = 48 << 10,
      .shared_sm = 96 << 10,
      .registers_sm = 65536,
      .registers_thread = 255,
      .l2_bytes = 2 << 20,
      .capability = 52,
      .simulated = true}},
    {"tiny",
     {.sms = 2,
      .shared_block = 48 << 10,
      .shared_sm = 64 << 10,
      .registers_sm = 32768,
      .registers_thread = 255,
      .l2_bytes = 256 << 10,
      .capability = 80}},
};

enum { GPUS = sizeof gpus / sizeof gpus[0] };

/* -- the table -- */

typedef struct Case {
    const RnnGpu *gpu;
    WbRnnShape shape;
    WbRnnOptions options;
} Case;

/* What a word names; fails if nothing does. */
static uint32_t named(const char *word, uint32_t count, const char *(*name)(uint32_t))
{
    for (uint32_t n = 0; n < count; n++)
        if (!strcmp(word, name(n)))
            return n;
    fail_msg("nothing is named '%s'", word);
    return 0;
}

static const char *gpu_name(uint32_t n) { return gpus[n].name; }
static const char *kind_name(uint32_t n) { return wbrnn_kind_name((WbRnnKind)n); }
static const char *type_name(uint32_t n) { return wbrnn_type_name((WbRnnType)n); }
static const char *method_name(uint32_t n) { return wbrnn_method_name((WbRnnMethod)n); }
static const char *sync_name(uint32_t n) { return wbrnn_sync_name((WbRnnSync)n); }

static Case parse_case(const char *line)
{
    char gpu[16], kind[16], type[16], method[16], sync[16], split[16];
    Case found = {0};
    WbRnnShape *shape = &found.shape;
    assert_int_equal(sscanf(line, "%15s %15s %15s %u %u %u %u %u %15s %15s %15s %u", gpu, kind, type,
                            &shape->layers, &shape->hidden, &shape->input, &shape->batch, &shape->groups,
                            method, sync, split, &found.options.sm_limit),
                     12);
    found.gpu = &gpus[named(gpu, GPUS, gpu_name)].gpu;
    shape->kind = (WbRnnKind)named(kind, WBRNN_KINDS, kind_name);
    shape->type = (WbRnnType)named(type, WBRNN_TYPES, type_name);
    found.options.method = (WbRnnMethod)named(method, WBRNN_METHODS, method_name);
    found.options.sync = (WbRnnSync)named(sync, WBRNN_SYNCS, sync_name);
    found.options.split = !strcmp(split, "split");
    return found;
}

static const char *ahead_name(const RnnPlan *plan)
{
    return plan->inputs_ahead ? " all-ahead" : plan->input_ahead ? " ahead" : "";
}

static void print_plan(const Case *of, char *text, size_t size)
{
    static const char *const places[] = {"registers", "shared", "global"};
    RnnPlan plan;
    if (plan_make(&of->shape, &of->options, of->gpu, &plan)) {
        snprintf(text, size, "%s", plan.why);
        return;
    }
    snprintf(text, size,
             "%s blocks %u+%u units %u tiles %u/%u flight %u passes %u W %s U %s c %s stages %u shared %u "
             "sm %u%s chunk %u cycles %u",
             plan.kernel, plan.layer_blocks, plan.collectors, plan.block_units, plan.block_tiles,
             plan.warps_per_tile, plan.layers_in_flight, plan.passes, places[plan.state_place],
             places[plan.input_place], places[plan.cell_place], plan.stages, plan.shared_bytes,
             plan.blocks_sm, ahead_name(&plan), plan.chunk_steps, plan.step_cycles);
}

/* The table's lines with the plans of now; the number of shapes. Comments stay. */
static size_t print_table(FILE *in, FILE *out)
{
    size_t shapes = 0;
    char line[LINE], text[LINE];
    while (fgets(line, sizeof line, in)) {
        char *equals = strstr(line, " =");
        if (line[0] == '#' || !equals) {
            fputs(line, out);
            continue;
        }
        *equals = 0;
        const Case of = parse_case(line);
        print_plan(&of, text, sizeof text);
        fprintf(out, "%s = %s\n", line, text);
        shapes++;
    }
    return shapes;
}

static void compare_lines(char *want, char *got)
{
    unsigned different = 0;
    for (unsigned number = 1; *want || *got; number++) {
        char *want_end = strchr(want, '\n'), *got_end = strchr(got, '\n');
        assert_true(want_end && got_end);
        *want_end = *got_end = 0;
        if (strcmp(want, got)) {
            print_error("line %u of rnn_plans.txt is\n  %s\nbut the plan is\n  %s\n", number, want, got);
            different++;
        }
        want = want_end + 1;
        got = got_end + 1;
    }
    assert_int_equal(different, 0);
}

static void test_table(void **state)
{
    (void)state;
    const char *path = SOURCE_DIRECTORY "/tests/unit/rnn_plans.txt";
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    char *want = calloc(1, 1 << 20), *got = NULL;
    size_t size;
    assert_in_range(fread(want, 1, (1 << 20) - 1, in), 1, (1 << 20) - 2);
    rewind(in);
    FILE *out = open_memstream(&got, &size);
    const size_t shapes = print_table(in, out);
    fclose(in);
    fclose(out);
    if (getenv("RNN_PLANS_WRITE")) {
        out = fopen(path, "w");
        assert_non_null(out);
        fputs(got, out);
        fclose(out);
    } else {
        compare_lines(want, got);
    }
    assert_true(shapes >= 200);
    free(want);
    free(got);
}

/* -- what holds for any plan -- */

static uint32_t random_state;

static uint32_t below(uint32_t count)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)(random_state >> 8) * count >> 24);
}

static Case random_case(void)
{
    Case of = {.gpu = &gpus[below(GPUS)].gpu};
    of.shape = (WbRnnShape){.kind = (WbRnnKind)below(WBRNN_KINDS),
                            .type = (WbRnnType)below(WBRNN_TYPES),
                            .layers = 1 + below(16),
                            .hidden = 64 + below(1985),
                            .input = 1 + below(1 << below(14)),
                            .batch = 1 + below(64)};
    if (below(2))
        of.shape.hidden = 64 << below(6);
    if (of.shape.kind == WBRNN_GROUPED_LSTM) {
        of.shape.groups = 1 + below(16);
        of.shape.hidden = (64 / of.shape.groups + 1 + below(1984 / of.shape.groups)) * of.shape.groups;
        of.shape.input = (1 + below(8192 / of.shape.groups)) * of.shape.groups;
    }
    if (of.shape.type != WBRNN_F32 && of.gpu->capability < 80)
        of.shape.type = WBRNN_F32;
    of.options.method = (WbRnnMethod)below(WBRNN_METHODS);
    if (of.options.method == WBRNN_AUTO || of.options.method == WBRNN_WAIT_SIGNAL) {
        const bool half = of.shape.type != WBRNN_F32;
        of.options.sync = (WbRnnSync)below(WBRNN_SYNC_HARDWARE + (of.gpu->simulated && !half ? 1 : 0));
        of.options.split = !half && below(4) == 0;
    }
    of.options.sm_limit = below(3) ? 0 : 1 + below(of.gpu->sms);
    return of;
}

#define HOLDS(condition)                                                                                     \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            char shown[LINE];                                                                                \
            print_plan(of, shown, sizeof shown);                                                             \
            fail_msg("'%s' does not hold of: kind %u type %u, %u layers of %u, input %u, batch %u, groups "  \
                     "%u: %s",                                                                               \
                     #condition, of->shape.kind, of->shape.type, of->shape.layers, of->shape.hidden,         \
                     of->shape.input, of->shape.batch, of->shape.groups, shown);                             \
        }                                                                                                    \
    } while (0)

/* Every unit has one block, and no block is without one. */
static void check_cover(const Case *of, const RnnPlan *plan)
{
    const uint32_t groups = of->shape.groups ? of->shape.groups : 1, hidden = of->shape.hidden;
    const uint32_t blocks = plan->layer_blocks / (plan->split ? 2 : 1);
    const bool half = of->shape.type != WBRNN_F32;
    HOLDS(plan->block_units == plan->block_tiles * plan->warp_units);
    HOLDS(blocks * plan->block_tiles >= plan->layer_tiles);
    HOLDS((blocks - 1) * plan->block_tiles < plan->layer_tiles);
    HOLDS(half || plan->layer_tiles == (hidden + plan->warp_units - 1) / plan->warp_units);
    HOLDS(!half || plan->layer_tiles % groups == 0);
    HOLDS(!half || plan->layer_tiles / groups * plan->warp_units >= hidden / groups);
    HOLDS(plan->slice == plan->lanes * plan->depth && plan->slice >= hidden / groups);
    HOLDS(plan->positions == groups * plan->slice);
    HOLDS(half || plan->depth % 4 == 0);
    HOLDS(plan->input_ahead == (plan->method == WBRNN_STREAM || plan->inputs_ahead ||
                                of->shape.input / groups > plan->slice));
    HOLDS(!plan->inputs_ahead || plan->layers_in_flight == 1);
    HOLDS(plan->batch_tile * plan->batch_tiles >= of->shape.batch);
    HOLDS(plan->batch_tile * (plan->batch_tiles - 1) < of->shape.batch);
    HOLDS(plan->warps_per_tile && WARPS % plan->warps_per_tile == 0);
    HOLDS(plan->warps_per_tile == 1 || plan->block_tiles * plan->warps_per_tile <= WARPS);
}

/* The same of a persistent block, whose warps have a part of each tile's weights there, and all sums. */
static uint64_t persistent_bytes(const Case *of, const RnnPlan *plan)
{
    const uint64_t parts = plan->block_tiles * plan->warps_per_tile;
    const uint64_t quads = plan->state_kept + plan->input_kept;
    if (plan->cell_place == PLACE_GLOBAL)
        return 0;
    return plan->stages * plan->positions * 16 + plan->block_units * of->shape.batch * 8 +
           plan->batch_tiles * parts * 2 * 64 + (parts < WARPS ? parts : WARPS) * quads * plan->rows * 512;
}

/* What a block keeps in shared memory: operands, c and h, weights. */
static uint64_t kept_bytes(const Case *of, const RnnPlan *plan)
{
    const bool half = of->shape.type != WBRNN_F32;
    if (plan->method == WBRNN_PERSISTENT && !half)
        return persistent_bytes(of, plan);
    const uint64_t tile = plan->slice * (half ? 16 * 2 : plan->rows * (32 / plan->lanes) * 4);
    uint64_t matrices = (plan->state_place == PLACE_SHARED) + (plan->input_place == PLACE_SHARED);
    if (plan->split && matrices == 2)
        matrices = 1;
    const uint64_t cells = plan->cell_place == PLACE_SHARED ? plan->block_units * of->shape.batch * 8 : 0;
    return plan->stages * plan->positions * 16 + cells + matrices * plan->block_tiles * tile;
}

static void check_room(const Case *of, const RnnPlan *plan)
{
    const RnnGpu *gpu = of->gpu;
    const uint32_t sms = of->options.sm_limit ? of->options.sm_limit : gpu->sms;
    HOLDS(plan->shared_bytes <= gpu->shared_block);
    HOLDS(plan->sms == sms);
    HOLDS(plan->blocks_sm && plan->blocks_sm * plan->shared_bytes <= gpu->shared_sm);
    HOLDS(plan->blocks_sm * plan->registers * THREADS <= gpu->registers_sm);
    HOLDS(plan->registers <= gpu->registers_thread);
    HOLDS(plan->cell_place != PLACE_REGISTERS);
    if (plan->method == WBRNN_STREAM)
        return;
    HOLDS(plan->shared_bytes >= kept_bytes(of, plan) + 2 * sizeof(uint32_t)); /* flags of who gives up */
    HOLDS(plan->layers_in_flight * (plan->layer_blocks + plan->collectors) <= plan->blocks_sm * sms);
    /* W and its operands in registers of a thread, with room for sums. */
    const uint32_t registers = plan->depth / plan->warps_per_tile * 4;
    HOLDS(plan->state_place != PLACE_REGISTERS || registers <= 128);
    HOLDS(plan->input_place != PLACE_REGISTERS || plan->split || registers <= 64);
}

static void check_rest(const Case *of, const RnnPlan *plan)
{
    const uint32_t layers = of->shape.layers;
    const bool waits = plan->method == WBRNN_WAIT_SIGNAL;
    HOLDS(!of->options.method || plan->method == of->options.method);
    HOLDS(!waits || plan->passes == (layers + plan->layers_in_flight - 1) / plan->layers_in_flight);
    HOLDS(waits || plan->passes == 1);
    HOLDS(plan->layers_in_flight && plan->layers_in_flight <= layers);
    HOLDS(!waits || (plan->sync && (!of->options.sync || plan->sync == of->options.sync)));
    HOLDS(plan->split == of->options.split);
    HOLDS(plan->collectors == (plan->sync == WBRNN_SYNC_ARRAYS || plan->sync == WBRNN_SYNC_ENTRY));
    HOLDS(plan->chunk_steps >= 64 && plan->step_cycles > 0);
    const uint64_t slot = (uint64_t)plan->positions * 16 * plan->batch_tiles;
    HOLDS(plan->chunk_steps == 64 ||
          (layers + 1) * slot * (plan->chunk_steps + 1) <= 1u << 30);
    HOLDS(plan->weight_bytes >= plan->layer_bytes * (layers - 1) && !plan->why[0]);
}

/* What may be refused although its numbers are right: few blocks for the two groups of a split layer or for
 * a collecting block, slots padded beyond shared memory. */
static bool may_refuse(const Case *of)
{
    return of->options.split || of->options.sync != WBRNN_SYNC_AUTO ||
           of->options.method == WBRNN_WAIT_SIGNAL;
}

static void test_invariants(void **state)
{
    (void)state;
    unsigned planned = 0;
    random_state = 1;
    for (int n = 0; n < 4000; n++) {
        const Case one = random_case(), *of = &one;
        RnnPlan plan;
        const WbRnnStatus status = plan_make(&of->shape, &of->options, of->gpu, &plan);
        if (status) {
            HOLDS(status == WBRNN_TOO_SMALL && may_refuse(of));
            HOLDS(plan.why[0] && plan.why[strlen(plan.why) - 1] == '.');
            continue;
        }
        planned++;
        check_cover(of, &plan);
        check_room(of, &plan);
        check_rest(of, &plan);
    }
    assert_true(planned > 3500);
}

/* More SMs never make a run slower by the model. */
static void test_more_sms_help(void **state)
{
    (void)state;
    random_state = 7;
    for (int n = 0; n < 300; n++) {
        Case one = random_case(), *of = &one;
        RnnGpu gpu = *of->gpu;
        RnnPlan less, more;
        of->options.method = WBRNN_WAIT_SIGNAL;
        of->options.sm_limit = 0;
        if (plan_make(&of->shape, &of->options, &gpu, &less))
            continue;
        gpu.sms *= 2;
        HOLDS(plan_make(&of->shape, &of->options, &gpu, &more) == WBRNN_OK);
        const uint64_t before = (uint64_t)less.passes * (254 + 2 * less.layers_in_flight) * less.step_cycles;
        const uint64_t after = (uint64_t)more.passes * (254 + 2 * more.layers_in_flight) * more.step_cycles;
        HOLDS(after <= before);
    }
}

/* -- what cannot work -- */

static void refuse(WbRnnShape shape, WbRnnOptions options, WbRnnStatus want, const char *sentence)
{
    RnnPlan plan;
    assert_int_equal(plan_make(&shape, &options, &gpus[0].gpu, &plan), want);
    assert_string_equal(plan.why, sentence);
}

static const WbRnnShape good = {.kind = WBRNN_LSTM, .layers = 8, .hidden = 256, .input = 256, .batch = 4};

static void test_bad_shapes(void **state)
{
    (void)state;
    WbRnnShape shape = good;
    RnnPlan plan;
    assert_int_equal(plan_make(NULL, NULL, &gpus[0].gpu, &plan), WBRNN_INVALID);
    assert_string_equal(plan.why, "The shape is null.");
    assert_int_equal(plan_make(&good, NULL, &gpus[0].gpu, &plan), WBRNN_OK);
#define BAD(field, value, sentence)                                                                          \
    shape = good;                                                                                            \
    shape.field = value;                                                                                     \
    refuse(shape, (WbRnnOptions){0}, WBRNN_INVALID, sentence)
    BAD(layers, 0, "The shape's layers is 0, but must be from 1 to 16.");
    BAD(layers, 17, "The shape's layers is 17, but must be from 1 to 16.");
    BAD(hidden, 0, "The shape's hidden is 0, but must be from 64 to 2048.");
    BAD(hidden, 63, "The shape's hidden is 63, but must be from 64 to 2048.");
    BAD(hidden, 2049, "The shape's hidden is 2049, but must be from 64 to 2048.");
    BAD(input, 0, "The shape's input is 0, but must be from 1 to 8192.");
    BAD(input, 8193, "The shape's input is 8193, but must be from 1 to 8192.");
    BAD(batch, 0, "The shape's batch is 0, but must be from 1 to 64.");
    BAD(batch, UINT32_MAX, "The shape's batch is 4294967295, but must be from 1 to 64.");
    BAD(kind, (WbRnnKind)6, "The shape's kind is 6, but those that there are have numbers from 0 to 5.");
    BAD(type, (WbRnnType)3, "The shape's type is 3, but those that there are have numbers from 0 to 2.");
    BAD(groups, 2,
        "The shape's groups is 2, but only a grouped LSTM has groups: set it to 0, or choose that kind.");
#undef BAD
    shape = good;
    shape.kind = WBRNN_GROUPED_LSTM;
    shape.groups = 32;
    refuse(shape, (WbRnnOptions){0}, WBRNN_INVALID, "The shape's groups is 32, but must be from 1 to 16.");
    shape.groups = 3;
    refuse(shape, (WbRnnOptions){0}, WBRNN_INVALID,
           "The shape's groups is 3, which does not divide its hidden size of 256.");
    shape.hidden = 258;
    refuse(shape, (WbRnnOptions){0}, WBRNN_INVALID,
           "The shape's groups is 3, which does not divide its input size of 256.");
}

static void test_bad_options(void **state)
{
    (void)state;
#define BAD(status, sentence, ...) refuse(good, (WbRnnOptions){__VA_ARGS__}, status, sentence)
    BAD(WBRNN_INVALID, "The options' method is 9, but those that there are have numbers from 0 to 3.",
        .method = (WbRnnMethod)9);
    BAD(WBRNN_INVALID, "The options' sync is 6, but those that there are have numbers from 0 to 5.",
        .sync = (WbRnnSync)6);
    BAD(WBRNN_INVALID,
        "The options' split is set, but only the wait-signal method has two groups of blocks a layer: "
        "choose it, or do not set split.",
        .method = WBRNN_PERSISTENT, .split = true);
    BAD(WBRNN_INVALID,
        "The options' sync is 4, but only the wait-signal method has a choice: choose it, or set sync "
        "to 0.",
        .method = WBRNN_STREAM, .sync = WBRNN_SYNC_DATA);
    BAD(WBRNN_INVALID,
        "The options' graph is set, but only the stream method is captured in a graph: choose it, or "
        "do not set graph.",
        .graph = true);
    BAD(WBRNN_TOO_SMALL,
        "The options' sync is hardware, but only a simulated GPU has wb_wait and wb_signal: choose "
        "another, or run the program in Warpbeam.",
        .sync = WBRNN_SYNC_HARDWARE);
    WbRnnShape half = good;
    half.type = WBRNN_F16;
    refuse(half, (WbRnnOptions){.split = true}, WBRNN_INVALID,
           "The options' split is set, but only networks of fp32 have two groups of blocks a layer: choose "
           "fp32, or do not set split.");
#undef BAD
}

static void test_gpus_too_small(void **state)
{
    (void)state;
    RnnPlan plan;
    RnnGpu gpu = gpus[0].gpu;
    WbRnnShape shape = good;
    gpu.sms = 0;
    assert_int_equal(plan_make(&shape, NULL, &gpu, &plan), WBRNN_TOO_SMALL);
    assert_string_equal(plan.why, "The GPU has no SMs.");
    shape.type = WBRNN_BF16;
    gpu = gpus[0].gpu;
    gpu.simulated = true;
    assert_int_equal(plan_make(&shape, &(WbRnnOptions){.sync = WBRNN_SYNC_HARDWARE}, &gpu, &plan),
                     WBRNN_INVALID);
    assert_string_equal(plan.why,
                        "The options' sync is hardware, but only kernels of fp32 are compiled for wb_wait "
                        "and wb_signal: choose fp32, or another sync.");
    assert_int_equal(plan_make(&shape, NULL, &gpus[1].gpu, &plan), WBRNN_TOO_SMALL);
    assert_string_equal(plan.why,
                        "The shape's type is a half, which takes tensor cores of capability 8.0 or later, "
                        "but this GPU has 5.2: choose fp32.");
    gpu = gpus[0].gpu;
    gpu.registers_sm = 16384;
    for (WbRnnMethod method = WBRNN_AUTO; method < WBRNN_METHODS; method++) {
        assert_int_equal(plan_make(&shape, &(WbRnnOptions){.method = method}, &gpu, &plan), WBRNN_TOO_SMALL);
        assert_string_equal(plan.why, "An SM of this GPU has 16384 registers, but a block of 256 threads needs "
                                      "128 each: it is too small.");
    }
    gpu.registers_sm = 32768;
    gpu.registers_thread = 63;
    for (WbRnnMethod method = WBRNN_AUTO; method < WBRNN_METHODS; method++) {
        assert_int_equal(plan_make(&good, &(WbRnnOptions){.method = method}, &gpu, &plan), WBRNN_TOO_SMALL);
        assert_string_equal(plan.why, "A thread of this GPU has at most 63 registers, but every kernel needs "
                                      "128: it is too small.");
    }
    gpu = gpus[1].gpu;
    assert_int_equal(plan_make(&good, &(WbRnnOptions){.sync = WBRNN_SYNC_HARDWARE}, &gpu, &plan), WBRNN_OK);
}

/* -- in words -- */

/* Every sentence that there is, in some plan. */
static void test_explain_parts(void **state)
{
    (void)state;
    static const struct {
        WbRnnShape shape;
        WbRnnOptions options;
        const char *part;
    } cases[] = {
        {{WBRNN_LSTM, WBRNN_F32, 8, 256, 300, 4, 0}, {0}, "input is wider than 256."},
        {{WBRNN_GROUPED_LSTM, WBRNN_F32, 8, 256, 256, 4, 4}, {0}, ", 4 groups: method"},
        {{WBRNN_LSTM, WBRNN_F32, 8, 256, 256, 4, 0},
         {.sync = WBRNN_SYNC_ENTRY},
         ", and one that collects flags;"},
        {{WBRNN_LSTM, WBRNN_F32, 8, 256, 256, 4, 0},
         {.split = true},
         ", half of them for S W and half for O U;"},
        {{WBRNN_LSTM, WBRNN_F32, 8, 2048, 2048, 4, 0},
         {0},
         "read in each step from memory, for L2 is smaller;"},
        {{WBRNN_LSTM, WBRNN_F32, 1, 256, 256, 4, 0},
         {.sm_limit = 1},
         "read in each step from L2, where they fit;"},
        {{WBRNN_LSTM, WBRNN_F32, 1, 256, 256, 4, 0}, {.sm_limit = 9}, "1 at most on each of 9 SMs;"},
        {{WBRNN_GRU, WBRNN_F32, 2, 256, 256, 4, 0},
         {.method = WBRNN_STREAM},
         "Each layer and step is a launch,"},
        {{WBRNN_GRU, WBRNN_F32, 2, 256, 256, 4, 0},
         {.method = WBRNN_PERSISTENT},
         "128 of 132 SMs have a block."},
        {{WBRNN_GRU, WBRNN_F16, 2, 1024, 1024, 4, 0}, {0}, "4 at a time by "},
    };
    for (size_t n = 0; n < sizeof cases / sizeof cases[0]; n++) {
        char text[2048];
        RnnPlan plan;
        assert_int_equal(plan_make(&cases[n].shape, &cases[n].options, &gpus[0].gpu, &plan), WBRNN_OK);
        assert_in_range(plan_explain(&cases[n].shape, &gpus[0].gpu, &plan, text, sizeof text), 1,
                        sizeof text - 1);
        if (!strstr(text, cases[n].part))
            fail_msg("'%s' is not in\n%s", cases[n].part, text);
    }
}

static void test_explain(void **state)
{
    (void)state;
    char text[2048], cut[40];
    RnnPlan plan;
    assert_int_equal(plan_make(&good, NULL, &gpus[0].gpu, &plan), WBRNN_OK);
    const size_t length = plan_explain(&good, &gpus[0].gpu, &plan, text, sizeof text);
    assert_int_equal(length, strlen(text));
    assert_string_equal(
        text, "Kind lstm, 8 layers of 256 units, input 256, batch 4, type fp32: method wait-signal, blocks "
              "synchronized by "
              "data, kernel rnn_wait_lstm_16x16.\n"
              "A layer has 16 blocks of 256 threads; a block computes 16 units, a warp 2 at a time. Sums of "
              "256 products "
              "(16 x 16) cover a group; the batch goes in 1 tile of 4 sequences.\n"
              "8 of 8 layers are in flight at a time: 128 blocks, 1 at most on each of 132 SMs; the network "
              "takes 1 pass.\n"
              "Weights take 16.00 MiB, 2.00 MiB a layer: W lies in registers, U in registers; c and h "
              "between steps lie in "
              "shared memory. A block has 17424 bytes of shared memory, a thread at most 255 registers.\n"
              "By the planner's model a step of all layers in flight takes about 1412 cycles; a launch has "
              "at most 29126 "
              "steps.\n");
    assert_int_equal(plan_explain(&good, &gpus[0].gpu, &plan, cut, sizeof cut), length);
    assert_int_equal(strlen(cut), sizeof cut - 1);
    assert_memory_equal(cut, text, sizeof cut - 1);
    assert_int_equal(plan_explain(&good, &gpus[0].gpu, &plan, NULL, 0), length);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),         cmocka_unit_test(test_invariants),
        cmocka_unit_test(test_more_sms_help), cmocka_unit_test(test_bad_shapes),
        cmocka_unit_test(test_bad_options),   cmocka_unit_test(test_gpus_too_small),
        cmocka_unit_test(test_explain),       cmocka_unit_test(test_explain_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
