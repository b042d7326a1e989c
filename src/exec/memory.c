/* Loads and stores: the second phase of an access, and the handlers.
 *
 * One function per pair of element and lane size, so that the loops over lanes know both. A load fills
 * all lanes, executing or not (their places are valid, access.h), and then keeps those that execute. */
#include <string.h>

#include "exec/access.h"
#include "exec/handlers.h"
#include "exec/lanes.h"
#include "exec/machine.h"

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

static StepResult run(Step *step, AccessKind kind, unsigned memory, unsigned values)
{
    Access access;
    if (!step->mask)
        return STEP_NEXT;
    access_init(&access, step, kind, memory, values);
    if (access_prepare(step, &access) == STEP_ERROR)
        return STEP_ERROR;
    return access_carry_out(step, &access, access_perform);
}

/* Tells a timing model of a load from shared memory that has been done, by its lanes' words. */
static void report_words(Step *step, const uint32_t word[LANES])
{
    Access access;
    access_init(&access, step, ACCESS_LOAD, 1, 0);
    const uint32_t stride = word[1] - word[0];
    uint32_t gaps = 0;
    for (unsigned i = 0; i < LANES; i++) {
        access.address[i] = (uint64_t)word[i] * 4;
        gaps |= word[i] ^ (word[0] + i * stride);
    }
    access.pattern = (uint8_t)(gaps || stride > 1 ? PATTERN_ANY
                               : stride           ? PATTERN_CONSECUTIVE
                                                  : PATTERN_UNIFORM);
    access_carry_out(step, &access, NULL);
}

/* A short cut for what tiled kernels do most: all 32 lanes load a word each from shared memory by a 32-bit
 * address. False: some lane may not, and the general way says why; nothing has been written. */
static bool load_shared_words(Step *step, const Operand *to, const Operand *base)
{
    const Launch *launch = step->warp->block->launch;
    const uint32_t *const from = (const uint32_t *)((const char *)step->frame->words + base->offset);
    uint32_t *const lanes = (uint32_t *)((char *)step->frame->words + to->offset);
    const uint32_t displacement = (uint32_t)step->insn->displacement, last = launch->shared_bytes - 4;
    uint32_t word[LANES], bad = launch->shared_bytes < 4;
    for (unsigned i = 0; i < LANES; i++) {
        const uint32_t address = from[i] + displacement;
        bad |= (address & 3) | (uint32_t)(address > last);
        word[i] = address / 4;
    }
    if (bad)
        return false;
    const uint32_t *const shared = (const uint32_t *)step->warp->block->shared;
    for (unsigned i = 0; i < LANES; i++)
        lanes[i] = shared[word[i]];
    launch->machine->statistics.shared_accesses++;
    if (access_is_timed(step))
        report_words(step, word);
    return true;
}

StepResult exec_load(Step *step)
{
    const Insn *insn = step->insn;
    const Operand *to = &insn->op[0], *base = &insn->op[1];
    if (insn->space == SPACE_SHARED && insn->element_bytes == 4 && insn->vector == 1 &&
        step->mask == UINT32_MAX && step->warp->width == LANES && to->kind == OPERAND_REGISTER &&
        to->bytes == 4 && base->kind == OPERAND_REGISTER && base->bytes == 4 &&
        load_shared_words(step, to, base))
        return STEP_NEXT;
    return run(step, ACCESS_LOAD, 1, 0);
}

StepResult exec_store(Step *step) { return run(step, ACCESS_STORE, 0, 1); }

/* One order of all accesses needs no fence. */
StepResult exec_fence(Step *step)
{
    (void)step;
    return STEP_NEXT;
}

/* Prefetches of addresses that nobody may access are ignored, as hardware does. discard and
 * applypriority name a line of 128 bytes, which has to be there. Cache policies are opaque numbers
 * that nothing here looks at. */
StepResult exec_prefetch(Step *step)
{
    Access access;
    if (!step->mask)
        return STEP_NEXT;
    switch (step->insn->row) {
    case ROW_applypriority:
    case ROW_discard:
        access_init_bytes(&access, step, ACCESS_HINT, (Space)step->insn->space, 0, 128, 128, step->mask);
        return access_prepare(step, &access);
    case ROW_createpolicy_fractional:
    case ROW_createpolicy_range:
    case ROW_createpolicy_cvt:
        for (Mask rest = step->mask; rest; rest &= rest - 1)
            step_write(step, step_operand(step, 0), mask_first(rest), 0);
        return STEP_NEXT;
    default:
        return STEP_NEXT;
    }
}
