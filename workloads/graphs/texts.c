#include "graphs/dice.h"
#include "graphs/tables.h"

#include <stdlib.h>
#include <string.h>

const TextsParameters strings_sizes[INPUT_SIZES] = {
    [INPUT_SMALL] = {.count = 53248, .shortest = 16, .longest = 48},
    [INPUT_FULL] = {.count = 65536, .shortest = 16, .longest = 1024},
    [INPUT_TINY] = {.count = 128, .shortest = 16, .longest = 32},
};

/* 1460 bytes are what an Ethernet frame leaves to TCP. */
const TextsParameters packets_sizes[INPUT_SIZES] = {
    [INPUT_SMALL] = {.count = 53248, .shortest = 0, .longest = 128},
    [INPUT_FULL] = {.count = 65536, .shortest = 0, .longest = 1460},
    [INPUT_TINY] = {.count = 96, .shortest = 0, .longest = 48},
};

enum { IP_HEADER = 20, TCP_HEADER = 20, UDP_HEADER = 8, TCP = 6, UDP = 17, HOSTS = 256 };

/* False: an error stands. `header` bytes come on top of every text. */
static bool texts_begin(const TextsParameters *p, uint32_t header, Texts *texts, InputError *error)
{
    *texts = (Texts){.count = p->count};
    const uint64_t most = (uint64_t)p->count * ((uint64_t)p->longest + header);
    if (p->shortest > p->longest || p->longest > UINT16_MAX - header || most > UINT32_MAX)
        return input_fail(error,
                          "%u texts of %u to %u bytes cannot be made: the lengths must rise, fit a packet of "
                          "65535 bytes, and stay below 4 GB together.",
                          p->count, p->shortest, p->longest);
    texts->starts = input_array(error, (size_t)p->count + 1, sizeof *texts->starts);
    texts->bytes = input_array(error, most, 1);
    if (input_failed(error))
        texts_free(texts);
    return !input_failed(error);
}

bool strings_make(const TextsParameters *parameters, uint64_t seed, Texts *texts, InputError *error)
{
    Dice dice = {seed};
    if (!texts_begin(parameters, 0, texts, error))
        return false;
    for (uint32_t i = 0; i < texts->count; i++) {
        const uint32_t length = dice_between(&dice, parameters->shortest, parameters->longest);
        uint8_t *to = texts->bytes + texts->starts[i];
        for (uint32_t k = 0; k < length; k++)
            to[k] = (uint8_t)('a' + dice_below(&dice, 26));
        texts->starts[i + 1] = texts->starts[i] + length;
    }
    return true;
}

static void put_number(uint8_t *to, uint32_t value, int bytes)
{
    for (int i = bytes; i-- > 0; value >>= 8)
        to[i] = (uint8_t)value;
}

/* An address of 10.0.0.0/8 out of few. */
static uint32_t draw_host(Dice *dice)
{
    return 10u << 24 | (dice_below(dice, HOSTS) * 2654435761u & 0xFFFFFF);
}

/* Returns the bytes of the header. */
static uint32_t put_header(uint8_t *to, uint8_t protocol, uint32_t payload, Dice *dice)
{
    static const uint16_t ports[] = {80, 80, 80, 25, 23, 21, 110, 53};
    const uint32_t transport = protocol == TCP ? TCP_HEADER : UDP_HEADER;
    to[0] = 0x45;
    put_number(to + 2, IP_HEADER + transport + payload, 2);
    put_number(to + 4, (uint32_t)dice_next(dice), 2);
    to[8] = (uint8_t)dice_between(dice, 32, 128);
    to[9] = protocol;
    put_number(to + 12, draw_host(dice), 4);
    put_number(to + 16, draw_host(dice), 4);
    put_number(to + IP_HEADER, dice_between(dice, 1024, 65535), 2);
    put_number(to + IP_HEADER + 2, ports[dice_below(dice, sizeof ports / sizeof *ports)], 2);
    if (protocol == UDP) {
        put_number(to + IP_HEADER + 4, UDP_HEADER + payload, 2);
    } else {
        put_number(to + IP_HEADER + 4, (uint32_t)dice_next(dice), 4);
        put_number(to + IP_HEADER + 8, (uint32_t)dice_next(dice), 4);
        put_number(to + IP_HEADER + 12, 0x5018, 2); /* five words, push and acknowledge */
        put_number(to + IP_HEADER + 14, 8192, 2);
    }
    return IP_HEADER + transport;
}

/* Words of protocols between words by chance, cut at the end; one payload in four is bytes by chance. */
static void put_payload(uint8_t *to, uint32_t length, Dice *dice)
{
    static const char *const words[] = {
        "GET /",   " HTTP/1.0\r\n", "Host: ",   "User-Agent: ", "USER ",  "PASS ",   "MAIL FROM:<",
        "RCPT TO", "login: ",       "cgi-bin/", "/etc/passwd",  ".html ", "cmd.exe", "\r\n",
    };
    const bool binary = dice_chance(dice, 1, 4);
    for (uint32_t at = 0; at < length;) {
        if (binary) {
            to[at++] = (uint8_t)dice_next(dice);
        } else if (dice_chance(dice, 1, 3)) {
            const char *word = words[dice_below(dice, sizeof words / sizeof *words)];
            while (*word && at < length)
                to[at++] = (uint8_t)*word++;
        } else {
            for (uint32_t letters = dice_between(dice, 2, 12); letters > 0 && at < length; letters--)
                to[at++] = (uint8_t)('a' + dice_below(dice, 26));
        }
    }
}

bool packets_make(const TextsParameters *parameters, uint64_t seed, Texts *texts, InputError *error)
{
    Dice dice = {seed};
    if (!texts_begin(parameters, IP_HEADER + TCP_HEADER, texts, error))
        return false;
    for (uint32_t i = 0; i < texts->count; i++) {
        const uint32_t kind = dice_below(&dice, 8);
        const uint32_t any = dice_between(&dice, parameters->shortest, parameters->longest);
        const uint32_t payload = kind < 4 ? parameters->shortest : kind == 4 ? parameters->longest : any;
        uint8_t *to = texts->bytes + texts->starts[i];
        const uint32_t header = put_header(to, dice_chance(&dice, 4, 5) ? TCP : UDP, payload, &dice);
        put_payload(to + header, payload, &dice);
        texts->starts[i + 1] = texts->starts[i] + header + payload;
    }
    return true;
}

void texts_free(Texts *texts)
{
    free(texts->starts);
    free(texts->bytes);
    *texts = (Texts){0};
}
