/* mma and wmma against plain products: fragment layouts as the PTX manual gives them, every shape and type
 * with values small enough to be exact. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

#include "exec/handlers.h"
#include "step_rig.h"

/* Registers of the rig: fragments in four regions, addresses and strides behind them. */
enum { SLOT_D = 0, SLOT_A = 16, SLOT_B = 32, SLOT_C = 48, SLOT_ADDRESS = 64, SLOT_STRIDE = 66 };

static uint32_t random_state = 1;

static int random_int(int low, int high)
{
    random_state = random_state * 1664525 + 1013904223;
    return low + (int)(random_state >> 8) % (high - low + 1);
}

static uint32_t float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* A small number in a format with that many bits; exact for what these tests use. */
static uint32_t narrow_bits(float value, unsigned exponent_bits, unsigned fraction_bits)
{
    uint32_t bits = float_bits(value), sign = bits >> 31;
    if (value == 0)
        return sign << (exponent_bits + fraction_bits);
    int exponent = (int)(bits >> 23 & 255) - 127 + (1 << (exponent_bits - 1)) - 1;
    assert_true(exponent > 0);
    return sign << (exponent_bits + fraction_bits) | (uint32_t)exponent << fraction_bits |
           (bits & 0x7fffff) >> (23 - fraction_bits);
}

static uint64_t encode(Type type, int value)
{
    uint64_t bits;
    double wide = value;
    switch (type) {
    case TYPE_f16: return narrow_bits((float)value, 5, 10);
    case TYPE_bf16: return narrow_bits((float)value, 8, 7);
    case TYPE_e4m3: return narrow_bits((float)value, 4, 3);
    case TYPE_e5m2: return narrow_bits((float)value, 5, 2);
    case TYPE_tf32:
    case TYPE_f32: return float_bits((float)value);
    case TYPE_f64: memcpy(&bits, &wide, sizeof bits); return bits;
    default:
        return (uint64_t)value & (type_bits(type) == 64 ? UINT64_MAX : ((uint64_t)1 << type_bits(type)) - 1);
    }
}

static int smallest(Type type) { return type == TYPE_u8 || type == TYPE_u4 || type == TYPE_b1 ? 0 : -4; }
static int largest(Type type) { return type == TYPE_b1 ? 1 : type == TYPE_s4 ? 7 : 4; }

/* Where the manual says element i of a lane's fragment is. */
typedef struct Spot {
    int row, col, matrix;
} Spot;
typedef Spot SpotFn(int lane, int i);

static Spot a_f16_k16(int lane, int i)
{
    return (Spot){lane / 4 + ((i >= 0 && i < 2) || (i >= 4 && i < 6) ? 0 : 8),
                  lane % 4 * 2 + (i & 1) + (i < 4 ? 0 : 8), 0};
}
static Spot b_f16_k16(int lane, int i)
{
    return (Spot){lane % 4 * 2 + (i & 1) + (i < 2 ? 0 : 8), lane / 4, 0};
}
static Spot c_m16n8(int lane, int i) { return (Spot){lane / 4 + (i < 2 ? 0 : 8), lane % 4 * 2 + (i & 1), 0}; }
static Spot a_f16_k8(int lane, int i)
{
    return (Spot){lane / 4 + (i < 2 ? 0 : 8), lane % 4 * 2 + (i & 1), 0};
}
static Spot b_f16_k8(int lane, int i) { return (Spot){lane % 4 * 2 + i, lane / 4, 0}; }
static Spot a_tf32_k8(int lane, int i)
{
    return (Spot){lane / 4 + (i % 2 ? 8 : 0), lane % 4 + (i < 2 ? 0 : 4), 0};
}
static Spot b_tf32_k8(int lane, int i) { return (Spot){lane % 4 + (i ? 4 : 0), lane / 4, 0}; }
static Spot a_tf32_k4(int lane, int i) { return (Spot){lane / 4 + 8 * i, lane % 4, 0}; }
static Spot b_tf32_k4(int lane, int i) { return (Spot){lane % 4 + 0 * i, lane / 4, 0}; }
static Spot a_f64_m8(int lane, int i) { return (Spot){lane / 4 + 0 * i, lane % 4, 0}; }
static Spot c_m8n8(int lane, int i) { return (Spot){lane / 4, lane % 4 * 2 + i, 0}; }
static Spot a_f64_k16(int lane, int i)
{
    return (Spot){lane / 4 + (i % 2 ? 8 : 0), (i % 2 ? i * 2 - 2 : i * 2) + lane % 4, 0};
}
static Spot b_f64_k16(int lane, int i) { return (Spot){lane % 4 + 4 * i, lane / 4, 0}; }
static Spot a_s8_m8(int lane, int i) { return (Spot){lane / 4, lane % 4 * 4 + i, 0}; }
static Spot b_s8_k16(int lane, int i) { return (Spot){lane % 4 * 4 + i, lane / 4, 0}; }
static Spot a_s8_k16(int lane, int i)
{
    return (Spot){lane / 4 + (i < 4 ? 0 : 8), lane % 4 * 4 + (i & 3), 0};
}
static Spot a_s8_k32(int lane, int i)
{
    return (Spot){lane / 4 + (i < 4 || (i >= 8 && i < 12) ? 0 : 8), lane % 4 * 4 + (i & 3) + (i < 8 ? 0 : 16),
                  0};
}
static Spot b_s8_k32(int lane, int i)
{
    return (Spot){lane % 4 * 4 + (i & 3) + (i < 4 ? 0 : 16), lane / 4, 0};
}
static Spot a_s4_k64(int lane, int i)
{
    return (Spot){lane / 4 + (i < 8 || (i >= 16 && i < 24) ? 0 : 8),
                  lane % 4 * 8 + (i & 7) + (i < 16 ? 0 : 32), 0};
}
static Spot b_s4_k64(int lane, int i)
{
    return (Spot){lane % 4 * 8 + (i & 7) + (i < 8 ? 0 : 32), lane / 4, 0};
}
static Spot a_b1_k256(int lane, int i)
{
    return (Spot){lane / 4 + (i < 32 || (i >= 64 && i < 96) ? 0 : 8),
                  lane % 4 * 32 + (i & 31) + (i < 64 ? 0 : 128), 0};
}
static Spot b_b1_k256(int lane, int i)
{
    return (Spot){lane % 4 * 32 + (i & 31) + (i < 32 ? 0 : 128), lane / 4, 0};
}

static int quad(int lane) { return lane / 4 % 4; }
static int high(int lane) { return lane < 16 ? 0 : 4; }
static Spot a_quad_row(int lane, int i) { return (Spot){lane % 4 + high(lane), i, quad(lane)}; }
static Spot a_quad_col(int lane, int i) { return (Spot){i % 4 + high(lane), lane % 4, quad(lane)}; }
static Spot b_quad_row(int lane, int i) { return (Spot){lane % 4, i + high(lane), quad(lane)}; }
static Spot b_quad_col(int lane, int i) { return (Spot){i, lane % 4 + high(lane), quad(lane)}; }
static Spot c_quad_f16(int lane, int i) { return (Spot){lane % 4 + high(lane), i, quad(lane)}; }
static Spot c_quad_f32(int lane, int i)
{
    return (Spot){(lane & 1) + (i & 2) + high(lane), (i & 4) + (lane & 2) + (i & 1), quad(lane)};
}

typedef struct MmaCase {
    const char *opcode;
    int m, n, k;
    Type d, a, b, c;
    SpotFn *spot_a, *spot_b, *spot_c, *spot_d;
} MmaCase;

/* clang-format off */
static const MmaCase mma_cases[] = {
#define MMA(shape, m, n, k, d, a, b, c, spot_a, spot_b, spot_c)                                        \
    {"mma.sync.aligned." shape ".row.col." #d "." #a "." #b "." #c, m, n, k, TYPE_##d, TYPE_##a,       \
     TYPE_##b, TYPE_##c, spot_a, spot_b, spot_c, spot_c},
    MMA("m16n8k16", 16, 8, 16, f32, f16, f16, f32, a_f16_k16, b_f16_k16, c_m16n8)
    MMA("m16n8k16", 16, 8, 16, f16, f16, f16, f16, a_f16_k16, b_f16_k16, c_m16n8)
    MMA("m16n8k16", 16, 8, 16, f32, bf16, bf16, f32, a_f16_k16, b_f16_k16, c_m16n8)
    MMA("m16n8k8", 16, 8, 8, f32, f16, f16, f32, a_f16_k8, b_f16_k8, c_m16n8)
    MMA("m16n8k8", 16, 8, 8, f16, f16, f16, f16, a_f16_k8, b_f16_k8, c_m16n8)
    MMA("m16n8k8", 16, 8, 8, f32, bf16, bf16, f32, a_f16_k8, b_f16_k8, c_m16n8)
    MMA("m16n8k8", 16, 8, 8, f32, tf32, tf32, f32, a_tf32_k8, b_tf32_k8, c_m16n8)
    MMA("m16n8k4", 16, 8, 4, f32, tf32, tf32, f32, a_tf32_k4, b_tf32_k4, c_m16n8)
    MMA("m8n8k4", 8, 8, 4, f64, f64, f64, f64, a_f64_m8, b_tf32_k4, c_m8n8)
    MMA("m16n8k4", 16, 8, 4, f64, f64, f64, f64, a_tf32_k4, b_tf32_k4, c_m16n8)
    MMA("m16n8k8", 16, 8, 8, f64, f64, f64, f64, a_tf32_k8, b_tf32_k8, c_m16n8)
    MMA("m16n8k16", 16, 8, 16, f64, f64, f64, f64, a_f64_k16, b_f64_k16, c_m16n8)
    MMA("m8n8k16", 8, 8, 16, s32, s8, u8, s32, a_s8_m8, b_s8_k16, c_m8n8)
    MMA("m16n8k16", 16, 8, 16, s32, u8, s8, s32, a_s8_k16, b_s8_k16, c_m16n8)
    MMA("m16n8k32", 16, 8, 32, s32, s8, s8, s32, a_s8_k32, b_s8_k32, c_m16n8)
    MMA("m16n8k64", 16, 8, 64, s32, s4, u4, s32, a_s4_k64, b_s4_k64, c_m16n8)
    MMA("m16n8k32", 16, 8, 32, f32, e4m3, e5m2, f32, a_s8_k32, b_s8_k32, c_m16n8)
    MMA("m16n8k32", 16, 8, 32, f16, e5m2, e5m2, f16, a_s8_k32, b_s8_k32, c_m16n8)
    {"mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc", 16, 8, 256, TYPE_s32, TYPE_b1, TYPE_b1,
     TYPE_s32, a_b1_k256, b_b1_k256, c_m16n8, c_m16n8},
    {"mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc", 16, 8, 256, TYPE_s32, TYPE_b1, TYPE_b1,
     TYPE_s32, a_b1_k256, b_b1_k256, c_m16n8, c_m16n8},
    {"mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32", 8, 8, 4, TYPE_f32, TYPE_f16, TYPE_f16, TYPE_f32,
     a_quad_row, b_quad_col, c_quad_f32, c_quad_f32},
    {"mma.sync.aligned.m8n8k4.col.row.f16.f16.f16.f16", 8, 8, 4, TYPE_f16, TYPE_f16, TYPE_f16, TYPE_f16,
     a_quad_col, b_quad_row, c_quad_f16, c_quad_f16},
    {"mma.sync.aligned.m8n8k4.row.row.f32.f16.f16.f16", 8, 8, 4, TYPE_f32, TYPE_f16, TYPE_f16, TYPE_f16,
     a_quad_row, b_quad_row, c_quad_f16, c_quad_f32},
};
/* clang-format on */

/* Values of up to four matrices of each kind. */
static int matrix_a[4][16][256], matrix_b[4][256][8], matrix_c[4][16][8];

static int elements_of(int rows, int cols, bool quads) { return rows * cols * (quads ? 4 : 1) / 32; }

/* Registers that hold the elements, and bytes of each. */
static unsigned packed_of(Type type) { return type_bits(type) < 32 ? 32 / type_bits(type) : 1; }
static unsigned bytes_of(Type type) { return type_bits(type) == 64 ? 8 : 4; }

static void add_fragment(Rig *rig, unsigned slot, Type type, int elements)
{
    rig_registers(rig, slot, (unsigned)elements / packed_of(type), bytes_of(type));
}

static void put(Rig *rig, unsigned slot, Type type, int lane, int i, uint64_t bits)
{
    unsigned packed = packed_of(type), at = (unsigned)i / packed,
             shift = (unsigned)i % packed * type_bits(type);
    if (bytes_of(type) == 8)
        rig_lanes64(rig, slot + 2 * at)[lane] = bits;
    else
        rig_lanes(rig, slot + at)[lane] |= (uint32_t)bits << shift;
}

static uint64_t get(Rig *rig, unsigned slot, Type type, int lane, int i)
{
    unsigned packed = packed_of(type), at = (unsigned)i / packed,
             shift = (unsigned)i % packed * type_bits(type);
    if (bytes_of(type) == 8)
        return rig_lanes64(rig, slot + 2 * at)[lane];
    return rig_lanes(rig, slot + at)[lane] >> shift & (uint32_t)(((uint64_t)1 << type_bits(type)) - 1);
}

static int product(const MmaCase *test, int matrix, int row, int col)
{
    int sum = matrix_c[matrix][row][col];
    for (int l = 0; l < test->k; l++) {
        int a = matrix_a[matrix][row][l], b = matrix_b[matrix][l][col];
        sum += test->a != TYPE_b1 ? a * b : strstr(test->opcode, "and") ? (a & b) : (a ^ b);
    }
    return sum;
}

static void fill_matrices(const MmaCase *test)
{
    for (int q = 0; q < 4; q++) {
        for (int l = 0; l < test->k; l++) {
            for (int row = 0; row < test->m; row++)
                matrix_a[q][row][l] = random_int(smallest(test->a), largest(test->a));
            for (int col = 0; col < test->n; col++)
                matrix_b[q][l][col] = random_int(smallest(test->b), largest(test->b));
        }
        for (int row = 0; row < test->m; row++)
            for (int col = 0; col < test->n; col++)
                matrix_c[q][row][col] = random_int(-100, 100);
    }
}

/* Puts the matrix values where the manual says, lane by lane. */
static void fill_fragments(Rig *rig, const MmaCase *test, int count_a, int count_b, int count_c)
{
    for (int lane = 0; lane < 32; lane++) {
        for (int i = 0; i < count_a; i++) {
            Spot at = test->spot_a(lane, i);
            put(rig, SLOT_A, test->a, lane, i, encode(test->a, matrix_a[at.matrix][at.row][at.col]));
        }
        for (int i = 0; i < count_b; i++) {
            Spot at = test->spot_b(lane, i);
            put(rig, SLOT_B, test->b, lane, i, encode(test->b, matrix_b[at.matrix][at.row][at.col]));
        }
        for (int i = 0; i < count_c; i++) {
            Spot at = test->spot_c(lane, i);
            put(rig, SLOT_C, test->c, lane, i, encode(test->c, matrix_c[at.matrix][at.row][at.col]));
        }
    }
}

static void run_mma_case(const MmaCase *test)
{
    Rig *rig = rig_open(32);
    bool quads = test->spot_a(31, 0).matrix != 0;
    int count_a = elements_of(test->m, test->k, quads), count_b = elements_of(test->k, test->n, quads);
    int count_c = elements_of(test->m, test->n, quads);
    if (!rig_instruction(rig, test->opcode))
        fail_msg("no row takes %s", test->opcode);
    add_fragment(rig, SLOT_D, test->d, count_c);
    add_fragment(rig, SLOT_A, test->a, count_a);
    add_fragment(rig, SLOT_B, test->b, count_b);
    add_fragment(rig, SLOT_C, test->c, count_c);
    rig_decode(rig);
    if (!rig->insn.detail)
        fail_msg("%s is not decoded", test->opcode);
    fill_matrices(test);
    fill_fragments(rig, test, count_a, count_b, count_c);
    assert_int_equal(exec_mma(&rig->step), STEP_NEXT);
    for (int lane = 0; lane < 32; lane++) {
        for (int i = 0; i < count_c; i++) {
            Spot at = test->spot_d(lane, i);
            uint64_t expected = encode(test->d, product(test, at.matrix, at.row, at.col));
            uint64_t found = get(rig, SLOT_D, test->d, lane, i);
            if (found != expected)
                fail_msg("%s: lane %d element %d is 0x%llx instead of 0x%llx", test->opcode, lane, i,
                         (unsigned long long)found, (unsigned long long)expected);
        }
    }
    rig_close(rig);
}

static void test_mma(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof mma_cases / sizeof *mma_cases; i++)
        run_mma_case(&mma_cases[i]);
}

static void test_satfinite(void **state)
{
    (void)state;
    for (unsigned clamp = 0; clamp < 2; clamp++) {
        Rig *rig = rig_open(32);
        assert_true(rig_instruction(rig, clamp ? "mma.sync.aligned.m8n8k16.row.col.satfinite.s32.s8.s8.s32"
                                               : "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32"));
        rig_registers(rig, SLOT_D, 2, 4);
        rig_registers(rig, SLOT_A, 1, 4);
        rig_registers(rig, SLOT_B, 1, 4);
        rig_registers(rig, SLOT_C, 2, 4);
        rig_decode(rig);
        for (unsigned lane = 0; lane < 32; lane++) {
            rig_lanes(rig, SLOT_A)[lane] = rig_lanes(rig, SLOT_B)[lane] = 0x7f7f7f7f;
            rig_lanes(rig, SLOT_C)[lane] = rig_lanes(rig, SLOT_C + 1)[lane] = INT32_MAX;
        }
        assert_int_equal(exec_mma(&rig->step), STEP_NEXT);
        uint32_t wrapped = (uint32_t)INT32_MAX + 16u * 127 * 127;
        assert_int_equal(rig_lanes(rig, SLOT_D)[5], clamp ? INT32_MAX : wrapped);
        rig_close(rig);
    }
}

/* Loads or stores one matrix by wmma: dense lines of `stride` elements at a shared, generic or global
 * address. */
static void transfer(Rig *rig, const char *opcode, unsigned slot, Type type, unsigned registers,
                     uint64_t address, int stride)
{
    bool is_load = strstr(opcode, ".load.") != NULL;
    if (!rig_instruction(rig, opcode))
        fail_msg("no row takes %s", opcode);
    for (unsigned lane = 0; lane < 32; lane++) {
        rig_lanes64(rig, SLOT_ADDRESS)[lane] = address;
        rig_lanes(rig, SLOT_STRIDE)[lane] = (uint32_t)stride;
    }
    if (is_load)
        rig_registers(rig, slot, registers, bytes_of(type));
    rig_address(rig, SLOT_ADDRESS);
    if (!is_load)
        rig_registers(rig, slot, registers, bytes_of(type));
    rig_registers(rig, SLOT_STRIDE, 1, 4);
    rig_decode(rig);
    if (!rig->insn.detail)
        fail_msg("%s is not decoded", opcode);
    if ((is_load ? exec_wmma_load : exec_wmma_store)(&rig->step) != STEP_NEXT)
        fail_msg("%s: %s", opcode, rig->error.text);
}

typedef struct WmmaCase {
    int m, n, k;
    Type d, a, c;
} WmmaCase;

static unsigned wmma_registers(Type type, int elements, bool multiplicand)
{
    return multiplicand && type == TYPE_f16 ? 8 : (unsigned)elements / 32 / packed_of(type);
}

static void wmma_opcode(char *opcode, size_t size, const char *what, const char *layout, const WmmaCase *test,
                        const char *space, Type type)
{
    snprintf(opcode, size, "wmma.%s.sync.aligned.%s.m%dn%dk%d%s.%s", what, layout, test->m, test->n, test->k,
             space, mod_name(type));
}

/* Writes a matrix to memory, row by row or column by column. */
static void store_matrix(uint8_t *memory, Type type, const int *values, int rows, int cols, bool by_columns,
                         int stride)
{
    unsigned bits = type_bits(type);
    for (int row = 0; row < rows; row++) {
        for (int col = 0; col < cols; col++) {
            unsigned index = (unsigned)(by_columns ? col * stride + row : row * stride + col);
            uint64_t element = encode(type, values[row * cols + col]);
            if (bits < 8)
                memory[index * bits / 8] |= (uint8_t)(element << index * bits % 8);
            else
                memcpy(&memory[index * bits / 8], &element, bits / 8);
        }
    }
}

/* One product by wmma, and where its matrices lie: A in shared memory, B in global memory, C and D through
 * generic addresses of shared memory. */
typedef struct WmmaRun {
    const WmmaCase *test;
    bool a_cols, b_cols, d_cols;
    int stride_a, stride_b, stride_d;
    int a[32 * 128], b[128 * 32], c[32 * 32];
    unsigned registers_a, registers_b, registers_c, registers_d;
} WmmaRun;

static WmmaRun wmma_run(const WmmaCase *test, bool a_cols, bool b_cols, bool d_cols)
{
    WmmaRun run = {.test = test, .a_cols = a_cols, .b_cols = b_cols, .d_cols = d_cols};
    const int pad = type_bits(test->a) == 1 ? 128 : 32;
    run.stride_a = (a_cols ? test->m : test->k) + pad;
    run.stride_b = (b_cols ? test->k : test->n) + pad;
    run.stride_d = (d_cols ? test->m : test->n) + 8;
    for (int i = 0; i < test->m * test->k; i++)
        run.a[i] = random_int(smallest(test->a), largest(test->a));
    for (int i = 0; i < test->k * test->n; i++)
        run.b[i] = random_int(smallest(test->a), largest(test->a));
    for (int i = 0; i < test->m * test->n; i++)
        run.c[i] = random_int(-50, 50);
    run.registers_a = wmma_registers(test->a, test->m * test->k, true);
    run.registers_b = wmma_registers(test->a, test->k * test->n, true);
    run.registers_c = wmma_registers(test->c, test->m * test->n, false);
    run.registers_d = wmma_registers(test->d, test->m * test->n, false);
    return run;
}

static void wmma_load(Rig *rig, const WmmaRun *run)
{
    const WmmaCase *test = run->test;
    uint64_t global = 0;
    char opcode[128];
    assert_int_equal(space_alloc(&rig->space, 8192, NULL, false, &global, &rig->error), WB_OK);
    uint8_t *host = space_find(&rig->space, global, 1)->host;
    store_matrix(rig->shared, test->a, run->a, test->m, test->k, run->a_cols, run->stride_a);
    store_matrix(host, test->a, run->b, test->k, test->n, run->b_cols, run->stride_b);
    store_matrix(rig->shared + 8192, test->c, run->c, test->m, test->n, run->d_cols, run->stride_d);
    wmma_opcode(opcode, sizeof opcode, "load.a", run->a_cols ? "col" : "row", test, ".shared", test->a);
    transfer(rig, opcode, SLOT_A, test->a, run->registers_a, 0, run->stride_a);
    wmma_opcode(opcode, sizeof opcode, "load.b", run->b_cols ? "col" : "row", test, ".global", test->a);
    transfer(rig, opcode, SLOT_B, test->a, run->registers_b, global, run->stride_b);
    wmma_opcode(opcode, sizeof opcode, "load.c", run->d_cols ? "col" : "row", test, "", test->c);
    transfer(rig, opcode, SLOT_C, test->c, run->registers_c, SPACE_SHARED_BASE + 8192, run->stride_d);
}

static void wmma_multiply(Rig *rig, const WmmaRun *run)
{
    const WmmaCase *test = run->test;
    char opcode[128], types[32] = "";
    if (test->a != TYPE_f16)
        snprintf(types, sizeof types, ".%s.%s", mod_name(test->a), mod_name(test->a));
    snprintf(opcode, sizeof opcode, "wmma.mma%s.sync.aligned.%s.%s.m%dn%dk%d.%s%s.%s",
             test->a == TYPE_b1 ? ".and.popc" : "", run->a_cols ? "col" : "row", run->b_cols ? "col" : "row",
             test->m, test->n, test->k, mod_name(test->d), types, mod_name(test->c));
    if (!rig_instruction(rig, opcode))
        fail_msg("no row takes %s", opcode);
    rig_registers(rig, SLOT_D, run->registers_d, bytes_of(test->d));
    rig_registers(rig, SLOT_A, run->registers_a, bytes_of(test->a));
    rig_registers(rig, SLOT_B, run->registers_b, bytes_of(test->a));
    rig_registers(rig, SLOT_C, run->registers_c, bytes_of(test->c));
    rig_decode(rig);
    if (!rig->insn.detail)
        fail_msg("%s is not decoded", opcode);
    assert_int_equal(exec_mma(&rig->step), STEP_NEXT);
}

static void wmma_check(Rig *rig, const WmmaRun *run)
{
    const WmmaCase *test = run->test;
    const unsigned bytes = type_bits(test->d) / 8;
    char opcode[128];
    memset(rig->shared, 0, sizeof rig->shared);
    wmma_opcode(opcode, sizeof opcode, "store.d", run->d_cols ? "col" : "row", test, "", test->d);
    transfer(rig, opcode, SLOT_D, test->d, run->registers_d, SPACE_SHARED_BASE, run->stride_d);
    for (int row = 0; row < test->m; row++) {
        for (int col = 0; col < test->n; col++) {
            int sum = run->c[row * test->n + col];
            for (int l = 0; l < test->k; l++)
                sum += run->a[row * test->k + l] * run->b[l * test->n + col];
            uint64_t found = 0, expected = encode(test->d, sum);
            int at = run->d_cols ? col * run->stride_d + row : row * run->stride_d + col;
            memcpy(&found, &rig->shared[(unsigned)at * bytes], bytes);
            if (found != expected)
                fail_msg("%s after %s: element (%d,%d) is 0x%llx instead of 0x%llx", opcode,
                         mod_name(test->a), row, col, (unsigned long long)found,
                         (unsigned long long)expected);
        }
    }
}

static void run_wmma_case(const WmmaCase *test, bool a_cols, bool b_cols, bool d_cols)
{
    Rig *rig = rig_open(32);
    const WmmaRun run = wmma_run(test, a_cols, b_cols, d_cols);
    wmma_load(rig, &run);
    wmma_multiply(rig, &run);
    wmma_check(rig, &run);
    rig_close(rig);
}

static void test_wmma(void **state)
{
    (void)state;
    static const int shapes[3][2] = {{16, 16}, {32, 8}, {8, 32}};
    static const Type accumulators[4][2] = {
        {TYPE_f32, TYPE_f32}, {TYPE_f16, TYPE_f16}, {TYPE_f32, TYPE_f16}, {TYPE_f16, TYPE_f32}};
    for (int layouts = 0; layouts < 8; layouts++) {
        bool a = layouts & 1, b = layouts & 2, d = layouts & 4;
        for (int s = 0; s < 3; s++) {
            int m = shapes[s][0], n = shapes[s][1];
            for (int i = 0; i < 4; i++)
                run_wmma_case(&(WmmaCase){m, n, 16, accumulators[i][0], TYPE_f16, accumulators[i][1]}, a, b,
                              d);
            run_wmma_case(&(WmmaCase){m, n, 16, TYPE_f32, TYPE_bf16, TYPE_f32}, a, b, d);
            run_wmma_case(&(WmmaCase){m, n, 16, TYPE_s32, TYPE_s8, TYPE_s32}, a, b, d);
            run_wmma_case(&(WmmaCase){m, n, 16, TYPE_s32, TYPE_u8, TYPE_s32}, a, b, d);
        }
        run_wmma_case(&(WmmaCase){16, 16, 8, TYPE_f32, TYPE_tf32, TYPE_f32}, a, b, d);
        run_wmma_case(&(WmmaCase){8, 8, 4, TYPE_f64, TYPE_f64, TYPE_f64}, a, b, d);
        if (a || !b)
            continue;
        run_wmma_case(&(WmmaCase){8, 8, 32, TYPE_s32, TYPE_s4, TYPE_s32}, a, b, d);
        run_wmma_case(&(WmmaCase){8, 8, 32, TYPE_s32, TYPE_u4, TYPE_s32}, a, b, d);
        run_wmma_case(&(WmmaCase){8, 8, 128, TYPE_s32, TYPE_b1, TYPE_s32}, a, b, d);
    }
}

/* .f16 multiplicands hold every element twice, as on hardware. */
static void test_wmma_copies(void **state)
{
    (void)state;
    Rig *rig = rig_open(32);
    for (unsigned i = 0; i < 256; i++)
        ((uint16_t *)rig->shared)[i] = (uint16_t)i;
    transfer(rig, "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16", SLOT_A, TYPE_f16, 8, 0, 16);
    for (unsigned lane = 0; lane < 32; lane++) {
        unsigned first = lane / 4 * 16 + lane % 4 * 2;
        assert_int_equal(rig_lanes(rig, SLOT_A)[lane], first | (first + 1) << 16);
        assert_int_equal(rig_lanes(rig, SLOT_A + 1)[lane], (first + 128) | (first + 129) << 16);
        for (unsigned r = 0; r < 4; r++)
            assert_int_equal(rig_lanes(rig, SLOT_A + r)[lane], rig_lanes(rig, SLOT_A + 4 + r)[lane]);
    }
    rig_close(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mma),
        cmocka_unit_test(test_satfinite),
        cmocka_unit_test(test_wmma),
        cmocka_unit_test(test_wmma_copies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
