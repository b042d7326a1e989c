/* Local memory: data moves when the instruction issues, but the lines take their way through the L1.
 *
 * It is interleaved: word w of all lanes of a warp lies together. So lanes at one offset, as for spilled
 * registers and scalars, touch a line for each 32 of them. */
#include "sm/lsu/unit.h"

/* Where a warp's local memory would lie if it had an address. */
static uint64_t local_base(const Handover *handover)
{
    const Sm *sm = handover->lsu->sm;
    const uint64_t bytes = (uint64_t)handover->step->warp->block->launch->local_bytes * handover->lsu->width;
    const uint64_t span = (bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
    return (uint64_t)1 << 63 | ((uint64_t)sm->number * MAX_WARPS + handover->step->issue->warp) * span;
}

/* All lanes at one offset. */
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
        uint64_t address[MAX_WIDTH];
        for (unsigned lane = 0; lane < width; lane++)
            address[lane] =
                base + (access->address[lane] / WORD_BYTES + word) * row_bytes + lane * WORD_BYTES;
        count += coalesce_lanes(address, WORD_BYTES, access->mask, lines + count);
    }
    return count;
}

static void send_local(const Handover *handover, const AccessLine *lines, uint32_t count)
{
    LsuOp *op = lsu_new_record(handover, OP_SEND);
    const uint32_t bytes = handover->access->bytes;
    op->send = (LsuSend){0};
    for (uint32_t i = 0; i < count; i++) {
        Request *request = lsu_new_request(handover->lsu, REQUEST_STORE, &lines[i]);
        for (Mask rest = lines[i].lanes; rest; rest &= rest - 1)
            request_mark_written(request, mask_first(rest) * WORD_BYTES % LINE_BYTES,
                                 bytes < WORD_BYTES ? bytes : WORD_BYTES);
        lsu_add_request(op, request);
    }
    handover_slot(handover)->pending_stores += count;
    lsu_enqueue(handover->lsu, op);
}

void lsu_carry_local(const Handover *handover)
{
    Lsu *lsu = handover->lsu;
    AccessLine lines[MAX_LINES];
    const uint32_t count = coalesce_local(handover->access, lsu->width, local_base(handover), lines);
    lsu->statistics.local_accesses++;
    lsu->statistics.local_lines += count;
    handover_perform(handover);
    if (handover->access->kind != ACCESS_LOAD) {
        send_local(handover, lines, count);
        return;
    }
    LsuOp *op = lsu_new_record(handover, OP_LOAD);
    lsu_set_lines(lsu, op, lines, count);
    lsu_announce(handover, op, WAIT_MEMORY);
    lsu_enqueue(lsu, op);
}
