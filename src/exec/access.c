/* Loads and stores: both phases of an access, and the handlers of ld and st.
 *
 * First phase: addresses, spaces, checks. The usual access has all lanes in one space and, if global, in one
 * allocation. prepare_together() tries that with loops that have no branch per lane; whatever it cannot vouch
 * for, errors included, is looked at lane by lane (access_apart.c).
 *
 * Second phase: one function per pair of element and lane size, so that the loops over lanes know both. A
 * load fills all lanes, executing or not (their places are valid, access.h), and then keeps those that
 * execute. */
#include "exec/access.h"

#include <string.h>

#include "exec/control.h"
#include "exec/grid_sync.h"
#include "exec/handlers.h"
#include "exec/lanes.h"

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

void access_init(Access *access, AccessLanes *lanes, Step *step, AccessKind kind, unsigned memory,
                 unsigned values)
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
    access_set_lanes(access, lanes);
}

void access_init_bytes(Access *access, AccessLanes *lanes, Step *step, AccessKind kind, Space space,
                       unsigned memory, uint32_t bytes, uint32_t alignment, Mask mask)
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
    access_set_lanes(access, lanes);
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

void access_read_addresses(Step *step, Access *access)
{
    const unsigned first = mask_first(access->mask);
    for (unsigned lane = 0; lane < step->warp->width; lane++)
        access->address[lane] = read_address(step, access, access->mask >> lane & 1 ? lane : first);
}

/* Looks an address up, first where this instruction found its last one. */
static inline const Allocation *find_allocation(const Step *step, uint64_t address, uint32_t bytes)
{
    const Launch *launch = step->warp->block->launch;
    return space_find_again(launch->space, &launch->machine->allocations, step->group->pc, address, bytes);
}

AccessRange access_range(const Step *step, const Access *access, Space space, uint64_t address)
{
    const Warp *warp = step->warp;
    const Launch *launch = warp->block->launch;
    switch (space) {
    case SPACE_SHARED:
        return (AccessRange){.size = launch->shared_bytes, .host = warp->block->shared};
    case SPACE_LOCAL:
        return (AccessRange){.size = launch->local_bytes, .stride = launch->local_bytes, .host = warp->local};
    case SPACE_PARAM:
        if (access->base->kind == OPERAND_PARAM) {
            uint32_t bytes = launch->program->functions[step->frame->function].param_bytes;
            return (AccessRange){.size = bytes, .stride = bytes, .host = step->frame->params};
        }
        return (AccessRange){.size = launch->program->parameter_bytes,
                             .host = (uint8_t *)(uintptr_t)launch->parameters,
                             .read_only = true};
    case SPACE_GLOBAL:
    case SPACE_CONST: {
        const Allocation *found = find_allocation(step, address, access->bytes);
        if (!found)
            return (AccessRange){0};
        return (AccessRange){
            .base = found->base, .size = found->size, .host = found->host, .read_only = found->read_only};
    }
    default:
        return (AccessRange){0};
    }
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
    access_read_addresses(step, access);
    survey_register(access, width, (const char *)access->address, false, 0 - window, mask_of_width(width),
                    survey);
}

/* `origin` is where address 0 would be; it need not be inside any object. */
static void set_places(uint8_t **place, const uint64_t *address, uintptr_t origin, uint64_t stride)
{
    for (unsigned i = 0; i < LANES; i++)
        place[i] = (uint8_t *)(origin + address[i] + i * stride);
}

static void set_all_places(Access *access, unsigned width, const AccessRange *range)
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
    if (access_is_generic(access, anchor)) {
        space = access_window(anchor);
        window = access_window_base(space);
        anchor -= window;
    }
    const AccessRange range = access_range(step, access, space, anchor);
    if (!range.host || range.size < access->bytes || (range.read_only && access_writes(access)))
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
    if (access->kind == ACCESS_ATOMIC) {
        statistics->atomics++;
        statistics->swaps += (step->insn->aux >> AUX_OP_SHIFT & AUX_OP_MASK) == ATOMIC_CAS;
    }
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
    if (!prepare_together(step, access) && access_prepare_apart(step, access) == STEP_ERROR)
        return STEP_ERROR;
    count(step, access);
    if (__builtin_expect(step->warp->block->launch->machine->is_watched, 0))
        access_note(step, access);
    return STEP_NEXT;
}

/* -- the second phase of loads and stores -- */

/* All lanes of one register from lane `chunk` on, of the element `offset` bytes into the vector. */
typedef void LoadLanes(void *to, const Access *access, unsigned offset, unsigned chunk);

#define LOAD_LANES(name, Stored, Lane)                                                                       \
    static void name(void *to, const Access *access, unsigned offset, unsigned chunk)                        \
    {                                                                                                        \
        Lane *lanes = to;                                                                                    \
        Stored element;                                                                                      \
        uint8_t *const *place = access->place + chunk;                                                       \
        const uint8_t *start = access->place[0] + offset;                                                    \
        if (access->pattern == PATTERN_UNIFORM) {                                                            \
            memcpy(&element, start, sizeof element);                                                         \
            for (unsigned i = 0; i < LANES; i++)                                                             \
                lanes[i] = (Lane)element;                                                                    \
        } else if (sizeof(Stored) == sizeof(Lane) && access->pattern == PATTERN_CONSECUTIVE &&               \
                   access->bytes == sizeof(Lane)) {                                                          \
            memcpy(lanes, start + chunk * sizeof(Lane), LANES * sizeof(Lane));                               \
        } else if (access->pattern == PATTERN_CONSECUTIVE) {                                                 \
            const size_t bytes = access->bytes;                                                              \
            start += chunk * bytes;                                                                          \
            for (size_t i = 0; i < LANES; i++) {                                                             \
                memcpy(&element, start + i * bytes, sizeof element);                                         \
                lanes[i] = (Lane)element;                                                                    \
            }                                                                                                \
        } else {                                                                                             \
            for (unsigned i = 0; i < LANES; i++) {                                                           \
                memcpy(&element, place[i] + offset, sizeof element);                                         \
                lanes[i] = (Lane)element;                                                                    \
            }                                                                                                \
        }                                                                                                    \
    }

LOAD_LANES(load_u8_4, uint8_t, uint32_t)
LOAD_LANES(load_s8_4, int8_t, uint32_t)
LOAD_LANES(load_u16_4, uint16_t, uint32_t)
LOAD_LANES(load_s16_4, int16_t, uint32_t)
LOAD_LANES(load_u32_4, uint32_t, uint32_t)
LOAD_LANES(load_u8_8, uint8_t, uint64_t)
LOAD_LANES(load_s8_8, int8_t, uint64_t)
LOAD_LANES(load_u16_8, uint16_t, uint64_t)
LOAD_LANES(load_s16_8, int16_t, uint64_t)
LOAD_LANES(load_u32_8, uint32_t, uint64_t)
LOAD_LANES(load_s32_8, int32_t, uint64_t)
LOAD_LANES(load_u64_8, uint64_t, uint64_t)

static LoadLanes *load_of(unsigned element_bytes, unsigned lane_bytes, bool is_signed)
{
    switch (element_bytes) {
    case 1:
        return lane_bytes == 4 ? (is_signed ? load_s8_4 : load_u8_4) : (is_signed ? load_s8_8 : load_u8_8);
    case 2:
        return lane_bytes == 4 ? (is_signed ? load_s16_4 : load_u16_4)
                               : (is_signed ? load_s16_8 : load_u16_8);
    case 4:
        return lane_bytes == 4 ? load_u32_4 : is_signed ? load_s32_8 : load_u32_8;
    default:
        return lane_bytes == 4 ? load_u32_4 : load_u64_8;
    }
}

/* One element of the vector to one register. A 16-byte register is the lanes of its low words, then
 * those of its high words. */
static void load_element(Step *step, const Access *access, const Operand *to, unsigned offset)
{
    const unsigned width = step->warp->width;
    const unsigned lane_bytes = to->bytes == 4 ? 4 : 8;
    if (to->kind != OPERAND_REGISTER)
        return;
    LoadLanes *load = load_of(access->element_bytes, lane_bytes, step->insn->sign_extend);
    char *lanes = (char *)step->frame->words + to->offset;
    for (unsigned part = 0; part < to->bytes; part += lane_bytes) {
        for (unsigned chunk = 0; chunk < width; chunk += LANES, lanes += LANES * lane_bytes) {
            _Alignas(64) uint64_t kept[LANES];
            const uint32_t mask = (uint32_t)(access->mask >> chunk);
            load(mask == UINT32_MAX ? (void *)lanes : kept, access, offset + part, chunk);
            if (mask == UINT32_MAX)
                continue;
            if (lane_bytes == 4)
                lanes_blend4(lanes, kept, mask);
            else
                lanes_blend8(lanes, kept, mask);
        }
    }
}

/* The same the other way, for the lanes of the mask that are in the chunk. */
typedef void StoreLanes(const void *from, const Access *access, unsigned offset, unsigned chunk);

#define STORE_LANES(name, Stored, Lane)                                                                      \
    static void name(const void *from, const Access *access, unsigned offset, unsigned chunk)                \
    {                                                                                                        \
        const Lane *lanes = from;                                                                            \
        Stored element;                                                                                      \
        uint8_t *const *place = access->place + chunk;                                                       \
        uint32_t mask = (uint32_t)(access->mask >> chunk);                                                   \
        uint8_t *start = access->place[0] + offset;                                                          \
        if (sizeof(Stored) == sizeof(Lane) && access->pattern == PATTERN_CONSECUTIVE &&                      \
            access->bytes == sizeof(Lane)) {                                                                 \
            memcpy(start + chunk * sizeof(Lane), lanes, LANES * sizeof(Lane));                               \
        } else if (access->pattern == PATTERN_CONSECUTIVE) {                                                 \
            const size_t bytes = access->bytes;                                                              \
            start += chunk * bytes;                                                                          \
            for (size_t i = 0; i < LANES; i++) {                                                             \
                element = (Stored)lanes[i];                                                                  \
                memcpy(start + i * bytes, &element, sizeof element);                                         \
            }                                                                                                \
        } else if (access->pattern == PATTERN_UNIFORM) {                                                     \
            if (!mask)                                                                                       \
                return;                                                                                      \
            element = (Stored)lanes[31 - __builtin_clz(mask)];                                               \
            memcpy(start, &element, sizeof element);                                                         \
        } else if (mask == UINT32_MAX) {                                                                     \
            for (unsigned i = 0; i < LANES; i++) {                                                           \
                element = (Stored)lanes[i];                                                                  \
                memcpy(place[i] + offset, &element, sizeof element);                                         \
            }                                                                                                \
        } else {                                                                                             \
            for (; mask; mask &= mask - 1) {                                                                 \
                const unsigned i = mask_first(mask);                                                         \
                element = (Stored)lanes[i];                                                                  \
                memcpy(place[i] + offset, &element, sizeof element);                                         \
            }                                                                                                \
        }                                                                                                    \
    }

STORE_LANES(store_1_4, uint8_t, uint32_t)
STORE_LANES(store_2_4, uint16_t, uint32_t)
STORE_LANES(store_4_4, uint32_t, uint32_t)
STORE_LANES(store_1_8, uint8_t, uint64_t)
STORE_LANES(store_2_8, uint16_t, uint64_t)
STORE_LANES(store_4_8, uint32_t, uint64_t)
STORE_LANES(store_8_8, uint64_t, uint64_t)

static StoreLanes *store_of(unsigned element_bytes, unsigned lane_bytes)
{
    switch (element_bytes) {
    case 1:
        return lane_bytes == 4 ? store_1_4 : store_1_8;
    case 2:
        return lane_bytes == 4 ? store_2_4 : store_2_8;
    case 4:
        return lane_bytes == 4 ? store_4_4 : store_4_8;
    default:
        return store_8_8;
    }
}

static void store_element(Step *step, const Access *access, const Operand *from, unsigned offset)
{
    const unsigned width = step->warp->width;
    const bool wide = access->element_bytes >= 8 || (from->kind == OPERAND_REGISTER && from->bytes >= 8);
    const unsigned lane_bytes = wide ? 8 : 4;
    const unsigned stored = access->element_bytes < lane_bytes ? lane_bytes : access->element_bytes;
    const char *lanes =
        wide ? (const char *)step_read64(step, from, 1) : (const char *)step_read32(step, from, 1);
    StoreLanes *store = store_of(access->element_bytes, lane_bytes);
    for (unsigned part = 0; part < stored; part += lane_bytes)
        for (unsigned chunk = 0; chunk < width; chunk += LANES, lanes += LANES * lane_bytes)
            store(lanes, access, offset + part, chunk);
}

void access_perform(Step *step, Access *access)
{
    for (unsigned i = 0; i < access->vector; i++) {
        const unsigned offset = i * access->element_bytes;
        if (access->kind == ACCESS_LOAD)
            load_element(step, access, &access->values[i], offset);
        else
            store_element(step, access, &access->values[i], offset);
    }
}

/* -- ld and st -- */

static StepResult run(Step *step, AccessKind kind, unsigned memory, unsigned values)
{
    AccessLanes lanes;
    Access access;
    if (!step->mask)
        return STEP_NEXT;
    access_init(&access, &lanes, step, kind, memory, values);
    if (access_prepare(step, &access) == STEP_ERROR)
        return STEP_ERROR;
    const StepResult result = access_carry_out(step, &access, access_perform);
    if (__builtin_expect((step->insn->aux & AUX_STRONG) != 0, 0) && result == STEP_NEXT &&
        step->warp->block->launch->sync_words && grid_sync_accessed(step, &access))
        return control_wait_behind(step);
    return result;
}

StepResult exec_load(Step *step)
{
    if (step->insn->space == SPACE_SHARED && access_load_words(step))
        return STEP_NEXT;
    return run(step, ACCESS_LOAD, 1, 0);
}

StepResult exec_store(Step *step) { return run(step, ACCESS_STORE, 0, 1); }
