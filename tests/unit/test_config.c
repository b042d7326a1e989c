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

#include "api/config.h"
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
    ++*count;
}

static void every_shipped_configuration_loads(void **state)
{
    (void)state;
    unsigned count = 0;
    config_list(check_shipped, &count);
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
    write_config("empty", "# nothing\n");
    assert_int_equal(config_load("empty", &config, &error), WB_OK);
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
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_config("bad", cases[i].text);
        expect_error("bad", cases[i].status, cases[i].part);
    }
    expect_error("h2000", WB_ERROR_NOT_FOUND, "did you mean h200?");
    expect_error("no/such.yaml", WB_ERROR_NOT_FOUND, "no/such.yaml");
    expect_error("", WB_ERROR_NOT_FOUND, "''");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_shipped_configuration_loads),
        cmocka_unit_test(known_facts),
        cmocka_unit_test(a_file_overrides_what_it_inherits),
        cmocka_unit_test(errors_name_file_line_and_key),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
