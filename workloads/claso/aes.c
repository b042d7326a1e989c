/* The host's part of AES, and the cipher byte by byte as FIPS 197 has it, to compare with.
 *
 * Table 2: 1 kernel, 257 blocks of 256 threads, 6 of them on an SM: the program that comes with GPGPU-Sim
 * encrypts a picture of 256 KB and its header with a key of 128 bits. A block has 1,024 bytes. Small is full.
 * */
#include "claso/claso.h"

#include <stdlib.h>
#include <string.h>

enum { THREADS = 256, ROUNDS = 10, STATE = 16, KEY = STATE * (ROUNDS + 1) };
static const uint32_t blocks[INPUT_SIZES] = {[INPUT_TINY] = 3, [INPUT_SMALL] = 257, [INPUT_FULL] = 257};

typedef struct Cipher {
    uint8_t sbox[256];
    uint8_t key[KEY]; /* a state for the begin and for each round */
} Cipher;

static uint8_t twice(uint8_t x) { return (uint8_t)(x << 1 ^ (x >> 7) * 0x1b); }

static uint8_t rotate(uint8_t x, int bits) { return (uint8_t)(x << bits | x >> (8 - bits)); }

/* 3 generates all bytes but 0; its inverse is 0xf6. So both are walked along together. */
static void make_sbox(uint8_t *sbox)
{
    uint8_t x = 1, inverse = 1;
    do {
        x = (uint8_t)(x ^ twice(x));
        inverse ^= (uint8_t)(inverse << 1);
        inverse ^= (uint8_t)(inverse << 2);
        inverse ^= (uint8_t)(inverse << 4);
        inverse ^= inverse & 0x80 ? 0x09 : 0;
        sbox[x] = (uint8_t)(inverse ^ rotate(inverse, 1) ^ rotate(inverse, 2) ^ rotate(inverse, 3) ^
                            rotate(inverse, 4) ^ 0x63);
    } while (x != 1);
    sbox[0] = 0x63;
}

/* From its first 16 bytes. */
static void expand_key(Cipher *cipher)
{
    uint8_t constant = 1;
    for (int i = STATE; i < KEY; i += 4) {
        const uint8_t *before = cipher->key + i - 4;
        const bool first = i % STATE == 0;
        for (int row = 0; row < 4; row++) {
            uint8_t byte = first ? cipher->sbox[before[(row + 1) % 4]] : before[row];
            byte ^= first && row == 0 ? constant : 0;
            cipher->key[i + row] = cipher->key[i + row - STATE] ^ byte;
        }
        if (first)
            constant = twice(constant);
    }
}

static void mix_column(uint8_t *column)
{
    const uint8_t old[] = {column[0], column[1], column[2], column[3]};
    const uint8_t all = old[0] ^ old[1] ^ old[2] ^ old[3];
    for (int row = 0; row < 4; row++)
        column[row] = (uint8_t)(old[row] ^ all ^ twice(old[row] ^ old[(row + 1) % 4]));
}

static void encrypt(const Cipher *cipher, uint8_t *state)
{
    for (int i = 0; i < STATE; i++)
        state[i] ^= cipher->key[i];
    for (int round = 1; round <= ROUNDS; round++) {
        uint8_t shifted[STATE];
        for (int i = 0; i < STATE; i++)
            shifted[i] = cipher->sbox[state[(i + 4 * (i % 4)) % STATE]];
        for (int column = 0; round < ROUNDS && column < 4; column++)
            mix_column(shifted + 4 * column);
        for (int i = 0; i < STATE; i++)
            state[i] = shifted[i] ^ cipher->key[STATE * round + i];
    }
}

/* What row `row` of a column becomes: a word of its four products with the matrix that mixes columns. */
static void make_tables(const Cipher *cipher, uint32_t tables[4][256])
{
    for (uint32_t x = 0; x < 256; x++) {
        const uint32_t s = cipher->sbox[x], two = twice((uint8_t)s);
        tables[0][x] = two | s << 8 | s << 16 | (two ^ s) << 24;
        for (int row = 1; row < 4; row++)
            tables[row][x] = tables[row - 1][x] << 8 | tables[row - 1][x] >> 24;
    }
}

static bool compute(Host *host, const Cipher *cipher, uint8_t *text, uint32_t grid)
{
    const size_t bytes = (size_t)grid * THREADS * sizeof(uint32_t);
    uint32_t tables[4][256];
    make_tables(cipher, tables);
    host_set(host, "aes_tables", tables, sizeof tables);
    const uint64_t from = host_buffer(host, text, bytes), to = host_buffer(host, NULL, bytes);
    const uint64_t key = host_buffer(host, cipher->key, KEY);
    const uint64_t texture = host_texture(host, key, KEY / sizeof(uint32_t), WB_CHANNEL_UNSIGNED);
    HOST_LAUNCH(host, "aes_encrypt", dim(grid, 1, 1), dim(THREADS, 1, 1), WB_ARG(to), WB_ARG(from),
                WB_ARG(texture));
    for (size_t i = 0; i < bytes; i += STATE)
        encrypt(cipher, text + i);
    const bool right = host_equals(host, to, text, bytes);
    host_texture_free(host, texture);
    host_free(host, key);
    host_free(host, to);
    host_free(host, from);
    return right;
}

bool claso_aes_run(Host *host, const BenchmarkRun *run)
{
    const uint32_t grid = run->blocks ? run->blocks : blocks[run->size];
    const size_t bytes = (size_t)grid * THREADS * sizeof(uint32_t);
    uint32_t state = benchmark_seed(run);
    Cipher cipher;
    uint8_t *text = host_array(host, bytes, 1);
    if (!text)
        return false;
    make_sbox(cipher.sbox);
    for (size_t i = 0; i < STATE; i++)
        cipher.key[i] = (uint8_t)(random_next(&state) >> 24);
    expand_key(&cipher);
    for (size_t i = 0; i < bytes; i++)
        text[i] = (uint8_t)(random_next(&state) >> 24);
    const bool right = compute(host, &cipher, text, grid);
    free(text);
    return right;
}
