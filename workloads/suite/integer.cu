// Whole numbers; host code: integer.c.

__constant__ unsigned sha_constants[64];

__device__ unsigned turn(unsigned x, int by) { return __funnelshift_r(x, x, by); }

// One block of 16 words a thread, word w of all threads together; out has the first word of each digest.
extern "C" __global__ void sha_rounds(const unsigned *in, unsigned *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    unsigned w[16];
#pragma unroll
    for (int k = 0; k < 16; k++)
        w[k] = in[k * n + i];
    unsigned a = 0x6a09e667, b = 0xbb67ae85, c = 0x3c6ef372, d = 0xa54ff53a;
    unsigned e = 0x510e527f, f = 0x9b05688c, g = 0x1f83d9ab, h = 0x5be0cd19;
    for (int base = 0; base < 64; base += 16)
#pragma unroll
        for (int k = 0; k < 16; k++) {
            if (base) {
                const unsigned x = w[(k + 1) & 15], y = w[(k + 14) & 15];
                w[k] += (turn(x, 7) ^ turn(x, 18) ^ x >> 3) + w[(k + 9) & 15] +
                        (turn(y, 17) ^ turn(y, 19) ^ y >> 10);
            }
            const unsigned t = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) +
                               sha_constants[base + k] + w[k];
            const unsigned u = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
            h = g, g = f, f = e, e = d + t, d = c, c = b, b = a, a = t + u;
        }
    out[i] = a + 0x6a09e667;
}

extern "C" __global__ void gcd_modulo(const unsigned *a, const unsigned *b, unsigned *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned x = a[i], y = b[i];
    while (y) {
        const unsigned rest = x % y;
        x = y;
        y = rest;
    }
    out[i] = x;
}

__constant__ char text_pattern[16];

extern "C" __global__ void text_match(const char *text, int *found, int n, int length)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > n - length)
        return;
    int k = 0;
    while (k < length && text[i + k] == text_pattern[k])
        k++;
    if (k == length)
        atomicAdd(found, 1);
}

extern "C" __global__ void monte_carlo(unsigned *inside, int points)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned state = i * 747796405u + 2891336453u, count = 0;
    for (int p = 0; p < points; p++) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        const unsigned x = state & 0xffff, y = state >> 16;
        count += (unsigned long long)x * x + (unsigned long long)y * y < 0x100000000ull;
    }
    count = __reduce_add_sync(0xffffffffu, count);
    if (threadIdx.x % 32 == 0)
        atomicAdd(inside, count);
}
