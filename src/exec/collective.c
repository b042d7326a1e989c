/* Values are gathered lane by lane from the steps that take part, the result is computed for the whole
 * warp, and each step takes its own lanes of it. Lanes whose membermasks differ are separate collectives
 * that happen to run at once (the tiles of cooperative groups): they are handled class by class. */
#include "exec/collective.h"

#include <string.h>

#include "exec/lanes.h"

typedef struct Collective {
    Step *const *steps;
    unsigned count;
    Mask executing;
    uint32_t members[LANES]; /* each executing lane's own membermask; not read for shuffles */
} Collective;

#define FOR_LANES(lane, mask)                                                                                \
    for (Mask rest_ = (mask); rest_; rest_ &= rest_ - 1)                                                     \
        for (unsigned lane = mask_first(rest_), once_ = 1; once_; once_ = 0)

/* Null for the forms without .sync, and for activemask. */
static const Operand *members_operand(const Step *step)
{
    static const uint8_t position[ACTION_COUNT] = {
        [ACTION_SHUFFLE] = 4, [ACTION_VOTE] = 2,  [ACTION_MATCH] = 2,
        [ACTION_REDUX] = 2,   [ACTION_ELECT] = 1, [ACTION_WARP_SYNC] = 0};
    unsigned k = position[step->insn->action];
    if (step->insn->action == ACTION_ACTIVEMASK || k >= step->insn->operand_count)
        return NULL;
    return step_operand(step, k);
}

static Mask wide_members(Step *step)
{
    unsigned lane = mask_first(step->mask);
    if (step->insn->action != ACTION_WARP_SYNC) {
        step_error(step, WB_ERROR_UNSUPPORTED, lane,
                   "'%s' exchanges 32-bit lane masks and has no meaning in a warp of %u lanes; "
                   "run this kernel on a GPU with warps of 32 lanes",
                   isa_rows[step->insn->row].pattern, step->warp->width);
        return 0;
    }
    const Operand *operand = members_operand(step);
    FOR_LANES(i, step->mask)
    {
        if ((uint32_t)step_value(step, operand, i) != UINT32_MAX) {
            step_error(step, WB_ERROR_UNSUPPORTED, i,
                       "bar.warp.sync names 32 lanes, so that in a warp of %u lanes only the full mask "
                       "0xffffffff, which stands for all lanes, has a meaning",
                       step->warp->width);
            return 0;
        }
    }
    /* All lanes of the warp. */
    return ~(Mask)0 >> (MAX_WIDTH - step->warp->width);
}

Mask collective_members(Step *step)
{
    /* PTX's masks have 32 bits; a warp of 64 lanes can only be named as a whole. */
    if (step->warp->width != LANES)
        return wide_members(step);
    const Operand *operand = members_operand(step);
    if (!operand)
        return step->mask;
    /* The common case, a constant mask that names all executing lanes, needs no look at single lanes. */
    if (operand->kind == OPERAND_IMMEDIATE && !(step->mask & ~(Mask)operand->value))
        return (uint32_t)operand->value;
    Mask all = 0;
    const uint32_t *members = step_read32(step, operand, 3);
    FOR_LANES(lane, step->mask)
    {
        if (!(members[lane] >> lane & 1)) {
            step_error(step, WB_ERROR_EXECUTION, lane,
                       "lane %u executes a .sync instruction with membermask 0x%08x, which does not name the "
                       "lane itself",
                       lane, members[lane]);
            return 0;
        }
        all |= members[lane];
    }
    return all;
}

Mask collective_same_members(Step *step)
{
    const Operand *operand = members_operand(step);
    return operand ? step_same_lanes(step, operand) : step->mask;
}

static void read_members(Collective *collective)
{
    for (unsigned s = 0; s < collective->count; s++) {
        Step *step = collective->steps[s];
        const Operand *operand = members_operand(step);
        const uint32_t *own = operand ? step_read32(step, operand, 3) : NULL;
        FOR_LANES(lane, step->mask)
        collective->members[lane] = own ? own[lane] : (uint32_t)step->mask;
    }
}

/* The pending lanes that run the same collective as the lowest of them. */
static Mask next_class(const Collective *collective, Mask pending)
{
    uint32_t members = collective->members[mask_first(pending)];
    Mask class = 0;
    FOR_LANES(lane, pending)
    class |= (Mask)(collective->members[lane] == members) << lane;
    return class;
}

static void gather32(const Collective *collective, unsigned operand, uint32_t values[LANES])
{
    /* All lanes come from one group, as they nearly always do: one copy instead of a loop over lanes. */
    if (collective->count == 1) {
        Step *step = collective->steps[0];
        memcpy(values, step_read32(step, step_operand(step, operand), 0), LANES * sizeof *values);
        return;
    }
    for (unsigned s = 0; s < collective->count; s++) {
        Step *step = collective->steps[s];
        const uint32_t *lanes = step_read32(step, step_operand(step, operand), 0);
        FOR_LANES(lane, step->mask)
        values[lane] = lanes[lane];
    }
}

static void gather64(const Collective *collective, unsigned operand, uint64_t values[LANES])
{
    for (unsigned s = 0; s < collective->count; s++) {
        Step *step = collective->steps[s];
        const uint64_t *lanes = step_read64(step, step_operand(step, operand), 0);
        FOR_LANES(lane, step->mask)
        values[lane] = lanes[lane];
    }
}

/* Writes the first entry of operand 0, which may be _. */
static void write32(Step *step, Mask lanes, const uint32_t values[LANES])
{
    const Operand *operand = step_operand(step, 0);
    if (operand->kind == OPERAND_REGISTER && operand->bytes == 4) {
        lanes_blend4(step_dest32(step, operand), values, (uint32_t)lanes);
    } else {
        FOR_LANES(lane, lanes)
        step_write(step, operand, lane, values[lane]);
    }
}

static void scatter32(const Collective *collective, const uint32_t values[LANES])
{
    for (unsigned s = 0; s < collective->count; s++)
        write32(collective->steps[s], collective->steps[s]->mask, values);
}

/* Writes the predicate of d|p where there is one. */
static void scatter_second(const Collective *collective, Mask value)
{
    for (unsigned s = 0; s < collective->count; s++) {
        Step *step = collective->steps[s];
        if (step_operand_count(step, 0) == 2)
            step_write_predicate(step, step_operand(step, 0) + 1, value);
    }
}

/* Fills the lane that each lane reads, and says which lanes are in range; the others read themselves. */
static inline uint32_t shuffle_sources(RowId mode, const uint32_t *b, const uint32_t *c,
                                       uint32_t source[LANES])
{
    uint32_t in_range = 0;
    for (uint32_t lane = 0; lane < LANES; lane++) {
        /* PTX, shfl: the low five bits of c bound the lane that may be read, bits 8 to 12 cut the warp into
         * segments. */
        const int32_t offset = b[lane] & 31, clamp = c[lane] & 31, segment = c[lane] >> 8 & 31;
        const int32_t low = (int32_t)lane & segment, limit = low | (clamp & ~segment);
        int32_t j;
        bool ok;
        switch (mode) {
        case ROW_shfl_up:
            j = (int32_t)lane - offset;
            ok = j >= limit;
            break;
        case ROW_shfl_down:
            j = (int32_t)lane + offset;
            ok = j <= limit;
            break;
        case ROW_shfl_bfly:
            j = (int32_t)lane ^ offset;
            ok = j <= limit;
            break;
        default:
            j = low | (offset & ~segment);
            ok = j <= limit;
            break;
        }
        source[lane] = ok ? (uint32_t)j : lane;
        in_range |= (uint32_t)ok << lane;
    }
    return in_range;
}

/* A lane that reads from one that does not take part (undefined in PTX) keeps its own value. */
static StepResult shuffle(const Collective *collective)
{
    uint32_t values[LANES] = {0};
    gather32(collective, 1, values);
    for (unsigned s = 0; s < collective->count; s++) {
        Step *step = collective->steps[s];
        const uint32_t *b = step_read32(step, step_operand(step, 2), 1);
        const uint32_t *c = step_read32(step, step_operand(step, 3), 2);
        uint32_t source[LANES], result[LANES], in_range;
        switch (step->insn->row) {
        case ROW_shfl_up:
            in_range = shuffle_sources(ROW_shfl_up, b, c, source);
            break;
        case ROW_shfl_down:
            in_range = shuffle_sources(ROW_shfl_down, b, c, source);
            break;
        case ROW_shfl_bfly:
            in_range = shuffle_sources(ROW_shfl_bfly, b, c, source);
            break;
        default:
            in_range = shuffle_sources(ROW_shfl_idx, b, c, source);
            break;
        }
        for (unsigned lane = 0; lane < LANES; lane++)
            result[lane] = values[collective->executing >> source[lane] & 1 ? source[lane] : lane];
        write32(step, step->mask, result);
        if (step_operand_count(step, 0) == 2)
            step_write_predicate(step, step_operand(step, 0) + 1, in_range);
    }
    return STEP_NEXT;
}

static StepResult vote(const Collective *collective)
{
    Mask set = 0, result = 0;
    uint32_t ballots[LANES] = {0};
    for (unsigned s = 0; s < collective->count; s++) {
        Step *step = collective->steps[s];
        set |= step_predicate(step, step_operand(step, 1)) & step->mask;
    }
    unsigned row = collective->steps[0]->insn->row;
    for (Mask pending = collective->executing; pending;) {
        Mask class = next_class(collective, pending);
        Mask votes = set & class;
        /* .uni holds if all votes are equal, one way or the other. */
        bool all = votes == class, any = votes != 0;
        bool outcome = row == ROW_vote_all ? all : row == ROW_vote_any ? any : all || !any;
        result |= outcome ? class : 0;
        FOR_LANES(lane, class)
        ballots[lane] = (uint32_t)votes;
        pending &= ~class;
    }
    if (row == ROW_vote_ballot) {
        scatter32(collective, ballots);
    } else {
        for (unsigned s = 0; s < collective->count; s++)
            step_write_predicate(collective->steps[s], step_operand(collective->steps[s], 0), result);
    }
    return STEP_NEXT;
}

static Mask equal_lanes(const uint64_t values[LANES], Mask lanes, uint64_t value)
{
    Mask same = 0;
    FOR_LANES(lane, lanes)
    same |= (Mask)(values[lane] == value) << lane;
    return same;
}

static StepResult match(const Collective *collective)
{
    uint64_t values[LANES];
    uint32_t result[LANES] = {0};
    Mask all_equal = 0;
    unsigned row = collective->steps[0]->insn->row;
    bool is_all = row == ROW_match_all_b32 || row == ROW_match_all_b64;
    gather64(collective, 1, values);
    if (row == ROW_match_any_b32 || row == ROW_match_all_b32) {
        FOR_LANES(lane, collective->executing)
        values[lane] &= UINT32_MAX;
    }
    for (Mask pending = collective->executing; pending;) {
        Mask class = next_class(collective, pending);
        /* Within a class, lanes of equal value are found together; each lane is looked at once. */
        for (Mask rest = class; rest;) {
            Mask same = equal_lanes(values, rest, values[mask_first(rest)]);
            /* match.all gives a mask only if all lanes agree. */
            bool counts = !is_all || same == class;
            FOR_LANES(lane, same)
            result[lane] = counts ? (uint32_t)same : 0;
            all_equal |= same == class ? class : 0;
            rest &= ~same;
        }
        pending &= ~class;
    }
    scatter32(collective, result);
    if (is_all)
        scatter_second(collective, all_equal);
    return STEP_NEXT;
}

static uint32_t reduce(RowId row, uint32_t a, uint32_t b)
{
    switch (row) {
    case ROW_redux_add:
        return a + b;
    case ROW_redux_min_u32:
        return a < b ? a : b;
    case ROW_redux_min_s32:
        return (int32_t)a < (int32_t)b ? a : b;
    case ROW_redux_max_u32:
        return a > b ? a : b;
    case ROW_redux_max_s32:
        return (int32_t)a > (int32_t)b ? a : b;
    case ROW_redux_and:
        return a & b;
    case ROW_redux_or:
        return a | b;
    default:
        return a ^ b;
    }
}

static StepResult redux(const Collective *collective)
{
    uint32_t values[LANES] = {0};
    gather32(collective, 1, values);
    for (Mask pending = collective->executing; pending;) {
        Mask class = next_class(collective, pending);
        unsigned first = mask_first(class);
        uint32_t total = values[first];
        /* All but the first, which the total begins with. */
        FOR_LANES(lane, class & (class - 1))
        total = reduce((RowId)collective->steps[0]->insn->row, total, values[lane]);
        FOR_LANES(lane, class)
        values[lane] = total;
        pending &= ~class;
    }
    scatter32(collective, values);
    return STEP_NEXT;
}

/* PTX leaves the choice to the machine; the lowest lane is what hardware takes. */
static StepResult elect(const Collective *collective)
{
    uint32_t leaders[LANES] = {0};
    Mask elected = 0;
    for (Mask pending = collective->executing; pending;) {
        Mask class = next_class(collective, pending);
        FOR_LANES(lane, class)
        leaders[lane] = mask_first(class);
        /* The lowest bit. */
        elected |= class & -class;
        pending &= ~class;
    }
    scatter32(collective, leaders);
    scatter_second(collective, elected);
    return STEP_NEXT;
}

static StepResult activemask(const Collective *collective)
{
    for (unsigned s = 0; s < collective->count; s++) {
        Step *step = collective->steps[s];
        uint32_t active[LANES];
        for (unsigned lane = 0; lane < LANES; lane++)
            active[lane] = (uint32_t)step->mask;
        write32(step, step->mask, active);
    }
    return STEP_NEXT;
}

StepResult collective_run(Step *const *steps, unsigned count, Mask members)
{
    Collective collective = {.steps = steps, .count = count};
    const Insn *first = steps[0]->insn;
    /* Shuffles of different modes may meet: each lane only says where it reads. */
    for (unsigned s = 1; s < count; s++) {
        if (steps[s]->insn->action != first->action ||
            (steps[s]->insn->row != first->row && first->action != ACTION_SHUFFLE))
            return step_error(steps[s], WB_ERROR_EXECUTION, mask_first(steps[s]->mask),
                              "lanes of one membermask meet at different instructions: '%s' here, '%s' in "
                              "lane %u",
                              isa_rows[steps[s]->insn->row].pattern, isa_rows[first->row].pattern,
                              mask_first(steps[0]->mask));
    }
    for (unsigned s = 0; s < count; s++)
        collective.executing |= steps[s]->mask;
    if (members & ~collective.executing)
        return step_error(steps[0], WB_ERROR_EXECUTION, mask_first(steps[0]->mask),
                          "a collective runs without lane %u, which its membermask names",
                          mask_first(members & ~collective.executing));
    if (first->action == ACTION_SHUFFLE)
        return shuffle(&collective);
    read_members(&collective);
    switch (first->action) {
    case ACTION_VOTE:
        return vote(&collective);
    case ACTION_MATCH:
        return match(&collective);
    case ACTION_REDUX:
        return redux(&collective);
    case ACTION_ELECT:
        return elect(&collective);
    default:
        return activemask(&collective);
    }
}
