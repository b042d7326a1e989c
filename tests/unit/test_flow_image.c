/* Flow graphs as they are built and as they lie in memory: what is refused, and that arrays hold what their
 * channels need and do not overlap. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "flow/image.h"
#include "grid/flow_describe.h"

static const FlowSurroundings around = {
    .width = 64, .capacity = 128, .done_count = 64, .most_nodes = 4, .resident = 320};

static void expect_refused(WbStatus status, const Error *error, const char *part)
{
    assert_int_not_equal(status, WB_OK);
    if (!strstr(error->text, part))
        fail_msg("\"%s\" has no \"%s\"", error->text, part);
}

/* A node that consumes and produces one channel. */
static FlowDraft one_loop(uint32_t element_bytes)
{
    FlowDraft draft = {0};
    Error error = {0};
    uint32_t channel, node;
    const WbFlowChannel asked = {.name = "ch", .element_bytes = element_bytes};
    assert_int_equal(flow_draft_channel(&draft, &asked, &channel, &error), WB_OK);
    flow_draft_node(&draft, "fib", &node);
    assert_int_equal(flow_draft_connect(&draft, channel, node, &error), WB_OK);
    assert_int_equal(flow_draft_produces(&draft, node, channel, &error), WB_OK);
    return draft;
}

static void refused_channels_are_named(void **state)
{
    (void)state;
    const struct {
        WbFlowChannel channel;
        const char *part;
    } cases[] = {
        {{.name = "a"}, "Channel a has elements of 0 bytes"},
        {{.name = "a", .element_bytes = 4, .capacity = 96}, "96 elements wide"},
        {{.name = "a", .element_bytes = 4, .done_count = 3}, "3 elements of channel a share"},
        {{.name = "a", .element_bytes = 4, .predicate = WB_PREDICATE_AT_LEAST}, "at least 0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        FlowDraft draft = {0};
        Error error = {0};
        uint32_t number;
        const WbStatus status = flow_draft_channel(&draft, &cases[i].channel, &number, &error);
        expect_refused(status, &error, cases[i].part);
        flow_draft_free(&draft);
    }
}

static void refused_graphs_are_named(void **state)
{
    (void)state;
    FlowDraft draft = one_loop(4);
    uint32_t number;
    Error error = {0};
    assert_int_equal(flow_draft_put(&draft, 0, &(int){1}, 1, &error), WB_OK);
    assert_int_equal(flow_draft_check(&draft, &around, &error), WB_OK);
    flow_draft_channel(&draft, &(WbFlowChannel){.name = "lost", .element_bytes = 4}, &number, &error);
    expect_refused(flow_draft_check(&draft, &around, &error), &error, "Channel lost of the flow graph has no");
    error_clear(&error);
    assert_int_equal(flow_draft_connect(&draft, number, 0, &error), WB_OK);
    expect_refused(flow_draft_check(&draft, &around, &error), &error, "Nobody puts elements into channel lost");
    error_clear(&error);
    flow_draft_node(&draft, "other", &number);
    expect_refused(flow_draft_connect(&draft, 0, number, &error), &error, "consumed by node fib");
    error_clear(&error);
    expect_refused(flow_draft_connect(&draft, 7, 0, &error), &error, "no channel 7");
    error_clear(&error);
    expect_refused(flow_draft_connect(&draft, 0, 9, &error), &error, "no kernel node 9");
    flow_draft_free(&draft);
}

static void narrow_channels_are_refused(void **state)
{
    (void)state;
    FlowDraft draft = one_loop(4);
    Error error = {0};
    FlowSurroundings narrow = around;
    narrow.capacity = 32;
    expect_refused(flow_draft_check(&draft, &narrow, &error), &error, "at least 64 wide");
    error_clear(&error);
    const int many[129] = {0};
    assert_int_equal(flow_draft_put(&draft, 0, many, 129, &error), WB_OK);
    expect_refused(flow_draft_check(&draft, &around, &error), &error, "129 elements have been put");
    flow_draft_free(&draft);
}

typedef struct Range {
    uint64_t first, end;
} Range;

static void expect_apart(const Range *ranges, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count; j++)
            assert_true(ranges[i].end <= ranges[j].first || ranges[j].end <= ranges[i].first);
}

static void arrays_do_not_overlap(void **state)
{
    (void)state;
    FlowDraft draft = one_loop(12);
    Error error = {0};
    uint32_t first, node;
    const WbFlowChannel asked = {
        .name = "after", .element_bytes = 40, .capacity = 256, .form = WB_CHANNEL_PADDED_FORM};
    assert_int_equal(flow_draft_stack(&draft, &asked, 3, true, &first, &error), WB_OK);
    flow_draft_node(&draft, "join", &node);
    assert_int_equal(flow_draft_connect(&draft, first + 1, node, &error), WB_OK);
    assert_int_equal(flow_draft_check(&draft, &around, &error), WB_OK);
    FlowImage image;
    assert_int_equal(flow_image_make(&image, &draft, &around, &error), WB_OK);
    assert_int_equal(image.channel_count, 5);
    Range ranges[22] = {{0, image.head_bytes}, {image.scratch, image.scratch + image.scratch_bytes}};
    size_t count = 2;
    for (uint32_t i = 0; i < 5; i++) {
        const WbChannelMemory *memory = &image.memory[i];
        const uint64_t capacity = memory->capacity;
        ranges[count++] = (Range){memory->data, memory->data + capacity * memory->stride};
        ranges[count++] = (Range){memory->control, memory->control + 2 * capacity * 4};
        ranges[count++] = (Range){memory->done, memory->done + (capacity >> memory->done_shift) * 4};
        ranges[count++] = (Range){memory->counts, memory->counts + capacity * 4};
    }
    expect_apart(ranges, count);
    for (size_t i = 0; i < count; i++)
        assert_true(ranges[i].end <= image.bytes && ranges[i].first % WB_FLOW_LINE == 0);
    assert_int_equal(image.memory[0].stride, 16);
    assert_int_equal(image.memory[2].stride, WB_FLOW_LINE);
    assert_int_equal(image.memory[3].level, 2);
    assert_int_equal(image.memory[4].capacity, 512); /* yields: 320 wavefronts */
    flow_image_free(&image);
    flow_draft_free(&draft);
}

static void elements_lie_as_they_were_put(void **state)
{
    (void)state;
    FlowDraft draft = one_loop(12);
    Error error = {0};
    const uint32_t elements[6] = {1, 2, 3, 4, 5, 6};
    assert_int_equal(flow_draft_put(&draft, 0, elements, 1, &error), WB_OK);
    assert_int_equal(flow_draft_put(&draft, 0, elements + 3, 1, &error), WB_OK);
    FlowImage image;
    assert_int_equal(flow_image_make(&image, &draft, &around, &error), WB_OK);
    assert_int_equal(flow_image_put_bytes(&image, &draft, 0), 32);
    uint8_t data[32];
    uint32_t control[2];
    flow_image_write_put(&image, &draft, 0, data, control);
    assert_memory_equal(data, elements, 12);
    assert_memory_equal(data + 16, elements + 3, 12);
    assert_int_equal(control[1], 1);
    assert_int_equal(image.memory[0].tail.value, 2);
    assert_int_equal(image.memory[0].control_tail.value, 2);
    flow_draft_clear_puts(&draft);
    assert_int_equal(draft.channels.items[0].put, 0);
    flow_image_free(&image);
    flow_draft_free(&draft);
}

/* -- sentences about channels that never drain -- */

static uint64_t keep(AddressSpace *space, const void *data, uint64_t size)
{
    Error error = {0};
    uint64_t address;
    assert_int_equal(space_alloc(space, size, "kept", false, &address, &error), WB_OK);
    assert_int_equal(space_write(space, address, data, size, &error), WB_OK);
    return address;
}

/* Of 8 elements, the first two are gone, the third has been put back once and is ready, two are with
 * wavefronts, one of them put back in between, and three are reserved. */
static void what_elements_do_is_told(void **state)
{
    (void)state;
    static const uint32_t entries[16] = {0, 1, 2, 3, 4, 3, 2};
    const char *names[] = {"ch"}, *nodes[] = {"fib"};
    AddressSpace space;
    FlowRun run = {.space = &space, .flow = {.channel_count = 1, .node_count = 1}};
    WbFlowMemory flow = {.channel_count = 1};
    WbChannelMemory channel = {.capacity = 8, .tail = {.value = 8}, .head = {.value = 2},
                               .control_tail = {.value = 7}, .control_head = {.value = 6}};
    char text[512];
    run.flow.channel_names = names;
    run.flow.node_names = nodes;
    space_init(&space, 1 << 20);
    channel.control = keep(&space, entries, sizeof entries);
    flow.channels = keep(&space, &channel, sizeof channel);
    run.flow.address = keep(&space, &flow, sizeof flow);
    flow_describe(&run, &(FlowWaiters){0}, 0, text, sizeof text);
    if (!strstr(text, "of channel 'ch', 6 of its 8 elements are held: 3 reserved by talloc() and not handed "
                      "on by enq(), 1 ready for 'fib', 2 with wavefronts"))
        fail_msg("%s", text);
    space_destroy(&space);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refused_channels_are_named),
        cmocka_unit_test(refused_graphs_are_named),
        cmocka_unit_test(narrow_channels_are_refused),
        cmocka_unit_test(arrays_do_not_overlap),
        cmocka_unit_test(elements_lie_as_they_were_put),
        cmocka_unit_test(what_elements_do_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
