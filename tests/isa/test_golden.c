/* Runs every recorded form in Warpbeam and compares it with what the GPU gave.
 *
 *     test_golden RECORDING [--table FILE] [--lines N] [--only TEXT]
 *
 * Fails for a form that differs or does not run, and for a row of the instruction table that no recorded
 * form reaches. --table writes the table of rows with the vectors that each passed. */
#include "compare.h"
#include "golden_file.h"
#include "kernel.h"
#include "reach.h"
#include "base/alloc.h"
#include "warpbeam.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 64, DEVICE_BYTES = 1 << 20 };

typedef struct RowCount {
    unsigned forms, passed;
    uint64_t vectors;
} RowCount;

typedef struct Test {
    const char *only;
    unsigned lines; /* failures still to be printed */
    WbGpu *gpu;
    uint64_t in, out, memory;
    uint8_t *pattern, *outputs;
    GoldenFile golden;
    unsigned run, failed, missing;
    RowCount rows[ROW_COUNT];
} Test;

/* Rows that leave nothing to record; those of textures and surfaces are recorded apart. */
static const struct {
    const char *pattern, *reason;
} unrecorded[] = {
    {"trap", "ends the launch"},
    {"brkpt", "ends the launch"},
};

static const char *unrecorded_reason(const IsaRow *row)
{
    switch (row->action) {
    case ACTION_TEXTURE:
    case ACTION_TEXTURE_QUERY:
    case ACTION_SURFACE_LOAD:
    case ACTION_SURFACE_STORE:
        return "needs objects: tests/device/texture";
    default:
        break;
    }
    for (size_t k = 0; k < sizeof unrecorded / sizeof *unrecorded; k++)
        if (strcmp(unrecorded[k].pattern, row->pattern) == 0)
            return unrecorded[k].reason;
    return NULL;
}

static void report_error(Test *test, const Form *form, const char *sentence)
{
    test->failed++;
    if (test->lines) {
        test->lines--;
        printf("FAIL %s\n     %s\n", form->spec.body, sentence);
    }
}

static void report_difference(Test *test, const Form *form, const uint64_t *inputs, unsigned vectors,
                              unsigned count, const Difference *first)
{
    test->failed++;
    if (!test->lines)
        return;
    test->lines--;
    const unsigned input_count = kernel_input_bytes(form) / 8;
    printf("FAIL %s\n     %u of %u vectors differ; vector %u, output %u: GPU 0x%llx, Warpbeam 0x%llx; inputs",
           form->spec.body, count, vectors, first->vector, first->output, (unsigned long long)first->expected,
           (unsigned long long)first->actual);
    for (unsigned k = 0; k < input_count; k++)
        printf(" 0x%llx", (unsigned long long)inputs[(size_t)first->vector * input_count + k]);
    printf("\n");
}

static WbStatus launch_form(Test *test, const Form *form, WbKernel *kernel, const uint64_t *inputs,
                            unsigned vectors)
{
    uint8_t value[KERNEL_PARAMETER];
    kernel_fill(value, sizeof value);
    const WbArgument arguments[] = {
        WB_ARG(test->in), WB_ARG(test->out), WB_ARG(test->memory), {value, sizeof value}};
    const WbLaunch launch = {.grid = {vectors / form->spec.threads, 1, 1},
                             .block = {form->spec.threads, 1, 1},
                             .arguments = arguments,
                             .argument_count = 4};
    const size_t output_bytes = (size_t)vectors * kernel_output_bytes(form);
    WbStatus status =
        wb_copy_to_device(test->gpu, test->in, inputs, (size_t)vectors * kernel_input_bytes(form) + 8);
    if (!status)
        status = wb_set_device(test->gpu, test->out, 0, output_bytes);
    if (!status && kernel_uses_memory(form))
        status = wb_copy_to_device(test->gpu, test->memory, test->pattern, (size_t)vectors * FORM_MEMORY);
    if (!status)
        status = wb_launch(kernel, &launch);
    if (!status)
        status = wb_wait(test->gpu);
    return status ? status : wb_copy_from_device(test->gpu, test->outputs, test->out, output_bytes);
}

static void count_rows(Test *test, const Form *form, unsigned vectors, bool passed)
{
    RowId rows[REACH_ROWS];
    const unsigned count = reach_rows(form, rows);
    for (unsigned k = 0; k < count; k++) {
        bool is_first = true;
        for (unsigned j = 0; j < k; j++)
            is_first &= rows[j] != rows[k];
        RowCount *row = &test->rows[rows[k]];
        row->forms += is_first;
        row->passed += is_first && passed;
        row->vectors += is_first && passed ? vectors : 0;
    }
}

static void run_form(Test *test, const Form *form, WbModule *module, unsigned number)
{
    RecordHeader header;
    const uint8_t *expected = golden_find(&test->golden, form, &header);
    uint64_t *inputs = golden_inputs(form, header.vectors);
    char name[KERNEL_NAME];
    snprintf(name, sizeof name, "form_%u", number);
    WbKernel *kernel = NULL;
    WbStatus status = wb_module_kernel(module, name, &kernel);
    if (!status)
        status = launch_form(test, form, kernel, inputs, header.vectors);
    Difference first;
    unsigned differing = 0;
    if (status)
        report_error(test, form, wb_error(test->gpu));
    else
        differing = compare_outputs(form, inputs, header.vectors, expected, test->outputs, &first);
    if (differing)
        report_difference(test, form, inputs, header.vectors, differing, &first);
    count_rows(test, form, header.vectors, !status && !differing);
    test->run++;
    xfree(inputs);
}

static void run_batch(Test *test, const Form *const *forms, unsigned count)
{
    char *text = kernel_module(forms, count);
    WbModule *module = NULL;
    const WbStatus status = wb_module_load(test->gpu, "forms.ptx", text, strlen(text), &module);
    free(text);
    if (status && count == 1) {
        report_error(test, forms[0], wb_error(test->gpu));
        test->run++;
    }
    for (unsigned k = 0; k < count; k++)
        if (!status)
            run_form(test, forms[k], module, k);
        else if (count > 1)
            run_batch(test, &forms[k], 1);
    if (!status)
        wb_module_unload(module);
}

/* All recorded forms, in modules of forms that share a target. */
static void run_all(Test *test, const FormList *list)
{
    const Form *batch[BATCH] = {0};
    unsigned count = 0;
    for (uint32_t k = 0; k < list->count; k++) {
        const Form *form = &list->items[k];
        RecordHeader header;
        if (test->only && !strstr(form->spec.body, test->only))
            continue;
        if (!golden_find(&test->golden, form, &header)) {
            test->missing++;
            continue;
        }
        if (count == BATCH || (count && batch[0]->spec.target != form->spec.target)) {
            run_batch(test, batch, count);
            count = 0;
        }
        batch[count++] = form;
    }
    if (count)
        run_batch(test, batch, count);
}

static unsigned check_rows(const Test *test)
{
    unsigned bare = 0;
    for (unsigned row = ROW_UNKNOWN + 1; row < ROW_COUNT; row++)
        if (!test->rows[row].forms && !unrecorded_reason(&isa_rows[row])) {
            printf("FAIL row '%s' has no recorded form; add one to tests/isa/forms_*.c and record it\n",
                   isa_rows[row].pattern);
            bare++;
        }
    return bare;
}

static bool write_table(const Test *test, const char *path)
{
    FILE *out = fopen(path, "w");
    if (!out)
        return false;
    fprintf(
        out,
        "# Instructions\n\nEvery row of the instruction table, with the spellings (forms) of it that were "
        "run on an NVIDIA\n"
        "H200 and the vectors for which Warpbeam gives the same result. Written by `test_golden --table`.\n\n"
        "| instruction | unit | forms | passed | vectors |\n|---|---|--:|--:|--:|\n");
    for (unsigned row = ROW_UNKNOWN + 1; row < ROW_COUNT; row++) {
        fprintf(out, "| `");
        for (const char *at = isa_rows[row].pattern; *at; at++)
            fprintf(out, "%s%c", *at == '|' ? "\\" : "", *at);
        const char *reason = test->rows[row].forms ? NULL : unrecorded_reason(&isa_rows[row]);
        fprintf(out, "` | %s | %u | %u | ", unit_name(isa_rows[row].unit), test->rows[row].forms,
                test->rows[row].passed);
        if (reason)
            fprintf(out, "%s |\n", reason);
        else
            fprintf(out, "%llu |\n", (unsigned long long)test->rows[row].vectors);
    }
    return fclose(out) == 0;
}

static bool open_gpu(Test *test)
{
    char error[1024];
    if (wb_gpu_open("h200", &test->gpu, error, sizeof error)) {
        printf("FAIL %s\n", error);
        return false;
    }
    test->pattern = xmalloc(DEVICE_BYTES);
    test->outputs = xmalloc(DEVICE_BYTES);
    kernel_fill(test->pattern, DEVICE_BYTES);
    return !wb_malloc(test->gpu, DEVICE_BYTES, &test->in) &&
           !wb_malloc(test->gpu, DEVICE_BYTES, &test->out) &&
           !wb_malloc(test->gpu, DEVICE_BYTES, &test->memory);
}

int main(int argc, char **argv)
{
    Test *test = xcalloc(1, sizeof *test);
    test->lines = 100;
    const char *table = NULL;
    for (int k = 2; k + 1 < argc; k += 2) {
        if (strcmp(argv[k], "--table") == 0)
            table = argv[k + 1];
        else if (strcmp(argv[k], "--lines") == 0)
            test->lines = (unsigned)strtoul(argv[k + 1], NULL, 10);
        else if (strcmp(argv[k], "--only") == 0)
            test->only = argv[k + 1];
    }
    if (argc < 2 || !golden_read(&test->golden, argv[1]) || !open_gpu(test))
        return 1;
    FormList list;
    forms_build(&list);
    run_all(test, &list);
    const unsigned bare = test->only ? 0 : check_rows(test);
    printf("%u forms run, %u failed, %u not recorded; %u rows without a recorded form\n", test->run,
           test->failed, test->missing, bare);
    const bool written = !table || write_table(test, table);
    if (!written)
        printf("FAIL the table '%s' cannot be written\n", table);
    const int status = test->failed || bare || !written || test->run == 0;
    forms_free(&list);
    golden_free(&test->golden);
    wb_gpu_close(test->gpu);
    xfree(test->pattern);
    xfree(test->outputs);
    xfree(test);
    return status;
}
