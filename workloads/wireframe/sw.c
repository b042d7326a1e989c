/* Smith-Waterman: scores of two random strings of four letters. */
#include "wireframe/wireframe.h"

#include <stdlib.h>

enum { MATCH = 2, MISMATCH = -1, GAP = 1 }; /* as in sw.cu */
enum { LETTERS = 4 };

static int larger(int a, int b) { return a > b ? a : b; }

static void find_scores(const uint8_t *across, const uint8_t *down, WavefrontShape shape, int *scores)
{
    const size_t width = shape.width;
    for (size_t y = 0; y < shape.height; y++)
        for (size_t x = 0; x < width; x++) {
            const int up = y ? scores[(y - 1) * width + x] : 0;
            const int left = x ? scores[y * width + x - 1] : 0;
            const int corner = x && y ? scores[(y - 1) * width + x - 1] : 0;
            const int aligned = corner + (down[y] == across[x] ? MATCH : MISMATCH);
            scores[y * width + x] = larger(larger(0, aligned), larger(up, left) - GAP);
        }
}

bool sw_run(Host *host, const WireframeRun *run, WavefrontShape shape)
{
    const size_t bytes = wavefront_cells(shape) * sizeof(int);
    uint8_t *across = wavefront_bytes(host, shape.width, LETTERS, wavefront_seed(run));
    uint8_t *down = wavefront_bytes(host, shape.height, LETTERS, wavefront_seed(run) + 1);
    int *expected = host_array(host, wavefront_cells(shape), sizeof *expected);
    bool right = false;
    if (host->status == WB_OK) {
        uint64_t upper = host_buffer(host, across, shape.width);
        uint64_t side = host_buffer(host, down, shape.height);
        uint64_t scores = host_buffer(host, NULL, bytes);
        WAVEFRONT_LAUNCH(host, "sw", run, shape, WB_ARG(upper), WB_ARG(side), WB_ARG(scores));
        if (host->status == WB_OK)
            find_scores(across, down, shape, expected);
        right = host_equals(host, scores, expected, bytes);
        host_free(host, upper), host_free(host, side), host_free(host, scores);
    }
    free(across), free(down), free(expected);
    return right;
}
