/* Completion of command lines, by the shells themselves. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "shell.h"

#define PTX SOURCE_DIRECTORY "/workloads/demo/demo.ptx"

static char output[1 << 16];

/* Runs a script with the program that was built beside this one before all others. */
static int run_script(const char *script)
{
    char command[4096];
    snprintf(command, sizeof command, "PATH='%s/bin':\"$PATH\"; export PATH; %s", shell_build_folder(),
             script);
    return shell_run(command, output, sizeof output);
}

/* Completes the last of the words as bash has cut them. */
#define COMPLETE(words)                                                                                      \
    "bash -c 'eval \"$(warpbeam completion bash)\"; COMP_WORDS=(" words "); "                                \
    "COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _warpbeam; echo \" ${COMPREPLY[*]} \"' 2>&1"

static void test_bash(void **state)
{
    static const struct {
        const char *script, *expected; /* null: nothing is offered */
        const char *unexpected;        /* null: anything else may be */
    } cases[] = {
        {COMPLETE("warpbeam ru"), " run ", "list"},
        {COMPLETE("warpbeam run --gpu h2"), " h200 ", "gtx480"},
        {COMPLETE("warpbeam run --gpu = h2"), " h200 ", "gtx480"},
        {COMPLETE("warpbeam run --set l2_b"), " l2_bytes= ", "l1_"},
        {COMPLETE("warpbeam run --set warp_scheduler = l"), " lrr ", "gto"},
        {COMPLETE("warpbeam run --set divergence ="), " stack independent ", NULL},
        {COMPLETE("warpbeam run --set l2_bytes ="), NULL, NULL},
        {COMPLETE("warpbeam run wireframe/so"), " wireframe/sor ", "wireframe/sw"},
        {COMPLETE("warpbeam run heat"), " wireframe/heat2d ", "sor"},
        {COMPLETE("warpbeam run clr_c"), " dtbl/clr_citation dtbl/clr_cage15 ", "graph500"},
        {COMPLETE("warpbeam run wireframe/sor --mode lv"), " lvl ", "lrr"},
        {COMPLETE("warpbeam run --fun"), " --functional ", "--gpu"},
        {COMPLETE("warpbeam run --gpu h200 --set sm_count = 3 wireframe/sor --mode \"\""),
         " global cdp barriers lrr lvl ", "dtbl"},
        {COMPLETE("warpbeam run --gpu = h200 six/bfs --size \"\""), " small ", "full"},
        {COMPLETE("warpbeam run six/bfs si"), NULL, NULL},
        {COMPLETE("warpbeam run " PTX " --kernel s"), " saxpy sum ", NULL},
        {COMPLETE("warpbeam paper wireframe --only so"), " sor ", NULL},
        {COMPLETE("warpbeam paper wireframe --only sw,so"), " sw,sor ", NULL},
        {COMPLETE("warpbeam list knobs si"), NULL, NULL},
        {COMPLETE("warpbeam paper dt"), " dtbl ", NULL},
        {COMPLETE("warpbeam paper dtbl --size fu"), " full ", "small"},
        {COMPLETE("warpbeam list sta"), " statistics ", "knobs"},
        {COMPLETE("warpbeam help comp"), " compare completion ", "run"},
        {COMPLETE("warpbeam run -- /bin/sh"), " /bin/sh ", "six/"},
        {COMPLETE("warpbeam compare --t"), " --top ", "--all"},
    };
    (void)state;
    if (run_script("bash -c true") != 0)
        skip();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        run_script(cases[i].script);
        if (cases[i].expected && !strstr(output, cases[i].expected))
            fail_msg("%s offers %s", cases[i].script, output);
        if (!cases[i].expected && strlen(output) > strlen("  \n"))
            fail_msg("%s offers %s", cases[i].script, output);
        if (cases[i].unexpected && strstr(output, cases[i].unexpected))
            fail_msg("%s offers %s", cases[i].script, output);
    }
}

/* What needs no terminal: that zsh can read it, and what the functions would offer. Where nothing begins with
 * the word, names are offered by what stands behind their suites. */
static void test_zsh(void **state)
{
    (void)state;
    if (run_script("command -v zsh >/dev/null") != 0)
        skip();
    assert_int_equal(
        run_script(
            "zsh -fc 'compadd() { [[ $1 == -U ]] && print -r -- \"[$names]\" }; _describe() { }; _files() "
            "{ print files }; CURRENT=2; eval \"$(warpbeam completion zsh)\"; PREFIX=clr_c; "
            "_warpbeam_list_or_file workloads'"),
        0);
    assert_string_equal(output, "[dtbl/clr_citation dtbl/clr_cage15]\nfiles\n");
    assert_int_equal(run_script("warpbeam completion zsh | zsh -fn /dev/stdin"), 0);
    assert_int_equal(
        run_script("zsh -fc 'compadd() { print -r -- $names }; _describe() { print -r -- $names }; "
                   "CURRENT=2; eval \"$(warpbeam completion zsh)\"; _warpbeam_list gpus'"),
        0);
    assert_non_null(strstr(output, "compare:Show what differs"));
    assert_non_null(strstr(output, "gtx480"));
    assert_int_equal(
        run_script("zsh -fc 'compadd() { print -r -- $names }; compset() { }; _describe() { }; CURRENT=2; "
                   "eval \"$(warpbeam completion zsh)\"; takes=\" --gpu \"; words=(run --gpu h200 six/bfs "
                   "--size s); CURRENT=6; _warpbeam_list_of sizes; IPREFIX=divergence=; _warpbeam_knob'"),
        0);
    assert_string_equal(output, "small\nstack independent\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bash), cmocka_unit_test(test_zsh)};
    return cmocka_run_group_tests_name("completion", tests, NULL, NULL);
}
