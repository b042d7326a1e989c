/* GPU configurations: the shipped files, inheritance, and errors that name file, line and key. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/cycle.h"
#include "config/config.h"
#include "config/gpu_set.h"
#include "exec/warp.h"

static char folder[] = "/tmp/warpbeam-config-XXXXXX";

static void write_config(const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s.yaml", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) && setenv("WARPBEAM_CONFIGS", folder, 1) == 0 ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command);
}

static void check_shipped(void *context, const char *name, const char *path)
{
    unsigned *count = context;
    GpuConfig config;
    Error error = {0};
    if (strncmp(path, folder, strlen(folder)) == 0)
        return;
    assert_int_equal(config_load(name, &config, &error), WB_OK);
    assert_string_equal(config.name, name);
    assert_true(*config.description);
    config.mode = MODE_CYCLE;
    if (cycle_check(&config, &error))
        fail_msg("%s", error.text);
    ++*count;
}

static void every_shipped_configuration_loads(void **state)
{
    (void)state;
    unsigned count = 0;
    config_list(NULL, check_shipped, &count);
    assert_true(count >= 8);
}

static void known_facts(void **state)
{
    (void)state;
    GpuConfig config;
    Error error = {0};
    assert_int_equal(config_load("h200", &config, &error), WB_OK);
    assert_int_equal(config.sm_count, 132);
    assert_int_equal(config.shared_bytes_per_block, 232448);
    assert_int_equal(config.divergence, DIVERGENCE_INDEPENDENT);
    assert_int_equal(config_load("c2050", &config, &error), WB_OK);
    assert_int_equal(config.sm_count, 14);
    assert_int_equal(config.max_registers_per_thread, 63);
    assert_int_equal(config.divergence, DIVERGENCE_STACK);
    assert_int_equal(config_load("apu8", &config, &error), WB_OK);
    assert_int_equal(config.warp_width, 64);
}

/* What papers and data sheets print of the memory, which follows from several knobs together. */
static void memories_are_as_published(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        unsigned l2_kib, bus_bits, megabytes_per_second, warps;
    } cases[] = {
        {"gtx480", 768, 384, 177408, 48},   {"c2050", 768, 384, 144000, 48},
        {"k20c", 1280, 320, 208000, 64},    {"gtx970", 2048, 256, 224320, 64},
        {"titanx", 2048, 256, 224320, 64},  {"apu8", 1024, 64, 20000, 40},
        {"titanv", 4608, 3072, 652800, 64}, {"k20c-dtbl", 768, 384, 249600, 64},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        GpuConfig config;
        Error error = {0};
        assert_int_equal(config_load(cases[i].name, &config, &error), WB_OK);
        const uint64_t bits = config.dram_channels * config.dram_bus_bits;
        assert_int_equal(config.l2_bytes, cases[i].l2_kib * 1024);
        assert_int_equal(bits, cases[i].bus_bits);
        assert_int_equal(bits / 8 * config.dram_data_khz / 1000, cases[i].megabytes_per_second);
        assert_int_equal(config.max_threads_per_sm / config.warp_width, cases[i].warps);
    }
}

static void timing_is_inherited(void **state)
{
    (void)state;
    GpuConfig parent, child;
    Error error = {0};
    assert_int_equal(config_load("gtx480", &parent, &error), WB_OK);
    assert_int_equal(config_load("c2050", &child, &error), WB_OK);
    assert_int_equal(child.operand_banks, parent.operand_banks);
    assert_int_equal(child.dram_tccdl, parent.dram_tccdl);
    assert_int_equal(child.l1_write_hit, WRITE_HIT_INVALIDATE);
    assert_int_not_equal(child.fp32_latency, parent.fp32_latency);
    assert_string_equal(parent.warp_scheduler, "gto");
    assert_string_equal(child.warp_scheduler, "lrr");
    assert_int_equal(config_load("titanx", &child, &error), WB_OK);
    assert_int_equal(child.l1_latency, 82);
    assert_int_equal(child.machine_code, MACHINE_CODE_NATIVE);
}

/* A file of every knob as text is the same configuration again. */
static void check_dump(void *context, const char *name, const char *path)
{
    (void)context;
    if (strncmp(path, folder, strlen(folder)) == 0)
        return;
    GpuConfig config, again;
    Error error = {0};
    assert_int_equal(config_load(name, &config, &error), WB_OK);
    char text[32768], value[KNOB_STRING_SIZE], other[KNOB_STRING_SIZE];
    size_t length = 0;
    for (size_t i = 0; i < config_knobs.count; i++) {
        const Knob *knob = &config_knobs.rows[i];
        const char *quote = knob->kind == KNOB_KIND_STRING ? "\"" : "";
        length += (size_t)snprintf(text + length, sizeof text - length, "%s: %s%s%s\n", knob->name, quote,
                                   knob_text(knob, &config, value, sizeof value), quote);
        assert_true(length < sizeof text);
    }
    write_config("dump", text);
    assert_int_equal(config_load("dump", &again, &error), WB_OK);
    for (size_t i = 0; i < config_knobs.count; i++)
        assert_string_equal(knob_text(&config_knobs.rows[i], &config, value, sizeof value),
                            knob_text(&config_knobs.rows[i], &again, other, sizeof other));
}

static void dumps_can_be_read_again(void **state)
{
    (void)state;
    config_list(NULL, check_dump, NULL);
}

static void a_file_overrides_what_it_inherits(void **state)
{
    (void)state;
    GpuConfig config;
    Error error = {0};
    write_config("base", "name: first\ndescription: Base\nsm_count: 3\nclock_khz: 5\n");
    write_config("child", "sm_count: 7\ninherits: base\n");
    assert_int_equal(config_load("child", &config, &error), WB_OK);
    assert_int_equal(config.sm_count, 7);
    assert_int_equal(config.clock_khz, 5);
    assert_string_equal(config.name, "child");
    assert_string_equal(config.description, "");
    write_config("least", "name: least\n");
    assert_int_equal(config_load("least", &config, &error), WB_OK);
    assert_int_equal(config.warp_width, 32);
}

static void expect_error(const char *name, WbStatus status, const char *part)
{
    GpuConfig config;
    Error error = {0};
    assert_int_equal(config_load(name, &config, &error), status);
    if (!strstr(error.text, part))
        fail_msg("'%s' does not contain '%s'", error.text, part);
}

/* From the folder of the file that says it, whatever the process's is. */
static void paths_are_inherited(void **state)
{
    (void)state;
    char path[128], above[128], whole[128];
    snprintf(path, sizeof path, "%s/child.yaml", folder);
    snprintf(above, sizeof above, "..%s/base.yaml", strrchr(folder, '/'));
    snprintf(whole, sizeof whole, "%s/base.yaml", folder);
    const char *const parents[] = {"./base.yaml", "base.yaml", above, whole};
    write_config("base", "sm_count: 7\n");
    for (size_t i = 0; i < sizeof parents / sizeof *parents; i++) {
        GpuConfig config;
        Error error = {0};
        char text[256];
        snprintf(text, sizeof text, "inherits: %s\n", parents[i]);
        write_config("child", text);
        assert_int_equal(config_load(path, &config, &error), WB_OK);
        assert_int_equal(config.sm_count, 7);
    }
    write_config("round", "inherits: ./round.yaml\n");
    expect_error("round", WB_ERROR_ARGUMENT, "circle");
}

static void errors_name_file_line_and_key(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        WbStatus status;
        const char *part;
    } cases[] = {
        {"clock_khz: 1\nsm_cuont: 3\n", WB_ERROR_NOT_FOUND, "bad.yaml:2: "},
        {"sm_cuont: 3\n", WB_ERROR_NOT_FOUND, "did you mean sm_count?"},
        {"sm_count: 0\n", WB_ERROR_ARGUMENT, "1 to 4096 SMs"},
        {"sm_count: many\n", WB_ERROR_ARGUMENT, "'many'"},
        {"sm_count: [1, 2]\n", WB_ERROR_ARGUMENT, "bad.yaml:1: "},
        {"sm_count: 1\nsm_count: 2\n", WB_ERROR_ARGUMENT, "twice"},
        {"- sm_count\n", WB_ERROR_ARGUMENT, "key: value"},
        {"sm_count: 1\n  x: [\n", WB_ERROR_ARGUMENT, "not YAML"},
        {"inherits: nowhere\n", WB_ERROR_NOT_FOUND, "'nowhere'"},
        {"inherits: bad\n", WB_ERROR_ARGUMENT, "circle"},
        {"warp_width: 48\n", WB_ERROR_ARGUMENT, "32 or 64"},
        {"shared_bytes_per_block: 64 KiB\n", WB_ERROR_ARGUMENT, "shared_bytes_per_sm"},
        {"divergence: maybe\n", WB_ERROR_ARGUMENT, "stack or independent"},
        {"inherit: h200\n", WB_ERROR_NOT_FOUND, "did you mean inherits?"},
        {"sm_count: 4 KiB\n", WB_ERROR_ARGUMENT, "1 to 4096 SMs"},
        {"registers_per_sm: 64 KiB\n", WB_ERROR_ARGUMENT, "'64 KiB' is no value of registers_per_sm"},
        {"aggregated_groups: 5\n", WB_ERROR_ARGUMENT, "a power of two from 1 to 1048576 entries"},
        {"dram_row_bytes: 3000\n", WB_ERROR_ARGUMENT, "a power of two from 128 to 65536 bytes"},
        {"sm_count: 1\n---\nsm_count: 2\n", WB_ERROR_ARGUMENT, "bad.yaml:2: a second document"},
        {"sm_count: 1\n...\n---\nnonsense\n", WB_ERROR_ARGUMENT, "bad.yaml:3: a second document"},
        {"sm_count: 1\n---\n[\n", WB_ERROR_ARGUMENT, "not YAML"},
        {"sm_count: \"4\\0x\"\n", WB_ERROR_ARGUMENT, "must be a single text"},
        {"inherits: gtx48\n", WB_ERROR_NOT_FOUND, "did you mean gtx480?"},
        {"inherits: baad\n", WB_ERROR_NOT_FOUND, "did you mean bad?"},
        {"inherits: ./none.yaml\n", WB_ERROR_NOT_FOUND,
         "'./none.yaml' to inherit from; a path is looked for"},
        {"# nothing\n", WB_ERROR_ARGUMENT, "holds no 'key: value' line"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_config("bad", cases[i].text);
        expect_error("bad", cases[i].status, cases[i].part);
    }
    expect_error("h2000", WB_ERROR_NOT_FOUND, "did you mean h200?");
    expect_error("no/such.yaml", WB_ERROR_NOT_FOUND, "no/such.yaml");
    expect_error("", WB_ERROR_NOT_FOUND, "''");
    expect_error("/tmp/", WB_ERROR_ARGUMENT, "/tmp/ is a folder");
    static char deep[1 << 20];
    memset(deep, '[', sizeof deep - 1);
    write_config("bad", deep);
    expect_error("bad", WB_ERROR_ARGUMENT, "bad.yaml:1: a configuration is a list of");
    expect_error("/dev/zero", WB_ERROR_ARGUMENT, "larger than 1 MiB");
    write_config("bad", "inherits: /tmp/\n");
    expect_error("bad", WB_ERROR_ARGUMENT, "/tmp/ is a folder");
}

static void contradictions_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"l1_ways: 3\n", "l1_bytes is 16384, but with 3 for l1_ways"},
        {"l1_bytes: 384\n", "multiple of 512"},
        {"l2_ways: 16\nl2_bytes: 121 KiB\n", "to fill all l2_slices"},
        {"l2_slices: 2\nl2_ways: 16\nl2_bytes: 128\n", "multiple of 4096"},
        {"icache_ways: 5\n", "icache_bytes"},
        {"instruction_bytes: 12\n", "instruction_bytes (12)"},
        {"const_cache_ways: 3\n", "const_cache_bytes"},
        {"unified_bytes: 60 KiB\n", "larger than unified_bytes"},
        {"unified_bytes: 128 KiB\nshared_carveouts: 0,16,8,48\n", "ascending"},
        {"unified_bytes: 128 KiB\nshared_carveouts: 0;48\n", "with commas"},
        {"unified_bytes: 128 KiB\nshared_carveouts: 0,16,32\n", "shared_bytes_per_sm is 49152"},
        {"unified_bytes: 128 KiB\nl1_bytes_min: 100\n", "l1_bytes_min"},
        {"max_threads_per_sm: 2047\n", "multiple of warp_width"},
        {"issue_width: 2\ninstruction_buffer: 1\n", "instruction_buffer holds only 1"},
        {"dram_data_khz: 500000\n", "dram_command_khz"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_config("bad", cases[i].text);
        expect_error("bad", WB_ERROR_ARGUMENT, cases[i].part);
    }
    GpuConfig config;
    Error error = {0};
    write_config("good", "unified_bytes: 128 KiB\nshared_carveouts: 0,16,48\nl1_bytes: 384\n");
    assert_int_equal(config_load("good", &config, &error), WB_OK);
}

/* -- several GPUs -- */

static void several_gpus_are_named_by_number_list_or_file(void **state)
{
    (void)state;
    GpuSet set;
    Error error = {0};
    char path[128];
    assert_int_equal(gpu_set_read("3", "titanx", &set, &error), WB_OK);
    assert_int_equal(set.count, 3);
    assert_string_equal(set.items[2].configuration, "titanx");
    gpu_set_free(&set);
    assert_int_equal(gpu_set_read("h200,titanx", "c2050", &set, &error), WB_OK);
    assert_int_equal(set.count, 2);
    assert_string_equal(set.items[1].configuration, "titanx");
    gpu_set_free(&set);
    write_config("own", "inherits: titanx\n");
    write_config("node", "sm_count: 4\ngpus:\n  - h200\n  - gpu: own\n    count: 2\n    sm_count: 3\n");
    snprintf(path, sizeof path, "%s/node.yaml", folder);
    assert_int_equal(gpu_set_read(path, "c2050", &set, &error), WB_OK);
    assert_int_equal(set.count, 3);
    assert_string_equal(set.items[0].configuration, "h200");
    assert_non_null(strstr(set.items[2].configuration, "/own.yaml"));
    assert_int_equal(set.items[0].settings.count, 1);
    assert_string_equal(set.items[0].settings.items[0].value, "4");
    assert_int_equal(set.items[2].settings.count, 2);
    assert_string_equal(set.items[2].settings.items[1].value, "3"); /* a GPU's own comes last, and wins */
    gpu_set_free(&set);
    snprintf(path, sizeof path, "%s/own.yaml", folder); /* a configuration is one GPU */
    assert_int_equal(gpu_set_read(path, "c2050", &set, &error), WB_OK);
    assert_int_equal(set.count, 1);
    gpu_set_free(&set);
}

static void wrong_sets_of_gpus_are_told(void **state)
{
    (void)state;
    static const struct { const char *text, *file, *sentence; } cases[] = {
        {"0", NULL, "--gpus is 1 to 32 GPUs, not '0'."},
        {"33", NULL, "1 to 32 GPUs, not '33'"},
        {"h200,,titanx", NULL, "names no GPU at one of its places"},
        {"", NULL, "names no GPU"},
        {NULL, "gpus:\n  - gpu: h200\n    sm_cuont: 8\n", "wrong.yaml:3: "},
        {NULL, "gpus:\n  - gpu: h200\n    sm_cuont: 8\n", "sm_count"},
        {NULL, "gpus: [h200]\nsm_count: 0\n", "wrong.yaml:2: "},
        {NULL, "gpus:\n  - sm_count: 8\n", "wrong.yaml:2: a GPU with knobs of its own needs"},
        {NULL, "gpus:\n  - gpu: h200\n    count: 40\n", "wrong.yaml:3: count is 1 to 32 GPUs, not '40'"},
        {NULL, "gpus:\n  - h200\n  - titanxx\n", "wrong.yaml:3: There is no GPU configuration 'titanxx'"},
        {NULL, "gpus: h200\n", "'gpus' is a list"},
        {NULL, "gpus: []\n", "'gpus' is a list"},
        {NULL, "- h200\n", "has a list 'gpus:'"},
        {NULL, "gpus: [\n", "this is not YAML"},
    };
    char path[128];
    snprintf(path, sizeof path, "%s/wrong.yaml", folder);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        GpuSet set;
        Error error = {0};
        if (cases[i].file)
            write_config("wrong", cases[i].file);
        assert_int_not_equal(gpu_set_read(cases[i].text ? cases[i].text : path, "h200", &set, &error), WB_OK);
        if (!strstr(error.text, cases[i].sentence))
            fail_msg("case %zu: %s", i, error.text);
        assert_int_equal(set.count, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_shipped_configuration_loads),
        cmocka_unit_test(known_facts),
        cmocka_unit_test(memories_are_as_published),
        cmocka_unit_test(timing_is_inherited),
        cmocka_unit_test(dumps_can_be_read_again),
        cmocka_unit_test(a_file_overrides_what_it_inherits),
        cmocka_unit_test(paths_are_inherited),
        cmocka_unit_test(errors_name_file_line_and_key),
        cmocka_unit_test(contradictions_are_named),
        cmocka_unit_test(several_gpus_are_named_by_number_list_or_file),
        cmocka_unit_test(wrong_sets_of_gpus_are_told),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
