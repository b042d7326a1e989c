/* Two problems at once. Both have their inputs on the GPU before the first of them is launched: the tree is
 * made ready, then the stencil is made ready and launched, then the tree's flow graph, into a stream. */
#include "together/together.h"

#include <string.h>

typedef struct Side {
    InputSize size;
    WbGpu *gpu;
    const char *folder;
    bool right;
    Host host; /* of the stencil */
} Side;

static void around(void *context, TogetherGo *go, void *go_context)
{
    Side *side = context;
    const TogetherRun run = {.mode = TOGETHER_WS, .size = side->size, .beside = go, .context = go_context};
    side->right =
        together_run(&together_problems[TOGETHER_STENCIL], &run, side->gpu, side->folder, &side->host);
}

bool together_side(InputSize size, WbGpu *gpu, const char *folder, Host *host)
{
    WbStream *stream = NULL;
    Side side = {.size = size, .gpu = gpu, .folder = folder};
    *host = (Host){.gpu = gpu};
    host_keep(host, wb_stream_create(gpu, WB_STREAM_NON_BLOCKING, 0, &stream));
    if (host->status != WB_OK)
        return false;
    const TogetherRun run = {
        .mode = TOGETHER_CHANNELS, .size = size, .around = around, .context = &side, .stream = stream};
    bool right = together_run(&together_problems[TOGETHER_TREE], &run, gpu, folder, host);
    if (right && !side.right) {
        memcpy(host->error, side.host.error, sizeof host->error);
        right = false;
    }
    host->total_time = side.host.total_time;
    host_end(&side.host);
    wb_stream_destroy(stream);
    return right;
}
