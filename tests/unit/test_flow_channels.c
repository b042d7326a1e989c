/* Channels and policies of the aggregator, on the host: a thousand random graphs whose tasks feed each other
 * through channels as small as they may be. Every element that is put in comes out once, whole, and with those
 * that were enqueued with it; nothing is left; tasks after a spawn see what all their children have written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/vec.h"
#include "channels_on_host.h"
#include "flow/image.h"

enum { GRAPHS = 600, TREES = 400, MOST_ELEMENTS = 400, MOST_CHANNELS = 5, LEVELS = 6, MOST_CHILDREN = 3 };

static void (*const policies[])(WbFlowMemory *flow) = {policy_cilk, policy_depth, policy_fifo};

static uint32_t mixed(uint32_t value)
{
    value = (value ^ value >> 16) * 0x45d9f3bu;
    value = (value ^ value >> 16) * 0x45d9f3bu;
    return value ^ value >> 16;
}

/* -- a graph in memory of the host -- */

typedef struct Built {
    FlowDraft draft;
    FlowImage image;
    uint8_t *memory;
    WbFlowMemory *flow;
} Built;

static FlowSurroundings random_surroundings(uint32_t seed)
{
    static const uint32_t widths[] = {2, 3, 4, 8};
    return (FlowSurroundings){
        .width = widths[mixed(seed) % 4],
        .capacity = 8u << (mixed(seed + 1) % 4 ? 0 : mixed(seed + 2) % 3),
        .done_count = 1u << mixed(seed + 3) % 5,
        .form = (WbChannelForm)(mixed(seed + 4) % 3),
        .most_nodes = 8,
        .resident = 1 + mixed(seed + 5) % 4,
    };
}

static void build(Built *built, const FlowSurroundings *around)
{
    Error error = {0};
    assert_int_equal(flow_draft_check(&built->draft, around, &error), WB_OK);
    assert_int_equal(flow_image_make(&built->image, &built->draft, around, &error), WB_OK);
    const FlowImage *image = &built->image;
    built->memory = xcalloc(1, image->bytes);
    built->flow = (WbFlowMemory *)built->memory;
    flow_image_write(image, &built->draft, (uint64_t)(uintptr_t)built->memory, built->memory);
    for (uint32_t i = 0; i < built->draft.channels.count; i++)
        flow_image_write_put(image, &built->draft, i, built->memory + image->memory[i].data,
                             (uint32_t *)(built->memory + image->memory[i].control));
}

static void unbuild(Built *built)
{
    xfree(built->memory);
    flow_image_free(&built->image);
    flow_draft_free(&built->draft);
}

static WbChannelMemory *channel_of(const Built *built, uint32_t number)
{
    return (WbChannelMemory *)(built->memory + built->image.channels) + number;
}

/* A channel has gone round 2^32 nearly as often as it can: positions begin anew while the graph runs. Those
 * of the group of head that come before it are done. */
static void begin_late(const Built *built, uint32_t number, uint32_t seed)
{
    WbChannelMemory *channel = channel_of(built, number);
    const uint32_t by = 0u - mixed(seed) % (4 * channel->capacity);
    if (channel->tail.value)
        return;
    channel->tail.value = channel->head.value = by;
    ((unsigned *)channel->done)[by >> channel->done_shift &
                                (WB_DONE_COUNTS(channel->capacity, channel->done_shift) - 1)] =
        by & ((1u << channel->done_shift) - 1);
    channel->reserve_tail.value = channel->control_tail.value = channel->control_head.value = by + seed;
}

static void expect_empty(const Built *built)
{
    for (uint32_t i = 0; i <= built->draft.channels.count; i++) {
        const WbChannelMemory *channel = channel_of(built, i);
        assert_int_equal(channel->head.value, channel->tail.value);
        assert_int_equal(channel->control_head.value, channel->control_tail.value);
        assert_int_equal(channel->reserve_tail.value, channel->control_tail.value);
    }
}

static MachineResult run(const Built *built, const FlowSurroundings *around, uint32_t seed,
                         void (*const *kernels)(void *), void *context)
{
    const MachinePlan plan = {
        .flow = built->flow,
        .policy = policies[mixed(seed + 6) % 3],
        .kernels = kernels,
        .context = context,
        .resident = around->resident,
        .queue = 1 + mixed(seed + 7) % 4,
        .seed = seed,
    };
    return machine_run(&plan);
}

/* -- graphs without a cycle: tasks of a channel feed those of higher numbers -- */

typedef struct Element {
    uint32_t id, check;
    uint32_t call, rank; /* enqueued together have one call, and ranks in order */
} Element;

typedef struct Graph {
    Built built;
    uint32_t channels, made, calls;
    uint8_t times[MOST_ELEMENTS];              /* each was consumed */
    uint32_t ids[MOST_ELEMENTS];               /* channel that each is for */
    uint32_t begins[MOST_ELEMENTS];            /* of each call: offset of rank 0, plus one */
    bool is_fed;                               /* elements have children */
} Graph;

static Element new_element(Graph *graph, uint32_t channel, uint32_t call, uint32_t rank)
{
    assert_true(graph->made < MOST_ELEMENTS);
    graph->ids[graph->made] = channel;
    const Element element = {graph->made, mixed(graph->made), call, rank};
    graph->made++;
    return element;
}

static void expect_whole(Graph *graph, const Element *element, uint32_t channel, uint32_t offset)
{
    assert_true(element->id < graph->made);
    assert_int_equal(element->check, mixed(element->id));
    assert_int_equal(graph->ids[element->id], channel);
    assert_int_equal(graph->times[element->id]++, 0);
    uint32_t *begin = &graph->begins[element->call];
    if (!*begin)
        *begin = offset - element->rank + 1;
    assert_int_equal(*begin, offset - element->rank + 1);
}

static void feed(Graph *graph, uint32_t to, uint32_t count)
{
    WbChannelMemory *channel = wb_channel(to, __LINE__);
    const uint32_t position = wb_talloc(to, count, __LINE__), call = graph->calls++;
    for (uint32_t i = 0; i < count; i++) {
        const Element element = new_element(graph, to, call, i);
        memcpy(wb_element(channel, position + i), &element, sizeof element);
    }
    wb_enq(to, wb_element(channel, position), call % 2 ? count : 0, __LINE__);
}

/* How many children an element has in a round. They are the fewer the more there are. */
static uint32_t children(const Graph *graph, const Element *element, uint32_t round)
{
    const uint32_t most = graph->made + 80 < MOST_ELEMENTS ? MOST_CHILDREN : 0;
    return most && graph->is_fed ? mixed(element->id * 7 + round) % (most + 1) * (mixed(round) % 2) : 0;
}

static void feeding_kernel(void *context)
{
    enum { BEGIN = 1, FREE_EARLY, ROUND = 10, STEPS = 5, ROUNDS = 3, FREE = 100 };
    Graph *graph = context;
    const uint32_t from = wb_source(), offset = wb_source_offset();
    machine_at(BEGIN);
    Element element;
    memcpy(&element, wb_deq(from, offset, __LINE__), sizeof element);
    expect_whole(graph, &element, from, offset);
    const bool is_early = element.check % 2;
    machine_at(FREE_EARLY);
    if (is_early)
        wb_tfree(from, offset, __LINE__);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        const uint32_t at = ROUND + round * STEPS;
        const uint32_t count = from + 1 < graph->channels ? children(graph, &element, round + 1) : 0;
        const uint32_t to = from + 1 + mixed(element.id + round) % (graph->channels - from);
        machine_at(at);
        if (count == 0 || to >= graph->channels)
            continue;
        WB_IN_TURNS(to, count) {
            machine_at(at + 1);
            feed(graph, to, count);
            machine_at(at + 2);
        } else {
            machine_at(at + 2);
        }
    }
    machine_at(FREE);
    if (!is_early)
        wb_tfree(from, offset, __LINE__);
}

static void draft_graph(Graph *graph, const FlowSurroundings *around, uint32_t seed)
{
    Error error = {0};
    FlowDraft *draft = &graph->built.draft;
    graph->channels = 1 + mixed(seed + 10) % MOST_CHANNELS;
    graph->is_fed = true;
    for (uint32_t i = 0; i < graph->channels; i++) {
        uint32_t number, node;
        const WbFlowChannel channel = {.name = "c",
                                       .element_bytes = (uint32_t)sizeof(Element) + mixed(seed + i) % 3 * 4,
                                       .predicate = (WbPredicate)(mixed(seed + i + 20) % 2)};
        assert_int_equal(flow_draft_channel(draft, &channel, &number, &error), WB_OK);
        flow_draft_node(draft, "n", &node);
        assert_int_equal(flow_draft_connect(draft, number, node, &error), WB_OK);
        const uint32_t puts = i == 0 ? around->capacity : mixed(seed + i + 30) % 4;
        uint8_t bytes[sizeof(Element) + 8] = {0};
        for (uint32_t p = 0; p < puts; p++) {
            const Element element = new_element(graph, i, graph->calls++, 0);
            memcpy(bytes, &element, sizeof element);
            assert_int_equal(flow_draft_put(draft, number, bytes, 1, &error), WB_OK);
        }
    }
}

static void nothing_is_lost_or_doubled(void **state)
{
    (void)state;
    void (*const kernels[MOST_CHANNELS])(void *) = {feeding_kernel, feeding_kernel, feeding_kernel,
                                                    feeding_kernel, feeding_kernel};
    uint64_t made = 0, restarts = 0, partial = 0;
    for (uint32_t seed = 0; seed < GRAPHS; seed++) {
        Graph graph = {0};
        const FlowSurroundings around = random_surroundings(seed * 100);
        draft_graph(&graph, &around, seed * 100);
        build(&graph.built, &around);
        for (uint32_t i = 0; i < graph.channels; i++)
            begin_late(&graph.built, i, seed + i + 1);
        const MachineResult result = run(&graph.built, &around, seed, kernels, &graph);
        if (result.end != WB_END_DONE)
            fail_msg("graph %u ends with %d", seed, result.end);
        for (uint32_t i = 0; i < graph.made; i++)
            assert_int_equal(graph.times[i], 1);
        expect_empty(&graph.built);
        made += graph.made;
        restarts += result.restarts;
        partial += result.waves * around.width - result.lanes;
        unbuild(&graph.built);
    }
    /* The graphs do what they are for. */
    assert_true(made > GRAPHS * 30);
    assert_true(restarts > GRAPHS);
    assert_true(partial > GRAPHS);
}

/* -- recursion: tasks before a spawn, after it, and after a second one [channels §5.2] -- */

enum { BEFORE_STACK, AFTER_STACK, AGAIN_STACK, STACKS, NOT_WRITTEN = 0xabcdefu };

typedef struct Frame {
    uint64_t result;                 /* address */
    uint32_t key, level, count, sum;
    uint32_t results[MOST_CHILDREN];
} Frame;

typedef struct Tree {
    Built built;
    uint32_t first[STACKS], answer, tasks;
    bool is_thick;
} Tree;

/* What a task computes: its key, and what its children of two rounds do. */
static uint32_t child_count(const Tree *tree, uint32_t key, uint32_t level, uint32_t round)
{
    if (level + 1 >= LEVELS)
        return 0;
    const uint32_t least = level < 2 && round == 0 ? 1 : 0;
    const uint32_t most = level < (tree->is_thick ? 3 : 2) ? MOST_CHILDREN : 1;
    return least + mixed(key + round * 77) % (most + 1 - least);
}

static uint32_t child_key(uint32_t key, uint32_t round, uint32_t i) { return mixed(key * 5 + round * 3 + i); }

static uint32_t value_of(const Tree *tree, uint32_t key, uint32_t level)
{
    uint32_t sum = key;
    const bool has_first = child_count(tree, key, level, 0) > 0;
    for (uint32_t round = 0; round < (has_first ? 2 : 1); round++)
        for (uint32_t i = 0; i < child_count(tree, key, level, round); i++)
            sum = sum * 3 + value_of(tree, child_key(key, round, i), level + 1);
    return sum;
}

/* The children of a round as tasks, which write into the frame; each is a spawn of its own. */
static void spawn(const Tree *tree, Frame *frame, uint32_t round, uint32_t at)
{
    const uint32_t to = tree->first[BEFORE_STACK] + frame->level + 1;
    for (uint32_t i = 0; i < MOST_CHILDREN; i++) {
        machine_at(at + i);
        if (i >= frame->count)
            continue;
        Frame *child = (Frame *)wb_element(wb_channel(to, 0), wb_talloc(to, 1, __LINE__));
        *child = (Frame){(uint64_t)(uintptr_t)&frame->results[i], child_key(frame->key, round, i),
                         frame->level + 1, 0, 0, {0}};
        wb_enq(to, child, 1, __LINE__);
    }
}

/* A frame for what comes after the children of a round, which are spawned. */
static void spawn_and_sync(const Tree *tree, const Frame *own, uint32_t round, uint32_t sum, uint32_t at)
{
    const uint32_t to = tree->first[round ? AGAIN_STACK : AFTER_STACK] + own->level;
    machine_at(at);
    Frame *frame = (Frame *)wb_element(wb_channel(to, 0), wb_talloc(to, 1, __LINE__));
    *frame = *own;
    frame->sum = sum;
    frame->count = child_count(tree, own->key, own->level, round);
    for (uint32_t i = 0; i < MOST_CHILDREN; i++)
        frame->results[i] = NOT_WRITTEN;
    spawn(tree, frame, round, at + 1);
    machine_at(at + 1 + MOST_CHILDREN);
    wb_enq(to, frame, 0, __LINE__);
}

static void tree_kernel(Tree *tree, uint32_t stack)
{
    enum { BEGIN = 1, SPAWN = 10, FREE = 100 };
    const uint32_t from = wb_source(), offset = wb_source_offset();
    machine_at(BEGIN);
    const Frame frame = *(const Frame *)wb_deq(from, offset, __LINE__);
    assert_int_equal(from, tree->first[stack] + frame.level);
    tree->tasks++;
    uint32_t sum = stack == BEFORE_STACK ? frame.key : frame.sum;
    for (uint32_t i = 0; stack != BEFORE_STACK && i < frame.count; i++) {
        assert_int_not_equal(frame.results[i], NOT_WRITTEN);
        sum = sum * 3 + frame.results[i];
    }
    const uint32_t round = stack;
    if (round < 2 && child_count(tree, frame.key, frame.level, round) > 0)
        spawn_and_sync(tree, &frame, round, sum, SPAWN);
    else
        *(uint32_t *)(uintptr_t)frame.result = sum;
    machine_at(FREE);
    wb_tfree(from, offset, __LINE__);
}

static void before_kernel(void *tree) { tree_kernel(tree, BEFORE_STACK); }
static void after_kernel(void *tree) { tree_kernel(tree, AFTER_STACK); }
static void again_kernel(void *tree) { tree_kernel(tree, AGAIN_STACK); }

static void draft_tree(Tree *tree, uint32_t key)
{
    Error error = {0};
    FlowDraft *draft = &tree->built.draft;
    const WbFlowChannel channel = {.name = "s", .element_bytes = sizeof(Frame)};
    for (uint32_t s = 0; s < STACKS; s++) {
        uint32_t node;
        assert_int_equal(
            flow_draft_stack(draft, &channel, LEVELS, s != BEFORE_STACK, &tree->first[s], &error), WB_OK);
        flow_draft_node(draft, "n", &node);
        assert_int_equal(flow_draft_connect(draft, tree->first[s], node, &error), WB_OK);
    }
    tree->answer = NOT_WRITTEN;
    const Frame root = {.result = (uint64_t)(uintptr_t)&tree->answer, .key = key};
    assert_int_equal(flow_draft_put(draft, tree->first[BEFORE_STACK], &root, 1, &error), WB_OK);
}

static void recursion_sees_all_results(void **state)
{
    (void)state;
    void (*const kernels[STACKS])(void *) = {before_kernel, after_kernel, again_kernel};
    uint64_t tasks = 0, restarts = 0;
    for (uint32_t seed = 0; seed < TREES; seed++) {
        const uint32_t key = mixed(seed + 12345);
        Tree tree = {.is_thick = seed % 3 == 0};
        const FlowSurroundings around = random_surroundings(seed * 1000 + 7);
        draft_tree(&tree, key);
        build(&tree.built, &around);
        const MachineResult result = run(&tree.built, &around, seed, kernels, &tree);
        if (result.end != WB_END_DONE)
            fail_msg("tree %u ends with %d", seed, result.end);
        assert_int_equal(tree.answer, value_of(&tree, key, 0));
        expect_empty(&tree.built);
        tasks += tree.tasks;
        restarts += result.restarts;
        unbuild(&tree.built);
    }
    assert_true(tasks > TREES * 10);
    assert_true(restarts > TREES / 4);
}

/* -- graphs that cannot go on, and kernels that do wrong -- */

/* One channel whose tasks do one thing. */
static MachineResult run_one(void (*kernel)(void *), const FlowSurroundings *around, uint32_t puts, void *context)
{
    Built built = {0};
    Error error = {0};
    uint32_t number, node;
    const WbFlowChannel channel = {.name = "c", .element_bytes = 4};
    assert_int_equal(flow_draft_channel(&built.draft, &channel, &number, &error), WB_OK);
    flow_draft_node(&built.draft, "n", &node);
    assert_int_equal(flow_draft_connect(&built.draft, number, node, &error), WB_OK);
    for (uint32_t i = 0; i < puts; i++)
        assert_int_equal(flow_draft_put(&built.draft, number, &i, 1, &error), WB_OK);
    build(&built, around);
    void (*const kernels[])(void *) = {kernel};
    const MachineResult result = run(&built, around, 0, kernels, context);
    unbuild(&built);
    return result;
}

/* Each task makes two of its channel, until there were so many. */
static void doubling_kernel(void *context)
{
    uint32_t *left = context;
    const uint32_t from = wb_source();
    for (uint32_t i = 0; i < 2; i++) {
        machine_at(i + 1);
        if (*left == 0)
            continue;
        --*left;
        wb_enq(from, wb_element(wb_channel(from, 0), wb_talloc(from, 1, __LINE__)), 1, __LINE__);
    }
    machine_at(10);
    wb_tfree(from, wb_source_offset(), __LINE__);
}

static void leaking_kernel(void *context) { (void)context; }

static void what_cannot_go_on_is_stuck(void **state)
{
    (void)state;
    const FlowSurroundings around = {
        .width = 4, .capacity = 16, .done_count = 4, .most_nodes = 8, .resident = 2};
    uint32_t left = 12;
    assert_int_equal(run_one(doubling_kernel, &around, 2, &left).end, WB_END_DONE);
    assert_int_equal(left, 0);
    left = 1000;
    assert_int_equal(run_one(doubling_kernel, &around, 8, &left).end, WB_END_STUCK);
    assert_int_equal(run_one(leaking_kernel, &around, 1, NULL).end, WB_END_STUCK);
}

enum { LINE_OF_FAULT = 77 };

static void twice_kernel(void *context)
{
    (void)context;
    wb_tfree(wb_source(), wb_source_offset(), 1);
    wb_tfree(wb_source(), wb_source_offset(), LINE_OF_FAULT);
}
static void not_there_kernel(void *context)
{
    (void)context;
    wb_deq(wb_source(), wb_source_offset() + 1, LINE_OF_FAULT);
}
static void not_of_channel_kernel(void *context)
{
    wb_enq(wb_source(), context, 1, LINE_OF_FAULT);
}
static void too_many_kernel(void *context)
{
    (void)context;
    wb_talloc(wb_source(), 17, LINE_OF_FAULT);
}
static void none_kernel(void *context)
{
    (void)context;
    wb_talloc(wb_source(), 0, LINE_OF_FAULT);
}
static void no_channel_kernel(void *context)
{
    (void)context;
    wb_talloc(9, 1, LINE_OF_FAULT);
}

static void wrong_use_is_named(void **state)
{
    (void)state;
    static const struct {
        void (*kernel)(void *);
        unsigned code, channel;
    } cases[] = {
        {twice_kernel, WB_FAIL_FREED, 0},         {not_there_kernel, WB_FAIL_ENTRY, 0},
        {not_of_channel_kernel, WB_FAIL_POINTER, 0}, {too_many_kernel, WB_FAIL_COUNT, 0},
        {none_kernel, WB_FAIL_COUNT, 0},          {no_channel_kernel, WB_FAIL_CHANNEL, 9},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (WbChannelForm form = WB_CHANNEL_EFFICIENT; form <= WB_CHANNEL_PADDED_FORM; form++) {
            const FlowSurroundings around = {.width = 4, .capacity = 16, .done_count = 4, .form = form,
                                             .most_nodes = 8, .resident = 2};
            uint32_t elsewhere = 0;
            const MachineResult result = run_one(cases[i].kernel, &around, 1, &elsewhere);
            assert_int_equal(result.end, MACHINE_FAILED);
            assert_int_equal(result.code, cases[i].code);
            assert_int_equal(result.channel, cases[i].channel);
            assert_int_equal(result.line, LINE_OF_FAULT);
        }
    }
}

/* -- what amortizing saves [channels §8.1] -- */

/* Every lane makes one element, once. */
static void once_kernel(void *context)
{
    uint32_t *left = context;
    const uint32_t from = wb_source();
    const bool makes = *left > 0;
    *left -= makes;
    machine_at(1);
    if (makes)
        wb_enq(from, wb_element(wb_channel(from, 0), wb_talloc(from, 1, __LINE__)), 1, __LINE__);
    machine_at(2);
    wb_tfree(from, wb_source_offset(), __LINE__);
}

static void a_wavefront_swaps_once(void **state)
{
    (void)state;
    FlowSurroundings around = {
        .width = 64, .capacity = 256, .done_count = 64, .most_nodes = 8, .resident = 1};
    uint32_t left = 64;
    const MachineResult together = run_one(once_kernel, &around, 64, &left);
    assert_int_equal(together.end, WB_END_DONE);
    assert_int_equal(together.waves, 2);
    assert_int_equal(together.swaps, 2);
    assert_int_equal(together.adds, 2);
    around.form = WB_CHANNEL_PER_LANE;
    left = 64;
    const MachineResult alone = run_one(once_kernel, &around, 64, &left);
    assert_int_equal(alone.end, WB_END_DONE);
    assert_true(alone.swaps >= 64 * together.swaps);
    assert_int_equal(alone.adds, 64 * together.adds);
}

static int forget(void **state)
{
    (void)state;
    machine_forget();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_lost_or_doubled), cmocka_unit_test(recursion_sees_all_results),
        cmocka_unit_test(what_cannot_go_on_is_stuck), cmocka_unit_test(wrong_use_is_named),
        cmocka_unit_test(a_wavefront_swaps_once),
    };
    return cmocka_run_group_tests(tests, NULL, forget);
}
