/* Host code of integer.cu. */
#include "suite/case.h"

#include <math.h>
#include <string.h>

/* The first 32 bits of the fractions of the cube roots of the first 64 primes (FIPS 180-4, 4.2.2). */
static void sha_constants(uint32_t constants[64])
{
    for (int count = 0, number = 2; count < 64; number++) {
        bool prime = true;
        for (int d = 2; d * d <= number; d++)
            prime &= number % d != 0;
        if (prime) {
            const long double root = cbrtl((long double)number);
            constants[count++] = (uint32_t)((root - floorl(root)) * 4294967296.0L);
        }
    }
}

static uint32_t turn(uint32_t x, int by) { return x >> by | x << (32 - by); }

/* The first word of the digest of 16 words. */
static uint32_t sha(const uint32_t constants[64], const uint32_t in[16])
{
    uint32_t w[64], s[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                            0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memcpy(w, in, 64);
    for (int i = 16; i < 64; i++)
        w[i] = w[i - 16] + (turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ w[i - 15] >> 3) + w[i - 7] +
               (turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ w[i - 2] >> 10);
    for (int i = 0; i < 64; i++) {
        const uint32_t t = s[7] + (turn(s[4], 6) ^ turn(s[4], 11) ^ turn(s[4], 25)) +
                           ((s[4] & s[5]) ^ (~s[4] & s[6])) + constants[i] + w[i];
        const uint32_t u = (turn(s[0], 2) ^ turn(s[0], 13) ^ turn(s[0], 22)) +
                           ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        memmove(s + 1, s, 28);
        s[4] += t;
        s[0] = t + u;
    }
    return s[0] + 0x6a09e667;
}

bool suite_sha_rounds(Host *host)
{
    Case c = {.host = host};
    const int blocks = case_size(host, 2, 264), n = blocks * 128;
    const uint32_t *in = case_words(&c, (size_t)n * 16, UINT32_MAX, 1);
    uint32_t constants[64];
    sha_constants(constants);
    const uint64_t from = case_buffer(&c, in, (size_t)n * 64), to = case_buffer(&c, NULL, (size_t)n * 4);
    host_set(host, "sha_constants", constants, sizeof constants);
    CASE_LAUNCH(&c, "sha_rounds", blocks, 128, WB_ARG(from), WB_ARG(to));
    const uint32_t *got = case_result(&c, to, (size_t)n * 4);
    bool right = true;
    for (int i = 0; i < n; i++) {
        uint32_t block[16];
        for (int k = 0; k < 16; k++)
            block[k] = in[k * n + i];
        right &= got[i] == sha(constants, block);
    }
    return case_end(&c, right);
}

bool suite_gcd_modulo(Host *host)
{
    Case c = {.host = host};
    const int n = case_size(host, 2000, 60000);
    const uint32_t *a = case_words(&c, (size_t)n, UINT32_MAX, 2), *b = case_words(&c, (size_t)n, 1u << 24, 3);
    const uint64_t da = case_buffer(&c, a, (size_t)n * 4), db = case_buffer(&c, b, (size_t)n * 4),
                   to = case_buffer(&c, NULL, (size_t)n * 4);
    CASE_LAUNCH(&c, "gcd_modulo", (n + 127) / 128, 128, WB_ARG(da), WB_ARG(db), WB_ARG(to), WB_ARG(n));
    const uint32_t *got = case_result(&c, to, (size_t)n * 4);
    bool right = true;
    for (int i = 0; i < n; i++) {
        uint32_t x = a[i], y = b[i];
        while (y) {
            const uint32_t rest = x % y;
            x = y, y = rest;
        }
        right &= got[i] == x;
    }
    return case_end(&c, right);
}

bool suite_text_match(Host *host)
{
    Case c = {.host = host};
    const int n = case_size(host, 5000, 500000), length = 10;
    const char pattern[16] = "abaababaab";
    const uint32_t *words = case_words(&c, (size_t)n, 5, 4);
    char *text = case_array(&c, (size_t)n, 1);
    for (int i = 0; i < n; i++)
        text[i] = words[i] < 3 ? 'a' : 'b';
    const uint64_t from = case_buffer(&c, text, (size_t)n), found = case_zeros(&c, 4);
    host_set(host, "text_pattern", pattern, sizeof pattern);
    CASE_LAUNCH(&c, "text_match", (n + 255) / 256, 256, WB_ARG(from), WB_ARG(found), WB_ARG(n),
                WB_ARG(length));
    int expected = 0;
    for (int i = 0; i <= n - length; i++)
        expected += !memcmp(text + i, pattern, (size_t)length);
    return case_end(&c, expected > 0 && *(int *)case_result(&c, found, 4) == expected);
}

bool suite_monte_carlo(Host *host)
{
    Case c = {.host = host};
    const int blocks = case_size(host, 2, 264), points = case_size(host, 20, 120);
    const uint64_t inside = case_zeros(&c, 4);
    CASE_LAUNCH(&c, "monte_carlo", blocks, 256, WB_ARG(inside), WB_ARG(points));
    uint32_t expected = 0;
    for (uint32_t i = 0; i < (uint32_t)blocks * 256; i++) {
        uint32_t state = i * 747796405u + 2891336453u;
        for (int p = 0; p < points; p++) {
            state ^= state << 13, state ^= state >> 17, state ^= state << 5;
            const uint64_t x = state & 0xffff, y = state >> 16;
            expected += x * x + y * y < 0x100000000ull;
        }
    }
    return case_end(&c, *(uint32_t *)case_result(&c, inside, 4) == expected);
}
