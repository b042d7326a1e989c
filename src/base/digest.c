/* SHA-256 as FIPS 180-4 writes it down: 64 rounds over a block of 64 bytes. */
#include "base/digest.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const uint32_t rounds[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t turn(uint32_t value, unsigned by) { return value >> by | value << (32 - by); }

static uint32_t big_endian(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static void mix(uint32_t state[8], const uint8_t block[64])
{
    uint32_t words[64], s[8];
    for (unsigned i = 0; i < 16; i++)
        words[i] = big_endian(block + 4 * i);
    for (unsigned i = 16; i < 64; i++) {
        const uint32_t a = words[i - 15], b = words[i - 2];
        words[i] = words[i - 16] + words[i - 7] + (turn(a, 7) ^ turn(a, 18) ^ a >> 3) +
                   (turn(b, 17) ^ turn(b, 19) ^ b >> 10);
    }
    memcpy(s, state, sizeof s);
    for (unsigned i = 0; i < 64; i++) {
        const uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
        const uint32_t majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
        const uint32_t one =
            s[7] + (turn(s[4], 6) ^ turn(s[4], 11) ^ turn(s[4], 25)) + choice + rounds[i] + words[i];
        const uint32_t other = (turn(s[0], 2) ^ turn(s[0], 13) ^ turn(s[0], 22)) + majority;
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += one;
        s[0] = one + other;
    }
    for (unsigned i = 0; i < 8; i++)
        state[i] += s[i];
}

Digest digest_begin(void)
{
    return (Digest){.state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c,
                              0x1f83d9ab, 0x5be0cd19}};
}

void digest_add(Digest *digest, const void *bytes, size_t count)
{
    const uint8_t *from = bytes;
    while (count) {
        const size_t used = digest->length % 64, room = 64 - used, part = count < room ? count : room;
        memcpy(digest->block + used, from, part);
        digest->length += part;
        from += part;
        count -= part;
        if (part == room)
            mix(digest->state, digest->block);
    }
}

void digest_add_text(Digest *digest, const char *text) { digest_add(digest, text, strlen(text) + 1); }

void digest_end(Digest *digest, char text[DIGEST_TEXT_SIZE])
{
    static const uint8_t padding[64] = {0x80};
    const uint64_t bits = 8 * digest->length;
    const size_t used = digest->length % 64;
    uint8_t count[8];
    for (unsigned i = 0; i < 8; i++)
        count[i] = (uint8_t)(bits >> (56 - 8 * i));
    digest_add(digest, padding, used < 56 ? 56 - used : 120 - used);
    digest_add(digest, count, sizeof count);
    for (unsigned i = 0; i < 8; i++)
        snprintf(text + 8 * i, 9, "%08x", digest->state[i]);
}

WbStatus digest_of_file(const char *what, const char *path, char text[DIGEST_TEXT_SIZE], Error *error)
{
    uint8_t bytes[1 << 16];
    Digest digest = digest_begin();
    FILE *file = fopen(path, "rb");
    for (size_t count; file && (count = fread(bytes, 1, sizeof bytes, file)) > 0;)
        digest_add(&digest, bytes, count);
    if (!file || ferror(file)) /* a folder can be opened, and fails when it is read */
        error_set(error, WB_ERROR_NOT_FOUND, "The %s %s cannot be read: %s.", what, path, strerror(errno));
    if (file)
        fclose(file);
    digest_end(&digest, text);
    return error->status;
}
