/* The GPUs of one host, as users name them (--gpus, WARPBEAM_GPUS):
 *
 *   4                  so many of one configuration
 *   h200,titanx        names or paths of configurations
 *   node.yaml          a file that lists them, and knobs:
 *
 *     gpus:
 *       - h200
 *       - gpu: titanx        # with knobs of its own
 *         count: 2           # how many of these; 1 unless given
 *         sm_count: 8
 *     link_latency_ns: 300   # for all of them
 *
 * A path in such a file is one from its folder on. A file without `gpus` is a configuration, of one GPU. */
#ifndef CONFIG_GPU_SET_H
#define CONFIG_GPU_SET_H

#include "base/vec.h"
#include "config/config.h"

enum { GPU_SET_MOST = 32 };

/* A knob of a GPU that a file changes; `where` is its "FILE:LINE: ". */
typedef struct GpuSetting {
    char *knob, *value, *where;
} GpuSetting;

typedef struct GpuSetItem {
    char *configuration;
    VEC(GpuSetting) settings; /* in the order in which they are made */
} GpuSetItem;

/* Invariant: 1 to GPU_SET_MOST of them once it has been read. */
typedef struct GpuSet {
    GpuSetItem items[GPU_SET_MOST];
    uint32_t count;
} GpuSet;

/* `usual` is what a number means. On failure the set is empty, and the sentence names line and nearest name
 * where there are any. Whether configurations exist that are no file's is found out where they are opened. */
WbStatus gpu_set_read(const char *text, const char *usual, GpuSet *set, Error *error);
void gpu_set_free(GpuSet *set);

#endif
