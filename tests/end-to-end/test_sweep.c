/* `warpbeam sweep`: which runs a study has, that each ends exactly once whoever is killed, what is shown of
 * them, and the sentences of its errors. bench/sweep.sh does the same with a thousand runs. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdbool.h>
#include <cmocka.h>

#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/digest.h"
#include "shell.h"
#include "sweep/queue.h"
#include "sweep/study.h"

static char folder[64], output[1 << 16];

/* Runs `warpbeam sweep` in the folder; returns its exit status. */
static int sweep(const char *arguments)
{
    char command[2048];
    snprintf(command, sizeof command, "cd '%s' && '%s/bin/warpbeam' sweep %s 2>&1", folder,
             shell_build_folder(), arguments);
    return shell_run(command, output, sizeof output);
}

static void expect(const char *arguments, int status, const char *part)
{
    const int got = sweep(arguments);
    if (got != status || !strstr(output, part))
        fail_msg("warpbeam sweep %s ends with %d, not %d, and '%s':\n%s", arguments, got, status, part,
                 output);
}

static char *read_file(const char *name)
{
    char path[128], *text = NULL;
    size_t size = 0;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_true(getdelim(&text, &size, '\0', file) > 0);
    fclose(file);
    return text;
}

/* -- files -- */

static void test_bad_studies(void **state)
{
    (void)state;
    static const struct {
        const char *study, *sentence;
    } cases[] = {
        {"workloads: demo/saxpy\nknobs:\n  sm_cuont: 4\n",
         "bad.yaml:3: the GPU configuration has no knob 'sm_cuont'; did you mean sm_count?"},
        {"workloads: demo/saxpy\nknobs:\n  sm_count:\n    - 4\n    - 0\n",
         "bad.yaml:5: '0' is no value of sm_count"},
        {"workloads: demo/saxpy\nvariants:\n  a:\n    sm_cont: 4\n",
         "bad.yaml:4: the GPU configuration has no knob 'sm_cont'"},
        {"workloads:\n  - name: demo/saxpy\n    knobs: {sm_cnt: 4}\n",
         "bad.yaml:3: the GPU configuration has no knob"},
        {"workloads: demo/saxpy\nknobs: {threads: 4}\n", "bad.yaml:2: 'threads' changes no result"},
        {"gpus: [gtx480, gtx48]\nworkloads: demo/saxpy\n",
         "bad.yaml:1: There is no GPU configuration 'gtx48'; did you mean gtx480?"},
        {"gpus: gtx480\nworkloads:\n  - demo/saxpi\n",
         "bad.yaml:3: there is no workload 'demo/saxpi'; did you mean demo/saxpy?"},
        {"workloads:\n  - name: sync/sor\n    modes: wss\n", "bad.yaml:3: sync/sor has no mode 'wss'"},
        {"sizes: [tiny, smal]\nworkloads: sync/sor\n",
         "bad.yaml:1: no workload of this study has the size 'smal'"},
        {"workload: demo/saxpy\n", "bad.yaml:1: a study has no 'workload'; did you mean workloads?"},
        {"workloads:\n  - name: demo/saxpy\n    sices: tiny\n",
         "bad.yaml:3: a workload has no 'sices'; did you mean sizes?"},
        {"workloads: demo/saxpy\nworkloads: demo/sum\n", "bad.yaml:2: 'workloads' is given twice."},
        {"gpus: h200\n", "a study names 'workloads' or 'programs'; this has neither."},
        {"workloads: [demo/saxpy\n", "bad.yaml:2: this is not YAML"},
        {"programs: ./none\n", "bad.yaml:1: there is no program './none' that can be executed."},
        {"programs:\n  - program: /bin/sh\n    arguments: '{m}'\n    parameters: {n: 2}\n",
         "bad.yaml:3: there is no parameter 'm'"},
        {"programs:\n  - program: /bin/sh\n    parameters: {n: 2}\n",
         "bad.yaml:3: no argument has {n} in it."},
        {"programs:\n  - program: /bin/sh\n    inputs: none.bin\n", "bad.yaml:3: The input "},
        {"workloads: demo/saxpy\nknobs:\n  sm_count: {from: 5, to: 1}\n", "bad.yaml:3: this range is empty"},
        {"workloads: demo/saxpy\nexcept:\n  - warp: 1\n",
         "bad.yaml:3: the runs of this study do not differ in 'warp'"},
        {"gpus: gtx480\nworkloads: demo/saxpy\nknobs:\n  max_threads_per_block: 4096\n",
         "bad.yaml:4: {gpu: gtx480, max_threads_per_block: 4096} cannot be: "},
        {"workloads: multi/meet\ngpu_counts: [2, 33]\n", "bad.yaml:2: a system has 1 to 32 GPUs, not '33'."},
        {"workloads:\n  - name: demo/saxpy\n    gpu_counts: [1, 2]\n",
         "bad.yaml:3: demo/saxpy runs on at most 1 GPU, not on 2."},
        {"workloads: demo/saxpy\ngpu_counts: [2, 4]\n",
         "bad.yaml:2: demo/saxpy has no gpu_count of this list; give it one of its own."},
        {"workloads: demo/saxpy\npolicies: none.so\n", "bad.yaml:2: There is no policy './none.so'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        shell_write(folder, "bad.yaml", cases[i].study);
        expect("bad.yaml", 1, cases[i].sentence);
    }
    expect("none.yaml", 1, "The study none.yaml cannot be read");
    expect("none.sqlite --table", 1, "cannot be opened");
    shell_write(folder, "good.yaml", "gpus: gtx480\nworkloads: demo/saxpy\n");
    expect("good.yaml --database none/good.sqlite", 1, "--database FILE puts it elsewhere.");
    shell_write(folder, "text.sqlite", "This is a text of more than a few letters.\n");
    expect("text.sqlite --table", 1, "this is no file of a sweep");
    expect("text.sqlite", 2, "is no study");
}

/* -- runs -- */

/* 2 x (2 + 1) runs but one, of which none was there; `b` has two of them and one more. */
static void test_study(void **state)
{
    (void)state;
    shell_write(folder, "a.yaml",
                "gpus: gtx480\nfunctional: true\nsizes: tiny\n"
                "variants:\n  plain:\n  large: {sm_count: 4, l1_bytes: 32KiB}\n"
                "workloads:\n  - name: sync/stencil2d\n    modes: [rekl, gsync]\n"
                "  - {name: demo/saxpy, sizes: small}\n"
                "except:\n  - {what: sync/stencil2d, mode: gsync, variant: [large, other]}\n");
    expect("a.yaml --plan", 0, "5 runs, of which 0 have been done.");
    expect("a.yaml", 0, "a: 5 runs done, 0 failed; 0 of them had been done before.");
    expect("a.yaml", 0, "a: 5 runs done, 0 failed; 5 of them had been done before.");
    shell_write(folder, "b.yaml",
                "gpus: gtx480\nfunctional: true\nworkloads: demo/saxpy\n"
                "knobs: {l1_bytes: [16KiB, 32768], sm_count: 4}\n");
    expect("b.yaml --database a.sqlite", 0, "b: 2 runs done, 0 failed; 1 of them had been done before.");
    assert_int_equal(sweep("a.yaml --table --csv --columns what,mode,variant,sm_count,status,ends,attempts"),
                     0);
    assert_string_equal(output, "what,mode,variant,sm_count,status,ends,attempts\n"
                                "sync/stencil2d,rekl,plain,15,done,1,1\n"
                                "sync/stencil2d,rekl,large,4,done,1,1\n"
                                "sync/stencil2d,gsync,plain,15,done,1,1\n"
                                "demo/saxpy,,plain,15,done,1,1\n"
                                "demo/saxpy,,large,4,done,1,1\n");
    assert_int_equal(sweep("a.sqlite --study b --csv --columns l1_bytes,knob.mode,statistic.launches --sort "
                           "-l1_bytes --where sm_count=4 --where 'l1_bytes<=32KiB' --where 'what~demo/*'"),
                     0);
    assert_string_equal(output,
                        "l1_bytes,knob.mode,statistic.launches\n32768,functional,1\n16384,functional,1\n");
    expect("a.yaml --table", 0, "what            mode   size   variant  status ");
    expect("a.yaml --columns statuss", 1, "'statuss'; did you mean status?");
    expect("a.yaml --table --where status", 1, "--where needs NAME=VALUE");
    expect("a.sqlite --table --study c", 1, "has no study 'c'; choose from a, b.");
}

/* A paper's tables are the same, whether its runs are kept or not; kept ones are not run again. */
static void test_paper(void **state)
{
    (void)state;
    static char alone[1 << 16];
    static const char head[] = "16 of 16 runs are in p.sqlite already.\n";
    char command[1024];
    const char *program = shell_build_folder();
    const char *format = "cd '%s' && '%s/bin/warpbeam' paper dtbl --size tiny --only amr %s 2>&1";
    snprintf(command, sizeof command, format, folder, program, "");
    assert_int_equal(shell_run(command, alone, sizeof alone), 0);
    char *tables = strstr(alone, "done: amr\n");
    assert_non_null(tables);
    tables += strlen("done: amr\n");
    snprintf(command, sizeof command, format, folder, program, "--database p.sqlite");
    assert_int_equal(shell_run(command, output, sizeof output), 0);
    assert_string_equal(output, tables);
    assert_int_equal(shell_run(command, output, sizeof output), 0);
    assert_memory_equal(output, head, strlen(head));
    assert_string_equal(output + strlen(head), tables);
    assert_int_equal(sweep("p.sqlite --csv --columns study,what,mode,status,ends"), 0);
    assert_non_null(strstr(output, "\"paper dtbl, tiny\",dtbl/amr,"));
    snprintf(command, sizeof command, format, folder, program, "--one amr/none --stats x.json");
    assert_int_equal(shell_run(command, output, sizeof output), 1);
    assert_non_null(strstr(output, "the paper has no run 'amr/none'"));
}

/* Examples are right, and say how many runs they have. */
static void test_examples(void **state)
{
    (void)state;
    expect(SOURCE_DIRECTORY "/examples/studies/l2.yaml --database a.sqlite --plan", 0, "16 runs,");
    expect(SOURCE_DIRECTORY "/examples/studies/waits.yaml --database a.sqlite --plan", 0, "71 runs,");
}

/* What a program makes of itself: no CUDA call, a status, a signal. It has its arguments. */
static void test_failures(void **state)
{
    (void)state;
    char command[256];
    shell_write(folder, "program", "#!/bin/sh\necho said $1 >&2\n[ $1 = 5 ] || kill -$1 $$\nexit $1\n");
    snprintf(command, sizeof command, "chmod +x '%s/program'", folder);
    assert_int_equal(shell_run(command, output, sizeof output), 0);
    shell_write(folder, "c.yaml",
                "gpus: gtx480\nprograms:\n  - program: ./program\n    arguments: '{n}'\n    parameters: {n: "
                "[5, 6]}\n");
    expect("c.yaml", 1, "c: 0 runs done, 2 failed; 0 of them had been done before.");
    assert_int_equal(sweep("c.yaml --csv --columns n,status,error"), 0);
    assert_non_null(strstr(output, "5,failed,"));
#ifndef __SANITIZE_ADDRESS__ /* whose stand-ins for CUDA do not let a shell begin */
    assert_non_null(strstr(output, "/program was ended by signal 6"));
#endif
    expect("c.yaml", 1, "2 of them had been done before");
    expect("c.yaml --retry", 1, "c: 0 runs done, 2 failed;");
}

/* -- kills -- */

enum { KILLED_RUNS = 30, MOST_KILLS = 14 };

static pid_t start_sweep(void)
{
    char program[512];
    snprintf(program, sizeof program, "%s/bin/warpbeam", shell_build_folder());
    const pid_t process = fork();
    if (process == 0) {
        if (chdir(folder) == 0 && freopen("kills.log", "a", stderr))
            execl(program, "warpbeam", "sweep", "kills.yaml", "--processes", "3", (char *)NULL);
        _exit(99);
    }
    assert_true(process > 0);
    return process;
}

/* A child of the process, by chance; 0: it has none. */
static pid_t some_child(pid_t process)
{
    char path[64];
    pid_t children[64];
    int count = 0;
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", process, process);
    FILE *file = fopen(path, "r");
    while (file && count < 64 && fscanf(file, "%d", &children[count]) == 1)
        count++;
    if (file)
        fclose(file);
    return count ? children[rand() % count] : 0;
}

static bool has_ended(pid_t process, int *status) { return waitpid(process, status, WNOHANG) == process; }

/* Kills a worker, a run or the sweep itself; false: the sweep has ended. */
static bool kill_one(pid_t process, int number, int *status)
{
    usleep(20 * 1000 + (useconds_t)(rand() % 60) * 1000);
    if (has_ended(process, status))
        return false;
    const pid_t worker = some_child(process), run = worker ? some_child(worker) : 0;
    const pid_t victim = number % 6 == 5 ? process : number % 2 && run ? run : worker;
    if (victim)
        kill(victim, number == 2 ? SIGINT : SIGKILL); /* Ctrl-C is no harm either */
    return true;
}

static void test_kills(void **state)
{
    (void)state;
    char study[256];
    int kills = 0, status = -1;
    snprintf(study, sizeof study,
             "gpus: gtx480\nfunctional: true\nworkloads: demo/saxpy\nknobs:\n  seed: {from: 1, to: %d}\n",
             KILLED_RUNS);
    shell_write(folder, "kills.yaml", study);
    srand(1);
    for (int starts = 0; starts < 20 && !(WIFEXITED(status) && WEXITSTATUS(status) == 0); starts++) {
        const pid_t process = start_sweep();
        bool lives = true;
        while (lives && kills < MOST_KILLS)
            lives = kill_one(process, kills++, &status);
        if (lives)
            assert_int_equal(waitpid(process, &status, 0), process);
    }
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_int_equal(sweep("kills.yaml --csv --columns seed,status,ends"), 0);
    for (int seed = 1; seed <= KILLED_RUNS; seed++) {
        char line[32];
        snprintf(line, sizeof line, "\n%d,done,1\n", seed);
        if (!strstr(output, line))
            fail_msg("run %d did not end exactly once:\n%s", seed, output);
    }
}

/* A run that is lost again and again has failed in the end, and only then. */
static void test_attempts(void **state)
{
    (void)state;
    char path[128];
    Error error = {0};
    Store store;
    Presence presence = {.file = -1};
    Task task;
    snprintf(path, sizeof path, "%s/attempts.sqlite", folder);
    assert_true(store_open(path, true, &store, &error));
    assert_true(presence_open(&store, &presence, &error));
    assert_true(
        store_do(&store,
                 "INSERT INTO configuration VALUES (1, 'd', '{}'); INSERT INTO study VALUES (1, 's', '', "
                 "'', '[]'); INSERT INTO run (hash, binary, kind, what, gpu, arguments, command, folder, "
                 "configuration) VALUES ('h', 'b', 'workload', 'w', 'g', '[]', '[]', '.', 1);"
                 "INSERT INTO member VALUES (1, 0, 1, '{}')",
                 &error));
    assert_false(queue_take(&store, 1, "other", 7, &task, &error)); /* another binary's */
    for (int i = 0; i < QUEUE_ATTEMPTS; i++) {
        assert_int_equal(queue_state(&store, 1, &error).waiting, 1);
        assert_true(queue_take(&store, 1, "b", i + 2, &task, &error));
        assert_int_equal(task.run, 1);
        task_free(&task);
        assert_false(queue_take(&store, 1, "b", 1, &task, &error)); /* it has been taken */
        queue_put_back(&store, i + 2, 1, &error);
        assert_true(queue_take(&store, 1, "b", i + 2, &task, &error));
        task_free(&task);
        assert_int_equal(queue_release(&store, &presence, &error), 1);     /* nobody is worker i + 2 */
        queue_end(&store, i + 2, 1, &(TaskEnd){.is_right = true}, &error); /* too late */
    }
    const QueueState end = queue_state(&store, 1, &error);
    assert_int_equal(end.failed, 1);
    assert_int_equal(end.waiting + end.running + end.done, 0);
    assert_int_equal(store_number(&store, "SELECT ends FROM run", -1, 0, &error), 1);
    queue_retry(&store, 1, &error);
    assert_true(presence_begin(&store, &presence, &error));
    assert_true(queue_take(&store, 1, "b", presence.worker, &task, &error));
    task_free(&task);
    assert_int_equal(queue_release(&store, &presence, &error), 0); /* this one lives */
    queue_end(&store, presence.worker, 1, &(TaskEnd){.is_right = true}, &error);
    assert_int_equal(queue_state(&store, 1, &error).done, 1);
    assert_int_equal(error.status, WB_OK);
    presence_close(&presence);
    store_close(&store);
}

/* -- what is shown -- */

static void test_export(void **state)
{
    (void)state;
    expect("a.yaml --export all.csv", 0, "all.csv has 5 runs in ");
    char *csv = read_file("all.csv"), *schema = read_file("all.schema.json");
    json_t *described = json_loads(schema, 0, NULL);
    const json_t *fields = json_object_get(described, "fields");
    size_t columns = 1;
    for (const char *at = csv; *at != '\n'; at++)
        columns += *at == ',';
    assert_int_equal(json_array_size(fields), columns);
    bool found = false;
    for (size_t i = 0; i < columns; i++) {
        const json_t *field = json_array_get(fields, i);
        const char *name = json_string_value(json_object_get(field, "name"));
        if (strcmp(name, "warp_instructions") == 0) {
            found = true;
            assert_string_equal(json_string_value(json_object_get(field, "type")), "integer");
        }
    }
    assert_true(found);
    json_decref(described);
    free(schema);
    free(csv);
}

static void test_plot(void **state)
{
    (void)state;
    static const char opening[] = "id=\"data\">";
    expect("a.yaml --plot page.html --kind bars --x variant --y warp_instructions --by what", 0,
           "page.html is written");
    char *page = read_file("page.html");
    const char *data = strstr(page, opening) + strlen(opening);
    json_t *shown = json_loadb(data, (size_t)(strstr(data, "</script") - data), 0, NULL);
    const json_t *study = json_array_get(json_object_get(shown, "studies"), 0), *columns;
    assert_string_equal(json_string_value(json_object_get(study, "name")), "a");
    assert_string_equal(json_string_value(json_object_get(json_object_get(study, "first"), "x")), "variant");
    assert_true(json_array_size(columns = json_object_get(study, "columns")) > 10);
    assert_int_equal(json_array_size(json_object_get(json_array_get(columns, 0), "values")), 5);
    json_decref(shown);
    free(page);
    expect("a.yaml --plot page.html --kind lins", 1, "there is no chart 'lins'; did you mean lines?");
    expect("a.yaml --plot page.html --x l2_bytes", 1,
           "--x: 'l2_bytes' is no name of --table, or the same in all runs.");
}

static void test_digest(void **state)
{
    (void)state;
    char text[DIGEST_TEXT_SIZE];
    Digest digest = digest_begin();
    digest_add(&digest, "abc", 3);
    digest_end(&digest, text);
    assert_string_equal(text, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    digest = digest_begin();
    for (int i = 0; i < 1000000; i++)
        digest_add(&digest, "a", 1);
    digest_end(&digest, text);
    assert_string_equal(text, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

/* -- several GPUs, and ratios -- */

/* A workload takes the systems that it can run on; one GPU is what is run without a system, too. */
static void test_systems(void **state)
{
    (void)state;
    shell_write(folder, "systems.yaml",
                "gpus: gtx480\ngpu_counts: {from: 1, to: 4, times: 2}\nsizes: tiny\n"
                "workloads:\n  - {name: multi/meet, modes: push}\n  - {name: demo/sum, sizes: small}\n"
                "except:\n  - {gpu_count: 4}\n");
    expect("systems.yaml", 0, "systems: 3 runs done, 0 failed; 0 of them had been done before.");
    shell_write(folder, "one.yaml", "gpus: gtx480\nworkloads: demo/sum\n");
    expect("one.yaml --database systems.sqlite", 0, "one: 1 runs done, 0 failed; 1 of them had been done before.");
    assert_int_equal(sweep("systems.yaml --csv --columns what,gpu_count,launches --where 'ipc>0'"), 0);
    assert_string_equal(output, "what,gpu_count,launches\nmulti/meet,1,1\nmulti/meet,2,2\ndemo/sum,1,1\n");
    assert_int_equal(sweep("one.yaml --database systems.sqlite --csv --columns warp_instructions,cycles,ipc"), 0);
    double instructions, cycles, ipc;
    assert_int_equal(sscanf(strchr(output, '\n'), "%lf,%lf,%lf", &instructions, &cycles, &ipc), 3);
    assert_true(ipc > instructions / cycles - 1e-5 && ipc < instructions / cycles + 1e-5);
}

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/warpbeam-sweep-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return shell_run(command, output, sizeof output);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_digest),   cmocka_unit_test(test_bad_studies), cmocka_unit_test(test_study),
        cmocka_unit_test(test_failures), cmocka_unit_test(test_kills),       cmocka_unit_test(test_attempts),
        cmocka_unit_test(test_export),   cmocka_unit_test(test_plot),        cmocka_unit_test(test_examples),
        cmocka_unit_test(test_paper),    cmocka_unit_test(test_systems),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
