/* The first phase of an access: addresses, spaces, checks.
 *
 * The usual access has all lanes in one space and, if global, in one allocation. prepare_together()
 * tries that with loops that have no branch per lane; whatever it cannot vouch for, errors included,
 * is looked at lane by lane in prepare_apart(). */
#include "exec/access.h"

#include <inttypes.h>
#include <stdio.h>

#include "exec/machine.h"

/* A range of one space: `size` bytes from address `base` on, at `host` for lane 0 and `stride` bytes
 * further for each next lane. host is null where there is none. */
typedef struct Range {
    uint64_t base, size, stride;
    uint8_t *host;
    bool read_only;
} Range;

Space access_window(uint64_t address)
{
    if (address < SPACE_GLOBAL_END)
        return SPACE_GLOBAL;
    switch (address & ~(uint64_t)UINT32_MAX) {
    case SPACE_SHARED_BASE:
        return SPACE_SHARED;
    case SPACE_LOCAL_BASE:
        return SPACE_LOCAL;
    case SPACE_PARAM_BASE:
        return SPACE_PARAM;
    case SPACE_CODE_BASE:
        return SPACE_REG;
    default:
        return SPACE_GLOBAL;
    }
}

uint64_t access_window_base(Space space)
{
    switch (space) {
    case SPACE_SHARED:
        return SPACE_SHARED_BASE;
    case SPACE_LOCAL:
        return SPACE_LOCAL_BASE;
    case SPACE_PARAM:
        return SPACE_PARAM_BASE;
    default:
        return 0;
    }
}

/* Insn.displacement is that of the only memory operand; with several, the text knows. */
static int64_t displacement_of(const Step *step, unsigned k)
{
    const Insn *insn = step->insn;
    if (!insn->ptx)
        return insn->displacement;
    const Function *function = step->warp->block->launch->program->functions[insn->function].function;
    const PtxOperand *operand = &function->operands[insn->ptx->first_operand + k];
    return operand->kind == PTX_ADDRESS ? operand->value : 0;
}

void access_init(Access *access, Step *step, AccessKind kind, unsigned memory, unsigned values)
{
    const Insn *insn = step->insn;
    access->kind = (uint8_t)kind;
    access->space = insn->space;
    access->element_bytes = insn->element_bytes;
    access->vector = insn->vector;
    access->bytes = access->alignment = (uint32_t)insn->element_bytes * insn->vector;
    access->mask = step->mask;
    access->base = step_operand(step, memory);
    /* Values of calls travel in registers, so any offset will do: clang passes packed structs like that. */
    if (access->base->kind == OPERAND_PARAM)
        access->alignment = 1;
    access->displacement = insn->displacement;
    access->offsets = NULL;
    access->values = step_operand(step, values);
}

void access_init_bytes(Access *access, Step *step, AccessKind kind, Space space, unsigned memory,
                       uint32_t bytes, uint32_t alignment, Mask mask)
{
    access->kind = (uint8_t)kind;
    access->space = (uint8_t)space;
    access->element_bytes = access->vector = 0;
    access->bytes = bytes;
    access->alignment = alignment;
    access->mask = mask;
    access->base = step_operand(step, memory);
    access->displacement = displacement_of(step, memory);
    access->offsets = NULL;
    access->values = NULL;
}

/* The lanes of the address register, or null where the base is none. */
static const char *base_lanes(const Step *step, const Operand *base)
{
    return base->kind == OPERAND_REGISTER ? (const char *)step->frame->words + base->offset : NULL;
}

/* One lane of an address register plus the displacement. A 32-bit register counts in 32 bits,
 * displacement included. */
static inline uint64_t lane_address(const char *lanes, bool narrow, uint64_t displacement, unsigned lane)
{
    return narrow ? (uint32_t)(((const uint32_t *)lanes)[lane] + (uint32_t)displacement)
                  : ((const uint64_t *)lanes)[lane] + displacement;
}

/* The address of one lane as the instruction gives it, whatever the base is. */
static uint64_t read_address(Step *step, const Access *access, unsigned lane)
{
    const Operand *base = access->base;
    const uint64_t displacement = (uint64_t)access->displacement;
    const uint64_t offset = access->offsets ? access->offsets[lane] : 0;
    switch (base->kind) {
    case OPERAND_NONE:
        return displacement + offset;
    case OPERAND_PARAM:
        return (uint64_t)base->value + displacement + offset;
    case OPERAND_REGISTER:
        return lane_address(base_lanes(step, base), base->bytes == 4, displacement, lane) + offset;
    default:
        return step_value(step, base, lane) + displacement + offset;
    }
}

void access_addresses(Step *step, unsigned memory, uint64_t *addresses)
{
    const Access access = {.base = step_operand(step, memory), .displacement = displacement_of(step, memory)};
    for (unsigned lane = 0; lane < step->warp->width; lane++)
        addresses[lane] = read_address(step, &access, lane);
}

/* Lanes that do not execute repeat the first one that does. */
static void read_addresses(Step *step, Access *access)
{
    const unsigned first = mask_first(access->mask);
    for (unsigned lane = 0; lane < step->warp->width; lane++)
        access->address[lane] = read_address(step, access, access->mask >> lane & 1 ? lane : first);
}

/* Looks an address up, first where this instruction found its last one. */
static inline const Allocation *find_allocation(const Step *step, uint64_t address, uint32_t bytes)
{
    const Launch *launch = step->warp->block->launch;
    const AddressSpace *space = launch->space;
    AllocationCache *cache = &launch->machine->allocations;
    if (cache->version != space->version)
        *cache = (AllocationCache){.version = space->version};
    const Allocation **slot = &cache->found[step->group->pc % ALLOCATION_CACHE_ENTRIES];
    const Allocation *found = *slot;
    if (found && address >= found->base && address - found->base < found->size &&
        bytes <= found->size - (address - found->base))
        return found;
    found = space_find(space, address, bytes);
    if (found)
        *slot = found;
    return found;
}

/* The range that an access of one lane has to lie in. */
static inline Range find_range(const Step *step, const Access *access, Space space, uint64_t address)
{
    const Warp *warp = step->warp;
    const Launch *launch = warp->block->launch;
    switch (space) {
    case SPACE_SHARED:
        return (Range){.size = launch->shared_bytes, .host = warp->block->shared};
    case SPACE_LOCAL:
        return (Range){.size = launch->local_bytes, .stride = launch->local_bytes, .host = warp->local};
    case SPACE_PARAM:
        if (access->base->kind == OPERAND_PARAM) {
            uint32_t bytes = launch->program->functions[step->frame->function].param_bytes;
            return (Range){.size = bytes, .stride = bytes, .host = step->frame->params};
        }
        return (Range){.size = launch->program->parameter_bytes,
                       .host = (uint8_t *)(uintptr_t)launch->parameters,
                       .read_only = true};
    case SPACE_GLOBAL:
    case SPACE_CONST: {
        const Allocation *found = find_allocation(step, address, access->bytes);
        if (!found)
            return (Range){0};
        return (Range){
            .base = found->base, .size = found->size, .host = found->host, .read_only = found->read_only};
    }
    default:
        return (Range){0};
    }
}

static bool writes(const Access *access)
{
    return access->kind != ACCESS_LOAD && access->kind != ACCESS_COPY && access->kind != ACCESS_HINT;
}

/* Loads and stores through the parameter space may come with a generic address of its window. */
static bool is_generic(const Access *access, uint64_t address)
{
    return access->space == SPACE_GENERIC || (access->space == SPACE_PARAM && address >= SPACE_PARAM_BASE);
}

/* What all lanes are held against, and what one pass over them found: bits are set where a lane is
 * misaligned or not in first .. first + last (bad), or off the row of addresses that begins at the
 * anchor and goes on by `step` (gaps), which is 0 or the size of the access, as the first two lanes
 * suggest. */
typedef struct Survey {
    uint64_t first, last, low_bits, anchor, step;
    uint64_t bad, gaps;
} Survey;

/* LANES lanes: addresses from a register, moved by `addend`; `start` is where the row would begin. */
static inline __attribute__((always_inline)) void survey_lanes(Survey *survey, uint64_t *to, const char *from,
                                                               bool narrow, uint64_t addend, uint64_t start,
                                                               uint32_t mask)
{
    const uint64_t first = survey->first, last = survey->last, low_bits = survey->low_bits;
    const uint64_t anchor = survey->anchor, step = survey->step;
    uint64_t bad = 0, gaps = 0;
    for (unsigned i = 0; i < LANES; i++) {
        uint64_t address = lane_address(from, narrow, addend, i);
        address = mask >> i & 1 ? address : anchor;
        to[i] = address;
        bad |= (address & low_bits) | (uint64_t)(address - first > last);
        gaps |= address ^ (start + i * step);
    }
    survey->bad |= bad;
    survey->gaps |= gaps;
}

/* An address without a register is that of all lanes. */
static void survey_one(Access *access, unsigned width, Survey *survey)
{
    const uint64_t anchor = survey->anchor;
    uint64_t *address = access->address;
    for (unsigned lane = 0; lane < width; lane++)
        address[lane] = anchor;
    survey->bad = (anchor & survey->low_bits) | (uint64_t)(anchor - survey->first > survey->last);
}

/* Sets access->address[] from the lanes of a register (or of anything like it), moved by `addend`. The
 * forms of the loop are made apart, so that each has no choice left inside. */
static void survey_register(Access *access, unsigned width, const char *lanes, bool narrow, uint64_t addend,
                            Mask mask, Survey *survey)
{
    for (unsigned chunk = 0; chunk < width; chunk += LANES, lanes += LANES * (narrow ? 4 : 8)) {
        const uint32_t part = (uint32_t)(mask >> chunk);
        const uint64_t start = survey->anchor + chunk * survey->step;
        uint64_t *to = access->address + chunk;
        if (part == UINT32_MAX && narrow)
            survey_lanes(survey, to, lanes, true, addend, start, UINT32_MAX);
        else if (part == UINT32_MAX)
            survey_lanes(survey, to, lanes, false, addend, start, UINT32_MAX);
        else if (narrow)
            survey_lanes(survey, to, lanes, true, addend, start, part);
        else
            survey_lanes(survey, to, lanes, false, addend, start, part);
    }
}

/* Sets access->address[] of lanes whose addresses come from elsewhere. */
static void survey_others(Step *step, Access *access, uint64_t window, Survey *survey)
{
    const unsigned width = step->warp->width;
    if (!access->offsets && access->base->kind != OPERAND_SPECIAL) {
        survey_one(access, width, survey);
        return;
    }
    read_addresses(step, access);
    survey_register(access, width, (const char *)access->address, false, 0 - window, mask_of_width(width),
                    survey);
}

/* `origin` is where address 0 would be; it need not be inside any object. */
static void set_places(uint8_t **place, const uint64_t *address, uintptr_t origin, uint64_t stride)
{
    for (unsigned i = 0; i < LANES; i++)
        place[i] = (uint8_t *)(origin + address[i] + i * stride);
}

static void set_all_places(Access *access, unsigned width, const Range *range)
{
    const uintptr_t origin = (uintptr_t)range->host - range->base;
    for (unsigned chunk = 0; chunk < width; chunk += LANES)
        set_places(access->place + chunk, access->address + chunk, origin + chunk * range->stride,
                   range->stride);
}

/* False: this access has to be looked at lane by lane. */
static bool prepare_together(Step *step, Access *access)
{
    const char *lanes = access->offsets ? NULL : base_lanes(step, access->base);
    const bool narrow = access->base->bytes == 4;
    const uint64_t displacement = (uint64_t)access->displacement;
    const unsigned first = mask_first(access->mask);
    const bool row = lanes && (access->mask & 3) == 3 &&
                     lane_address(lanes, narrow, 0, 1) - lane_address(lanes, narrow, 0, 0) == access->bytes;
    uint64_t anchor =
        lanes ? lane_address(lanes, narrow, displacement, first) : read_address(step, access, first);
    uint64_t window = 0;
    Space space = (Space)access->space;
    if (is_generic(access, anchor)) {
        space = access_window(anchor);
        window = access_window_base(space);
        anchor -= window;
    }
    const Range range = find_range(step, access, space, anchor);
    if (!range.host || range.size < access->bytes || (range.read_only && writes(access)))
        return false;
    Survey survey = {.first = range.base,
                     .last = range.size - access->bytes,
                     .low_bits = access->alignment - 1u,
                     .anchor = anchor,
                     .step = row ? access->bytes : 0};
    if (lanes)
        survey_register(access, step->warp->width, lanes, narrow, displacement - window, access->mask,
                        &survey);
    else
        survey_others(step, access, window, &survey);
    if (survey.bad)
        return false;
    access->pattern = (uint8_t)(range.stride || survey.gaps ? PATTERN_ANY
                                : row                       ? PATTERN_CONSECUTIVE
                                                            : PATTERN_UNIFORM);
    access->space = (uint8_t)space;
    if (access->pattern == PATTERN_ANY || !access->values || access->kind == ACCESS_ATOMIC)
        set_all_places(access, step->warp->width, &range);
    else
        access->place[0] = range.host + (access->address[0] - range.base);
    return true;
}

static const char *verb(const Access *access)
{
    switch (access->kind) {
    case ACCESS_LOAD:
    case ACCESS_COPY:
        return "load from";
    case ACCESS_STORE:
        return "store to";
    case ACCESS_ATOMIC:
        return "atomic at";
    case ACCESS_SYNC:
        return "mbarrier at";
    default:
        return "cache hint for";
    }
}

/* Says why a lane may not access `address`, an address of `space`. */
static StepResult refuse(Step *step, const Access *access, unsigned lane, Space space, uint64_t address,
                         const Range *range)
{
    static const char *const owners[] = {
        [SPACE_SHARED] = "shared", [SPACE_LOCAL] = "local", [SPACE_PARAM] = "parameter"};
    char reason[512], nearest[384];
    const bool is_window = space == SPACE_SHARED || space == SPACE_LOCAL || space == SPACE_PARAM;
    if (address & (access->alignment - 1u))
        snprintf(reason, sizeof reason, "misaligned; the address must be a multiple of %u",
                 access->alignment);
    else if (is_window && range->read_only && writes(access))
        snprintf(reason, sizeof reason, "kernel parameters are read-only");
    else if (is_window)
        snprintf(reason, sizeof reason, "outside of the %s memory, which has %" PRIu64 " bytes",
                 owners[space], range->size);
    else if (space == SPACE_REG)
        snprintf(reason, sizeof reason, "this is the address of a function, which no access may touch");
    else
        snprintf(reason, sizeof reason, "%s",
                 space_describe(step->warp->block->launch->space, address, nearest, sizeof nearest));
    return step_error(step, WB_ERROR_ADDRESS, lane, "%u-byte %s %s%s0x%" PRIx64 ": %s", access->bytes,
                      verb(access), is_window ? owners[space] : "", is_window ? " address " : "", address,
                      reason);
}

/* Where a lane's access takes effect; null with the sentence: it may not do it. `strays`: it is outside of
 * every allocation, but may. */
static uint8_t *find_place(Step *step, const Access *access, unsigned lane, Space space, uint64_t address,
                           bool *strays)
{
    const Range range = find_range(step, access, space, address);
    const bool is_aligned = !(address & (access->alignment - 1u));
    const bool is_inside = range.host && range.size >= access->bytes &&
                           address - range.base <= range.size - access->bytes;
    if (is_inside && is_aligned && !(range.read_only && writes(access)))
        return range.host + (address - range.base) + lane * range.stride;
    uint8_t *place = NULL;
    if (!is_inside && is_aligned && (space == SPACE_GLOBAL || space == SPACE_CONST))
        place = space_reach_page(step->warp->block->launch->space, address, access->bytes, writes(access));
    *strays = place != NULL;
    if (!place)
        refuse(step, access, lane, space, address, &range);
    return place;
}

static StepResult prepare_apart(Step *step, Access *access)
{
    const Mask mask = access->mask;
    const unsigned first = mask_first(mask);
    bool differ = false;
    Mask strays = 0;
    read_addresses(step, access);
    for (Mask rest = mask; rest; rest &= rest - 1) {
        const unsigned lane = mask_first(rest);
        uint64_t address = access->address[lane];
        Space space = (Space)access->space;
        if (is_generic(access, address)) {
            space = access_window(address);
            address -= access_window_base(space);
        }
        bool does_stray = false;
        access->place[lane] = find_place(step, access, lane, space, address, &does_stray);
        if (!access->place[lane])
            return STEP_ERROR;
        strays |= (Mask)does_stray << lane;
        access->address[lane] = address;
        access->lane_space[lane] = (uint8_t)space;
        differ |= access->lane_space[lane] != access->lane_space[first];
    }
    for (unsigned lane = 0; lane < step->warp->width; lane++) {
        if (mask >> lane & 1)
            continue;
        access->address[lane] = access->address[first];
        access->place[lane] = access->place[first];
        access->lane_space[lane] = access->lane_space[first];
    }
    access->pattern = PATTERN_ANY;
    access->space = differ ? SPACE_GENERIC : access->lane_space[first];
    if (strays)
        stray_note(step, access, mask_first(strays), access->address[mask_first(strays)], verb(access));
    return STEP_NEXT;
}

static void count_access(ExecStatistics *statistics, const Access *access, Space space)
{
    switch (space) {
    case SPACE_GLOBAL:
        statistics->global_accesses++;
        break;
    case SPACE_SHARED:
        statistics->shared_accesses++;
        break;
    case SPACE_LOCAL:
        statistics->local_accesses++;
        break;
    case SPACE_CONST:
        statistics->const_accesses++;
        break;
    case SPACE_PARAM:
        statistics->const_accesses += access->base->kind != OPERAND_PARAM;
        break;
    default:
        break;
    }
}

/* A warp access whose lanes are in several spaces is one access to each of them. */
static void count(Step *step, const Access *access)
{
    ExecStatistics *statistics = &step->warp->block->launch->machine->statistics;
    statistics->atomics += access->kind == ACCESS_ATOMIC;
    if (access->space != SPACE_GENERIC) {
        count_access(statistics, access, (Space)access->space);
        return;
    }
    uint32_t seen = 0;
    for (Mask rest = access->mask; rest; rest &= rest - 1)
        seen |= 1u << access->lane_space[mask_first(rest)];
    for (; seen; seen &= seen - 1)
        count_access(statistics, access, (Space)__builtin_ctz(seen));
}

StepResult access_prepare(Step *step, Access *access)
{
    if (!prepare_together(step, access) && prepare_apart(step, access) == STEP_ERROR)
        return STEP_ERROR;
    count(step, access);
    if (__builtin_expect(step->warp->block->launch->machine->is_watched, 0))
        access_note(step, access);
    return STEP_NEXT;
}
