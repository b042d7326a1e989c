/* The sentence of a hang, cut to the room that an error has: the unusual first, and of the blocks as many as
 * fit. */
#include "api/hang_record.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

/* "\n  block (0,0,0) of 'k' on SM 3, which is being saved:" and its lanes, the unusual only; 0: there is no
 * room for one of them. */
static size_t put_block(const HangRecord *hang, const HangBlock *block, char *text, size_t size)
{
    char kernel[100] = "", state[96] = "";
    if (strcmp(block->kernel, hang->kernel) != 0)
        snprintf(kernel, sizeof kernel, " of '%.80s'", block->kernel);
    if (strcmp(block->state, "runs") != 0)
        snprintf(state, sizeof state, ", which %s", block->state);
    const int written = snprintf(text, size, "\n  block (%u,%u,%u)%s on SM %u%s:", block->index[0],
                                 block->index[1], block->index[2], kernel, block->sm, state);
    size_t used = (size_t)written, lanes = 0;
    for (uint32_t i = 0; used < size && i < block->lanes.count; i++) {
        const size_t length = hang_put_lanes(&block->lanes.items[i], text + used, size - used);
        used += length;
        lanes += length;
    }
    if (lanes)
        return used;
    text[0] = '\0';
    return 0;
}

WbStatus hang_record_tell(const HangRecord *hang, Error *error)
{
    enum { MORE = 40 };
    char text[sizeof error->text];
    size_t used = (size_t)snprintf(text, sizeof text, "%s", hang->sentence);
    uint32_t told = 0;
    for (; told < hang->blocks.count && used + MORE < sizeof text; told++) {
        const size_t length =
            put_block(hang, &hang->blocks.items[told], text + used, sizeof text - MORE - used);
        if (!length)
            break;
        used += length;
    }
    const uint32_t more = hang->blocks.count - told + hang->left_out;
    if (more && used + MORE <= sizeof text)
        snprintf(text + used, sizeof text - used, "\n  and %u blocks more", more);
    return error_set(error, WB_ERROR_DEADLOCK, "%s", text);
}

void hang_record_free(HangRecord *hang)
{
    if (!hang)
        return;
    for (uint32_t i = 0; i < hang->blocks.count; i++)
        VEC_FREE(&hang->blocks.items[i].lanes);
    VEC_FREE(&hang->blocks);
    arena_free(&hang->arena);
    xfree(hang);
}
