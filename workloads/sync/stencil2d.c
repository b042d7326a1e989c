/* The host's part of the stencil: iterations in groups, behind each of which somebody looks whether cells
 * still change [sync-thesis fig. 7(a), 18(a)]. */
#include "sync/sync.h"

#include <math.h>
#include <stdlib.h>

enum { SIDE = 16 }; /* of a block, as in stencil2d.cu */
static const float TOLERANCE = 1e-4f;
/* Fig. 7(a) launches N times before the host looks; the thesis does not say how large N is, nor how often it
 * looks. The input, random cells, has not converged by then. */
enum { ITERATIONS = 20, CHECKED = 5 }; /* as in stencil2d.cu */

/* Cells on a side. 1,024 blocks are what the thesis calls large: "1000+ TBs". */
static const uint32_t sides[INPUT_SIZES] = {[INPUT_TINY] = 48, [INPUT_SMALL] = 512, [INPUT_FULL] = 1024};

/* Invariant: `planes` hold side x side cells; iteration i reads plane i % 2 and writes the other. */
typedef struct Stencil {
    int side;
    uint64_t planes[2];
    uint64_t changed; /* a word for each time that somebody looks */
} Stencil;

static float relax(const float *from, int side, int x, int y)
{
    const float *own = &from[(size_t)y * (size_t)side + (size_t)x];
    const float up = y ? own[-side] : 0, left = x ? own[-1] : 0;
    const float right = x + 1 < side ? own[1] : 0, down = y + 1 < side ? own[side] : 0;
    return 0.5f * *own + 0.125f * ((up + left) + (right + down));
}

static bool iterate(const float *from, float *to, int side)
{
    bool changed = false;
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++) {
            const size_t at = (size_t)y * (size_t)side + (size_t)x;
            to[at] = relax(from, side, x, y);
            changed |= fabsf(to[at] - from[at]) > TOLERANCE;
        }
    return changed;
}

/* Whether somebody looks behind iteration i. */
static bool is_checked(int i) { return (i + 1) % CHECKED == 0; }

/* Returns the iterations that it took. */
static int compute(float *const planes[2], int side)
{
    for (int i = 0; i < ITERATIONS; i++)
        if (!iterate(planes[i % 2], planes[(i + 1) % 2], side) && is_checked(i))
            return i + 1;
    return ITERATIONS;
}

/* Whether cells changed in iteration i, by the host's copy of the flag. */
static bool has_changed(Host *host, const Stencil *stencil, int i)
{
    uint32_t changed;
    host_finish(host);
    host_fetch(host, &changed, stencil->changed + (uint64_t)(i / CHECKED) * sizeof changed, sizeof changed);
    return changed;
}

static void launch_repeatedly(Host *host, const Stencil *stencil)
{
    const uint32_t blocks = (uint32_t)stencil->side / SIDE;
    bool goes_on = true;
    sync_begin_time(host);
    for (int i = 0; i < ITERATIONS && goes_on && host->status == WB_OK; i++) {
        const uint64_t changed = is_checked(i) ? stencil->changed + (uint64_t)(i / CHECKED) * 4 : 0;
        const WbArgument arguments[] = {WB_ARG(stencil->planes[i % 2]), WB_ARG(stencil->planes[(i + 1) % 2]),
                                        WB_ARG(stencil->side), WB_ARG(changed)};
        host_enqueue(host, "stencil2d_rekl",
                     &(WbLaunch){.grid = dim(blocks, blocks, 1),
                                 .block = dim(SIDE, SIDE, 1),
                                 .arguments = arguments,
                                 .argument_count = 4});
        goes_on = !is_checked(i) || has_changed(host, stencil, i);
    }
    sync_end_time(host);
}

/* One launch; the kernel looks by itself. */
static void launch_once(Host *host, const Stencil *stencil, SyncMode mode)
{
    char kernel[32];
    const uint32_t side = (uint32_t)stencil->side / SIDE;
    const bool persists = mode == SYNC_PT_NEIGHBOUR || mode == SYNC_PT_INTERLEAVED;
    sync_kernel("stencil2d", mode, kernel, sizeof kernel);
    const WbDim3 grid = mode == SYNC_DP ? dim(1, 1, 1)
                        : persists      ? dim(sync_resident(host, kernel, SIDE * SIDE, 0), 1, 1)
                                        : dim(side, side, 1);
    const uint64_t barrier = sync_barrier(host, grid.x * grid.y);
    const WbArgument arguments[] = {WB_ARG(stencil->planes[0]), WB_ARG(stencil->planes[1]),
                                    WB_ARG(stencil->side), WB_ARG(stencil->changed), WB_ARG(barrier)};
    sync_begin_time(host);
    host_enqueue(host, kernel,
                 &(WbLaunch){.grid = grid,
                             .block = mode == SYNC_DP ? dim(1, 1, 1) : dim(SIDE, SIDE, 1),
                             .arguments = arguments,
                             .argument_count = mode == SYNC_DP ? 4 : 5});
    sync_end_time(host);
    host_free(host, barrier);
}

static bool run_on(Host *host, SyncMode mode, float *const planes[2], int side)
{
    static const uint32_t zeros[ITERATIONS / CHECKED];
    const size_t bytes = (size_t)side * (size_t)side * sizeof(float);
    const Stencil stencil = {.side = side,
                             .planes = {host_buffer(host, planes[0], bytes), host_buffer(host, NULL, bytes)},
                             .changed = host_buffer(host, zeros, sizeof zeros)};
    if (mode == SYNC_REKL)
        launch_repeatedly(host, &stencil);
    else
        launch_once(host, &stencil, mode);
    bool right = host->status == WB_OK;
    if (right) {
        const int last = compute(planes, side) % 2;
        right = host_equals(host, stencil.planes[last], planes[last], bytes);
    }
    host_free(host, stencil.changed);
    host_free(host, stencil.planes[1]);
    host_free(host, stencil.planes[0]);
    return right;
}

bool stencil2d_run(Host *host, const SyncRun *run)
{
    const uint32_t wanted = run->side ? run->side : sides[run->size],
                   side = (wanted + SIDE - 1) / SIDE * SIDE;
    const size_t cells = (size_t)side * side;
    float *planes[2] = {host_floats(host, cells, sync_seed(run)), host_array(host, cells, sizeof(float))};
    const bool right = planes[0] && planes[1] && run_on(host, run->mode, planes, (int)side);
    free(planes[1]);
    free(planes[0]);
    return right;
}
