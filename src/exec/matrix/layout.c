/* Fragment layouts as sums of what the lane adds and what the register adds. */
#include <string.h>

#include "exec/matrix/layout.h"
#include "isa/float_bits.h"

static void fragment_begin(Fragment *fragment, Type type)
{
    *fragment = (Fragment){.type = type};
    fragment->bits = type == TYPE_b1 ? 32 : (uint8_t)type_bits(type);
    fragment->packed = (uint8_t)(fragment->bits < 32 ? 32 / fragment->bits : 1);
}

static void init_a(Fragment *fragment, unsigned m, unsigned k)
{
    /* PTX gives a lane rows 8 apart: the upper and lower half of each block of 16. */
    unsigned halves = m < 16 ? 1 : 2;
    unsigned stretch = 4u * fragment->packed;
    unsigned block = halves * (k / stretch);
    fragment->rows = (uint8_t)m;
    fragment->cols = (uint8_t)k;
    fragment->registers = (uint8_t)(m / (8 * halves) * block);
    for (unsigned r = 0; r < fragment->registers; r++) {
        fragment->register_row[r] = (uint8_t)(r / block * 16 + r % block % halves * 8);
        fragment->register_col[r] = (uint8_t)(r % block / halves * stretch);
    }
    for (unsigned lane = 0; lane < LANES; lane++) {
        fragment->lane_row[lane] = (uint8_t)(lane / 4);
        fragment->lane_col[lane] = (uint8_t)(lane % 4 * fragment->packed);
    }
}

/* PTX: lane l holds row l / 4, and two neighbours of it, of each 8 x 8 part. */
static void init_c(Fragment *fragment, unsigned m, unsigned n)
{
    unsigned block = m < 16 ? 2 : 4; /* elements a lane has of each 16 x 8 */
    fragment->rows = (uint8_t)m;
    fragment->cols = (uint8_t)n;
    fragment->registers = (uint8_t)(m * n / LANES / fragment->packed);
    for (unsigned r = 0; r < fragment->registers; r++) {
        unsigned element = r * fragment->packed;
        unsigned block_row = m > 16 ? element / block : 0, block_col = m > 16 ? 0 : element / block;
        fragment->register_row[r] = (uint8_t)(block_row * 16 + element % block / 2 * 8);
        fragment->register_col[r] = (uint8_t)(block_col * 8 + element % 2);
    }
    for (unsigned lane = 0; lane < LANES; lane++) {
        fragment->lane_row[lane] = (uint8_t)(lane / 4);
        fragment->lane_col[lane] = (uint8_t)(lane % 4 * 2);
    }
}

static void swap_bytes(uint8_t *a, uint8_t *b, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        uint8_t t = a[i];
        a[i] = b[i];
        b[i] = t;
    }
}

static void transpose(Fragment *fragment)
{
    swap_bytes(&fragment->rows, &fragment->cols, 1);
    swap_bytes(fragment->lane_row, fragment->lane_col, LANES);
    swap_bytes(fragment->register_row, fragment->register_col, FRAGMENT_REGISTERS);
    fragment->down = !fragment->down;
}

/* B of n columns is A of n rows turned over, except that its blocks are always 8 wide. */
static void init_b(Fragment *fragment, unsigned n, unsigned k)
{
    unsigned stretch = 4u * fragment->packed, block = k / stretch;
    init_a(fragment, 8, k);
    fragment->rows = (uint8_t)n;
    fragment->registers = (uint8_t)(n / 8 * block);
    for (unsigned r = 0; r < fragment->registers; r++) {
        fragment->register_row[r] = (uint8_t)(r / block * 8);
        fragment->register_col[r] = (uint8_t)(r % block * stretch);
    }
    transpose(fragment);
}

/* Rows and columns become one offset for the lane and one for the register, whose sum is an element's
 * place. */
static void fragment_end(Fragment *fragment)
{
    for (unsigned lane = 0; lane < LANES; lane++)
        fragment->lane_at[lane] =
            (uint16_t)(fragment->lane_row[lane] * fragment->cols + fragment->lane_col[lane]);
    for (unsigned r = 0; r < fragment->registers; r++)
        fragment->register_at[r] =
            (uint16_t)(fragment->register_row[r] * fragment->cols + fragment->register_col[r]);
    fragment->next = fragment->down ? fragment->cols : 1;
    /* Four neighbouring lanes hold neighbouring elements of one row: they can be moved at once. */
    fragment->in_lines = !fragment->down;
    for (unsigned lane = 0; lane < LANES; lane++)
        fragment->in_lines &= fragment->lane_at[lane] ==
                              fragment->lane_at[lane / 4 * 4] + lane % 4 * fragment->packed;
}

void fragment_init(Fragment *fragment, FragmentPart part, MatrixShape shape, Type type)
{
    unsigned k = type == TYPE_b1 ? shape.k / 32u : shape.k;
    /* m8n32 is m32n8 with A and B exchanged and all of it turned over. */
    bool turned = shape.m == 8 && shape.n == 32;
    fragment_begin(fragment, type);
    if (part == FRAGMENT_C)
        init_c(fragment, turned ? 32 : shape.m, turned ? 8 : shape.n);
    else if (part == FRAGMENT_A)
        turned ? init_b(fragment, 8, k) : init_a(fragment, shape.m, k);
    else
        turned ? init_a(fragment, 32, k) : init_b(fragment, shape.n, k);
    if (turned)
        transpose(fragment);
    fragment->operands = fragment->registers;
    fragment_end(fragment);
}

void fragment_init_wmma(Fragment *fragment, FragmentPart part, MatrixShape shape, Type type)
{
    fragment_init(fragment, part, shape, type);
    /* wmma names eight registers of .f16 whatever the shape; those behind the first ones repeat them. */
    if (type == TYPE_f16 && part != FRAGMENT_C)
        fragment->operands = FRAGMENT_REGISTERS;
}

void fragment_init_quads(Fragment *fragment, FragmentPart part, Type type, bool column_major)
{
    fragment_begin(fragment, type);
    const bool right = part == FRAGMENT_B; /* where the four matrices follow each other */
    fragment->rows = right ? 4 : 32;
    fragment->cols = right ? 32 : part == FRAGMENT_A ? 4 : 8;
    fragment->registers = (uint8_t)((part == FRAGMENT_C ? 8 : 4) / fragment->packed);
    fragment->operands = fragment->registers;
    fragment->down = part != FRAGMENT_C && column_major;
    for (unsigned lane = 0; lane < LANES; lane++) {
        unsigned row, col, matrix = lane / 4 % 4, high = lane / 16 * 4;
        if (part == FRAGMENT_C && type == TYPE_f32) {
            row = lane % 2 + high;
            col = lane & 2;
        } else if (part == FRAGMENT_B) {
            row = column_major ? 0 : lane % 4;
            col = (column_major ? lane % 4 : 0) + high;
        } else {
            row = (fragment->down ? 0 : lane % 4) + high;
            col = fragment->down ? lane % 4 : 0;
        }
        fragment->lane_row[lane] = (uint8_t)(row + (right ? 0 : matrix * 8));
        fragment->lane_col[lane] = (uint8_t)(col + (right ? matrix * 8 : 0));
    }
    for (unsigned r = 0; r < FRAGMENT_REGISTERS; r++) {
        unsigned element = r * fragment->packed;
        bool scattered = part == FRAGMENT_C && type == TYPE_f32;
        fragment->register_row[r] = (uint8_t)(scattered ? element & 2 : fragment->down ? element : 0);
        fragment->register_col[r] = (uint8_t)(scattered ? element & 5 : fragment->down ? 0 : element);
    }
    fragment_end(fragment);
}

/* Made for each number of packed elements apart: loops of a known count. */
INLINE void spread(const Fragment *fragment, unsigned packed, const uint32_t *restrict words,
                   uint32_t *restrict elements)
{
    const unsigned bits = 32 / packed, next = fragment->next;
    for (unsigned lane = 0; lane < LANES; lane++) {
        const uint32_t word = words[lane];
        uint32_t *restrict element = &elements[fragment->lane_at[lane]];
        for (unsigned j = 0; j < packed; j++)
            element[j * next] = word >> (j * bits) & UINT32_MAX >> (32 - bits);
    }
}

/* The same for four lanes at a time, whose elements lie in registers as they do in the array, but for
 * their size. */
INLINE void spread_lines(const Fragment *fragment, unsigned packed, const uint32_t *restrict words,
                         uint32_t *restrict elements)
{
    for (unsigned lane = 0; lane < LANES; lane += 4) {
        uint32_t *restrict element = &elements[fragment->lane_at[lane]];
        uint16_t halves[8];
        uint8_t bytes[16];
        memcpy(halves, &words[lane], sizeof halves);
        memcpy(bytes, &words[lane], sizeof bytes);
        for (unsigned j = 0; j < 4 * packed; j++)
            element[j] = packed == 1 ? words[lane + j] : packed == 2 ? halves[j] : bytes[j];
    }
}

void fragment_gather(Step *step, unsigned k, const Fragment *fragment, uint32_t *elements)
{
    const Operand *operand = step_operand(step, k);
    const unsigned packed = fragment->packed;
    for (unsigned r = 0; r < fragment->registers; r++) {
        const uint32_t *words = step_read32(step, &operand[r], 0);
        uint32_t *to = elements + fragment->register_at[r];
        if (packed == 1)
            fragment->in_lines ? spread_lines(fragment, 1, words, to) : spread(fragment, 1, words, to);
        else if (packed == 2)
            fragment->in_lines ? spread_lines(fragment, 2, words, to) : spread(fragment, 2, words, to);
        else if (packed == 4)
            fragment->in_lines ? spread_lines(fragment, 4, words, to) : spread(fragment, 4, words, to);
        else
            spread(fragment, 8, words, to);
    }
}

void fragment_gather_wide(Step *step, unsigned k, const Fragment *fragment, uint64_t *elements)
{
    const Operand *operand = step_operand(step, k);
    for (unsigned r = 0; r < fragment->registers; r++) {
        const uint64_t *words = step_read64(step, &operand[r], 0);
        for (unsigned lane = 0; lane < LANES; lane++)
            elements[fragment->lane_at[lane] + fragment->register_at[r]] = words[lane];
    }
}

/* Accumulators alone are written, of .f16, .f32 or .s32: one or two elements in a register. */
INLINE void collect(const Fragment *fragment, bool pairs, const uint32_t *restrict elements,
                    uint32_t *restrict words)
{
    const unsigned next = fragment->next;
    for (unsigned lane = 0; lane < LANES; lane++) {
        const uint32_t *element = &elements[fragment->lane_at[lane]];
        words[lane] = pairs ? element[0] | element[next] << 16 : element[0];
    }
}

void fragment_scatter(Step *step, unsigned k, const Fragment *fragment, const uint32_t *elements)
{
    const Operand *operand = step_operand(step, k);
    for (unsigned o = 0; o < fragment->operands; o++) {
        const uint32_t *from = &elements[fragment->register_at[o % fragment->registers]];
        uint32_t *const words = step_dest32(step, &operand[o]);
        if (words && fragment->packed == 2)
            collect(fragment, true, from, words);
        else if (words)
            collect(fragment, false, from, words);
    }
}

void fragment_scatter_wide(Step *step, unsigned k, const Fragment *fragment, const uint64_t *elements)
{
    const Operand *operand = step_operand(step, k);
    for (unsigned r = 0; r < fragment->registers; r++) {
        uint64_t *const words = step_dest64(step, &operand[r]);
        for (unsigned lane = 0; words && lane < LANES; lane++)
            words[lane] = elements[fragment->lane_at[lane] + fragment->register_at[r]];
    }
}
