#include "paper.h"

#include <string.h>
#include <unistd.h>

static const Paper *const papers[] = {
    &paper_channels, &paper_claso, &paper_dtbl, &paper_gsync,      &paper_multi_gpu,
    &paper_rnn,      &paper_saws,  &paper_together, &paper_wait_signal, &paper_wireframe};
enum { PAPER_COUNT = sizeof papers / sizeof *papers };

const char *const paper_sizes[INPUT_SIZES] = {
    [INPUT_SMALL] = "small", [INPUT_FULL] = "full", [INPUT_TINY] = "tiny"};

const Paper *paper_at(size_t index) { return index < PAPER_COUNT ? papers[index] : NULL; }

const Paper *paper_find(const char *name)
{
    for (size_t i = 0; i < PAPER_COUNT; i++)
        if (strcmp(papers[i]->name, name) == 0)
            return papers[i];
    return NULL;
}

bool paper_wants(const PaperOptions *options, const char *benchmark)
{
    for (size_t i = 0; i < options->only_count; i++)
        if (strcmp(options->only[i], benchmark) == 0)
            return true;
    return !options->only_count;
}

const char *paper_data(const char *name, char *path, size_t size)
{
    snprintf(path, size, "%s/%s", PAPERS_SOURCE_DIRECTORY, name);
    if (access(path, R_OK))
        snprintf(path, size, "%s/%s", PAPERS_INSTALL_DIRECTORY, name);
    return path;
}
