/* Texture reads: the texels of all lanes are brought together through the L1, then filtered as one.
 *
 * A read keeps its texels (TextureFetch) and does its second phase when the last has come. The texture unit
 * takes a few lanes at a time; that is the least time in the unit, and a latency behind the last texel. */
#include <string.h>

#include "sm/lsu/unit.h"

enum { TEXEL_ENTRIES = 2 * MAX_LINES };
_Static_assert(MAX_LINES >= TEXTURE_TEXELS * MAX_WIDTH, "a line for each texel");

void lsu_take_texture_time(const Handover *handover, LsuOp *op, bool by_integers, uint32_t passes)
{
    const GpuConfig *config = handover->lsu->config;
    const uint64_t lanes = (uint64_t)__builtin_popcountll(op->access.mask) * passes;
    const uint64_t rate = by_integers ? config->texture_fetch_lanes : config->texture_lanes;
    op->least_cycles = (lanes + rate - 1) / rate;
    op->extra_latency =
        op->least_cycles - 1 + (by_integers ? config->texture_fetch_latency : config->texture_latency);
}

/* A pass filters four texels of up to 8 bytes. */
static uint32_t texture_passes(const TextureFetch *fetch)
{
    enum { TEXELS = 4, BYTES = 32 };
    const TextureLane *lane = fetch_lanes((TextureFetch *)(uintptr_t)fetch);
    while (!lane->object)
        lane++;
    const uint32_t by_bytes = (fetch->texels * lane->object->element_bytes + BYTES - 1) / BYTES;
    const uint32_t by_texels = (fetch->texels + TEXELS - 1) / TEXELS;
    return by_bytes > by_texels ? by_bytes : by_texels;
}

/* Texels that lie in the sectors; each lies in one. */
void lsu_take_texels(LsuOp *op, const AccessLine *line, const uint8_t *data, uint8_t sectors)
{
    TextureFetch *fetch = op->access.fetch;
    const TextureLane *lanes = fetch_lanes(fetch);
    for (uint32_t row = 0; row < fetch->texels; row++) {
        TextureTexel *texels = fetch_texels(fetch, row);
        for (Mask rest = line->lanes; rest; rest &= rest - 1) {
            const unsigned lane = mask_first(rest);
            const uint64_t offset =
                texels[lane].address - line->line; /* large for a texel elsewhere, or none */
            if (offset < LINE_BYTES && sectors >> offset / SECTOR_BYTES & 1)
                memcpy(texels[lane].data, data + offset, lanes[lane].object->element_bytes);
        }
    }
}

/* The line that the texel is in, new or one that others share. */
static AccessLine *line_of_texel(AccessLine *lines, uint32_t *count, uint16_t table[TEXEL_ENTRIES],
                                 uint64_t address, const TextureLane *lane)
{
    const uint64_t line = address & ~(uint64_t)(LINE_BYTES - 1);
    uint32_t entry = (uint32_t)((line / LINE_BYTES * 0x9E3779B97F4A7C15u) >> 32) % TEXEL_ENTRIES;
    while (table[entry] && lines[table[entry] - 1].line != line)
        entry = (entry + 1) % TEXEL_ENTRIES;
    if (!table[entry]) {
        uint8_t *place = (uint8_t *)(uintptr_t)lane->host + (line - lane->object->texture.address);
        lines[(*count)++] = (AccessLine){.line = line, .place = place};
        table[entry] = (uint16_t)*count;
    }
    return &lines[table[entry] - 1];
}

/* The lines of all texels; at most MAX_LINES, and none if no lane has a texel. Texels of neighbouring lanes
 * mostly share a line, those of one lane often do not. */
static uint32_t coalesce_texture(TextureFetch *fetch, AccessLine *lines)
{
    const TextureLane *lanes = fetch_lanes(fetch);
    uint16_t table[TEXEL_ENTRIES] = {0}; /* number of a line + 1; 0: empty */
    uint32_t count = 0;
    for (uint32_t row = 0; row < fetch->texels; row++) {
        const TextureTexel *texels = fetch_texels(fetch, row);
        for (uint32_t lane = 0; lane < fetch->width; lane++) {
            const uint64_t address = texels[lane].address;
            if (!address)
                continue;
            AccessLine *line = line_of_texel(lines, &count, table, address, &lanes[lane]);
            const uint64_t first = (address - line->line) / SECTOR_BYTES;
            const uint64_t last =
                (address + lanes[lane].object->element_bytes - 1 - line->line) / SECTOR_BYTES;
            line->lanes |= (Mask)1 << lane;
            line->sectors |= (uint8_t)((2u << last) - (1u << first));
        }
    }
    return count;
}

/* One without texels, beyond the border or a buffer's end, is known now. */
void lsu_carry_texture(const Handover *handover)
{
    Lsu *lsu = handover->lsu;
    TextureFetch *fetch = handover->access->fetch;
    AccessLine lines[MAX_LINES];
    const uint32_t count = coalesce_texture(fetch, lines);
    lsu->statistics.texture_reads++;
    lsu->statistics.texture_lines += count;
    if (!count) {
        handover_perform(handover);
        LsuOp *known = lsu_known_later(handover, lsu->sm->now + lsu->config->l1_latency, WAIT_MEMORY);
        lsu_take_texture_time(handover, known, fetch->form->has_integers, 1);
        return;
    }
    LsuOp *op = lsu_new_record(handover, OP_LOAD);
    op->perform = handover->perform;
    lsu_take_texture_time(handover, op, fetch->form->has_integers, texture_passes(fetch));
    lsu_set_lines(lsu, op, lines, count);
    op->access.fetch = lsu_new_buffer(lsu, fetch_bytes(fetch), &op->load.kept_class);
    memcpy(op->access.fetch, fetch, fetch_bytes(fetch));
    lsu_announce(handover, op, WAIT_MEMORY);
    lsu_enqueue(lsu, op);
}
