/* AES encryption with a key of 128 bits, as the program that comes with GPGPU-Sim (Manavski 2007): a thread
 * has one column of a state, four threads a state. The tables of a round come from constant memory into
 * shared memory, where states go back and forth between two stages with a barrier after each round. The
 * expanded key is a texture. */

constexpr int THREADS = 256, ROUNDS = 10, COLUMNS = 4;

__constant__ unsigned aes_tables[4][256]; /* S-box and mixing of columns, for each row */

__device__ __forceinline__ unsigned byte_of(unsigned word, int row) { return word >> 8 * row & 255; }

/* At most 20 registers: 6 blocks of 256 threads on Fermi. */
extern "C" __global__ __maxnreg__(20) void aes_encrypt(unsigned *to, const unsigned *from,
                                                       cudaTextureObject_t key)
{
    __shared__ unsigned tables[4][256];
    __shared__ unsigned stages[2][THREADS];
    const int thread = threadIdx.x, column = thread % COLUMNS, first = thread - column;
    const int at = blockIdx.x * THREADS + thread;
    for (int row = 0; row < 4; row++)
        tables[row][thread] = aes_tables[row][thread];
    stages[0][thread] = from[at] ^ tex1Dfetch<unsigned>(key, column);
    __syncthreads();
#pragma unroll
    for (int round = 1; round < ROUNDS; round++) {
        const unsigned *in = stages[(round - 1) % 2] + first;
        unsigned word = tex1Dfetch<unsigned>(key, round * COLUMNS + column);
        for (int row = 0; row < 4; row++)
            word ^= tables[row][byte_of(in[(column + row) % COLUMNS], row)];
        stages[round % 2][thread] = word;
        __syncthreads();
    }
    /* The last round mixes no columns: row 1 of the first table is the S-box. */
    const unsigned *in = stages[(ROUNDS - 1) % 2] + first;
    unsigned word = tex1Dfetch<unsigned>(key, ROUNDS * COLUMNS + column);
    for (int row = 0; row < 4; row++)
        word ^= byte_of(tables[0][byte_of(in[(column + row) % COLUMNS], row)], 1) << 8 * row;
    to[at] = word;
}
