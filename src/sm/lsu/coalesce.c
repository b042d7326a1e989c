/* The usual patterns are known from the first phase and cost nothing per lane. Otherwise lanes are
 * gathered one by one: neighbours mostly share a line, so the last one is tried first, and then a small
 * hash table. */
#include "sm/lsu/coalesce.h"

#include <string.h>

enum { TABLE_ENTRIES = 2 * MAX_WIDTH, WORD_BYTES = 4, EMPTY = 0xFF, TEXEL_ENTRIES = 2 * MAX_LINES };
_Static_assert(MAX_LINES >= TEXTURE_TEXELS * MAX_WIDTH, "a line for each texel");

static uint64_t line_of(uint64_t address) { return address & ~(uint64_t)(LINE_BYTES - 1); }

/* The sectors of bytes [from, to) of a line. */
static uint8_t sectors_of(uint64_t from, uint64_t to)
{
    return (uint8_t)((2u << (to - 1) / SECTOR_BYTES) - (1u << from / SECTOR_BYTES));
}

typedef struct Gathering {
    AccessLine *lines;
    uint32_t count;
    uint8_t table[TABLE_ENTRIES]; /* number of a line, or EMPTY */
} Gathering;

static Gathering gathering_begin(AccessLine *lines)
{
    Gathering gathering;
    gathering.lines = lines;
    gathering.count = 0;
    memset(gathering.table, EMPTY, sizeof gathering.table);
    return gathering;
}

static AccessLine *find_line(Gathering *gathering, uint64_t line)
{
    uint32_t entry = (uint32_t)((line / LINE_BYTES * 0x9E3779B97F4A7C15u) >> 32) % TABLE_ENTRIES;
    while (gathering->table[entry] != EMPTY) {
        AccessLine *found = &gathering->lines[gathering->table[entry]];
        if (found->line == line)
            return found;
        entry = (entry + 1) % TABLE_ENTRIES;
    }
    gathering->table[entry] = (uint8_t)gathering->count;
    AccessLine *added = &gathering->lines[gathering->count++];
    *added = (AccessLine){.line = line};
    return added;
}

static inline void gather(Gathering *gathering, AccessLine **last, uint64_t address, uint32_t bytes,
                          unsigned lane)
{
    const uint64_t line = line_of(address), offset = address - line;
    if (!*last || (*last)->line != line)
        *last = find_line(gathering, line);
    (*last)->lanes |= (Mask)1 << lane;
    (*last)->sectors |= sectors_of(offset, offset + bytes);
}

/* Lane l at `first` + l * bytes, all lanes. */
static uint32_t consecutive_lines(uint64_t first, uint32_t bytes, unsigned width, AccessLine *lines)
{
    const uint64_t end = first + (uint64_t)width * bytes;
    uint32_t count = 0;
    for (uint64_t line = line_of(first); line < end; line += LINE_BYTES) {
        const uint64_t from = line > first ? line : first;
        const uint64_t to = line + LINE_BYTES < end ? line + LINE_BYTES : end;
        const unsigned lane = (unsigned)((from - first) / bytes), lanes = (unsigned)((to - from) / bytes);
        lines[count++] = (AccessLine){.line = line,
                                      .lanes = mask_of_width(64) >> (64 - lanes) << lane,
                                      .sectors = sectors_of(from - line, to - line)};
    }
    return count;
}

/* An access with `values` and a pattern has only its first place. */
static void set_line_places(const Access *access, AccessLine *lines, uint32_t count)
{
    const bool one_place = access->values && access->pattern != PATTERN_ANY && access->kind != ACCESS_ATOMIC;
    for (uint32_t i = 0; i < count; i++) {
        const unsigned lane = one_place ? 0 : mask_first(lines[i].lanes);
        lines[i].place =
            (uint8_t *)((uintptr_t)access->place[lane] + (lines[i].line - access->address[lane]));
    }
}

uint32_t coalesce_global(const Access *access, unsigned width, AccessLine *lines)
{
    uint32_t count;
    if (access->pattern == PATTERN_UNIFORM) {
        const uint64_t offset = access->address[0] % LINE_BYTES;
        lines[0] = (AccessLine){.line = access->address[0] - offset,
                                .lanes = access->mask,
                                .sectors = sectors_of(offset, offset + access->bytes)};
        count = 1;
    } else if (access->pattern == PATTERN_CONSECUTIVE) {
        count = consecutive_lines(access->address[0], access->bytes, width, lines);
    } else {
        Gathering gathering = gathering_begin(lines);
        AccessLine *last = NULL;
        for (Mask rest = access->mask; rest; rest &= rest - 1)
            gather(&gathering, &last, access->address[mask_first(rest)], access->bytes, mask_first(rest));
        count = gathering.count;
    }
    set_line_places(access, lines, count);
    return count;
}

/* All lanes at one offset, as for spilled registers and scalars. */
static bool is_even(const Access *access, unsigned width)
{
    uint64_t differ = 0;
    for (unsigned lane = 0; lane < width; lane++)
        differ |= access->address[lane] ^ access->address[0];
    return !differ;
}

/* One word of all lanes of the mask: a line for each 32 of them. */
static uint32_t word_lines(uint64_t row, Mask mask, AccessLine *lines)
{
    uint32_t count = 0;
    for (unsigned chunk = 0; mask >> chunk; chunk += LINE_BYTES / WORD_BYTES) {
        const uint32_t part = (uint32_t)(mask >> chunk);
        uint8_t sectors = 0;
        for (unsigned sector = 0; sector < LINE_SECTORS; sector++)
            sectors |= (uint8_t)((part >> sector * 8 & 0xFF ? 1u : 0u) << sector);
        if (part)
            lines[count++] = (AccessLine){
                .line = row + chunk * WORD_BYTES, .lanes = (Mask)part << chunk, .sectors = sectors};
        if (chunk == 32)
            break;
    }
    return count;
}

uint32_t coalesce_local(const Access *access, unsigned width, uint64_t base, AccessLine *lines)
{
    const uint64_t row_bytes = (uint64_t)width * WORD_BYTES;
    const uint32_t words = access->bytes <= WORD_BYTES ? 1 : access->bytes / WORD_BYTES;
    const bool even = is_even(access, width);
    uint32_t count = 0;
    for (uint32_t word = 0; word < words; word++) {
        if (even) {
            const uint64_t row = base + (access->address[0] / WORD_BYTES + word) * row_bytes;
            count += word_lines(row, access->mask, lines + count);
            continue;
        }
        Gathering gathering = gathering_begin(lines + count);
        AccessLine *last = NULL;
        for (Mask rest = access->mask; rest; rest &= rest - 1) {
            const unsigned lane = mask_first(rest);
            const uint64_t row = base + (access->address[lane] / WORD_BYTES + word) * row_bytes;
            gather(&gathering, &last, row + lane * WORD_BYTES, WORD_BYTES, lane);
        }
        count += gathering.count;
    }
    return count;
}

/* Texels of neighbouring lanes mostly share a line, those of one lane often do not. */
uint32_t coalesce_texture(const TextureFetch *fetch, AccessLine *lines)
{
    TextureFetch *readable = (TextureFetch *)(uintptr_t)fetch;
    const TextureLane *lanes = fetch_lanes(readable);
    uint16_t table[TEXEL_ENTRIES] = {0}; /* number of a line + 1; 0: empty */
    uint32_t count = 0;
    for (uint32_t row = 0; row < fetch->texels; row++) {
        const TextureTexel *texels = fetch_texels(readable, row);
        for (uint32_t lane = 0; lane < fetch->width; lane++) {
            const uint64_t address = texels[lane].address, line = line_of(address), offset = address - line;
            if (!address)
                continue;
            const TextureObject *object = lanes[lane].object;
            uint32_t entry = (uint32_t)((line / LINE_BYTES * 0x9E3779B97F4A7C15u) >> 32) % TEXEL_ENTRIES;
            while (table[entry] && lines[table[entry] - 1].line != line)
                entry = (entry + 1) % TEXEL_ENTRIES;
            if (!table[entry]) {
                uint8_t *place = (uint8_t *)(uintptr_t)lanes[lane].host + (line - object->texture.address);
                lines[count++] = (AccessLine){.line = line, .place = place};
                table[entry] = (uint16_t)count;
            }
            AccessLine *found = &lines[table[entry] - 1];
            found->lanes |= (Mask)1 << lane;
            found->sectors |= sectors_of(offset, offset + object->element_bytes);
        }
    }
    return count;
}
