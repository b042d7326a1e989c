/* ldmatrix, stmatrix, movmatrix, and what every matrix instruction refuses. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "exec/handlers.h"
#include "step_rig.h"

enum { SLOT_D = 0, SLOT_A = 16, SLOT_C = 48, SLOT_ADDRESS = 64, SLOT_STRIDE = 66 };

static void test_ldmatrix(void **state)
{
    (void)state;
    for (unsigned trans = 0; trans < 2; trans++) {
        Rig *rig = rig_open(32);
        uint16_t *memory = (uint16_t *)rig->shared;
        for (unsigned i = 0; i < 4096; i++)
            memory[i] = (uint16_t)i;
        assert_true(rig_instruction(rig, trans ? "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16"
                                               : "ldmatrix.sync.aligned.m8n8.x4.shared.b16"));
        for (unsigned lane = 0; lane < 32; lane++)
            rig_lanes64(rig, SLOT_ADDRESS)[lane] = lane * 48;
        rig_registers(rig, SLOT_D, 4, 4);
        rig_address(rig, SLOT_ADDRESS);
        rig_decode(rig);
        assert_int_equal(exec_ldmatrix(&rig->step), STEP_NEXT);
        for (unsigned q = 0; q < 4; q++) {
            for (unsigned lane = 0; lane < 32; lane++) {
                for (unsigned i = 0; i < 2; i++) {
                    unsigned row = trans ? lane % 4 * 2 + i : lane / 4,
                             col = trans ? lane / 4 : lane % 4 * 2 + i;
                    assert_int_equal(rig_lanes(rig, SLOT_D + q)[lane] >> 16 * i & 0xffff,
                                     (q * 8 + row) * 24 + col);
                }
            }
        }
        /* storing them back the same way gives the same memory */
        assert_true(rig_instruction(rig, trans ? "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16"
                                               : "stmatrix.sync.aligned.m8n8.x4.shared.b16"));
        rig_address(rig, SLOT_ADDRESS);
        rig_registers(rig, SLOT_D, 4, 4);
        rig_decode(rig);
        memset(rig->shared, 0xff, 2048);
        assert_int_equal(exec_ldmatrix(&rig->step), STEP_NEXT);
        for (unsigned i = 0; i < 32 * 24; i++)
            assert_int_equal(memory[i], i % 24 < 8 ? i : 0xffff);
        rig_close(rig);
    }
}

static void test_ldmatrix_reads_only_its_rows(void **state)
{
    (void)state;
    Rig *rig = rig_open(32);
    assert_true(rig_instruction(rig, "ldmatrix.sync.aligned.m8n8.x1.b16"));
    for (unsigned lane = 0; lane < 32; lane++)
        rig_lanes64(rig, SLOT_ADDRESS)[lane] = lane < 8 ? SPACE_SHARED_BASE + 16 * lane : 1;
    rig_registers(rig, SLOT_D, 1, 4);
    rig_address(rig, SLOT_ADDRESS);
    rig_decode(rig);
    memset(rig->shared, 0x5a, 128);
    assert_int_equal(exec_ldmatrix(&rig->step), STEP_NEXT);
    assert_int_equal(rig_lanes(rig, SLOT_D)[31], 0x5a5a5a5a);
    rig_close(rig);
}

static void test_movmatrix(void **state)
{
    (void)state;
    Rig *rig = rig_open(32);
    assert_true(rig_instruction(rig, "movmatrix.sync.aligned.m8n8.trans.b16"));
    for (unsigned lane = 0; lane < 32; lane++)
        rig_lanes(rig, SLOT_A)[lane] = (lane * 2) | (lane * 2 + 1) << 16;
    rig_registers(rig, SLOT_D, 1, 4);
    rig_registers(rig, SLOT_A, 1, 4);
    rig_decode(rig);
    assert_int_equal(exec_ldmatrix(&rig->step), STEP_NEXT);
    for (unsigned lane = 0; lane < 32; lane++) {
        unsigned row = lane / 4, col = lane % 4 * 2;
        assert_int_equal(rig_lanes(rig, SLOT_D)[lane], (col * 8 + row) | ((col + 1) * 8 + row) << 16);
    }
    rig_close(rig);
}

static void test_errors(void **state)
{
    (void)state;
    Rig *rig = rig_open(32);
    assert_true(rig_instruction(rig, "ldmatrix.sync.aligned.m8n8.x4.shared.b16"));
    rig_registers(rig, SLOT_D, 2, 4);
    rig_address(rig, SLOT_ADDRESS);
    rig_decode(rig);
    assert_null(rig->insn.detail);
    rig_close(rig);

    rig = rig_open(32);
    assert_true(rig_instruction(rig, "movmatrix.sync.aligned.m8n8.trans.b16"));
    rig_registers(rig, SLOT_D, 1, 4);
    rig_registers(rig, SLOT_A, 1, 4);
    rig_decode(rig);
    rig->step.mask = 0xffff;
    assert_int_equal(exec_ldmatrix(&rig->step), STEP_ERROR);
    assert_int_equal(rig->error.status, WB_ERROR_EXECUTION);
    assert_non_null(strstr(rig->error.text, "16 of the warp's 32 lanes"));
    rig_close(rig);

    rig = rig_open(32);
    assert_true(rig_instruction(rig, "wmma.load.c.sync.aligned.row.m16n16k16.shared.f32"));
    for (unsigned lane = 0; lane < 32; lane++) {
        rig_lanes64(rig, SLOT_ADDRESS)[lane] = RIG_SHARED - 1024 + 4;
        rig_lanes(rig, SLOT_STRIDE)[lane] = 16;
    }
    rig_registers(rig, SLOT_C, 8, 4);
    rig_address(rig, SLOT_ADDRESS);
    rig_registers(rig, SLOT_STRIDE, 1, 4);
    rig_decode(rig);
    assert_int_equal(exec_wmma_load(&rig->step), STEP_ERROR);
    assert_int_equal(rig->error.status, WB_ERROR_ADDRESS);
    rig_close(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ldmatrix),
        cmocka_unit_test(test_ldmatrix_reads_only_its_rows),
        cmocka_unit_test(test_movmatrix),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
