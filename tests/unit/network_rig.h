/* GPUs on nodes of their own, with kernels that send messages to each other's memory. */
#ifndef NETWORK_RIG_H
#define NETWORK_RIG_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "warpbeam.h"

/* `put`, `get` and `tell` are one call each, of every thread with bytes of its own; the last two words of
 * `tell` are what it does: set, add. `lend` puts and flags, round after round, and waits for its own flag.
 * `leave` puts, and ends without waiting; `stay` waits for an event that nobody signals. */
static const char ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".extern .func wb_put(.param .u64 a, .param .u64 b, .param .u64 c);\n"
    ".extern .func wb_get(.param .u64 a, .param .u64 b, .param .u64 c);\n"
    ".extern .func wb_signal_remote(.param .u64 a, .param .u32 b);\n"
    ".extern .func wb_add_remote(.param .u64 a, .param .u32 b);\n"
    ".extern .func wb_wait_remote();\n"
#define THREE(call) "{ .param .u64 x, y, z; st.param.u64 [x], %a; st.param.u64 [y], %b; st.param.u64 [z], %n;\n" \
                    "  call " call ", (x, y, z); }\n"
#define TWO(call) "{ .param .u64 x; .param .u32 y; st.param.u64 [x], %f; st.param.u32 [y], %r;\n" \
                  "  call " call ", (x, y); }\n"
#define WAIT "{ call wb_wait_remote; }\n"
#define HEAD(name) ".visible .entry " name "(.param .u64 to, .param .u64 from, .param .u64 bytes) {\n" \
                   "  .reg .u64 %a, %b, %n, %t; .reg .u32 %i;\n" \
                   "  ld.param.u64 %a, [to]; ld.param.u64 %b, [from]; ld.param.u64 %n, [bytes];\n" \
                   "  mov.u32 %i, %tid.x; cvt.u64.u32 %t, %i; mad.lo.u64 %a, %t, %n, %a; mad.lo.u64 %b, %t, %n, %b;\n"
    HEAD("put") THREE("wb_put") WAIT "ret;\n}\n"
    HEAD("leave") THREE("wb_put") "ret;\n}\n"
    HEAD("get") THREE("wb_get") WAIT "ret;\n}\n"
    ".extern .func wb_wait(.param .u32 a, .param .u32 b);\n"
    ".visible .entry stay() {\n"
    "  { .param .u32 x, y; st.param.u32 [x], 1; st.param.u32 [y], 2; call wb_wait, (x, y); }\n  ret;\n}\n"
    ".visible .entry tell(.param .u64 set, .param .u64 add, .param .u32 value) {\n"
    "  .reg .u64 %f; .reg .u32 %r;\n"
    "  ld.param.u32 %r, [value]; ld.param.u64 %f, [add];\n" TWO("wb_add_remote")
    "  ld.param.u64 %f, [set];\n" TWO("wb_signal_remote") WAIT "ret;\n}\n"
    /* to, from, bytes; the flag there and the one here; rounds */
    ".visible .entry lend(.param .u64 to, .param .u64 from, .param .u64 bytes, .param .u64 flag,\n"
    "                     .param .u64 own, .param .u32 rounds, .param .u64 got, .param .u64 sum) {\n"
    "  .reg .u64 %a, %b, %n, %f, %o, %g, %s; .reg .u32 %r, %l, %v, %c; .reg .pred %p;\n"
    "  ld.param.u64 %a, [to]; ld.param.u64 %b, [from]; ld.param.u64 %n, [bytes]; ld.param.u64 %f, [flag];\n"
    "  ld.param.u64 %o, [own]; ld.param.u32 %l, [rounds]; ld.param.u64 %g, [got]; ld.param.u64 %s, [sum];\n"
    "  mov.u32 %r, 1; mov.u32 %c, 0;\n"
    "Again: st.global.u32 [%b], %r; add.u64 %s, %b, %n; st.global.u32 [%s+-4], %r;\n" THREE("wb_put") TWO("wb_signal_remote")
    "Poll: ld.volatile.global.u32 %v, [%o]; setp.lt.u32 %p, %v, %r; @%p bra Poll;\n"
    "  ld.volatile.global.u32 %v, [%g]; add.u32 %c, %c, %v; add.u64 %s, %g, %n;\n"
    "  ld.volatile.global.u32 %v, [%s+-4]; add.u32 %c, %c, %v;\n" WAIT
    "  add.u32 %r, %r, 1; setp.le.u32 %p, %r, %l; @%p bra Again;\n"
    "  ld.param.u64 %s, [sum]; st.global.u32 [%s], %c; ret;\n}\n";

enum { MOST = 4, WORDS = 8192 };

typedef struct Rig {
    WbGpu *gpus[MOST];
    WbModule *modules[MOST];
    uint64_t words[MOST]; /* WORDS of them on each, all of them alike: word i is the GPU's number * 10000 + i */
    uint32_t count;
} Rig;

static inline void set(Rig *rig, const char *knob, const char *value)
{
    for (uint32_t i = 0; i < rig->count; i++)
        assert_int_equal(wb_gpu_set(rig->gpus[i], knob, value), WB_OK);
}

static inline void open_rig(Rig *rig, uint32_t count, const char *mode, const char *threads)
{
    static uint32_t words[WORDS];
    const char *const names[MOST] = {"gtx480", "gtx480", "gtx480", "gtx480"};
    *rig = (Rig){.count = count};
    char error[256];
    if (wb_gpus_open(names, count, rig->gpus, error, sizeof error))
        fail_msg("%s", error);
    set(rig, "mode", mode);
    set(rig, "threads", threads);
    set(rig, "node_gpus", "1");
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(wb_module_load(rig->gpus[i], "n.ptx", ptx, sizeof ptx - 1, &rig->modules[i]), WB_OK);
        assert_int_equal(wb_malloc(rig->gpus[i], sizeof words, &rig->words[i]), WB_OK);
        for (uint32_t k = 0; k < WORDS; k++)
            words[k] = i * 10000 + k;
        assert_int_equal(wb_copy_to_device(rig->gpus[i], rig->words[i], words, sizeof words), WB_OK);
    }
}

static inline void close_rig(Rig *rig)
{
    for (uint32_t i = 0; i < rig->count; i++)
        wb_gpu_close(rig->gpus[i]);
}

static inline void launch(Rig *rig, uint32_t gpu, const char *name, uint32_t blocks, uint32_t threads,
                   const void *const *arguments)
{
    WbKernel *kernel;
    if (wb_module_kernel(rig->modules[gpu], name, &kernel))
        fail_msg("%s", wb_error(rig->gpus[gpu]));
    const WbLaunch how = {
        .grid = {blocks, 1, 1}, .block = {threads, 1, 1}, .pointers = (void *const *)arguments};
    if (wb_launch(kernel, &how))
        fail_msg("%s", wb_error(rig->gpus[gpu]));
}

static inline void wait_for(Rig *rig, uint32_t gpu)
{
    if (wb_wait(rig->gpus[gpu]))
        fail_msg("%s", wb_error(rig->gpus[gpu]));
}

/* As wb_remote() makes it. */
static inline uint64_t remote(const Rig *rig, uint32_t gpu, uint32_t word)
{
    return (rig->words[0] & 0xFFFFFFFFFFull) + 4 * word + ((uint64_t)gpu << 40) + (1ull << 63);
}

static inline uint32_t word(Rig *rig, uint32_t gpu, uint32_t at)
{
    uint32_t value;
    assert_int_equal(wb_copy_from_device(rig->gpus[gpu], &value, rig->words[gpu] + 4 * at, sizeof value), WB_OK);
    return value;
}

static inline void write_word(Rig *rig, uint32_t gpu, uint32_t at, uint32_t value)
{
    assert_int_equal(wb_copy_to_device(rig->gpus[gpu], rig->words[gpu] + 4 * at, &value, sizeof value), WB_OK);
}

static inline uint64_t count_of(Rig *rig, uint32_t gpu, const char *name)
{
    WbStat stat;
    char full[64] = "unit_network.";
    strcat(full, name);
    if (wb_stat_find(rig->gpus[gpu], full, &stat))
        fail_msg("%s", wb_error(rig->gpus[gpu]));
    return stat.value;
}

#endif
