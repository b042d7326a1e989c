/* Sums of absolute differences for motion estimation, as Parboil's sad has them: how far each part of a 16
 * x 16 macroblock is from the previous frame, displaced to all positions of a square around it. Parts are
 * those of H.264: sixteen of 4 x 4 pixels, whose sums come from the pixels, and larger ones, whose sums
 * are those of smaller ones added up.
 *
 * Sums have 16 bits: 256 differences of at most 255. So two of them are added by one instruction. */

/* As the host has it. Sums of a part at all positions lie side by side, `pitch` of them, an even number.
 * Parts of a kind follow each other in a macroblock, macroblocks in the frame, and kinds in the order of
 * the enum. */
struct Frame {
    int width, height; /* in macroblocks */
    int range, pitch;

    __device__ int count() const { return width * height; }
    __device__ int block() const { return blockIdx.y * width + blockIdx.x; }
};
enum Kind { KIND_16X16, KIND_16X8, KIND_8X16, KIND_8X8, KIND_8X4, KIND_4X8, KIND_4X4 };

/* Parts of a macroblock of each kind, and of all kinds before it. */
__device__ constexpr int parts(Kind kind)
{
    return kind == KIND_16X16 ? 1 : kind <= KIND_8X16 ? 2 : kind == KIND_8X8 ? 4 : kind == KIND_4X4 ? 16 : 8;
}
__device__ constexpr int parts_before(Kind kind)
{
    return kind == 0 ? 0 : parts_before((Kind)(kind - 1)) + parts((Kind)(kind - 1));
}

template <Kind kind>
__device__ __forceinline__ unsigned short *sums_of(unsigned short *sums, Frame frame, int part)
{
    return sums + (frame.count() * parts_before(kind) + frame.block() * parts(kind) + part) * frame.pitch;
}
template <Kind kind>
__device__ __forceinline__ unsigned *pairs_of(unsigned short *sums, Frame frame, int part)
{
    return (unsigned *)sums_of<kind>(sums, frame, part);
}

constexpr int LANES = 64 /* threads of a part */, AT_ONCE = 8; /* blocks on an SM */

/* A block has a macroblock: its four rows of 4 x 4 parts one after the other, each part by 64 threads. The
 * pixels of the row come to shared memory; those of the previous frame, which has a rim of `range` pixels,
 * are read where they are. */
extern "C" __global__ void __launch_bounds__(4 * LANES, AT_ONCE)
    sad_4(unsigned short *sums, const unsigned short *current, const unsigned short *previous, Frame frame)
{
    __shared__ unsigned short pixels[4][16];
    const int thread = threadIdx.y * LANES + threadIdx.x, width = 16 * frame.width;
    const int side = 2 * frame.range + 1, stride = width + 2 * frame.range;
    const int left = 16 * blockIdx.x, part = 4 * threadIdx.y;
    for (int row = 0; row < 4; row++) {
        const int top = 16 * blockIdx.y + 4 * row;
        if (thread < 64)
            pixels[thread / 16][thread % 16] = current[(top + thread / 16) * width + left + thread % 16];
        __syncthreads();
        unsigned short *to = sums_of<KIND_4X4>(sums, frame, 4 * row + threadIdx.y);
        for (int i = threadIdx.x; i < side * side; i += LANES) {
            const unsigned short *from = &previous[(top + i / side) * stride + left + part + i % side];
            unsigned sum = 0;
#pragma unroll
            for (int y = 0; y < 4; y++)
#pragma unroll
                for (int x = 0; x < 4; x++)
                    sum = __usad(pixels[y][part + x], __ldg(&from[y * stride + x]), sum);
            to[i] = sum;
        }
        __syncthreads(); /* the row has been read */
    }
}

/* Two sums at a time: left and right, above and below, and all four. */
template <Kind wide, Kind high, Kind both>
__device__ __forceinline__ void add_up(unsigned short *sums, Frame frame, int part, int wide_part,
                                       int high_part, int step, const unsigned *first, int below)
{
    const int pairs = frame.pitch / 2;
    unsigned *const to_wide = pairs_of<wide>(sums, frame, wide_part), *const to_both =
                                                                          pairs_of<both>(sums, frame, part);
    unsigned *const to_high = pairs_of<high>(sums, frame, high_part);
    for (int i = threadIdx.x; i < pairs; i += 32) {
        const unsigned a = first[i], b = first[i + pairs], c = first[i + below * pairs],
                       d = first[i + (below + 1) * pairs];
        to_wide[i] = a + b;
        to_wide[i + step * pairs] = c + d;
        to_high[i] = a + c;
        to_high[i + pairs] = b + d;
        to_both[i] = a + b + c + d;
    }
}

/* 8 x 4, 4 x 8 and 8 x 8 of 4 x 4: a warp has a quarter of the macroblock. */
extern "C" __global__ void __launch_bounds__(128) sad_8(unsigned short *sums, Frame frame)
{
    const int x = threadIdx.y % 2, y = threadIdx.y / 2;
    add_up<KIND_8X4, KIND_4X8, KIND_8X8>(sums, frame, threadIdx.y, 4 * y + x, 4 * y + 2 * x, 2,
                                         pairs_of<KIND_4X4>(sums, frame, 8 * y + 2 * x), 4);
}

/* 16 x 8, 8 x 16 and 16 x 16 of 8 x 8: a warp has the macroblock. */
extern "C" __global__ void __launch_bounds__(32) sad_16(unsigned short *sums, Frame frame)
{
    add_up<KIND_16X8, KIND_8X16, KIND_16X16>(sums, frame, 0, 0, 0, 1, pairs_of<KIND_8X8>(sums, frame, 0), 2);
}
