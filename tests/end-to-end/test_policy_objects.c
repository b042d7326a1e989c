/* Policies in shared objects: what cannot be one is refused with one sentence, by wb_load_policy() and by the
 * commands; one that can is used, listed, reported and compared like any other. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "api/check_policies.h"
#include "grid/policy_object.h"
#include "policy_version.h"
#include "shell.h"
#include "warpbeam.h"

static char folder[] = "/tmp/warpbeam-policies-XXXXXX", output[1 << 17];

/* Runs it in the folder, with $w as the program and $p as the folder of the examples' objects. */
static int run(const char *command)
{
    char line[4096];
    const char *build = shell_build_folder();
    snprintf(line, sizeof line, "cd %s && w='%s/bin/warpbeam' && p='%s/policies' && { %s; } 2>&1", folder,
             build, build, command);
    return shell_run(line, output, sizeof output);
}

static void must_run(const char *command)
{
    if (run(command) != 0)
        fail_msg("%s\n%s", command, output);
}

static void must_say(const char *part)
{
    if (!strstr(output, part))
        fail_msg("'%s' is missing in:\n%s", part, output);
}

static void write_file(const char *name, const char *text) { shell_write(folder, name, text); }

/* One sentence that has the part. */
static void refused(const char *object, const char *part)
{
    char path[512], error[2048];
    snprintf(path, sizeof path, *object == '/' ? "%s%s" : "%s/%s", *object == '/' ? "" : folder, object);
    if (wb_load_policy(path, error, sizeof error) == WB_OK)
        fail_msg("%s is loaded", object);
    if (!strstr(error, part) || error[strlen(error) - 1] != '.' || strchr(error, '\n'))
        fail_msg("'%s' is missing in: %s", part, error);
}

/* -- sources that make objects which are refused -- */

#define ABOUT(name) ".about = {.name = \"" name "\", .description = \"none\", .source = \"none\"}"
#define PICK "static uint32_t pick(SchedulerView *view) { return warps_first(view->ready); }\n"
#define SCHED(file, fields)                                                                                  \
    "#include \"sm/sched/sched.h\"\n" PICK "extern const WarpScheduler sched_" file ";\n"                    \
    "const WarpScheduler sched_" file " = {" fields "};\n"
#define BLOCK(structure, constant)                                                                           \
    "#include \"grid/policy.h\"\nextern const " structure " " constant ";\n"                                 \
    "const " structure " " constant " = {.base = {" ABOUT("outer") "}};\n"

static const struct {
    const char *file, *source, *table, *sentence;
} wrong[] = {
    {"taken", SCHED("taken", ABOUT("gto") ", .pick = pick"), NULL,
     "has the name of one that warp_scheduler knows already"},
    {"nameless", SCHED("nameless", ".pick = pick"), NULL, ".about needs a name, a description and a source."},
    {"strange", SCHED("other", ABOUT("outer") ", .pick = pick"), NULL,
     "has no constant named after its source strange.c: sched_strange, source_strange"},
    {"no_pick", SCHED("no_pick", ABOUT("outer")) "void *unused = pick;\n", NULL,
     "has no function pick, which every WarpScheduler needs."},
    {"no_source", BLOCK("BlockSource", "source_no_source"), NULL,
     "has no function next, which every BlockSource needs."},
    {"no_admit", BLOCK("BlockAdmit", "admit_no_admit"), NULL,
     "has no function may, which every BlockAdmit needs."},
    {"no_place", BLOCK("BlockPlace", "place_no_place"), NULL,
     "has no function choose, which every BlockPlace needs."},
    {"no_order",
     "#include \"grid/graph_order.h\"\nextern const GraphOrder order_no_order;\n"
     "const GraphOrder order_no_order = {" ABOUT("outer") "};\n",
     NULL, "has no function next, which every GraphOrder needs."},
    {"foreign", SCHED("foreign", ABOUT("outer") ", .pick = pick"),
     "KNOB_INTEGER(other_size, 1, 1, 2, \"\", \"none\")\n", "The knob other_size of the policy"},
};

static void what_is_no_policy_is_refused(void **state)
{
    (void)state;
    must_run("echo text > text.so && cc -shared -x c /dev/null -o empty.so && mkdir folder.so");
    refused("nowhere.so", "There is no policy");
    refused("text.so", "cannot be loaded as a shared object: ");
    refused("folder.so", "cannot be loaded as a shared object: ");
    refused("empty.so", "lacks the symbol warpbeam_policy");
    assert_int_equal(wb_load_policy(NULL, output, sizeof output), WB_ERROR_ARGUMENT);
    assert_int_equal(wb_load_policy("/nowhere.so", NULL, 0), WB_ERROR_NOT_FOUND);
}

static void what_lacks_something_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char name[64], command[128];
        snprintf(name, sizeof name, "%s.c", wrong[i].file);
        write_file(name, wrong[i].source);
        snprintf(name, sizeof name, "%s.def", wrong[i].file);
        if (wrong[i].table)
            write_file(name, wrong[i].table);
        snprintf(command, sizeof command, "\"$w\" policy build %s.c", wrong[i].file);
        must_run(command);
        snprintf(name, sizeof name, "%s.so", wrong[i].file);
        refused(name, wrong[i].sentence);
    }
}

/* -- versions -- */

/* A copy of the example whose bytes at `offset` of its PolicyObject are others. */
static void write_changed(const char *name, size_t offset, const char *bytes, size_t count)
{
    char path[512];
    static char object[1 << 17];
    snprintf(path, sizeof path, "%s/policies/youngest.so", shell_build_folder());
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t size = fread(object, 1, sizeof object, file);
    fclose(file);
    assert_true(size > 0 && size < sizeof object);
    char *layout = memmem(object, size, POLICY_LAYOUT, strlen(POLICY_LAYOUT));
    assert_non_null(layout);
    memcpy(layout - offsetof(PolicyObject, layout) + offset, bytes, count);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(object, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void other_versions_are_refused(void **state)
{
    (void)state;
    char sentence[128];
    snprintf(
        sentence, sizeof sentence,
        "was compiled for version 1-0123456789abcdef of the simulator, and this is %d-%s; compile it anew",
        POLICY_INTERFACE, POLICY_LAYOUT);
    write_changed("layout.so", offsetof(PolicyObject, layout), "0123456789abcdef", 16);
    refused("layout.so", sentence);
    write_changed("number.so", offsetof(PolicyObject, interface), "\x07\0\0\0", 4);
    refused("number.so", "was compiled for version 7-");
    write_changed("sizes.so", offsetof(PolicyObject, sizes), "\1\1\1\1\1\1\1\1", 8);
    refused("sizes.so", "was compiled with headers that have changed");
    write_changed("letters.so", offsetof(PolicyObject, layout), "\1\2\3", 3);
    refused("letters.so", "was compiled for version 1-unknown of the simulator");
}

/* -- what is loaded -- */

static void load_example(const char *name)
{
    char path[512], error[2048];
    snprintf(path, sizeof path, "%s/policies/%s.so", shell_build_folder(), name);
    if (wb_load_policy(path, error, sizeof error) != WB_OK)
        fail_msg("%s", error);
}

/* What comes later finds it in the lists. */
static void a_policy_is_loaded_once_and_before_gpus(void **state)
{
    (void)state;
    WbGpu *gpu;
    uint64_t size = 0;
    const size_t known = config_knobs.count;
    load_example("active_set");
    load_example("active_set");
    assert_int_equal(config_knobs.count, known + 1);
    assert_int_equal(wb_gpu_open("gtx480", &gpu, NULL, 0), WB_OK);
    load_example("active_set");
    char path[512];
    snprintf(path, sizeof path, "%s/policies/throttle.so", shell_build_folder());
    refused(path, "cannot be loaded while a GPU is open");
    assert_int_equal(wb_gpu_get(gpu, "active_set_size", &size), WB_OK);
    assert_int_equal(size, 8);
    assert_int_equal(wb_gpu_set(gpu, "warp_scheduler", "active-set"), WB_OK);
    assert_int_equal(wb_gpu_set(gpu, "active_set_size", "25"), WB_OK);
    assert_int_equal(gpu_check_policies(gpu), WB_ERROR_ARGUMENT);
    assert_non_null(strstr(wb_error(gpu), "active_set_size (25) is more than the 24 warps"));
    WbStat stat;
    assert_int_equal(wb_stat_find(gpu, "sched_active_set.entered", &stat), WB_OK);
    wb_gpu_close(gpu);
}

/* A second object with the knob of the first, one at its place, and one with its policy's name. */
static void knobs_and_places_are_had_once(void **state)
{
    (void)state;
    char command[512];
    load_example("active_set");
    snprintf(command, sizeof command,
             "cp %s/examples/sm/sched/active_set.c %s/examples/sm/sched/active_set.def . &&"
             "\"$w\" policy build active_set.c --place 3 -o twice.so",
             SOURCE_DIRECTORY, SOURCE_DIRECTORY);
    must_run(command);
    refused("twice.so", "has the name of one that warp_scheduler knows already");
    must_run("sed s/active-set/other-set/ active_set.c > other && mv other active_set.c &&"
             "\"$w\" policy build active_set.c --place 3 -o knob.so");
    refused("knob.so", "has a knob active_set_size, which exists already");
    must_run(
        "\"$w\" policy build active_set.c --print | grep -o 'PLACE=[0-9]*' | grep -o '[0-9]*$' > place &&"
        "sed 's/active_set/other_set/g' active_set.c > other_set.c &&"
        "sed 's/active_set/other_set/g' active_set.def > other_set.def &&"
        "\"$w\" policy build other_set.c --place $(cat place)");
    refused("other_set.so", "The knob other_set_size of");
}

/* A policy that says what it reads, of knobs of all kinds. */
static void knobs_of_all_kinds_are_read(void **state)
{
    (void)state;
    WbGpu *gpu;
    char error[2048], path[512];
    write_file("reader.def",
               "KNOB_BOOLEAN(reader_flag, false, \"none\")\n"
               "KNOB_INTEGER(reader_size, 5, 1, 9, \"\", \"none\")\n"
               "KNOB_STRING(reader_text, \"first\", \"none\")\n"
               "KNOB_ENUMERATION(reader_choice, \"b\", CHOICES(\"a\", \"b\", \"c\"), \"none\")\n"
               "KNOB_POWER(reader_power, 4, 1, 64, \"\", \"none\")\n");
    write_file(
        "reader.c",
        "#include <inttypes.h>\n#include \"sm/sched/sched.h\"\n" PICK
        "static WbStatus check(const GpuConfig *config, Error *error)\n{\n"
        "    return error_set(error, WB_ERROR_ARGUMENT, \"%d %\" PRIu64 \" %s %u %\" PRIu64 \" %\" PRIu64,\n"
        "                     config->reader_flag, config->reader_size, config->reader_text,\n"
        "                     config->reader_choice, config->reader_power, config->sm_count);\n}\n"
        "extern const WarpScheduler sched_reader;\n"
        "const WarpScheduler sched_reader = {" ABOUT("reader") ", .check = check, .pick = pick};\n");
    must_run("\"$w\" policy build reader.c");
    snprintf(path, sizeof path, "%s/reader.so", folder);
    if (wb_load_policy(path, error, sizeof error) || wb_gpu_open("gtx480", &gpu, error, sizeof error))
        fail_msg("%s", error);
    assert_int_equal(wb_gpu_set(gpu, "reader_choice", "c") | wb_gpu_set(gpu, "reader_text", "second"), WB_OK);
    assert_int_equal(wb_gpu_set(gpu, "reader_flag", "yes") | wb_gpu_set(gpu, "reader_power", "8"), WB_OK);
    assert_int_equal(wb_gpu_set(gpu, "warp_scheduler", "reader"), WB_OK);
    assert_int_equal(gpu_check_policies(gpu), WB_ERROR_ARGUMENT);
    assert_string_equal(wb_error(gpu), "1 5 second 2 8 15");
    wb_gpu_close(gpu);
}

/* -- commands -- */

static void commands_take_policies(void **state)
{
    (void)state;
    must_run("\"$w\" list policies --policy \"$p/active_set.so\" active-set");
    must_say("Gebhart");
    must_run("\"$w\" list knobs throttle_high --policy \"$p/active_set.so\" --policy \"$p/throttle.so\"");
    must_say("throttle_high: 1 to 100");
    must_run("\"$w\" config gtx480 --policy \"$p/stripes.so\"");
    must_say("stripes_width: 4");
    must_run("WARPBEAM_POLICY=\"$p/stripes.so;$p/neighbours.so\" \"$w\" config gtx480");
    must_say("neighbours_count: 2");
    assert_int_equal(run("\"$w\" config gtx480 --policy nowhere.so"), 1);
    must_say("warpbeam: There is no policy 'nowhere.so'");
    assert_int_equal(run("\"$w\" run claso/bs --policy nowhere.so"), 1);
    must_say("warpbeam: There is no policy 'nowhere.so'");
    assert_int_equal(run("\"$w\" paper wireframe --policy nowhere.so"), 1);
    must_say("warpbeam: There is no policy 'nowhere.so'");
    assert_int_equal(run("\"$w\" run claso/bs --set warp_scheduler=active-set"), 2);
    must_say("which does not exist");
}

/* Whether knobs contradict each other is asked when all are set: their order makes no difference. */
static void knobs_are_checked_together(void **state)
{
    (void)state;
    must_run("\"$w\" run demo/saxpy --gpu gtx480 --set block_admit=dyncta --set dyncta_interval=64 "
             "--set dyncta_memory_high=32 --set dyncta_memory_low=8 > /dev/null");
    assert_int_equal(run("\"$w\" run demo/saxpy --set dyncta_memory_low=500 --set block_admit=dyncta"), 2);
    must_say("dyncta_memory_low (500) is more than dyncta_memory_high (384)");
}

/* Of any kind of run, and what differs is found by its name. */
static void runs_are_compared(void **state)
{
    (void)state;
    must_run("run() { \"$w\" run claso/fwt --size tiny --gpu gtx480 --set sm_count=2 \"$@\" > /dev/null; };"
             "run --stats gto.json && run --stats set.json --policy \"$p/active_set.so\" "
             "--set warp_scheduler=active-set --set active_set_size=2 && \"$w\" compare gto.json set.json");
    must_say("warp_scheduler");
    must_say("active_set_size");
    must_say("sched_active_set.entered");
}

/* Every run of a study has it, in a process of its own. */
static void papers_run_with_a_policy(void **state)
{
    (void)state;
    must_run("\"$w\" paper wireframe --size tiny --only dtw --out study --policy \"$p/most_children.so\" "
             "--set graph_order=most-children --set graph_order_forced=true > /dev/null");
    must_run("cat study/runs/dtw-LVL.json");
    must_say("\"graph_order\": \"most-children\"");
    must_say("\"order_most_children\": {");
}

static void what_cannot_be_built_is_told(void **state)
{
    (void)state;
    write_file("broken.c", "#include \"sm/sched/sched.h\"\nint broken(\n");
    write_file("a-b.c", "");
    assert_int_equal(run("\"$w\" policy build broken.c"), 1);
    must_say("warpbeam: broken.c could not be compiled.");
    assert_int_equal(run("\"$w\" policy build nowhere.c"), 1);
    must_say("nowhere.c cannot be read");
    assert_int_equal(run("\"$w\" policy build a-b.c"), 1);
    must_say("only letters, digits and _");
    assert_int_equal(run("\"$w\" policy build broken.o"), 2);
    must_say("needs a source FILE.c");
    assert_int_equal(run("\"$w\" policy build broken.c --place 512"), 2);
    must_say("--place takes 0 to 511");
    assert_int_equal(run("\"$w\" policy make broken.c"), 2);
    assert_int_equal(run("CC=/nowhere/cc \"$w\" policy build broken.c"), 1);
    must_say("the compiler /nowhere/cc cannot be started");
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return shell_run(command, output, sizeof output);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_no_policy_is_refused),
        cmocka_unit_test(what_lacks_something_is_refused),
        cmocka_unit_test(other_versions_are_refused),
        cmocka_unit_test(a_policy_is_loaded_once_and_before_gpus),
        cmocka_unit_test(knobs_and_places_are_had_once),
        cmocka_unit_test(knobs_of_all_kinds_are_read),
        cmocka_unit_test(commands_take_policies),
        cmocka_unit_test(knobs_are_checked_together),
        cmocka_unit_test(runs_are_compared),
        cmocka_unit_test(papers_run_with_a_policy),
        cmocka_unit_test(what_cannot_be_built_is_told),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
