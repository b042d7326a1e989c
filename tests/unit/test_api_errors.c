/* wb_error() has the sentence of the call that failed last, whatever that was: every call that returns a
 * status is tried with an argument that is wrong, after another call has failed. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdbool.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "warpbeam.h"
#include "warpbeam_graph.h"

static const char ptx[] = ".version 7.2\n.target sm_70\n.address_size 64\n"
                          ".visible .entry idle(.param .u32 value)\n{\n  ret;\n}\n"
                          ".visible .entry trapping()\n{\n  trap;\n  ret;\n}\n";

static WbGpu *gpu, *other;
static WbModule *module;
static WbKernel *kernel, *trapping;
static WbGraph *graph;
static WbEvent *event;
static WbStream *foreign; /* of the other GPU */
static char tried[8192];

/* A failure before, whose sentence must not stay. */
static void fail_before(void)
{
    uint64_t value;
    assert_int_equal(wb_gpu_get(gpu, "an_older_failure", &value), WB_ERROR_NOT_FOUND);
    assert_non_null(strstr(wb_error(gpu), "an_older_failure"));
}

static void check(const char *call, WbStatus status)
{
    if (status == WB_OK || status == WB_NOT_READY)
        fail_msg("%s does not fail", call);
    if (!*wb_error(gpu) || strstr(wb_error(gpu), "an_older_failure"))
        fail_msg("%s leaves '%s'", call, wb_error(gpu));
    snprintf(tried + strlen(tried), sizeof tried - strlen(tried), "%.*s(", (int)strcspn(call, "("), call);
}

#define REFUSED(call)                                                                                        \
    do {                                                                                                     \
        fail_before();                                                                                       \
        check(#call, call);                                                                                  \
    } while (0)

static int open_all(void **state)
{
    (void)state;
    assert_int_equal(wb_gpu_open("gtx480", &gpu, NULL, 0) | wb_gpu_open("gtx480", &other, NULL, 0), WB_OK);
    assert_int_equal(wb_module_load(gpu, "a.ptx", ptx, sizeof ptx - 1, &module), WB_OK);
    assert_int_equal(wb_module_kernel(module, "idle", &kernel), WB_OK);
    assert_int_equal(wb_module_kernel(module, "trapping", &trapping), WB_OK);
    assert_int_equal(wb_graph_create(gpu, &graph) | wb_graph_add_grid(graph, (WbDim3){4, 1, 1}, NULL), WB_OK);
    assert_int_equal(wb_event_create(gpu, &event) | wb_stream_create(other, 0, 0, &foreign), WB_OK);
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    wb_graph_destroy(graph);
    wb_event_destroy(event);
    wb_gpu_close(gpu);
    wb_gpu_close(other);
    return 0;
}

static void answers_need_places(void **state)
{
    (void)state;
    uint64_t number;
    WbStat stat;
    WbRecord record;
    REFUSED(wb_gpu_get(gpu, NULL, NULL));
    REFUSED(wb_module_symbol(module, "none", &number, NULL));
    REFUSED(wb_module_kernel(module, NULL, NULL));
    REFUSED(wb_module_kernel_plain(module, NULL, NULL));
    REFUSED(wb_kernel_info(kernel, NULL));
    REFUSED(wb_kernel_register_kinds(kernel, NULL));
    REFUSED(wb_kernel_parameter(kernel, 0, NULL, NULL));
    REFUSED(wb_kernel_occupancy(kernel, 0, 0, NULL));
    REFUSED(wb_malloc(gpu, 4, NULL));
    REFUSED(wb_address_find(gpu, 0, NULL));
    REFUSED(wb_memory_size(gpu, NULL, &number));
    REFUSED(wb_memory_size(gpu, &number, NULL));
    REFUSED(wb_host_alloc(gpu, 4, WB_MEMORY_HOST, NULL));
    REFUSED(wb_stream_create(gpu, 0, 0, NULL));
    REFUSED(wb_event_create(gpu, NULL));
    REFUSED(wb_event_time(event, NULL));
    REFUSED(wb_texture_create(gpu, NULL, NULL));
    REFUSED(wb_surface_create(gpu, NULL, NULL));
    REFUSED(wb_module_reference(module, NULL, false, &number));
    REFUSED(wb_module_reference(module, "no_such_reference", true, &number));
    REFUSED(wb_stat_at(gpu, 0, NULL));
    REFUSED(wb_stat_at(gpu, SIZE_MAX, &stat));
    REFUSED(wb_stat_find(gpu, "cycles", NULL));
    REFUSED(wb_stat_find(gpu, NULL, &stat));
    REFUSED(wb_stat_find(gpu, "no_such_statistic", &stat));
    REFUSED(wb_record_at(gpu, 0, NULL));
    REFUSED(wb_record_at(gpu, 7, &record));
    REFUSED(wb_record_stat(gpu, 7, "cycles", &stat));
    REFUSED(wb_graph_create(gpu, NULL));
    REFUSED(wb_graph_add_join(graph, NULL));
    REFUSED(wb_graph_transitive(graph, NULL, 0, NULL));
    REFUSED(wb_profile_end(gpu, NULL));
}

static void calls_need_what_they_work_on(void **state)
{
    (void)state;
    int cell = 0;
    WbSharedPiece pieces[WB_SHARED_PIECES];
    size_t piece_count;
    uint64_t offset;
    const uint64_t starts[] = {0, 1, 1, 1, 1};
    REFUSED(wb_gpu_set(gpu, "sm_count", "none"));
    REFUSED(wb_module_compiled(module, NULL, 1));
    REFUSED(wb_module_load(gpu, NULL, NULL, 0, NULL));
    REFUSED(wb_module_load_file(gpu, "/nowhere/a.ptx", &module));
    REFUSED(wb_module_link(gpu, NULL, 0, NULL));
    REFUSED(wb_kernel_set_registers(kernel, 100000));
    REFUSED(wb_free(gpu, 12));
    REFUSED(wb_copy_to_device(gpu, 12, &cell, 4));
    REFUSED(wb_copy_from_device(gpu, &cell, 12, 4));
    REFUSED(wb_copy_on_device(gpu, 12, 16, 4));
    REFUSED(wb_set_device(gpu, 12, 0, 4));
    REFUSED(wb_host_free(gpu, &cell));
    REFUSED(wb_host_register(gpu, NULL, 4));
    REFUSED(wb_host_register_read_only(gpu, NULL, 4));
    REFUSED(wb_host_unregister(gpu, &cell));
    REFUSED(wb_memory_share(gpu, 12, pieces, &piece_count, &offset));
    REFUSED(wb_launch(kernel, NULL));
    REFUSED(wb_stream_launch(foreign, kernel, &(WbLaunch){.grid = {1, 1, 1}, .block = {1, 1, 1}}));
    REFUSED(wb_stream_copy(gpu, NULL, NULL));
    REFUSED(wb_stream_fill(gpu, NULL, NULL));
    REFUSED(wb_stream_call(gpu, NULL, NULL, NULL));
    REFUSED(wb_stream_gate(gpu, NULL, NULL));
    REFUSED(wb_stream_wait(gpu, foreign));
    REFUSED(wb_stream_query(gpu, foreign));
    REFUSED(wb_event_record(event, foreign));
    REFUSED(wb_stream_wait_event(gpu, NULL, NULL));
    REFUSED(wb_texture_destroy(gpu, 12));
    REFUSED(wb_reference_bind(gpu, 12, NULL));
    REFUSED(wb_report(gpu, NULL, 0));
    REFUSED(wb_timeline(gpu, NULL));
    REFUSED(wb_peer_enable(gpu, other, true));
    REFUSED(wb_memory_grant(gpu, 1, 1));
    REFUSED(wb_memory_settle(gpu, NULL));
    REFUSED(wb_stream_prefetch(gpu, NULL, 4096, 1, 0));
    REFUSED(wb_memory_advise(gpu, 4096, 1, WB_ADVICE_PREFERRED, 0, true));
    REFUSED(wb_module_load_beside(gpu, NULL, NULL, 0, NULL));
    REFUSED(wb_graph_add_grid(graph, (WbDim3){0, 0, 0}, NULL));
    REFUSED(wb_graph_add_edge(graph, 0, 99));
    REFUSED(wb_graph_add_edges(graph, NULL, 1));
    REFUSED(wb_graph_add_csr(graph, starts, NULL));
    REFUSED(wb_graph_map(graph, 9, NULL, NULL));
    REFUSED(wb_graph_read(graph, NULL));
    REFUSED(wb_graph_write(graph, NULL));
    REFUSED(wb_graph_barrier(graph, (WbNodes){0, 99, 1}, (WbNodes){0, 99, 1}));
    REFUSED(wb_graph_barrier_groups(graph, (WbNodes){0, 99, 1}, (WbNodes){0, 99, 1}, 0));
    REFUSED(wb_graph_set_policy(graph, (WbPolicy)99, 0));
    REFUSED(wb_graph_set_policy_name(graph, NULL, 0));
    REFUSED(wb_graph_launch(graph, NULL, NULL, 0));
    assert_int_equal(wb_profile_begin(gpu), WB_OK);
    REFUSED(wb_profile_begin(gpu));
    assert_int_equal(wb_launch(trapping, &(WbLaunch){.grid = {1, 1, 1}, .block = {1, 1, 1}}), WB_OK);
    REFUSED(wb_wait(gpu));
}

/* A call that succeeds leaves the sentence of an older one. */
static void sentences_stay_until_the_next_failure(void **state)
{
    (void)state;
    uint64_t number;
    fail_before();
    assert_int_equal(wb_gpu_get(gpu, "sm_count", &number), WB_OK);
    assert_non_null(strstr(wb_error(gpu), "an_older_failure"));
    assert_string_equal(wb_error(other), "");
    assert_true(*wb_error(NULL) != '\0');
}

/* Of a header, every call that returns a status, but for those that have no GPU, or no argument that can be
 * wrong but a null handle. */
static void check_header(const char *path)
{
    static const char *const others[] = {"wb_gpu_open",   "wb_load_policy", "wb_kernel_allow_shared",
                                         "wb_event_wait", "wb_event_query", "wb_graph_remove_transitive",
                                         "wb_gpu_flush",  "wb_gpus_open"};
    char line[512], name[128];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, "WbStatus wb_%100[a-z_](", name) != 1)
            continue;
        char call[160];
        bool is_known = false;
        snprintf(call, sizeof call, "wb_%s", name);
        for (size_t i = 0; i < sizeof others / sizeof *others; i++)
            is_known |= strcmp(call, others[i]) == 0;
        strcat(call, "(");
        if (!is_known && !strstr(tried, call))
            fail_msg("%s) is not tried", call);
    }
    fclose(file);
}

static void all_calls_are_tried(void **state)
{
    (void)state;
    check_header(SOURCE_DIRECTORY "/include/warpbeam.h");
    check_header(SOURCE_DIRECTORY "/include/warpbeam_graph.h");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_need_places),
        cmocka_unit_test(calls_need_what_they_work_on),
        cmocka_unit_test(sentences_stay_until_the_next_failure),
        cmocka_unit_test(all_calls_are_tried),
    };
    return cmocka_run_group_tests_name("api_errors", tests, open_all, close_all);
}
