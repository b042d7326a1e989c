/* A hash of each sentence is kept, which is enough to know it again. */
#include "rt/told.h"

#include "base/vec.h"

/* Sentences are known by their hashes. Where there are very many, the list begins anew: then one may be said
 * twice. */
enum { SENTENCES = 4096 };
static VEC(uint64_t) told;
static uint64_t held_back;

static uint64_t hash(uint64_t seed, const char *text)
{
    for (; *text; text++)
        seed = (seed ^ (uint8_t)*text) * 0x100000001B3;
    return seed;
}

bool told_first(const char *call, const char *sentence)
{
    const uint64_t key = hash(hash(0xCBF29CE484222325, call), sentence);
    for (uint32_t i = 0; i < told.count; i++) {
        if (told.items[i] == key) {
            held_back++;
            return false;
        }
    }
    if (told.count == SENTENCES)
        told.count = 0;
    VEC_PUSH(&told, key);
    return true;
}

uint64_t told_again(void) { return held_back; }
