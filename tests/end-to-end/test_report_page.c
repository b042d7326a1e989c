/* `warpbeam report`: what gets into the page, and the sentences of its errors. web/test looks at the page in
 * a browser. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdbool.h>
#include <cmocka.h>

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shell.h"

static char folder[64], output[1 << 14];

/* Runs `warpbeam report` in the folder; returns its exit status. */
static int report(const char *arguments)
{
    char command[2048];
    snprintf(command, sizeof command, "cd '%s' && '%s/bin/warpbeam' report %s 2>&1", folder,
             shell_build_folder(), arguments);
    return shell_run(command, output, sizeof output);
}

static void write_file(const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

/* The page's data; the caller frees it. */
static json_t *read_page(const char *name)
{
    static const char opening[] = "id=\"data\">", closing[] = "</script";
    char path[128], *text = NULL;
    size_t size = 0;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_true(getdelim(&text, &size, '\0', file) > 0);
    fclose(file);
    char *begin = strstr(text, opening);
    assert_non_null(begin);
    begin += strlen(opening);
    const char *end = strstr(begin, closing);
    assert_non_null(end);
    json_t *data = json_loadb(begin, (size_t)(end - begin), JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(data);
    free(text);
    return data;
}

static const json_t *at(const json_t *list, size_t index, const char *key)
{
    return json_object_get(json_array_get(list, index), key);
}

static const char RUN[] = "{\"gpu\": \"g\", \"config\": {\"clock_khz\": 1}, \"kernels\": [{\"name\": "
                          "\"</script><!--\", \"details\": {}, \"cycles\": 12345678901}]}";

static void test_runs(void **state)
{
    (void)state;
    write_file("one.json", RUN);
    mkdir(strcat(strcpy(output, folder), "/below"), 0777);
    write_file("below/one.json", RUN);
    assert_int_equal(report("one.json below/one.json 'third run=one.json' -o page.html"), 0);
    json_t *page = read_page("page.html");
    const json_t *runs = json_object_get(page, "runs");
    assert_int_equal(json_array_size(runs), 3);
    assert_string_equal(json_string_value(at(runs, 0, "label")), "one.json");
    assert_string_equal(json_string_value(at(runs, 1, "label")), "below/one.json");
    assert_string_equal(json_string_value(at(runs, 2, "label")), "third run");
    const json_t *kernels = json_object_get(at(runs, 2, "report"), "kernels");
    assert_string_equal(json_string_value(at(kernels, 0, "name")), "</script><!--");
    assert_int_equal(json_integer_value(at(kernels, 0, "cycles")), 12345678901);
    assert_null(at(kernels, 0, "details"));
    json_decref(page);
    assert_int_equal(report("one.json -o - >piped.html && test ! -e ./- && cmp -s piped.html page.html"), 1);
    page = read_page("piped.html");
    assert_int_equal(json_array_size(json_object_get(page, "runs")), 1);
    json_decref(page);
}

static void test_papers(void **state)
{
    (void)state;
    mkdir(strcat(strcpy(output, folder), "/paper"), 0777);
    write_file("paper/claims.csv", "id,published\nW1,6.87\n");
    write_file("paper/figure9.csv", "benchmark,CDP\nsor,1\n");
    assert_int_equal(report("paper/ --out=page.html"), 0);
    json_t *page = read_page("page.html");
    const json_t *papers = json_object_get(page, "papers"), *tables = at(papers, 0, "tables");
    assert_string_equal(json_string_value(at(papers, 0, "label")), "paper");
    assert_non_null(strstr(json_string_value(at(papers, 0, "claims")), "W1,wireframe"));
    assert_int_equal(json_array_size(tables), 2);
    assert_string_equal(json_string_value(at(tables, 0, "name")), "claims");
    assert_string_equal(json_string_value(at(tables, 1, "text")), "benchmark,CDP\nsor,1\n");
    json_decref(page);
}

/* Pages of large runs have a part of the blocks, evenly chosen, and say so. */
static void test_large(void **state)
{
    (void)state;
    enum { BLOCKS = 50000 };
    json_t *run = json_loads(RUN, 0, NULL), *blocks = json_array();
    json_t *kernel = json_array_get(json_object_get(run, "kernels"), 0);
    for (int i = 0; i < BLOCKS; i++)
        json_array_append_new(blocks, json_pack("{s:i, s:i, s:i, s:i}", "block", i, "sm", i % 15, "started",
                                                i, "ended", i + 100));
    json_object_set_new(kernel, "blocks", blocks);
    json_object_set_new(kernel, "series", json_pack("{s:[]}", "ends"));
    char *text = json_dumps(run, 0);
    write_file("large.json", text);
    free(text);
    json_decref(run);
    assert_int_equal(report("large.json --megabytes 1 -o page.html"), 0);
    json_t *page = read_page("page.html");
    const json_t *runs = json_object_get(page, "runs");
    const json_t *kernels = json_object_get(at(runs, 0, "report"), "kernels"),
                 *kept = at(kernels, 0, "blocks");
    assert_int_equal(json_integer_value(at(kernels, 0, "blocks_stride")), 2);
    assert_int_equal(json_array_size(kept), BLOCKS / 2);
    assert_int_equal(json_integer_value(json_array_get(json_array_get(kept, 7), 1)), 14);
    assert_non_null(at(kernels, 0, "series"));
    const json_t *notes = at(runs, 0, "notes");
    assert_int_equal(json_array_size(notes), 1);
    assert_non_null(strstr(json_string_value(json_array_get(notes, 0)), "1 of 2 blocks"));
    json_decref(page);
}

/* Of very many launches some stay, each with its block. */
static void test_many_launches(void **state)
{
    (void)state;
    enum { LAUNCHES = 12000 };
    json_t *run = json_loads(RUN, 0, NULL), *blocks = json_array(), *launches = json_array();
    json_t *kernel = json_array_get(json_object_get(run, "kernels"), 0);
    for (int i = 0; i <= LAUNCHES; i++) /* 0: the kernel's own */
        json_array_append_new(blocks, json_pack("{s:i, s:i, s:i}", "launch", i, "block", 0, "sm", i % 15));
    for (int i = 1; i <= LAUNCHES; i++)
        json_array_append_new(launches,
                              json_pack("{s:i, s:s, s:i, s:i}", "number", i, "name",
                                        "a kernel with a name that takes room in the page, as templates do",
                                        "launched", i, "ended", i + 100));
    json_object_set_new(kernel, "blocks", blocks);
    json_object_set_new(kernel, "launches", launches);
    char *text = json_dumps(run, 0);
    write_file("many.json", text);
    free(text);
    json_decref(run);
    assert_int_equal(report("many.json --megabytes 1 -o page.html"), 0);
    json_t *page = read_page("page.html");
    const json_t *runs = json_object_get(page, "runs");
    const json_t *kernels = json_object_get(at(runs, 0, "report"), "kernels");
    assert_int_equal(json_integer_value(at(kernels, 0, "launches_stride")), 2);
    assert_int_equal(json_array_size(at(kernels, 0, "launches")), LAUNCHES / 2);
    assert_int_equal(json_integer_value(at(at(kernels, 0, "launches"), 7, "number")), 15);
    assert_int_equal(json_array_size(at(kernels, 0, "blocks")), LAUNCHES / 2 + 1);
    assert_int_equal(json_integer_value(json_array_get(json_array_get(at(kernels, 0, "blocks"), 8), 0)), 15);
    assert_non_null(strstr(json_string_value(json_array_get(at(runs, 0, "notes"), 0)), "1 of 2 launches"));
    json_decref(page);
}

static void expect_error(const char *arguments, int status, const char *sentence)
{
    assert_int_equal(report(arguments), status);
    if (!strstr(output, sentence))
        fail_msg("report %s does not say '%s': %s", arguments, sentence, output);
}

static void test_errors(void **state)
{
    (void)state;
    write_file("broken.json", "{\"gpu\": ");
    write_file("other.json", "{\"gpu\": 1}");
    write_file("newer.json",
               "{\"format\": \"warpbeam-report-9\", \"gpu\": \"g\", \"config\": {}, \"kernels\": [{}]}");
    write_file("empty.json", "{\"gpu\": \"g\", \"config\": {}, \"kernels\": []}");
    mkdir(strcat(strcpy(output, folder), "/nothing"), 0777);
    expect_error("", 2, "needs statistics files");
    expect_error("--ot page.html one.json", 2, "did you mean --out?");
    expect_error("one.json --megabytes 0", 2, "from 1 to 1000");
    expect_error("missing.json", 1, "missing.json");
    expect_error("broken.json", 1, "broken.json is no JSON: line ");
    expect_error("other.json", 1, "--stats FILE.json");
    expect_error("newer.json", 1, "warpbeam-report-9");
    expect_error("empty.json", 1, "no kernel that ran in cycle mode");
    expect_error("nothing", 1, "no claims.csv");
    write_file("one.json", RUN);
    expect_error("one.json -o missing/page.html", 1, "missing/page.html");
}

static int set_up(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/warpbeam-page-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_runs),          cmocka_unit_test(test_papers), cmocka_unit_test(test_large),
        cmocka_unit_test(test_many_launches), cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
