/* Global memory: the lanes' addresses become lines (coalescing), and loads go through the L1.
 *
 * Coalescing. The usual patterns are known from the first phase and cost nothing per lane. Otherwise lanes
 * are gathered one by one: neighbours mostly share a line, so the last one is tried first, and then a small
 * hash table.
 *
 * Loads. A load looks its lines up in the L1, one at a time as the queue lets it. What the L1 lacks is asked
 * for with one request a line; what comes back the L1 hands to all loads that wait for it. A load whose
 * sectors all come at once, of one line, does its second phase right on them, wherever they are. Otherwise
 * they are gathered in staging bytes until the last has come. Lanes in a row of staging bytes are as if they
 * had been consecutive in memory, which is the fastest form. */
#include <string.h>

#include "sm/lsu/unit.h"

/* -- coalescing -- */

static uint64_t line_of(uint64_t address) { return address & ~(uint64_t)(LINE_BYTES - 1); }

/* The sectors of bytes [from, to) of a line. */
static uint8_t sectors_of(uint64_t from, uint64_t to)
{
    return (uint8_t)((2u << (to - 1) / SECTOR_BYTES) - (1u << from / SECTOR_BYTES));
}

enum { TABLE_ENTRIES = 2 * MAX_WIDTH, EMPTY = 0xFF };

typedef struct Gathering {
    AccessLine *lines;
    uint32_t count;
    uint8_t table[TABLE_ENTRIES]; /* number of a line, or EMPTY */
} Gathering;

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

uint32_t coalesce_lanes(const uint64_t *address, uint32_t bytes, Mask lanes, AccessLine *lines)
{
    Gathering gathering = {.lines = lines};
    AccessLine *last = NULL;
    memset(gathering.table, EMPTY, sizeof gathering.table);
    for (; lanes; lanes &= lanes - 1) {
        const unsigned lane = mask_first(lanes);
        const uint64_t line = line_of(address[lane]), offset = address[lane] - line;
        if (!last || last->line != line)
            last = find_line(&gathering, line);
        last->lanes |= (Mask)1 << lane;
        last->sectors |= sectors_of(offset, offset + bytes);
    }
    return gathering.count;
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
        count = coalesce_lanes(access->address, access->bytes, access->mask, lines);
    }
    set_line_places(access, lines, count);
    return count;
}

/* -- an access issues -- */

/* Whether the L1 may answer a load of global memory. */
static bool is_cached(const Handover *handover)
{
    const Lsu *lsu = handover->lsu;
    const uint32_t aux = handover->step->insn->aux;
    const bool bypasses = lsu->config->graph_l1 == GRAPH_L1_BYPASS &&
                          lsu->sm->blocks[handover_slot(handover)->block].kernel->is_graph;
    return !(aux & AUX_AT_L2) && (aux & AUX_READ_ONLY || (lsu->config->l1_global && !bypasses));
}

void lsu_set_lines(Lsu *lsu, LsuOp *op, const AccessLine *lines, uint32_t count)
{
    LsuLoad *load = &op->load;
    load->lines = &load->first_line;
    if (count > 1)
        load->lines = lsu_new_buffer(lsu, count * sizeof *lines, &load->lines_class);
    memcpy(load->lines, lines, count * sizeof *lines);
    load->line_count = count;
    load->next_line = load->sectors_left = 0;
    load->looked_up = 0;
    load->staging = NULL;
    load->strength = REQUEST_WEAK;
    load->is_cached = true;
    for (uint32_t i = 0; i < count; i++)
        load->sectors_left += count_sectors(lines[i].sectors);
}

/* Bytes that go to shared memory: nobody waits for registers, but for the copies as a group. */
static void begin_copy(const Handover *handover, LsuOp *op)
{
    Lsu *lsu = handover->lsu;
    const size_t bytes = lsu->width * sizeof *op->access.targets;
    op->access.targets = lsu_new_buffer(lsu, bytes, &op->load.kept_class);
    memcpy(op->access.targets, handover->access->targets, bytes);
    handover_slot(handover)->pending_stores++;
    lsu_copy_begins(lsu, op);
    lsu->statistics.async_copies++;
}

static void keep_addresses(LsuLoad *load, const Access *access, unsigned width)
{
    load->address = access->address[0];
    if (access->pattern == PATTERN_ANY)
        for (unsigned lane = 0; lane < width; lane++)
            load->offset[lane] = (uint8_t)(access->address[lane] % LINE_BYTES);
}

static void load_global(const Handover *handover, const AccessLine *lines, uint32_t count)
{
    Lsu *lsu = handover->lsu;
    const uint32_t aux = handover->step->insn->aux;
    LsuOp *op = lsu_new_record(handover, OP_LOAD);
    op->access = access_keep(handover->access);
    op->perform = handover->perform;
    lsu_set_lines(lsu, op, lines, count);
    keep_addresses(&op->load, handover->access, lsu->width);
    op->load.is_cached = is_cached(handover);
    op->load.strength = aux & AUX_SYSTEM ? REQUEST_SYSTEM : aux & AUX_STRONG ? REQUEST_STRONG : REQUEST_WEAK;
    lsu_acquire(handover, op);
    if (op->access.kind == ACCESS_COPY) {
        begin_copy(handover, op);
    } else {
        lsu_announce(handover, op, WAIT_MEMORY);
        lsu->statistics.global_loads++;
    }
    if (handover->step->insn->action == ACTION_SURFACE_LOAD)
        lsu_take_texture_time(handover, op, true, 1);
    lsu_enqueue(lsu, op);
}

static void count_lines(Lsu *lsu, AccessKind kind, const AccessLine *lines, uint32_t count)
{
    uint32_t sectors = 0;
    for (uint32_t i = 0; i < count; i++)
        sectors += count_sectors(lines[i].sectors);
    lsu->statistics.global_lines += count;
    lsu->statistics.global_sectors += sectors;
    if (kind == ACCESS_LOAD || kind == ACCESS_COPY)
        lsu->statistics.global_load_sectors += sectors;
    else if (kind == ACCESS_STORE)
        lsu->statistics.global_store_sectors += sectors;
}

void lsu_carry_global(const Handover *handover)
{
    Lsu *lsu = handover->lsu;
    AccessLine lines[MAX_WIDTH];
    const uint32_t count = coalesce_global(handover->access, lsu->width, lines);
    count_lines(lsu, (AccessKind)handover->access->kind, lines, count);
    switch ((AccessKind)handover->access->kind) {
    case ACCESS_STORE:
        lsu_store(handover, lines, count);
        break;
    case ACCESS_ATOMIC:
        lsu_atomic(handover, lines, count);
        break;
    default:
        load_global(handover, lines, count);
        break;
    }
}

/* -- its bytes come -- */

/* Bytes [from, to) of the line that are in the sectors, to where they belong in the image at `image`. */
static void copy_range(uint8_t *image, const uint8_t *data, uint64_t from, uint64_t to, uint8_t sectors)
{
    for (; sectors; sectors &= (uint8_t)(sectors - 1)) {
        const uint64_t sector = (uint64_t)__builtin_ctz(sectors) * SECTOR_BYTES;
        const uint64_t begin = sector > from ? sector : from,
                       end = sector + SECTOR_BYTES < to ? sector + SECTOR_BYTES : to;
        memcpy(image + (begin - from), data + begin, end - begin);
    }
}

static void copy_lanes(const LsuLoad *load, uint32_t bytes, Mask lanes, const uint8_t *data, uint8_t sectors)
{
    for (; lanes; lanes &= lanes - 1) {
        const unsigned lane = mask_first(lanes), offset = load->offset[lane];
        if (!(sectors >> offset / SECTOR_BYTES & 1))
            continue;
        uint8_t *to = load->staging + (size_t)lane * bytes;
        switch (bytes) {
        case 4:
            memcpy(to, data + offset, 4);
            break;
        case 8:
            memcpy(to, data + offset, 8);
            break;
        case 16:
            memcpy(to, data + offset, 16);
            break;
        default:
            memcpy(to, data + offset, bytes);
            break;
        }
    }
}

/* Sectors of a line that are not all the load wants: into its staging bytes. */
static void stage(Lsu *lsu, LsuOp *op, const AccessLine *line, const uint8_t *data, uint8_t sectors)
{
    LsuLoad *load = &op->load;
    const Access *access = &op->access;
    const uint32_t bytes = access->bytes;
    const uint64_t address = load->address;
    if (!load->staging) {
        const size_t lanes = access->pattern == PATTERN_UNIFORM ? 1 : lsu->width;
        load->staging = lsu_new_buffer(lsu, lanes * bytes, &load->staging_class);
    }
    if (access->pattern == PATTERN_UNIFORM) {
        memcpy(load->staging, data + (address - line->line), bytes);
    } else if (access->pattern == PATTERN_CONSECUTIVE) {
        const uint64_t first = address > line->line ? address : line->line;
        const uint64_t end = address + (uint64_t)lsu->width * bytes;
        const uint64_t to = end - line->line < LINE_BYTES ? end - line->line : LINE_BYTES;
        uint8_t *image = load->staging + (first - address);
        if (sectors == line->sectors)
            memcpy(image, data + (first - line->line), to - (first - line->line));
        else
            copy_range(image, data, first - line->line, to, sectors);
    } else {
        copy_lanes(load, bytes, line->lanes, data, sectors);
    }
}

static void perform(Lsu *lsu, LsuOp *op, uint8_t **places)
{
    op->access.place = places;
    lsu_perform(lsu, op);
    op->access.place = NULL;
}

/* All bytes are at `first`, lane after lane or all lanes' at one place: does the second phase on them. */
static void perform_at(Lsu *lsu, LsuOp *op, uint8_t *first)
{
    const Access *access = &op->access;
    const size_t stride = access->pattern == PATTERN_UNIFORM ? 0 : access->bytes;
    uint8_t *places[MAX_WIDTH];
    places[0] = first;
    for (unsigned lane = 0; !access->values && lane < lsu->width; lane++)
        places[lane] = first + lane * stride;
    perform(lsu, op, places);
}

/* The same where the bytes are in their only line. */
static void perform_in_line(Lsu *lsu, LsuOp *op, const uint8_t *data)
{
    uint8_t *line = (uint8_t *)(uintptr_t)data; /* a load's second phase does not write there */
    if (op->access.pattern != PATTERN_ANY) {
        perform_at(lsu, op, line + op->load.address % LINE_BYTES);
        return;
    }
    uint8_t *places[MAX_WIDTH];
    for (unsigned lane = 0; lane < lsu->width; lane++)
        places[lane] = line + op->load.offset[lane];
    perform(lsu, op, places);
}

static void perform_staged(Lsu *lsu, LsuOp *op)
{
    if (op->access.pattern == PATTERN_ANY)
        op->access.pattern = PATTERN_CONSECUTIVE;
    perform_at(lsu, op, op->load.staging);
}

/* Local data has moved when the load issued. */
void lsu_take_sectors(Lsu *lsu, LsuOp *op, uint32_t index, const uint8_t *data, uint8_t sectors)
{
    LsuLoad *load = &op->load;
    const AccessLine *line = &load->lines[index];
    load->sectors_left -= count_sectors(sectors);
    if (op->access.space == SPACE_LOCAL)
        return;
    if (op->access.kind == ACCESS_TEXTURE) {
        lsu_take_texels(op, line, data, sectors);
        if (!load->sectors_left)
            lsu_perform(lsu, op);
    } else if (load->line_count == 1 && sectors == line->sectors) {
        perform_in_line(lsu, op, data);
    } else {
        stage(lsu, op, line, data, sectors);
        if (!load->sectors_left)
            perform_staged(lsu, op);
    }
}

/* What a hit takes longer behind so many other lines. */
static Cycle lines_latency(const Lsu *lsu, uint32_t before)
{
    return lsu->config->l1_latency_lines ? before / (uint32_t)lsu->config->l1_latency_lines : 0;
}

uint64_t *lsu_load_line(Lsu *lsu, LsuOp *op, Cycle start, Cycle now)
{
    if (lsu->coherent)
        return lsu_load_unit(lsu, op, start, now);
    LsuLoad *load = &op->load;
    const AccessLine *line = &load->lines[load->next_line];
    const L1Load wanted = {
        line->line, line->sectors, load->is_cached, lsu_can_send(lsu), op, load->next_line};
    L1Answer answer;
    const L1Status status = l1_load(&lsu->l1, &wanted, &answer);
    if (status == L1_FULL)
        return &lsu->statistics.mshr_full_cycles;
    if (status == L1_CANNOT_SEND)
        return &lsu->statistics.send_full_cycles;
    const Cycle cycles = lsu_data_cycles(lsu, line->sectors);
    lsu->free = start + cycles;
    lsu->turns[op->turn].next = start + (answer.hit ? lsu->turn_count : 1);
    if (answer.hit) {
        lsu_take_sectors(lsu, op, load->next_line, answer.data, answer.hit);
        op->ready = start + cycles - 1 + lsu->config->l1_latency + lines_latency(lsu, load->next_line);
    }
    if (status == L1_MISS) {
        Request *request = lsu_new_request(lsu, REQUEST_LOAD, line);
        request->sectors = answer.fetch;
        request->strength = load->strength;
        request->ticket = answer.ticket;
        lsu_push_request(lsu, request, now);
    }
    load->next_line++;
    return NULL;
}

/* The L1 hands out what has come (L1Deliver). A load may still have lines in the queue: then it waits for
 * sectors of those. */
static void deliver(void *context, void *owner, uint32_t index, const uint8_t *data, uint8_t sectors)
{
    Lsu *lsu = context;
    LsuOp *op = owner;
    lsu_take_sectors(lsu, op, index, data, sectors);
    if (!op->load.sectors_left)
        lsu_finish(lsu, op, clock_later(op->ready, lsu->sm->now + lsu->fill_latency));
}

void lsu_loaded(Lsu *lsu, const Request *request)
{
    const GpuConfig *config = lsu->config;
    const bool is_kept = l1_is_cached(&lsu->l1, request->ticket);
    lsu->fill_latency =
        config->l1_fill_latency +
        (is_kept ? (count_sectors(request->sectors) - 1) * config->l1_fill_sector_latency : 0);
    l1_arrived(&lsu->l1, request->ticket, request->sectors, request->data, deliver, lsu);
}
