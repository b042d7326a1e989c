/* Runs are added as stores come, and merged only with the one before, which is what a loop that fills an
 * array gives. They are put in order once, when the block first leaves. */
#include "exec/shared_copies.h"

#include <stdlib.h>
#include <string.h>

enum { COPY_WORD_BYTES = 4 };

/* -- the launch -- */

static uint64_t pointer_value(const Launch *launch, const CopyPointer *pointer)
{
    uint64_t value = pointer->place;
    if (pointer->is_parameter)
        memcpy(&value, launch->parameters + pointer->place, sizeof value);
    return value;
}

/* The allocation that it points into. What is no address at all is a number, and points nowhere. */
static bool find_allocation(const Launch *launch, const CopyPointer *pointer, const Allocation **found)
{
    const uint64_t value = pointer_value(launch, pointer);
    *found = value < SPACE_NULL_END ? NULL : space_find(launch->space, value, 1);
    return *found || value < SPACE_NULL_END;
}

bool shared_copies_are_apart(const Launch *launch)
{
    const ProgramCopies *copies = launch->program->copies;
    const Allocation *source, *written;
    for (uint32_t i = 0; i < copies->source_count; i++) {
        if (!find_allocation(launch, &copies->sources[i], &source))
            return false;
        for (uint32_t k = 0; k < copies->written_count; k++)
            if (!find_allocation(launch, &copies->written[k], &written) || (source && source == written))
                return false;
    }
    return true;
}

/* -- noting -- */

static SharedCopies *copies_of(Block *block)
{
    if (!block->copies)
        block->copies = xcalloc(1, sizeof *block->copies);
    return block->copies;
}

static void add_run(SharedCopies *copies, CopyRun run)
{
    CopyRun *last = copies->runs.count ? &copies->runs.items[copies->runs.count - 1] : NULL;
    copies->is_settled = false;
    if (last && last->shared + last->bytes == run.shared && last->global + last->bytes == run.global &&
        last->is_hint == run.is_hint)
        last->bytes += run.bytes;
    else
        VEC_PUSH(&copies->runs, run);
}

void shared_copies_hint(Block *block, uint32_t shared, uint32_t bytes, uint64_t global)
{
    SharedCopies *copies = copies_of(block);
    const CopyRun run = {global, shared, bytes, true};
    /* All threads of a block may say the same. */
    for (uint32_t i = 0; i < copies->runs.count; i++) {
        const CopyRun *known = &copies->runs.items[i];
        if (known->is_hint && known->global - known->shared == global - shared && known->shared <= shared &&
            shared + bytes <= known->shared + known->bytes)
            return;
    }
    add_run(copies, run);
}

static uint64_t *origins_of(SharedCopies *copies, const Warp *warp, uint32_t load)
{
    const uint32_t loads = warp->block->launch->program->copies->load_count;
    if (!copies->origins)
        copies->origins = xcalloc((size_t)warp->block->warp_count * loads * warp->width, sizeof(uint64_t));
    return &copies->origins[((size_t)warp->index * loads + load) * warp->width];
}

static void note_load(SharedCopies *copies, const Warp *warp, uint32_t load, const Access *access)
{
    uint64_t *origins = origins_of(copies, warp, load);
    for (Mask rest = access->mask; rest; rest &= rest - 1)
        origins[mask_first(rest)] = access->address[mask_first(rest)];
}

/* Element after element, so that lanes that follow each other in memory make one run. */
static void note_store(SharedCopies *copies, const Warp *warp, const CopyElement *elements,
                       const Access *access)
{
    for (Mask rest = access->mask; rest; rest &= rest - 1) {
        const unsigned lane = mask_first(rest);
        for (uint32_t i = 0; i < access->vector; i++) {
            const uint64_t origin = origins_of(copies, warp, elements[i].load)[lane];
            const uint32_t shared = (uint32_t)access->address[lane] + i * access->element_bytes;
            add_run(copies, (CopyRun){origin ? origin + elements[i].offset : 0, shared,
                                        access->element_bytes, false});
        }
    }
}

void shared_copies_note(const Step *step, const Access *access)
{
    const Insn *insn = step->insn;
    Warp *warp = step->warp;
    if (!insn->detail)
        return;
    if (access->kind == ACCESS_LOAD && insn->space == SPACE_GLOBAL)
        note_load(copies_of(warp->block), warp, *(const uint32_t *)insn->detail, access);
    else if (access->kind == ACCESS_STORE && insn->space == SPACE_SHARED)
        note_store(copies_of(warp->block), warp, insn->detail, access);
}

/* -- in order -- */

/* Where each word of shared memory comes from, by the last run that holds all of it; 0: nowhere. Hints have
 * the top bit set. */
static const uint64_t hint_bit = (uint64_t)1 << 63;

static uint64_t *paint(const SharedCopies *copies, uint32_t words)
{
    uint64_t *painted = xcalloc(words + 1, sizeof *painted);
    for (uint32_t i = 0; i < copies->runs.count; i++) {
        const CopyRun *run = &copies->runs.items[i];
        const uint32_t end = run->shared + run->bytes;
        /* Words that it holds in part have no longer one origin, if they had. */
        for (uint32_t word = run->shared / COPY_WORD_BYTES; word * COPY_WORD_BYTES < end; word++) {
            const uint32_t at = word * COPY_WORD_BYTES;
            const bool is_whole = at >= run->shared && at + COPY_WORD_BYTES <= end && run->global;
            painted[word] =
                is_whole ? (run->global + (at - run->shared)) | (run->is_hint ? hint_bit : 0) : 0;
        }
    }
    return painted;
}

/* Words that follow each other in both memories, and lie in one line, make a run. */
static void gather(SharedCopies *copies, const uint64_t *painted, uint32_t words)
{
    copies->runs.count = 0;
    for (uint32_t word = 0; word < words;) {
        const uint64_t first = painted[word], line = first / LINE_BYTES;
        uint32_t count = 1;
        while (first && word + count < words && painted[word + count] == first + count * COPY_WORD_BYTES &&
               (first + (count + 1) * COPY_WORD_BYTES - 1) / LINE_BYTES == line)
            count++;
        const bool is_inside = (first + COPY_WORD_BYTES - 1) / LINE_BYTES == line;
        if (first && is_inside) {
            const CopyRun run = {first & ~hint_bit, word * COPY_WORD_BYTES, count * COPY_WORD_BYTES,
                                   (first & hint_bit) != 0};
            VEC_PUSH(&copies->runs, run);
        }
        word += count;
    }
}

static int compare(const void *left, const void *right)
{
    const CopyRun *a = left, *b = right;
    if (a->global != b->global)
        return a->global < b->global ? -1 : 1;
    return a->shared < b->shared ? -1 : a->shared > b->shared;
}

static void put_in_order(SharedCopies *copies, uint32_t shared_bytes)
{
    const uint32_t words = shared_bytes / COPY_WORD_BYTES;
    uint64_t *painted = paint(copies, words);
    gather(copies, painted, words);
    xfree(painted);
    if (copies->runs.count)
        qsort(copies->runs.items, copies->runs.count, sizeof *copies->runs.items, compare);
    copies->is_settled = true;
}

static CopyLine sectors_of(const CopyRun *run)
{
    const uint64_t from = run->global % LINE_BYTES / SECTOR_BYTES;
    const uint64_t to = (run->global + run->bytes - 1) % LINE_BYTES / SECTOR_BYTES;
    return (2u << to) - (1u << from);
}

uint32_t shared_copies_settle(Block *block, CopyLines *lines)
{
    SharedCopies *copies = block->copies;
    uint32_t total = 0;
    lines->count = 0;
    if (!copies)
        return 0;
    if (!copies->is_settled)
        put_in_order(copies, block->launch->shared_bytes);
    for (uint32_t i = 0; i < copies->runs.count;) {
        const uint64_t address = copies->runs.items[i].global & ~(uint64_t)(LINE_BYTES - 1);
        CopyLine line = address;
        uint32_t bytes = 0;
        for (; i < copies->runs.count && copies->runs.items[i].global - address < LINE_BYTES; i++) {
            line |= sectors_of(&copies->runs.items[i]);
            bytes += copies->runs.items[i].bytes;
        }
        /* Bytes that are kept are moved twice. */
        if (2 * bytes <= (uint32_t)__builtin_popcount(copy_line_sectors(line)) * SECTOR_BYTES)
            continue;
        total += bytes;
        VEC_PUSH(lines, line);
    }
    return total;
}

/* -- a line has been read again -- */

static const CopyRun *first_in(const SharedCopies *copies, uint64_t address)
{
    uint32_t low = 0, high = copies->runs.count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (copies->runs.items[middle].global < address)
            low = middle + 1;
        else
            high = middle;
    }
    return &copies->runs.items[low];
}

const CopyRun *shared_copies_differ(const Block *block, CopyLine line, const uint8_t *data)
{
    const SharedCopies *copies = block->copies;
    const uint64_t address = copy_line_address(line);
    const CopyRun *const end = copies->runs.items + copies->runs.count;
    const CopyRun *run = first_in(copies, address);
    for (; run < end && run->global - address < LINE_BYTES; run++)
        if (memcmp(block->shared + run->shared, data + (run->global - address), run->bytes) != 0)
            return run;
    return NULL;
}

void shared_copies_free(SharedCopies *copies)
{
    if (!copies)
        return;
    VEC_FREE(&copies->runs);
    xfree(copies->origins);
    xfree(copies);
}
