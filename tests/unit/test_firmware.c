/* Policies of the aggregator as they come with the library: they are found by name, say what they are, and are
 * what clang makes of their sources where it is installed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/file.h"
#include "core/firmware.h"

static void policies_are_found(void **state)
{
    (void)state;
    size_t count = 0;
    for (Policy policy; (policy = firmware_policies.at(count)).name; count++) {
        const char *text = firmware_find(policy.name);
        assert_non_null(text);
        assert_non_null(strstr(text, ".entry wb_aggregator("));
        assert_true(strlen(policy.description) > 20);
        assert_true(strlen(policy.source) > 10);
        assert_null(strchr(policy.description, '\n'));
    }
    assert_true(count >= 3);
    assert_non_null(firmware_find("cilk"));
    assert_null(firmware_find("cil"));
}

static void ptx_is_that_of_the_sources(void **state)
{
    (void)state;
    if (system("clang --version 2>/dev/null | grep -q 'version 14\\.'"))
        skip(); /* clang 14 is not installed */
    char folder[] = "/tmp/warpbeam_firmware_XXXXXX", command[256];
    assert_non_null(mkdtemp(folder));
    snprintf(command, sizeof command, "OUT=%s %s/src/core/firmware/build_ptx.sh", folder, SOURCE_DIRECTORY);
    assert_int_equal(system(command), 0);
    Policy policy;
    for (size_t i = 0; (policy = firmware_policies.at(i)).name; i++) {
        char path[128];
        size_t length;
        Error error = {0};
        snprintf(path, sizeof path, "%s/%s.ptx", folder, policy.name);
        char *text = file_read("PTX", path, &length, &error);
        assert_non_null(text);
        const char *kept = firmware_find(policy.name);
        if (length != strlen(kept) || memcmp(text, kept, length) != 0)
            fail_msg("%s.ptx is not that of its source: run src/core/firmware/build_ptx.sh.", policy.name);
        xfree(text);
    }
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(policies_are_found),
        cmocka_unit_test(ptx_is_that_of_the_sources),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
