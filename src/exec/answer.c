/* Pieces of an answer are gathered by size, and each store takes one piece of every lane, as an
 * instruction would. */
#include "exec/answer.h"

#include <string.h>

#include "exec/access.h"
#include "exec/peek.h"

enum { MOST_BYTES = 8 };

bool answer_put(const Warp *warp, unsigned lane, uint64_t address, const void *from, size_t size)
{
    AnswerList *answers = warp->block->launch->machine->answers;
    if (!answers)
        return poke(warp, lane, address, from, size);
    /* Known now, though it is stored later: a call that cannot answer must fail at the call. */
    if (!poke_may(warp, lane, address, size))
        return false;
    for (size_t done = 0; done < size;) {
        AnswerPiece piece = {.address = address + done, .lane = (uint8_t)lane, .bytes = MOST_BYTES};
        /* The largest piece that is aligned and still fits; 1 always does. */
        while (piece.address % piece.bytes || piece.bytes > size - done)
            piece.bytes /= 2;
        memcpy(&piece.value, (const uint8_t *)from + done, piece.bytes);
        VEC_PUSH(&answers->pieces, piece);
        done += piece.bytes;
    }
    return true;
}

static void put_pieces(Step *step, Access *access)
{
    (void)step;
    for (Mask rest = access->mask; rest; rest &= rest - 1) {
        const unsigned lane = mask_first(rest);
        memcpy(access->place[lane], access->targets[lane], access->bytes);
    }
}

/* One store: the next piece of each lane whose next one has so many bytes. */
static StepResult store_next(Step *step, AnswerList *answers, uint8_t bytes)
{
    static const Operand nowhere = {.kind = OPERAND_NONE};
    uint64_t addresses[MAX_WIDTH] = {0}, values[MAX_WIDTH];
    uint8_t *places[MAX_WIDTH] = {0};
    Mask seen = 0, mask = 0;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < answers->pieces.count; i++) {
        const AnswerPiece piece = answers->pieces.items[i];
        const Mask lane = (Mask)1 << piece.lane;
        if (seen & lane || piece.bytes != bytes) {
            answers->pieces.items[kept++] = piece;
        } else {
            mask |= lane;
            addresses[piece.lane] = piece.address;
            values[piece.lane] = piece.value;
            places[piece.lane] = (uint8_t *)&values[piece.lane];
        }
        /* Only a lane's first piece may go: its pieces are stored in their order. */
        seen |= lane;
    }
    answers->pieces.count = kept;
    AccessLanes lanes;
    Access access = {.kind = ACCESS_STORE,
                     .space = SPACE_GENERIC,
                     .bytes = bytes,
                     .alignment = bytes,
                     .mask = mask,
                     .base = &nowhere,
                     .offsets = addresses,
                     .targets = places};
    access_set_lanes(&access, &lanes);
    step->mask = mask;
    if (access_prepare(step, &access) == STEP_ERROR)
        return STEP_ERROR;
    return access_carry_out(step, &access, put_pieces);
}

StepResult answer_store(Step *step, AnswerList *answers)
{
    StepResult result = STEP_NEXT;
    while (answers->pieces.count && result == STEP_NEXT)
        result = store_next(step, answers, answers->pieces.items[0].bytes);
    answers->pieces.count = 0;
    return result;
}
