/* The examples that pages show are those that are built here. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

static void read_file(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, size - 1, file)] = '\0';
    fclose(file);
}

static void the_first_policy_of_the_readme_is_an_example(void **state)
{
    (void)state;
    static char page[65536], policy[4096];
    read_file(SOURCE_DIRECTORY "/README.md", page, sizeof page);
    read_file(SOURCE_DIRECTORY "/examples/sm/sched/youngest.c", policy, sizeof policy);
    assert_true(strlen(policy) > 100);
    assert_non_null(strstr(page, policy));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_first_policy_of_the_readme_is_an_example)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
