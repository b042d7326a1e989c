/* A sentence for each pair of lines and kinds, found by a key of all that tells them apart. What comes after
 * the last sentence is only counted, so a run with millions of violations takes no more memory than one with
 * 64. */
#include "watch/violations.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void violation_block(const uint32_t size[3], uint32_t linear, uint32_t block[3])
{
    block[0] = linear % size[0];
    block[1] = linear / size[0] % size[1];
    block[2] = linear / size[0] / size[1];
}

static bool is_known(Violations *violations, const ViolationSide *earlier, const ViolationSide *later)
{
    uint32_t number;
    char key[2600];
    snprintf(key, sizeof key, "%d %d\n%.600s\n%.600s\n%.600s\n%.600s", earlier->touch, later->touch,
             earlier->kernel, earlier->place, later->kernel, later->place);
    const size_t length = strlen(key);
    if (map_get(&violations->seen, key, length, &number))
        return true;
    /* Keys that no sentence will belong to are not kept. */
    if (violations->sentences.count < MOST_SENTENCES)
        map_put(&violations->seen, arena_strndup(&violations->arena, key, length), length, 0);
    return false;
}

void violations_add(Violations *violations, const ViolationSide *earlier, const ViolationSide *later,
                    uint64_t address, const char *why)
{
    static const char *const does[] = {
        [TOUCH_READ] = "reads", [TOUCH_WRITE] = "writes", [TOUCH_ATOMIC] = "updates"};
    static const char *const did[] = {
        [TOUCH_READ] = "read", [TOUCH_WRITE] = "wrote", [TOUCH_ATOMIC] = "updated"};
    violations->count++;
    if (is_known(violations, earlier, later) || violations->sentences.count == MOST_SENTENCES)
        return;
    const char *sentence = arena_printf(
        &violations->arena,
        "Block (%u,%u,%u) of kernel %s %s at %s %s block (%u,%u,%u) of kernel %s %s at %s, "
        "address 0x%" PRIx64 ": %s.",
        later->block[0], later->block[1], later->block[2], later->kernel, does[later->touch], later->place,
        later->touch == TOUCH_WRITE ? "over what" : "what", earlier->block[0], earlier->block[1],
        earlier->block[2], earlier->kernel, did[earlier->touch], earlier->place, address, why);
    VEC_PUSH(&violations->sentences, sentence);
}

void violations_clear(Violations *violations)
{
    arena_free(&violations->arena);
    VEC_FREE(&violations->sentences);
    map_free(&violations->seen);
    *violations = (Violations){0};
}
