/* Accesses a little outside of allocations, by the knob memory_check: what they read and write, what is told
 * of them, and that neither depends on mode or threads. */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Thread t of block b copies word t + 32 b of `from`, moved by `offset` bytes; the last block's also store
 * right behind `to`. */
static const char kernels[] =
    PTX_HEADER ".visible .entry strays(.param .u64 from, .param .u64 to, .param .u64 offset)\n"
               "{\n"
               ".reg .b64 %f, %t, %o, %a; .reg .b32 %x, %b, %v; .reg .pred %p;\n"
               "ld.param.u64 %f, [from]; ld.param.u64 %t, [to]; ld.param.u64 %o, [offset];\n"
               "mov.u32 %x, %tid.x; mov.u32 %b, %ctaid.x;\n"
               "mad.lo.u32 %x, %b, 32, %x;\n"
               "mul.wide.u32 %a, %x, 4;\n"
               "add.u64 %f, %f, %a; add.u64 %t, %t, %a; add.u64 %f, %f, %o;\n"
               "ld.global.u32 %v, [%f];\n"
               "st.global.u32 [%t], %v;\n"
               "setp.eq.u32 %p, %b, 3; @!%p bra DONE;\n"
               "st.global.u32 [%t+128], 77;\n"
               "DONE: ret;\n"
               "}\n";

enum { BLOCKS = 4, WORDS = BLOCKS * 32, BYTES = WORDS * 4 };

typedef struct Told {
    char text[8192];
    unsigned sentences;
} Told;

static void listen(void *context, const char *text, size_t length)
{
    Told *told = context;
    const size_t used = strlen(told->text);
    snprintf(told->text + used, sizeof told->text - used, "%.*s\n", (int)length, text);
    told->sentences++;
}

typedef struct Rig {
    WbGpu *gpu;
    WbKernel *kernel;
    uint64_t from, to;
    Told told;
} Rig;

static void open_rig(Rig *rig, const char *mode, const char *threads, const char *check)
{
    WbModule *module;
    *rig = (Rig){.gpu = harness_open("h200", (const char *const[]){mode, threads, check, NULL})};
    wb_set_notice(rig->gpu, listen, &rig->told);
    assert_int_equal(wb_module_load(rig->gpu, "strays.ptx", kernels, sizeof kernels - 1, &module), WB_OK);
    assert_int_equal(wb_module_kernel(module, "strays", &rig->kernel), WB_OK);
    assert_int_equal(wb_malloc(rig->gpu, BYTES, &rig->from), WB_OK);
    assert_int_equal(wb_malloc(rig->gpu, BYTES, &rig->to), WB_OK);
    uint32_t words[WORDS];
    for (uint32_t i = 0; i < WORDS; i++)
        words[i] = i + 1;
    assert_int_equal(wb_copy_to_device(rig->gpu, rig->from, words, BYTES), WB_OK);
}

static WbStatus run(Rig *rig, uint64_t offset, uint32_t words[WORDS])
{
    void *pointers[] = {&rig->from, &rig->to, &offset};
    const WbLaunch launch = {.grid = {BLOCKS, 1, 1}, .block = {32, 1, 1}, .pointers = pointers};
    const WbStatus status = wb_launch(rig->kernel, &launch);
    return status ? status : wb_copy_from_device(rig->gpu, words, rig->to, BYTES);
}

static uint64_t outside_accesses(const Rig *rig)
{
    WbStat stat;
    assert_int_equal(wb_stat_find(rig->gpu, "outside_accesses", &stat), WB_OK);
    return stat.value;
}

/* The last words come from behind the allocation: from the gap, then from the next allocation. */
static void expect_words(const uint32_t *words, uint64_t offset)
{
    for (uint32_t i = 0; i < WORDS; i++) {
        const uint64_t at = i + offset / 4;
        if (at < WORDS)
            assert_int_equal(words[i], at + 1);
        else if (at < WORDS + 64)
            assert_int_equal(words[i], 0);
    }
}

static const char *const modes[][2] = {
    {"mode=functional", "threads=1"}, {"mode=cycle", "threads=1"}, {"mode=cycle", "threads=2"}};
enum { MODES = sizeof modes / sizeof *modes };

static void test_report(void **state)
{
    (void)state;
    char *texts[MODES];
    for (unsigned m = 0; m < MODES; m++) {
        Rig rig;
        uint32_t words[WORDS];
        open_rig(&rig, modes[m][0], modes[m][1], "memory_check=report");
        assert_int_equal(run(&rig, 64, words), WB_OK);
        expect_words(words, 64);
        /* The load of the last block has 16 lanes outside, its store all. */
        assert_int_equal(outside_accesses(&rig), 2);
        assert_int_equal(rig.told.sentences, 2);
        char expected[256];
        snprintf(expected, sizeof expected,
                 "kernel 'strays', strays.ptx:12:1, block (3,0,0), thread (16,0,0): 4-byte load from 0x%llx: "
                 "inside no allocation; the nearest is the allocation of 512 bytes at 0x%llx, which ends "
                 "right before.",
                 (unsigned long long)rig.from + BYTES, (unsigned long long)rig.from);
        if (!strstr(rig.told.text, expected))
            fail_msg("'%s' does not say '%s'", rig.told.text, expected);
        assert_non_null(strstr(rig.told.text, "4-byte store to"));
        /* Once a line. */
        assert_int_equal(run(&rig, 128, words), WB_OK);
        expect_words(words, 128);
        assert_int_equal(outside_accesses(&rig), 4);
        assert_int_equal(rig.told.sentences, 2);
        texts[m] = strdup(rig.told.text);
        wb_gpu_close(rig.gpu);
    }
    assert_string_equal(texts[1], texts[2]);
    for (unsigned m = 0; m < MODES; m++)
        free(texts[m]);
}

/* A store beside an allocation stays there: the next load finds it. */
static void test_stores_take_effect(void **state)
{
    (void)state;
    for (unsigned m = 0; m < MODES; m++) {
        Rig rig;
        uint32_t words[WORDS];
        open_rig(&rig, modes[m][0], modes[m][1], "memory_check=page");
        assert_int_equal(run(&rig, 64, words), WB_OK);
        assert_int_equal(rig.told.sentences, 0);
        assert_int_equal(outside_accesses(&rig), 2);
        rig.from = rig.to;
        assert_int_equal(wb_malloc(rig.gpu, BYTES, &rig.to), WB_OK);
        assert_int_equal(run(&rig, 64, words), WB_OK);
        assert_int_equal(words[WORDS - 16], 77);
        assert_int_equal(words[WORDS - 1], 77);
        wb_gpu_close(rig.gpu);
    }
}

static void expect_failure(Rig *rig, uint64_t offset, const char *part)
{
    uint32_t words[WORDS];
    assert_int_equal(run(rig, offset, words), WB_ERROR_ADDRESS);
    if (!strstr(wb_error(rig->gpu), part))
        fail_msg("'%s' does not say '%s'", wb_error(rig->gpu), part);
}

static void test_where_it_ends(void **state)
{
    (void)state;
    static const char *const checks[] = {"memory_check=allocation", "memory_check=report",
                                         "memory_check=page"};
    for (unsigned m = 0; m < MODES; m++) {
        for (unsigned c = 0; c < 3; c++) {
            Rig rig;
            uint32_t words[WORDS];
            open_rig(&rig, modes[m][0], modes[m][1], checks[c]);
            if (c == 0)
                expect_failure(&rig, 64, "which ends right before");
            expect_failure(&rig, 2 << 20, "inside no allocation");
            expect_failure(&rig, 0 - rig.from, "null pointer");
            /* Freed memory is there as long as its page is. */
            uint64_t freed = rig.from, filler, other;
            assert_int_equal(wb_malloc(rig.gpu, 2 << 20, &filler), WB_OK);
            assert_int_equal(wb_free(rig.gpu, freed), WB_OK);
            if (c == 0)
                expect_failure(&rig, 0, "which was freed");
            else
                assert_int_equal(run(&rig, 0, words), WB_OK);
            assert_int_equal(wb_malloc(rig.gpu, BYTES, &other), WB_OK);
            assert_int_equal(wb_free(rig.gpu, filler), WB_OK);
            assert_int_equal(wb_free(rig.gpu, rig.to), WB_OK);
            rig.from = rig.to = other;
            expect_failure(&rig, freed - other, "which was freed");
            wb_gpu_close(rig.gpu);
        }
    }
}

/* Host memory that the program has unmapped, may only read, or never had. It lies far from all else: where it
 * was, nothing new may be mapped before the kernel looks. */
static void test_registered(void **state)
{
    (void)state;
    const size_t bytes = 4 << 12;
    void *const apart = (void *)(uintptr_t)0x300000000000;
    for (unsigned m = 0; m < MODES; m++) {
        Rig rig;
        uint32_t words[WORDS];
        open_rig(&rig, modes[m][0], modes[m][1], "memory_check=page");
        uint32_t *pages = mmap(apart, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        assert_ptr_not_equal(pages, MAP_FAILED);
        pages[3] = 33;
        assert_int_equal(wb_host_register(rig.gpu, pages, SIZE_MAX), WB_ERROR_ARGUMENT);
        assert_int_equal(wb_host_register(rig.gpu, pages, (size_t)1 << 46), WB_ERROR_ARGUMENT);
        assert_non_null(strstr(wb_error(rig.gpu), "can read and write only the first"));
        mprotect(pages, bytes, PROT_READ);
        assert_int_equal(wb_host_register(rig.gpu, pages, bytes), WB_ERROR_ARGUMENT);
        assert_int_equal(wb_host_register_read_only(rig.gpu, pages, bytes), WB_OK);
        rig.from = (uintptr_t)pages;
        assert_int_equal(run(&rig, 0, words), WB_OK);
        assert_int_equal(words[3], 33);
        const uint64_t to = rig.to;
        rig.to = (uintptr_t)pages;
        expect_failure(&rig, 0, "read-only");
        rig.to = to;
        munmap(pages, bytes);
        expect_failure(&rig, 0, "registered host memory of 16384 bytes");
        assert_non_null(strstr(wb_error(rig.gpu), "which the program has unmapped"));
        assert_int_equal(wb_host_unregister(rig.gpu, pages), WB_OK);
        wb_gpu_close(rig.gpu);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_report),
        cmocka_unit_test(test_stores_take_effect),
        cmocka_unit_test(test_where_it_ends),
        cmocka_unit_test(test_registered),
    };
    return cmocka_run_group_tests_name("memory_check", tests, NULL, NULL);
}
