/* PTX that ptxas refuses must be refused, and what it takes should be taken.
 *
 * Without arguments: what ptxas said about the mutants of verdicts.txt, and where it is installed about some
 * thousand others. With arguments it goes hunting: run.sh says how. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "judge.h"
#include "mutate.h"

#define FOLDER SOURCE_DIRECTORY "/tests/mutants/"
static const char seed_file[] = FOLDER "seeds.txt", verdict_file[] = FOLDER "verdicts.txt";
enum { BATCH = 256, FIXED_MUTANTS = 2048 };

static WbGpu *open_gpu(void)
{
    WbGpu *gpu;
    char error[1024];
    if (wb_gpu_open("h200", &gpu, error, sizeof error) != WB_OK) {
        fprintf(stderr, "%s\n", error);
        exit(1);
    }
    return gpu;
}

/* What came of the mutants so far. Every one is shown to `show`. */
typedef struct Hunt {
    WbGpu *gpu;
    Seeds seeds;
    void (*show)(struct Hunt *hunt, const char *line, const Opinion *ptxas, const Opinion *warpbeam);
    uint64_t mutants, refused, wrongly_taken, wrongly_refused, unknown;
    Map shown;   /* classes that were recorded */
    Arena arena; /* their names */
} Hunt;

/* "TAKEN": though ptxas refuses it; "REFUSED": though it takes it; "UNKNOWN": the same, but since we do not
 * execute it; null: both agree. */
static const char *difference(const Opinion *ptxas, const Opinion *warpbeam)
{
    if (ptxas->verdict == VERDICT_REFUSED)
        return warpbeam->verdict == VERDICT_TAKEN ? "TAKEN" : NULL;
    return warpbeam->verdict == VERDICT_REFUSED   ? "REFUSED"
           : warpbeam->verdict == VERDICT_UNKNOWN ? "UNKNOWN"
                                                  : NULL;
}

static void show_difference(Hunt *hunt, const char *line, const Opinion *ptxas, const Opinion *warpbeam)
{
    (void)hunt;
    const char *kind = difference(ptxas, warpbeam);
    if (kind)
        printf("%s\t%s\t%s\t%.*s\n", kind, line, ptxas->sentence, (int)strcspn(warpbeam->sentence, "\n"),
               warpbeam->sentence);
}

static void show_nothing(Hunt *hunt, const char *line, const Opinion *ptxas, const Opinion *warpbeam)
{
    (void)hunt, (void)line, (void)ptxas, (void)warpbeam;
}

static void show_all(Hunt *hunt, const char *line, const Opinion *ptxas, const Opinion *warpbeam)
{
    static const char *const names[] = {"taken", "unknown", "refused"};
    (void)hunt;
    printf("%s\t%s\t%s\t%s\t%.*s\n", names[ptxas->verdict], names[warpbeam->verdict], line, ptxas->sentence,
           (int)strcspn(warpbeam->sentence, "\n"), warpbeam->sentence);
}

/* One mutant for each instruction and each reason, as a line of verdicts.txt. */
static void show_record(Hunt *hunt, const char *line, const Opinion *ptxas, const Opinion *warpbeam)
{
    const char *kind = difference(ptxas, warpbeam);
    const char mark = ptxas->verdict == VERDICT_REFUSED ? (kind ? '~' : '-') : '+';
    if (kind && mark == '+')
        return;
    const char *name = *line == '@' ? line + strcspn(line, " ") : line;
    name += strspn(name, " {");
    char class[SENTENCE_BYTES + 64];
    size_t length = (size_t)snprintf(class, sizeof class, "%c %.*s ", mark, (int)strcspn(name, ". ;"), name);
    bool quoted = false; /* what ptxas quotes differs from mutant to mutant */
    for (const char *at = ptxas->sentence; *at && length < sizeof class; at++) {
        quoted ^= *at == '\'';
        if (!quoted && (*at < '0' || *at > '9'))
            class[length++] = *at;
    }
    uint32_t count = 0;
    map_get(&hunt->shown, class, length, &count);
    if (count >= (mark == '+' ? 3 : 1))
        return;
    map_put(&hunt->shown, count ? class : arena_strndup(&hunt->arena, class, length), length, count + 1);
    printf("%c %s\n", mark, line);
}

static void judge(Hunt *hunt, const char *const *lines, uint32_t count)
{
    static Opinion ptxas[BATCH];
    judge_by_ptxas(lines, count, ptxas);
    for (uint32_t i = 0; i < count; i++) {
        Opinion warpbeam;
        judge_by_warpbeam(hunt->gpu, lines[i], &warpbeam);
        const char *kind = difference(&ptxas[i], &warpbeam);
        hunt->mutants++;
        hunt->refused += ptxas[i].verdict == VERDICT_REFUSED;
        hunt->wrongly_taken += kind && *kind == 'T';
        hunt->wrongly_refused += kind && *kind == 'R';
        hunt->unknown += kind && *kind == 'U';
        hunt->show(hunt, lines[i], &ptxas[i], &warpbeam);
    }
}

static void judge_mutants(Hunt *hunt, uint64_t first, uint64_t count)
{
    static char texts[BATCH][MUTANT_BYTES];
    const char *lines[BATCH];
    for (uint64_t done = 0; done < count; done += BATCH) {
        const uint32_t size = count - done < BATCH ? (uint32_t)(count - done) : BATCH;
        for (uint32_t i = 0; i < size; i++) {
            Dice dice = {first + done + i};
            mutate_line(hunt->seeds.items[dice_below(&dice, hunt->seeds.count)], &dice, texts[i]);
            lines[i] = texts[i];
        }
        judge(hunt, lines, size);
    }
}

static void judge_seeds(Hunt *hunt)
{
    for (uint32_t i = 0; i < hunt->seeds.count; i += BATCH)
        judge(hunt, hunt->seeds.items + i, hunt->seeds.count - i < BATCH ? hunt->seeds.count - i : BATCH);
}

static void judge_input(Hunt *hunt)
{
    static char texts[BATCH][MUTANT_BYTES];
    const char *lines[BATCH];
    uint32_t count;
    do {
        for (count = 0; count < BATCH && fgets(texts[count], MUTANT_BYTES, stdin); count++) {
            texts[count][strcspn(texts[count], "\n")] = 0;
            lines[count] = texts[count];
        }
        judge(hunt, lines, count);
    } while (count == BATCH);
}

static Hunt *hunt_begin(void)
{
    Hunt *hunt = calloc(1, sizeof *hunt);
    hunt->gpu = open_gpu();
    hunt->show = show_difference;
    seeds_build(&hunt->seeds, seed_file);
    return hunt;
}

static void hunt_end(Hunt *hunt)
{
    fprintf(stderr,
            "%llu lines, of which ptxas refuses %llu: %llu of those are taken; %llu are wrongly refused and "
            "%llu not executed\n", (unsigned long long)hunt->mutants, (unsigned long long)hunt->refused,
            (unsigned long long)hunt->wrongly_taken, (unsigned long long)hunt->wrongly_refused,
            (unsigned long long)hunt->unknown);
    wb_gpu_close(hunt->gpu);
    seeds_free(&hunt->seeds);
    map_free(&hunt->shown);
    arena_free(&hunt->arena);
    free(hunt);
}

/* '+': ptxas takes it, so must we; '-': it refuses it, so must we; '~': it refuses it, and we do not yet. A
 * line of the last kind that is refused now should become one of the second. */
static void test_recorded(void **state)
{
    (void)state;
    char line[MUTANT_BYTES];
    unsigned wrong = 0, count = 0;
    WbGpu *gpu = open_gpu();
    FILE *file = fopen(verdict_file, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        Opinion opinion;
        if (!strchr("+-~", *line))
            continue;
        line[strcspn(line, "\n")] = 0;
        judge_by_warpbeam(gpu, line + 2, &opinion);
        count++;
        if ((*line == '-') == (opinion.verdict != VERDICT_TAKEN))
            continue;
        wrong++;
        print_message("%s\n    %s\n", line, opinion.verdict == VERDICT_TAKEN ? "is taken" : opinion.sentence);
    }
    fclose(file);
    wb_gpu_close(gpu);
    assert_true(count > 500);
    assert_int_equal(wrong, 0);
}

/* Mutants that are not recorded: few may be judged wrongly. */
static void test_judged_anew(void **state)
{
    (void)state;
    if (!judge_has_ptxas())
        skip();
    Hunt *hunt = hunt_begin();
    hunt->show = show_nothing;
    judge_mutants(hunt, 1, FIXED_MUTANTS);
    const uint64_t refused = hunt->refused, taken = hunt->wrongly_taken, other = hunt->wrongly_refused;
    hunt_end(hunt);
    assert_true(refused > FIXED_MUTANTS / 2);
    assert_true(taken <= refused / 100);
    assert_true(other <= FIXED_MUTANTS / 200);
}

static int hunt_by(int count, char **arguments)
{
    Hunt *hunt = hunt_begin();
    const char *what = arguments[1];
    if (!strcmp(what, "--ask") && count == 2) {
        hunt->show = show_all;
        judge_input(hunt);
    } else if (!strcmp(what, "--seeds") && count == 2) {
        judge_seeds(hunt);
    } else if ((!strcmp(what, "--record") || !strcmp(what, "--hunt")) && count == 4) {
        hunt->show = !strcmp(what, "--record") ? show_record : show_difference;
        judge_mutants(hunt, strtoull(arguments[2], NULL, 10), strtoull(arguments[3], NULL, 10));
    } else {
        fprintf(stderr,
                "usage: test_mutants [--seeds | --ask | --hunt FIRST COUNT | --record FIRST COUNT]\n");
    }
    hunt_end(hunt);
    return 0;
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recorded),
        cmocka_unit_test(test_judged_anew),
    };
    return count > 1 ? hunt_by(count, arguments) : cmocka_run_group_tests(tests, NULL, NULL);
}
