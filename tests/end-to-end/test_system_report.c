/* Reports of several GPUs: JSON, text, CSV and timeline have all of them, obey the schema, can be compared and
 * shown, and are the same for any number of threads. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/report.h"
#include "schema_check.h"
#include "shell.h"
#include "trace_rules.h"

/* Adds one to a word of the memory that it is given, and reads it, so many times. */
static const char ptx[] =
    PTX_HEADER ".visible .entry add(.param .u64 to, .param .u32 times) {\n"
               "  .reg .u64 %a; .reg .u32 %v, %n; .reg .pred %p;\n"
               "  ld.param.u64 %a, [to]; ld.param.u32 %n, [times];\n"
               "Again: red.global.add.u32 [%a], 1; ld.volatile.global.u32 %v, [%a];\n"
               "  sub.u32 %n, %n, 1; setp.ne.u32 %p, %n, 0; @%p bra Again;\n"
               "  ret;\n}\n";

enum { GPUS = 2, BLOCKS = 20, LAUNCHED = 3 };

typedef struct Rig {
    WbGpu *gpus[GPUS];
    uint64_t words[GPUS];
    WbKernel *kernels[GPUS];
} Rig;

static void set(WbGpu *gpu, const char *knob, const char *value)
{
    if (wb_gpu_set(gpu, knob, value))
        fail_msg("%s", wb_error(gpu));
}

static void open_rig(Rig *rig, const char *const *names, const char *mode, const char *threads)
{
    char error[256];
    if (wb_gpus_open(names, GPUS, rig->gpus, error, sizeof error))
        fail_msg("%s", error);
    for (uint32_t i = 0; i < GPUS; i++) {
        WbModule *module;
        set(rig->gpus[i], "mode", mode);
        set(rig->gpus[i], "threads", threads);
        set(rig->gpus[i], "timeline", "true");
        set(rig->gpus[i], "profile_lines", "true");
        assert_int_equal(wb_module_load(rig->gpus[i], "add.ptx", ptx, sizeof ptx - 1, &module), WB_OK);
        assert_int_equal(wb_module_kernel(module, "add", &rig->kernels[i]), WB_OK);
        assert_int_equal(wb_malloc(rig->gpus[i], 4, &rig->words[i]), WB_OK);
    }
    assert_int_equal(wb_peer_enable(rig->gpus[0], rig->gpus[1], true), WB_OK);
    wb_set_run(rig->gpus[0], &(WbRunInfo){.kind = "program", .what = "./both"});
}

static void launch(Rig *rig, uint32_t gpu, uint32_t home)
{
    const uint32_t times = 4;
    const WbLaunch how = {.grid = {BLOCKS, 1, 1},
                          .block = {32, 1, 1},
                          .pointers = (void *[]){&rig->words[home], (void *)&times}};
    assert_int_equal(wb_launch(rig->kernels[gpu], &how), WB_OK);
}

static const char *const alike[GPUS] = {"gtx480", "gtx480"};
static const char *const different[GPUS] = {"gtx480", "titanx"};

/* The first GPU adds to the second one's memory, then to its own; the second to its own. */
static void run(Rig *rig, const char *const *names, const char *mode, const char *threads)
{
    open_rig(rig, names, mode, threads);
    launch(rig, 0, 1);
    launch(rig, 0, 0);
    launch(rig, 1, 1);
    for (uint32_t i = 0; i < GPUS; i++)
        if (wb_wait(rig->gpus[i]))
            fail_msg("%s", wb_error(rig->gpus[i]));
}

static void close_rig(Rig *rig)
{
    for (uint32_t i = 0; i < GPUS; i++)
        wb_gpu_close(rig->gpus[i]);
}

typedef void Write(const WbGpu *gpu, FILE *to);

static void write_json(const WbGpu *gpu, FILE *to)
{
    report_json(gpu, &(ReportOptions){.details = true, .blocks = true}, to);
}

static void write_text(const WbGpu *gpu, FILE *to) { report_text(gpu, &(ReportOptions){0}, to); }

static char *written(const WbGpu *gpu, Write *write)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    assert_non_null(file);
    write(gpu, file);
    fclose(file);
    return text;
}

static json_t *parsed(const WbGpu *gpu)
{
    json_error_t error;
    char *text = written(gpu, write_json);
    json_t *report = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (!report)
        fail_msg("line %d: %s", error.line, error.text);
    free(text);
    return report;
}

static json_t *gpu_of(const json_t *report, size_t i) { return json_array_get(get(report, "gpus"), i); }

/* -- JSON -- */

static void obeys_schema(const json_t *report)
{
    char *text = NULL, why[2048];
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    assert_non_null(file);
    report_schema(file);
    fclose(file);
    json_t *schema = json_loads(text, 0, NULL);
    if (!schema_check(schema, report, why, sizeof why))
        fail_msg("%s", why);
    json_decref(schema);
    free(text);
}

/* Any of the GPUs writes the report of all; each has its own kernels, and totals are sums. */
static void test_json(void **state)
{
    (void)state;
    Rig rig;
    run(&rig, alike, "cycle", "1");
    json_t *report = parsed(rig.gpus[1]);
    obeys_schema(report);
    assert_string_equal(text(report, "format"), "warpbeam-system-1");
    assert_string_equal(text(get(report, "system"), "title"), "2 x gtx480");
    assert_string_equal(text(get(report, "run"), "title"), "both");
    assert_int_equal(json_array_size(get(report, "gpus")), GPUS);
    uint64_t instructions = 0;
    for (size_t i = 0; i < GPUS; i++) {
        const json_t *gpu = gpu_of(report, i);
        assert_int_equal(number(gpu, "index"), i);
        assert_int_equal(json_array_size(get(gpu, "kernels")), i == 0 ? 2 : 1);
        instructions += number(get(gpu, "totals"), "warp_instructions");
        assert_int_equal(number(get(gpu, "totals"), "warp_instructions"),
                         statistic(rig.gpus[i], "warp_instructions"));
    }
    assert_int_equal(number(get(report, "totals"), "warp_instructions"), instructions);
    assert_int_equal(number(get(report, "totals"), "launches"), LAUNCHED);
    json_decref(report);
    close_rig(&rig);
}

/* The system's time holds those of all GPUs, each in its own cycles. */
static void test_clocks(void **state)
{
    (void)state;
    Rig rig;
    run(&rig, different, "cycle", "1");
    json_t *report = parsed(rig.gpus[0]);
    obeys_schema(report);
    const double all = json_real_value(get(get(report, "time"), "kernels_us"));
    double most = 0, sum = 0;
    for (size_t i = 0; i < GPUS; i++) {
        const double own = json_real_value(get(get(gpu_of(report, i), "time"), "kernels_us"));
        most = own > most ? own : most;
        sum += own;
    }
    assert_true(all >= most && all <= sum); /* they ran side by side */
    assert_int_equal(number(get(report, "system"), "clock_khz"),
                     number(get(gpu_of(report, 1), "config"), "clock_khz"));
    assert_string_equal(text(get(report, "system"), "title"), "2 GPUs");
    json_decref(report);
    close_rig(&rig);
}

static const json_t *link_of(const json_t *links, const char *from, const char *to)
{
    size_t i;
    const json_t *link;
    json_array_foreach(links, i, link)
    {
        if (strcmp(text(link, "from"), from) == 0 && strcmp(text(link, "to"), to) == 0)
            return link;
    }
    fail_msg("nothing went from %s to %s", from, to);
    return NULL;
}

static void check_sum(const json_t *link, const char *sum, const char *samples, size_t count)
{
    uint64_t all = 0;
    size_t i;
    const json_t *sample;
    assert_int_equal(json_array_size(get(link, samples)), count);
    json_array_foreach(get(link, samples), i, sample) { all += (uint64_t)json_integer_value(sample); }
    assert_true(all > 0);
    assert_int_equal(number(link, sum), all);
}

/* What the first GPU wants of the second one's memory, and what comes back, goes over links in its time. */
static void test_links(void **state)
{
    (void)state;
    static const char *const topologies[] = {"pcie", "switch", "mesh"};
    static const char *const ends[] = {"host", "switch", "GPU 1"};
    for (int i = 0; i < 3; i++) {
        Rig rig;
        open_rig(&rig, alike, "cycle", "1");
        for (int k = 0; k < GPUS; k++)
            set(rig.gpus[k], "link_topology", topologies[i]);
        launch(&rig, 0, 1);
        assert_int_equal(wb_wait(rig.gpus[0]), WB_OK);
        json_t *report = parsed(rig.gpus[0]), *links = get(report, "links");
        obeys_schema(report);
        const size_t count = json_array_size(get(links, "begins"));
        const json_t *port = link_of(get(links, "ports"), "GPU 0", ends[i]);
        assert_string_equal(text(port, "kind"), topologies[i]);
        check_sum(port, "busy_cycles", "busy_by_sample", count);
        check_sum(link_of(get(links, "paths"), "GPU 0", "GPU 1"), "bytes", "bytes_by_sample", count);
        check_sum(link_of(get(links, "paths"), "GPU 1", "GPU 0"), "bytes", "bytes_by_sample", count);
        const uint64_t ended = number(json_array_get(get(gpu_of(report, 0), "kernels"), 0), "ended"),
                       last = (uint64_t)json_integer_value(json_array_get(get(links, "begins"), count - 1));
        assert_true(last < ended && ended - last < 10000);
        json_decref(report);
        wb_stats_reset(rig.gpus[0]);
        report = parsed(rig.gpus[0]);
        assert_null(json_object_get(report, "links"));
        json_decref(report);
        close_rig(&rig);
    }
}

/* -- text and CSV -- */

static void expect(const char *whole, const char *const *parts)
{
    for (; *parts; parts++)
        if (!strstr(whole, *parts))
            fail_msg("'%s' is not in:\n%s", *parts, whole);
}

static void test_text(void **state)
{
    (void)state;
    static const char *const modes[] = {"cycle", "functional"};
    static const char *const parts[][6] = {
        {"warpbeam: 2 x gtx480, ", "3 kernels, ", "  0 gtx480 ", "\nGPU 0, gtx480:\n", "\nGPU 1, gtx480:\n", NULL},
        {"warpbeam: 2 x gtx480, 3 kernels, ", "\nGPU 1, gtx480: no kernel was timed\n", "counts:\n", NULL}};
    for (int i = 0; i < 2; i++) {
        Rig rig;
        run(&rig, alike, modes[i], "1");
        char *text = written(rig.gpus[0], write_text);
        expect(text, parts[i]);
        free(text);
        close_rig(&rig);
    }
}

static void test_csv(void **state)
{
    (void)state;
    Rig rig;
    run(&rig, alike, "cycle", "1");
    char *text = written(rig.gpus[0], report_csv);
    expect(text, (const char *const[]){"gpu,number,name,", "\n0,0,\"add\"", "\n0,1,\"add\"", "\n1,0,\"add\"", NULL});
    free(text);
    close_rig(&rig);
}

/* -- timelines -- */

/* A GPU is a process with all of its tracks, and the second one's kernel is in it. */
static void test_timeline(void **state)
{
    (void)state;
    Rig rig;
    run(&rig, alike, "cycle", "1");
    const WbCopy copy = {.destination = {.address = rig.words[0]},
                         .source = {.address = rig.words[1]},
                         .width = 4,
                         .height = 1,
                         .depth = 1};
    assert_int_equal(wb_stream_copy(rig.gpus[0], NULL, &copy) | wb_wait(rig.gpus[0]), WB_OK);
    json_t *timeline = timeline_of(rig.gpus[0]);
    check_rules(timeline);
    for (uint64_t i = 0; i < GPUS; i++) {
        assert_int_equal(count(timeline, i + 1, 'X', "add"), i == 0 ? 2 : 1);
        assert_int_equal(count(timeline, i + 1, 'X', ",0,0)"), (i == 0 ? 2 : 1) * BLOCKS);
        assert_true(count(timeline, i + 1, 'C', "IPC") > 0);
    }
    assert_int_equal(json_array_size(get(get(timeline, "otherData"), "gpus")), GPUS);
    assert_int_equal(count(timeline, 1, 'X', "copy of 4 bytes from GPU 1 to GPU 0"), 1);
    assert_true(count(timeline, GPUS + 1, 'C', "GPU 0 to host, busy, %") > 1);
    assert_true(count(timeline, GPUS + 1, 'C', "GPU 1 to GPU 0, GB/s") > 1);
    json_decref(timeline);
    close_rig(&rig);
}

/* -- the same for any number of threads -- */

static char *without_host(const WbGpu *gpu)
{
    json_t *report = parsed(gpu);
    json_object_del(report, "host");
    char *text = json_dumps(report, 0);
    json_decref(report);
    return text;
}

static void test_threads(void **state)
{
    (void)state;
    char *first[3] = {NULL};
    for (int i = 0; i < 2; i++) {
        Rig rig;
        run(&rig, different, "cycle", i ? "3" : "1");
        char *texts[3] = {without_host(rig.gpus[0]), written(rig.gpus[1], report_csv), timeline_text(rig.gpus[1])};
        for (int k = 0; k < 3; k++) {
            if (i)
                assert_string_equal(texts[k], first[k]);
            free(first[k]);
            first[k] = texts[k];
        }
        close_rig(&rig);
    }
    for (int k = 0; k < 3; k++)
        free(first[k]);
}

/* -- who reads them -- */

/* Runs with one and with several GPUs can be compared, and shown on one page. */
static void test_readers(void **state)
{
    (void)state;
    Rig rig;
    char folder[] = "/tmp/warpbeam_system_XXXXXX", path[64], command[512];
    assert_non_null(mkdtemp(folder));
    run(&rig, different, "cycle", "1");
    snprintf(path, sizeof path, "%s/both.json", folder);
    assert_int_equal(wb_report(rig.gpus[0], path, WB_REPORT_BLOCKS), WB_OK);
    close_rig(&rig);
    WbGpu *alone = harness_open("gtx480", (const char *const[]){"mode=cycle", NULL});
    uint32_t words[32] = {0};
    harness_run_ok(&(HarnessRun){.gpu = alone,
                                 .ptx = PTX_HEADER ".visible .entry add(.param .u64 to) { ret; }",
                                 .kernel = "add",
                                 .grid = {BLOCKS, 1, 1},
                                 .block = {32, 1, 1},
                                 .out = words,
                                 .words = 32});
    snprintf(path, sizeof path, "%s/one.json", folder);
    assert_int_equal(wb_report(alone, path, 0), WB_OK);
    wb_gpu_close(alone);
    snprintf(command, sizeof command, "compare %s/one.json %s/both.json", folder, folder);
    shell_expect(command, (const char *const[]){"both on 2 GPUs: ", "gpu1.sm_count", "kernel add",
                                                "no speedup over A: other kernels or grids", NULL});
    snprintf(command, sizeof command, "report %s/both.json %s/one.json -o %s/page.html", folder, folder, folder);
    shell_expect(command, (const char *const[]){"page.html", NULL});
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

/* A run with all outputs, as a user starts it. */
static void test_run(void **state)
{
    (void)state;
    char folder[] = "/tmp/warpbeam_system_XXXXXX", command[512], output[256];
    assert_non_null(mkdtemp(folder));
    snprintf(command, sizeof command,
             "run multi/ring --mode flags --size tiny --gpu gtx480 --gpus 2 --stats %s/a.json --timeline "
             "%s/t.json --report %s/p.html",
             folder, folder, folder);
    shell_expect(command, (const char *const[]){"warpbeam: 2 x gtx480, ", "\nGPU 1, gtx480:\n",
                                                "Of all links, that from GPU ", NULL});
    snprintf(command, sizeof command,
             "cd %s && grep -q '\"warpbeam-system-1\"' a.json p.html && grep -q '\"Links\"' t.json", folder);
    assert_int_equal(shell_run(command, output, sizeof output), 0);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

/* What is wrong in a file of several GPUs is named. */
static void test_bad_files(void **state)
{
    (void)state;
    static const struct {
        const char *text, *said;
    } files[] = {
        {"{\"gpus\": [], \"system\": {}}", "holds no statistics of Warpbeam"},
        {"{\"gpus\": [{\"index\": 0, \"gpu\": \"a\", \"config\": {}, \"kernels\": []}], \"system\": {}}",
         "system.clock_khz"},
        {"{\"gpus\": [{\"index\": 0, \"gpu\": \"a\", \"config\": {}, \"kernels\": [{}]}],"
         " \"system\": {\"clock_khz\": 1}}",
         "gpus[0].config.clock_khz"},
        {"{\"gpus\": [{\"index\": 0, \"gpu\": \"a\", \"config\": {}, \"kernels\": []},"
         " {\"index\": 0, \"gpu\": \"a\", \"config\": {}, \"kernels\": []}], \"system\": {\"clock_khz\": 1}}",
         "gpus[1].index"},
        {"{\"format\": \"warpbeam-system-9\", \"gpus\": [{\"gpu\": \"a\", \"config\": {}, \"kernels\": []}],"
         " \"system\": {}}",
         "this version reads warpbeam-system-1"},
    };
    char folder[] = "/tmp/warpbeam_system_XXXXXX", command[512], output[2048];
    assert_non_null(mkdtemp(folder));
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        shell_write(folder, "bad.json", files[i].text);
        snprintf(command, sizeof command, "%s/bin/warpbeam compare %s/bad.json %s/bad.json 2>&1",
                 shell_build_folder(), folder, folder);
        assert_int_equal(shell_run(command, output, sizeof output), 1);
        expect(output, (const char *const[]){files[i].said, NULL});
    }
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json),    cmocka_unit_test(test_clocks),   cmocka_unit_test(test_text),
        cmocka_unit_test(test_links),   cmocka_unit_test(test_csv),     cmocka_unit_test(test_timeline), cmocka_unit_test(test_threads),
        cmocka_unit_test(test_run),     cmocka_unit_test(test_readers), cmocka_unit_test(test_bad_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
