/* Profiles by line: counts add up to the kernel's, lines are those of .loc, waits stand where they arise,
 * what kernels launch is in them; and profiling changes no cycle and is the same for any number of threads.
 *  */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/gpu.h"
#include "harness.h"
#include "report/report.h"
#include "report/sums.h"
#include "six/six.h"
#include "wireframe/wireframe.h"

static const char *const profiled[] = {"mode=cycle", "profile_lines=true", NULL};

/* Line 10 loads, 11 needs the value, 12 is a barrier that warp 0 comes to late, 13 stores. Its end is 14. */
static const char loc_ptx[] = PTX_HEADER ".file 1 \"%s\"\n"
                                         ".visible .entry k(.param .u64 out)\n{\n"
                                         ".reg .u64 %%d<4>; .reg .u32 %%r<8>; .reg .pred %%p<4>;\n"
                                         ".loc 1 10 0\n"
                                         "ld.param.u64 %%d1, [out];\n"
                                         "mov.u32 %%r1, %%tid.x;\n"
                                         "mul.wide.u32 %%d2, %%r1, 4;\n"
                                         "add.u64 %%d1, %%d1, %%d2;\n"
                                         "ld.global.u32 %%r2, [%%d1];\n"
                                         ".loc 1 11 0\n"
                                         "add.u32 %%r2, %%r2, 1;\n"
                                         ".loc 1 15 0\n"
                                         "setp.ge.u32 %%p1, %%r1, 32;\n"
                                         "mov.u32 %%r3, 0;\n"
                                         "@%%p1 bra $meet;\n"
                                         "$late:\n"
                                         "add.u32 %%r3, %%r3, 1;\n"
                                         "setp.lt.u32 %%p2, %%r3, 200;\n"
                                         "@%%p2 bra $late;\n"
                                         "$meet:\n"
                                         ".loc 1 12 0\n"
                                         "bar.sync 0;\n"
                                         ".loc 1 13 0\n"
                                         "st.global.u32 [%%d1], %%r2;\n"
                                         ".loc 1 14 0\n"
                                         "ret;\n}\n";

static const LineRecord *find_line(const KernelRecord *record, uint32_t line)
{
    for (uint32_t i = 0; i < record->line_count; i++)
        if (record->lines[i].line == line)
            return &record->lines[i];
    fail_msg("there is no line %u", line);
    return NULL;
}

/* A source of 20 lines beside nothing else; returns its path. */
static const char *write_source(char path[64])
{
    snprintf(path, 64, "%s", P_tmpdir "/warpbeam-lines-XXXXXX");
    const int handle = mkstemp(path);
    assert_true(handle >= 0);
    FILE *file = fdopen(handle, "w");
    assert_non_null(file);
    for (int i = 1; i <= 20; i++)
        fprintf(file, "    // line %d \xff\n", i);
    fclose(file);
    return path;
}

static void test_places(void **state)
{
    enum { THREADS = 128, WARPS = 4 };
    char path[64], ptx[4096];
    uint32_t out[THREADS] = {0};
    size_t length;
    (void)state;
    snprintf(ptx, sizeof ptx, loc_ptx, write_source(path));
    WbGpu *gpu = harness_open("gtx480", profiled);
    harness_run_ok(&(HarnessRun){.gpu = gpu,
                                 .ptx = ptx,
                                 .kernel = "k",
                                 .grid = {1, 1, 1},
                                 .block = {THREADS, 1, 1},
                                 .out = out,
                                 .words = THREADS});
    unlink(path);
    const KernelRecord *record = gpu->records.items[0];
    assert_int_equal(record->line_count, 6);
    assert_int_equal(find_line(record, 10)->counts.issued, 5 * WARPS);
    assert_int_equal(find_line(record, 10)->counts.threads, 5 * THREADS);
    assert_int_equal(find_line(record, 15)->counts.issued, 3 * WARPS + 3 * 200);
    assert_int_equal(find_line(record, 13)->counts.threads, THREADS);
    const LineRecord *needs = find_line(record, 11), *meets = find_line(record, 12);
    assert_true(needs->counts.waited[WAIT_MEMORY] > 100 * WARPS); /* a miss in all caches */
    assert_true(meets->counts.waited[WAIT_BARRIER] > 3 * 200);
    for (uint32_t i = 0; i < record->line_count; i++)
        if (&record->lines[i] != meets)
            assert_int_equal(record->lines[i].counts.waited[WAIT_BARRIER], 0);
    assert_true(find_line(record, 14)->counts.waited[WAIT_DRAIN] > 0);
    assert_string_equal(gpu->sources.files.items[0].name, path);
    const char *text = line_text(&gpu->sources, meets, &length);
    assert_non_null(text);
    assert_int_equal(length, strlen("// line 12 ?"));
    assert_memory_equal(text, "// line 12 ?", length); /* what is no UTF-8 is not kept */
    wb_gpu_close(gpu);
}

/* Issues and waits of a kernel's lines are all that its warps did while they were resident: at most a cycle
 * of a warp more or less, for warps that leave within a cycle. */
static void check_sums(const KernelRecord *record, const GpuConfig *config)
{
    uint64_t issued = 0, threads = 0, waited = 0;
    for (uint32_t i = 0; i < record->line_count; i++) {
        issued += record->lines[i].counts.issued;
        threads += record->lines[i].counts.threads;
        waited += line_waited(&record->lines[i]);
    }
    assert_int_equal(issued, record->warp_instructions);
    assert_int_equal(threads, record->thread_instructions);
    if (config->machine_code != MACHINE_CODE_PTX || config->issue_width > 1)
        return; /* an issue is not a cycle */
    const KernelSums sums = kernel_sums(record, config);
    assert_true(issued + waited <= sums.sm.resident_warp_cycles + sums.exec.warps);
    assert_true(issued + waited + sums.exec.warps >= sums.sm.resident_warp_cycles);
}

static WbGpu *run_six(const char *name, const char *const *knobs)
{
    static const int sizes[] = {[1] = 64, [3] = 20000, [4] = 600};
    WbGpu *gpu = harness_open(name, knobs);
    for (int i = 1; i <= 4; i++) {
        Host host;
        if (i != 2 && !six_run(&six_programs[i], gpu, SOURCE_DIRECTORY "/workloads/six", sizes[i], &host))
            fail_msg("%s", host.error);
        if (i != 2)
            host_end(&host);
    }
    return gpu;
}

static void test_sums(void **state)
{
    static const char *const gpus[] = {"gtx480", "titanv", "h200"};
    (void)state;
    for (size_t g = 0; g < 3; g++) {
        WbGpu *gpu = run_six(gpus[g], profiled);
        for (uint32_t i = 0; i < gpu->records.count; i++)
            check_sums(gpu->records.items[i], &gpu->config);
        wb_gpu_close(gpu);
    }
}

/* Blocks that launch, leave, and come back elsewhere. */
static void test_launches(void **state)
{
    (void)state;
    Host host;
    const WireframeRun run = {.mode = WIREFRAME_CDP, .size = INPUT_TINY, .tiles = 5};
    WbGpu *gpu = harness_open("gtx480", profiled);
    if (!wireframe_run(wireframe_find("sor"), &run, gpu, SOURCE_DIRECTORY "/workloads/wireframe", &host))
        fail_msg("%s", host.error);
    host_end(&host);
    uint64_t suspended = 0;
    const KernelRecord *record = gpu->records.items[0];
    check_sums(record, &gpu->config);
    for (uint32_t i = 0; i < record->line_count; i++)
        suspended += record->lines[i].counts.waited[WAIT_SUSPEND];
    assert_true(suspended > 0);
    assert_non_null(gpu->sources.files.items[0].text);
    wb_gpu_close(gpu);
}

static void test_changes_nothing(void **state)
{
    static const char *const threads[] = {"mode=cycle", "profile_lines=true", "threads=3", NULL};
    (void)state;
    WbGpu *plain = run_six("gtx480", (const char *const[]){"mode=cycle", NULL});
    WbGpu *one = run_six("gtx480", profiled), *three = run_six("gtx480", threads);
    assert_int_equal(plain->records.count, one->records.count);
    for (uint32_t i = 0; i < plain->records.count; i++) {
        assert_int_equal(plain->records.items[i]->ended, one->records.items[i]->ended);
        assert_null(plain->records.items[i]->lines);
    }
    char *expected = harness_report(one), *got = harness_report(three);
    assert_string_equal(expected, got);
    free(expected);
    free(got);
    /* The knob makes no other machine: caches stay warm when it changes. */
    const CycleMachine *machine = plain->cycle;
    Host host;
    assert_int_equal(wb_gpu_set(plain, "profile_lines", "true"), WB_OK);
    assert_true(six_run(&six_programs[3], plain, SOURCE_DIRECTORY "/workloads/six", 2000, &host));
    host_end(&host);
    assert_ptr_equal(plain->cycle, machine);
    assert_non_null(plain->records.items[plain->records.count - 1]->lines);
    wb_gpu_close(plain);
    wb_gpu_close(one);
    wb_gpu_close(three);
}

static void test_text(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size = 0;
    WbGpu *gpu = run_six("gtx480", profiled);
    FILE *file = open_memstream(&text, &size);
    assert_non_null(file);
    report_summary(gpu, file);
    fclose(file);
    unsigned lines = 0;
    for (const char *at = text; (at = strchr(at, '\n')); at++)
        lines++;
    assert_true(lines <= 24); /* a screen */
    assert_non_null(strstr(text, "Limited by "));
    assert_non_null(strstr(text, "where warps spent their time"));
    assert_non_null(strstr(text, "matmul.cu:"));
    free(text);
    wb_gpu_close(gpu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places),          cmocka_unit_test(test_sums), cmocka_unit_test(test_launches),
        cmocka_unit_test(test_changes_nothing), cmocka_unit_test(test_text),
    };
    return cmocka_run_group_tests_name("lines", tests, NULL, NULL);
}
