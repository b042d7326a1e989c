#include "judge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "frame.h"

static const char wanted_version[] = "V13.0";

bool judge_has_ptxas(void)
{
    char line[256];
    bool found = false;
    FILE *pipe = popen("ptxas --version 2>/dev/null", "r");
    while (pipe && fgets(line, sizeof line, pipe))
        found |= strstr(line, wanted_version) != NULL;
    if (pipe)
        pclose(pipe);
    return found;
}

/* One run over those lines that no run has refused yet; how many it refuses. */
static uint32_t run_once(const char *const *lines, uint32_t count, Opinion *opinions, const char *path,
                         bool *ok)
{
    const char **shown = xcalloc(count + 1, sizeof *shown);
    for (uint32_t i = 0; i < count; i++)
        shown[i] = opinions[i].verdict == VERDICT_REFUSED ? "" : lines[i];
    uint32_t first_line, refused = 0;
    char *text = frame_text(shown, count, &first_line);
    FILE *file = fopen(path, "w");
    fputs(text, file);
    fclose(file);
    free(text);
    xfree(shown);
    char command[256], answer[2048];
    snprintf(command, sizeof command, "ptxas -c -O1 -arch=sm_90a %s -o /dev/null 2>&1", path);
    FILE *pipe = popen(command, "r");
    while (fgets(answer, sizeof answer, pipe)) {
        const char *at = strstr(answer, ", line "), *problem = strstr(answer, "; error   : ");
        problem = problem ? problem : strstr(answer, "; fatal   : ");
        const uint32_t number = at && problem ? (uint32_t)strtoul(at + 7, NULL, 10) : 0;
        if (number < first_line || number >= first_line + count)
            continue;
        Opinion *opinion = &opinions[number - first_line];
        if (opinion->verdict == VERDICT_REFUSED)
            continue;
        opinion->verdict = VERDICT_REFUSED;
        snprintf(opinion->sentence, sizeof opinion->sentence, "%.*s", (int)strcspn(problem + 12, "\n"),
                 problem + 12);
        refused++;
    }
    *ok = pclose(pipe) == 0;
    return refused;
}

/* Some mutants end ptxas itself, without a word: it has not taken them. They are found by halving. */
static void judge_part(const char *const *lines, uint32_t count, Opinion *opinions, const char *path)
{
    bool ok = false;
    while (!ok && run_once(lines, count, opinions, path, &ok))
        ;
    if (ok)
        return;
    if (count == 1) {
        opinions[0].verdict = VERDICT_REFUSED;
        snprintf(opinions[0].sentence, SENTENCE_BYTES, "it ends without a word");
        return;
    }
    judge_part(lines, count / 2, opinions, path);
    judge_part(lines + count / 2, count - count / 2, opinions + count / 2, path);
}

void judge_by_ptxas(const char *const *lines, uint32_t count, Opinion *opinions)
{
    char path[] = "/tmp/warpbeam-mutants-XXXXXX";
    const int descriptor = mkstemp(path);
    if (descriptor < 0) {
        perror(path);
        exit(1);
    }
    close(descriptor);
    memset(opinions, 0, count * sizeof *opinions);
    judge_part(lines, count, opinions, path);
    unlink(path);
}

static void note(Opinion *opinion, Verdict verdict, const char *sentence)
{
    opinion->verdict = verdict;
    snprintf(opinion->sentence, sizeof opinion->sentence, "%s", sentence);
}

void judge_by_warpbeam(WbGpu *gpu, const char *line, Opinion *opinion)
{
    uint32_t first_line;
    char *text = frame_text(&line, 1, &first_line);
    WbModule *module;
    WbKernelInfo info;
    *opinion = (Opinion){0};
    if (wb_module_load(gpu, "mutant.ptx", text, strlen(text), &module) != WB_OK) {
        note(opinion, VERDICT_REFUSED, wb_error(gpu));
    } else {
        if (wb_kernel_info(wb_module_kernel_at(module, 0), &info) != WB_OK) {
            const bool unknown = strstr(wb_error(gpu), "does not execute") != NULL;
            note(opinion, unknown ? VERDICT_UNKNOWN : VERDICT_REFUSED, wb_error(gpu));
        }
        wb_module_unload(module);
    }
    free(text);
}
