/* The host's part of sums of absolute differences.
 *
 * Parboil's frames have 176 x 144 or, its larger input, 1,920 x 1,080 pixels, and displacements of up to
 * 16 pixels in each direction, 1,089 positions. Blocks have a 4 x 4 part and 61 threads there, two warps,
 * of which each has 18 positions; here 64 threads, and four parts side by side in a block, so that each of
 * four schedulers has two warps of it, and a block goes through the four rows of a macroblock, two
 * barriers each. Parboil reads the previous frame as a texture, whose rim goes on outside of it; here the
 * frame has a rim, and loads of read-only data go through the same cache. Full: 352 x 288 pixels, 22 x 18
 * macroblocks, where 104 blocks fit on gtx970 at once, at all 1,089 positions. Small: the same frame,
 * displacements of up to 5 pixels, 121 positions. */
#include <stdlib.h>

#include "saws/saws.h"

enum { SIDE = 16, PARTS = 41, LANES = 64 }; /* Frame and LANES as in sad.cu */
typedef struct Frame {
    int width, height;
    int range, pitch;
} Frame;
static const Frame frames[INPUT_SIZES] = {[INPUT_TINY] = {.width = 2, .height = 2, .range = 4},
                                          [INPUT_SMALL] = {.width = 22, .height = 18, .range = 5},
                                          [INPUT_FULL] = {.width = 22, .height = 18, .range = 16}};

/* Parts of a macroblock, kind after kind as in sad.cu. */
typedef struct Kind {
    int width, height;
} Kind;
static const Kind kinds[] = {{16, 16}, {16, 8}, {8, 16}, {8, 8}, {8, 4}, {4, 8}, {4, 4}};
enum { KINDS = sizeof kinds / sizeof *kinds };

static int within(int value, int count) { return value < 0 ? 0 : value < count ? value : count - 1; }

/* Of the previous frame, which has a rim of as many pixels as it may be displaced: as those beside it. */
static int stride_of(const Frame *frame) { return SIDE * frame->width + 2 * frame->range; }
static size_t previous_pixels(const Frame *frame)
{
    return (size_t)stride_of(frame) * (size_t)(SIDE * frame->height + 2 * frame->range);
}

/* The pixels of the part whose first one is at (x, y), at one displacement. */
static uint16_t sum_of(const Frame *frame, const uint16_t *current, const uint16_t *previous, Kind kind,
                       int x, int y, int position)
{
    const int side = 2 * frame->range + 1, right = position % side, down = position / side;
    int sum = 0;
    for (int row = y; row < y + kind.height; row++)
        for (int column = x; column < x + kind.width; column++)
            sum += abs(current[row * SIDE * frame->width + column] -
                       previous[(row + down) * stride_of(frame) + column + right]);
    return (uint16_t)sum;
}

/* Sums of all kinds from the pixels, none from others. */
static void compute(const Frame *frame, const uint16_t *current, const uint16_t *previous, uint16_t *sums)
{
    const int positions = (2 * frame->range + 1) * (2 * frame->range + 1);
    for (const Kind *kind = kinds; kind < kinds + KINDS; kind++) {
        const int across = SIDE / kind->width, parts = across * (SIDE / kind->height);
        for (int n = 0; n < frame->width * frame->height * parts; n++, sums += frame->pitch) {
            const int block = n / parts, part = n % parts;
            const int x = block % frame->width * SIDE + part % across * kind->width;
            const int y = block / frame->width * SIDE + part / across * kind->height;
            for (int i = 0; i < positions; i++)
                sums[i] = sum_of(frame, current, previous, *kind, x, y, i);
        }
    }
}

/* The current frame is the previous one moved by a few pixels, with some noise. */
static void make_frames(const Frame *frame, uint16_t *current, uint16_t *previous, uint32_t seed)
{
    const int width = SIDE * frame->width, height = SIDE * frame->height, stride = stride_of(frame);
    uint16_t *inner = &previous[frame->range * stride + frame->range];
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            inner[y * stride + x] = (uint16_t)(random_next(&seed) >> 24);
    for (int y = -frame->range; y < height + frame->range; y++)
        for (int x = -frame->range; x < width + frame->range; x++)
            inner[y * stride + x] = inner[within(y, height) * stride + within(x, width)];
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            const int from = inner[(y + 1) * stride + x - 2];
            current[y * width + x] = (uint16_t)within(from + (int)(random_next(&seed) >> 29) - 4, 256);
        }
}

static bool launch(Host *host, const Frame *frame, uint16_t *current, uint16_t *previous, uint16_t *expected)
{
    const size_t blocks = (size_t)frame->width * (size_t)frame->height;
    const size_t frame_bytes = blocks * SIDE * SIDE * 2, bytes = blocks * PARTS * (size_t)frame->pitch * 2;
    const WbDim3 grid = dim((uint32_t)frame->width, (uint32_t)frame->height, 1);
    uint64_t now = host_buffer(host, current, frame_bytes),
             before = host_buffer(host, previous, 2 * previous_pixels(frame));
    uint64_t sums =
        host_buffer(host, expected, bytes); /* zeroes: nobody writes what is behind the positions */
    HOST_LAUNCH(host, "sad_4", grid, dim(LANES, 4, 1), WB_ARG(sums), WB_ARG(now), WB_ARG(before),
                WB_ARG(*frame));
    HOST_LAUNCH(host, "sad_8", grid, dim(32, 4, 1), WB_ARG(sums), WB_ARG(*frame));
    HOST_LAUNCH(host, "sad_16", grid, dim(32, 1, 1), WB_ARG(sums), WB_ARG(*frame));
    compute(frame, current, previous, expected);
    const bool right = host_equals(host, sums, expected, bytes);
    host_free(host, now), host_free(host, before), host_free(host, sums);
    return right;
}

bool saws_sad_run(Host *host, const BenchmarkRun *run)
{
    Frame frame = frames[run->size];
    frame.height = (int)benchmark_rows(run, (uint32_t)frame.width, (uint32_t)frame.height);
    frame.pitch = (2 * frame.range + 1) * (2 * frame.range + 1) + 1;
    const size_t blocks = (size_t)frame.width * (size_t)frame.height, pixels = blocks * SIDE * SIDE;
    const size_t others = previous_pixels(&frame), sums = blocks * PARTS * (size_t)frame.pitch;
    uint16_t *current = host_array(host, pixels + others + sums, sizeof *current);
    if (!current)
        return false;
    uint16_t *previous = current + pixels;
    make_frames(&frame, current, previous, benchmark_seed(run));
    const bool right = launch(host, &frame, current, previous, previous + others);
    free(current);
    return right;
}
