/* Video rows, element by element in wide numbers, in every mix of signs, whole and in parts. What is odd in
 * the references is what a GPU of compute capability 9.0 does; tests/isa has its results. */
#include "lane_check.h"

typedef enum Operation {
    ADD, SUB, AVERAGE, ABS_DIFF, MIN, MAX, SET, SHIFT_LEFT, SHIFT_RIGHT, MULTIPLY
} Operation;

typedef struct VideoCase {
    RowId row;
    Operation operation;
    unsigned bits;    /* of an element; 32: one word */
    unsigned scale;   /* of vmad */
    bool plus_one;    /* of vmad */
} VideoCase;

static bool compared(SignedWide a, SignedWide b, unsigned compare)
{
    const bool results[] = {a == b, a != b, a < b, a <= b, a > b, a >= b};
    return results[compare];
}

static SignedWide computed(const VideoCase *c, const LaneMods *m, SignedWide a, SignedWide b)
{
    const SignedWide amount = m->wrap ? b % 32 : b > 32 ? 32 : b, sum = a + b;
    switch (c->operation) {
    case ADD: return sum;
    case SUB: return a - b;
    case AVERAGE: return sum >= 0 ? (sum + 1) / 2 : -((-sum + 1) / 2);
    case ABS_DIFF: return a > b ? a - b : b - a;
    case MIN: return a < b ? a : b;
    case MAX: return a < b ? b : a;
    case SET: return compared(a, b, m->compare);
    case SHIFT_LEFT: return a * ((SignedWide)1 << amount);
    case SHIFT_RIGHT: return a >> amount;
    default: return a * b;
    }
}

static SignedWide clamped(SignedWide value, unsigned bits, bool is_signed)
{
    const SignedWide low = is_signed ? -((SignedWide)1 << (bits - 1)) : 0;
    const SignedWide high = low + ((SignedWide)1 << bits) - 1;
    return value < low ? low : value > high ? high : value;
}

/* Whether the result, a and b are signed; comparisons name no type for their result. */
typedef struct Signs { bool d, a, b; } Signs;

static Signs signs_of(const VideoCase *c, const LaneMods *m)
{
    if (c->operation == SET)
        return (Signs){false, m->signs & 1, m->signs & 2};
    return (Signs){m->signs & 1, m->signs & 2, m->signs & 4};
}

/* The selectors of a case: the bits of a word that a source is taken from, or the result goes to. */
typedef struct Part { unsigned position, bits; } Part;
typedef struct Parts { Part d, a, b; } Parts;
static const Parts whole = {{0, 32}, {0, 32}, {0, 32}};

static SignedWide saturated(const VideoCase *c, SignedWide value, bool is_signed, Part d)
{
    if (c->operation == SHIFT_LEFT || c->operation == SHIFT_RIGHT)
        return clamped(number_of((uint64_t)value, 34, true), 32, is_signed);
    if (d.bits < 32) {
        const SignedWide most = clamped((SignedWide)1 << 40, d.bits, is_signed);
        return value < 0 || value > most ? most : value;
    }
    return is_signed ? clamped(value, 32, true) : value < 0 ? 0 : value;
}

/* min and max of 64-bit numbers; sums, differences and clamped shifts are signed words by then. */
static uint32_t joined(const VideoCase *c, const LaneMods *m, SignedWide value, uint32_t c_word,
                       bool is_signed)
{
    const bool is_shift = c->operation == SHIFT_LEFT || c->operation == SHIFT_RIGHT;
    if (c->operation == ADD || c->operation == SUB || (is_shift && m->sat))
        value = number_of((uint64_t)value, 32, true);
    value = number_of((uint64_t)value, 64, is_signed);
    const SignedWide other = number_of(c_word, 32, is_signed);
    const SignedWide least = value < other ? value : other, most = value < other ? other : value;
    const SignedWide results[] = {value, value + other, least, most};
    return (uint32_t)results[m->mode];
}

static uint32_t expected_word(const VideoCase *c, const LaneMods *m, const Parts *parts, const uint32_t *o)
{
    const Signs signs = signs_of(c, m);
    SignedWide value = computed(c, m, number_of(o[0] >> parts->a.position, parts->a.bits, signs.a),
                                number_of(o[1] >> parts->b.position, parts->b.bits, signs.b));
    if (m->sat)
        value = saturated(c, value, signs.d, parts->d);
    const uint32_t result = joined(c, m, value, o[2], signs.d);
    const uint32_t mask = (uint32_t)low_bits(UINT32_MAX, parts->d.bits) << parts->d.position;
    const bool is_upper_half = parts->d.bits == 16 && parts->d.position == 16;
    return (result << (is_upper_half ? 0 : parts->d.position) & mask) | (o[2] & ~mask);
}

/* Factors are signed whatever their types; those and a minus say whether the sum is. */
static uint32_t expected_product(const VideoCase *c, const LaneMods *m, const Parts *parts, const uint32_t *o)
{
    const bool is_signed = m->signs & 6 || m->minus;
    const int32_t a = (int32_t)number_of(o[0] >> parts->a.position, parts->a.bits, m->signs & 2);
    const int32_t b = (int32_t)number_of(o[1] >> parts->b.position, parts->b.bits, m->signs & 4);
    SignedWide sum = (SignedWide)a * b * (m->minus & 1 ? -1 : 1);
    sum += (SignedWide)(int32_t)o[2] * (m->minus & 2 ? -1 : 1) + c->plus_one;
    sum = number_of((uint64_t)sum, 64, is_signed) >> c->scale;
    if (m->sat)
        sum = clamped(number_of((uint64_t)sum, 64, true), 32, is_signed);
    return (uint32_t)sum;
}

/* Elements come from those of a and then of b; a result takes those not written from c. */
static uint32_t expected_elements(const VideoCase *c, const LaneMods *m, const char *const *selectors,
                                  const uint32_t *o)
{
    const Signs signs = signs_of(c, m);
    const unsigned count = 32 / c->bits;
    const uint64_t pool = (uint64_t)o[1] << 32 | o[0];
    SignedWide sum = o[2];
    uint32_t packed = o[2];
    for (unsigned e = 0; e < count; e++) {
        const unsigned from_a = selectors ? (unsigned)selectors[1][1 + count - e] - '0' : e;
        const unsigned from_b = selectors ? (unsigned)selectors[2][1 + count - e] - '0' : count + e;
        SignedWide value = computed(c, m, number_of(pool >> from_a * c->bits, c->bits, signs.a),
                                    number_of(pool >> from_b * c->bits, c->bits, signs.b));
        if (selectors && !strchr(selectors[0], (char)('0' + e)))
            continue;
        sum += value;
        if (m->sat)
            value = clamped(value, c->bits, signs.d);
        const uint32_t mask = (uint32_t)low_bits(UINT32_MAX, c->bits) << e * c->bits;
        packed = (packed & ~mask) | ((uint32_t)value << e * c->bits & mask);
    }
    return m->mode == 1 ? (uint32_t)sum : packed;
}

static const uint32_t words[] = {0, 1, 2, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000,
                                 0xffffffff, 0x01020304, 0xfe80017f, 0x80ff7f00, 0x12345678, 31, 32, 33,
                                 0xfffffffe, 0xdeadbeef};
enum { WORD_COUNT = sizeof words / sizeof words[0] };

static Part part_of(const char *selector)
{
    const unsigned bits = selector[0] == 0 ? 32 : selector[1] == 'h' ? 16 : 8;
    return (Part){bits == 32 ? 0 : (unsigned)(selector[2] - '0') * bits, bits};
}

static uint32_t expected_of(const VideoCase *c, const LaneMods *m, const char *const *selectors,
                            const uint32_t *o)
{
    const Parts parts =
        selectors ? (Parts){part_of(selectors[0]), part_of(selectors[1]), part_of(selectors[2])} : whole;
    if (c->bits != 32)
        return expected_elements(c, m, selectors, o);
    return c->operation == MULTIPLY ? expected_product(c, m, &parts, o) : expected_word(c, m, &parts, o);
}

/* `selectors` are those of d, a and b as text, or null. */
static void check_video(const VideoCase *c, LaneMods m, const char *const *selectors)
{
    for (unsigned k = 0; selectors && k < 3; k++) {
        const uint16_t selector = isa_selector(selectors[k], strlen(selectors[k]));
        if (selectors[k][0])
            assert_true(isa_select(&isa_rows[c->row], k, selector, &m));
    }
    const bool needs_c = c->bits != 32 || c->operation == MULTIPLY || m.mode || m.keep;
    for (unsigned first = 0; first < WORD_COUNT * WORD_COUNT; first += LANES) {
        uint32_t sources[3][LANES], d[LANES];
        for (unsigned i = 0; i < LANES; i++) {
            const unsigned n = first + i;
            sources[0][i] = words[n % WORD_COUNT];
            sources[1][i] = words[n / WORD_COUNT % WORD_COUNT];
            sources[2][i] = words[(n * 5 + n / WORD_COUNT) % WORD_COUNT];
        }
        LaneFrame frame = {.d = d, .src = {sources[0], sources[1], needs_c ? sources[2] : NULL}, .mods = m};
        isa_rows[c->row].lane(&frame);
        for (unsigned i = 0; i < LANES; i++) {
            const uint32_t o[3] = {sources[0][i], sources[1][i], sources[2][i]};
            const uint32_t want = expected_of(c, &m, selectors, o);
            if (d[i] != want)
                fail_msg("%s, mode %u sat %u signs %u keep %u, of %#x %#x %#x is %#x and should be %#x",
                         isa_rows[c->row].pattern, m.mode, m.sat, m.signs, m.keep, o[0], o[1], o[2], d[i],
                         want);
        }
    }
}

/* All suffixes that the row takes. */
static void check_video_row(const VideoCase *c)
{
    const bool is_set = c->operation == SET;
    const bool is_shift = c->operation == SHIFT_LEFT || c->operation == SHIFT_RIGHT;
    const unsigned sign_count = is_set || is_shift ? 4 : 8;
    const unsigned mode_count = c->operation == MULTIPLY ? 1 : c->bits == 32 ? 4 : 2;
    LaneMods m = {0};
    for (m.signs = 0; m.signs < sign_count; m.signs++)
        for (m.mode = 0; m.mode < mode_count; m.mode++)
            for (unsigned sat = 0; sat <= !is_set; sat++)
                for (m.compare = COMPARE_EQ; m.compare <= (is_set ? COMPARE_GE : COMPARE_EQ); m.compare++)
                    for (unsigned wrap = 0; wrap <= is_shift; wrap++) {
                        m.sat = sat;
                        m.wrap = wrap;
                        if (c->bits == 32 || !(sat && m.mode))
                            check_video(c, m, NULL);
                    }
}

static void check_video_rows(const VideoCase *cases, size_t count)
{
    for (size_t i = 0; i < count; i++)
        check_video_row(&cases[i]);
}

static void test_words(void **state)
{
    (void)state;
    static const VideoCase cases[] = {
        {ROW_vadd, ADD, 32, 0, false}, {ROW_vsub, SUB, 32, 0, false}, {ROW_vabsdiff, ABS_DIFF, 32, 0, false},
        {ROW_vmin, MIN, 32, 0, false}, {ROW_vmax, MAX, 32, 0, false}, {ROW_vshl, SHIFT_LEFT, 32, 0, false},
        {ROW_vshr, SHIFT_RIGHT, 32, 0, false}, {ROW_vset, SET, 32, 0, false},
        {ROW_vmad, MULTIPLY, 32, 0, false}, {ROW_vmad_shr7, MULTIPLY, 32, 7, false},
        {ROW_vmad_shr15, MULTIPLY, 32, 15, false}, {ROW_vmad_po, MULTIPLY, 32, 0, true},
        {ROW_vmad_po_shr7, MULTIPLY, 32, 7, true}, {ROW_vmad_po_shr15, MULTIPLY, 32, 15, true},
    };
    check_video_rows(cases, sizeof cases / sizeof cases[0]);
}

static void test_elements(void **state)
{
    (void)state;
    static const VideoCase cases[] = {
        {ROW_vadd2, ADD, 16, 0, false}, {ROW_vsub2, SUB, 16, 0, false}, {ROW_vavrg2, AVERAGE, 16, 0, false},
        {ROW_vabsdiff2, ABS_DIFF, 16, 0, false}, {ROW_vmin2, MIN, 16, 0, false},
        {ROW_vmax2, MAX, 16, 0, false},
        {ROW_vset2, SET, 16, 0, false}, {ROW_vadd4, ADD, 8, 0, false}, {ROW_vsub4, SUB, 8, 0, false},
        {ROW_vavrg4, AVERAGE, 8, 0, false}, {ROW_vabsdiff4, ABS_DIFF, 8, 0, false},
        {ROW_vmin4, MIN, 8, 0, false}, {ROW_vmax4, MAX, 8, 0, false}, {ROW_vset4, SET, 8, 0, false},
    };
    check_video_rows(cases, sizeof cases / sizeof cases[0]);
}

static void test_parts(void **state)
{
    (void)state;
    static const VideoCase one[] = {
        {ROW_vadd, ADD, 32, 0, false}, {ROW_vsub, SUB, 32, 0, false}, {ROW_vabsdiff, ABS_DIFF, 32, 0, false},
        {ROW_vmin, MIN, 32, 0, false}, {ROW_vmax, MAX, 32, 0, false}, {ROW_vshl, SHIFT_LEFT, 32, 0, false},
    };
    static const char *const selectors[][3] = {
        {".b0", ".b1", ""}, {".b3", "", ".h1"}, {".h0", ".h1", ".b2"}, {".h1", "", ""}, {"", ".b3", ".h0"},
    };
    static const VideoCase product = {ROW_vmad_shr7, MULTIPLY, 32, 7, false};
    static const char *const of_factors[] = {"", ".h1", ".b2"};
    for (unsigned k = 0; k < sizeof selectors / sizeof selectors[0]; k++)
        for (unsigned row = 0; row < sizeof one / sizeof one[0]; row++)
            for (unsigned mix = 0; mix < 16; mix++)
                if (one[row].operation != SHIFT_LEFT || !(mix & 4)) /* shift amounts are unsigned */
                    check_video(&one[row], (LaneMods){.signs = mix & 7, .sat = mix >> 3}, selectors[k]);
    for (unsigned mix = 0; mix < 64; mix++)
        if (mix >> 4 != 3) {
            const LaneMods m = {.signs = mix & 7, .sat = mix >> 3 & 1, .minus = (uint8_t)(mix >> 4)};
            check_video(&product, m, of_factors);
        }
}

static void test_element_selectors(void **state)
{
    (void)state;
    static const VideoCase two = {ROW_vsub2, SUB, 16, 0, false}, four = {ROW_vadd4, ADD, 8, 0, false};
    static const char *const halves[][3] = {
        {".h0", ".h01", ".h13"}, {".h1", ".h32", ".h00"}, {".h10", ".h22", ".h10"}};
    static const char *const bytes[][3] = {{".b0", ".b7531", ".b0246"}, {".b31", ".b0000", ".b7654"}};
    for (unsigned mix = 0; mix < 32; mix++) {
        const LaneMods m = {.signs = mix & 7, .sat = mix >> 3 & 1, .mode = (uint8_t)(mix >> 4)};
        for (unsigned k = 0; !(m.sat && m.mode) && k < 3; k++)
            check_video(&two, m, halves[k]);
        for (unsigned k = 0; !(m.sat && m.mode) && k < 2; k++)
            check_video(&four, m, bytes[k]);
    }
}

/* The one that kernels use: a sum of absolute differences of bytes. */
static void test_byte_differences(void **state)
{
    (void)state;
    uint32_t a[LANES], b[LANES], c[LANES];
    for (unsigned i = 0; i < LANES; i++) {
        a[i] = 0x10ff0003 + i;
        b[i] = 0x2000ff01;
        c[i] = 1000 * i;
    }
    LaneFrame frame = {.d = c, .src = {a, b, c}, .mods = {.mode = 1}};
    isa_rows[ROW_vabsdiff4].lane(&frame);
    for (unsigned i = 0; i < LANES; i++)
        assert_int_equal(c[i], 1000 * i + 0x10 + 0xff + 0xff + 2 + i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words), cmocka_unit_test(test_elements), cmocka_unit_test(test_parts),
        cmocka_unit_test(test_element_selectors), cmocka_unit_test(test_byte_differences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
