/* The six programs, small, on a GPU with some knobs set: what tests of example policies run. */
#ifndef TESTS_EXAMPLES_SIX_RIG_H
#define TESTS_EXAMPLES_SIX_RIG_H

#include "harness.h"

#include "six/six.h"

/* Of bfs, races that do no harm decide how many instructions it takes. */
enum { BFS = 4 };

/* `knobs`: names and values in turn, null behind the last. */
static inline void six_set(WbGpu *gpu, const char *const *knobs)
{
    for (; *knobs; knobs += 2)
        if (wb_gpu_set(gpu, knobs[0], knobs[1]) != WB_OK)
            fail_msg("%s", wb_error(gpu));
}

static inline WbGpu *six_open(const char *name, const char *const *knobs)
{
    WbGpu *gpu;
    char error[512];
    if (wb_gpu_open(name, &gpu, error, sizeof error) != WB_OK)
        fail_msg("%s", error);
    six_set(gpu, knobs);
    return gpu;
}

/* All but number `without`; SIX_COUNT: all. Each checks its own result. */
static inline void six_run_all(WbGpu *gpu, size_t without)
{
    static const int sizes[SIX_COUNT] = {16384, 64, 64, 16384, 512, 256};
    for (size_t i = 0; i < SIX_COUNT; i++) {
        Host host;
        if (i == without)
            continue;
        if (!six_run(&six_programs[i], gpu, SOURCE_DIRECTORY "/workloads/six", sizes[i], &host))
            fail_msg("%s: %s", six_programs[i].name, host.error);
        host_end(&host);
    }
}

#endif
