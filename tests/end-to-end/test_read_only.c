/* Shared memory that is read again when a block comes back to its SM, on kernels that nvcc compiled: which
 * bytes, that results are right, and what is said of hints that are wrong. */
#include "kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WORDS = 256, THREADS = 64, BLOCKS = 6, ROUNDS = 3 };

static void set(Kernels *kernels, const char *knob, const char *value)
{
    if (wb_gpu_set(kernels->gpu, knob, value) != WB_OK)
        fail_msg("%s", wb_error(kernels->gpu));
}

static uint64_t statistic(Kernels *kernels, const char *name)
{
    WbStat stat;
    assert_int_equal(wb_stat_find(kernels->gpu, name, &stat), WB_OK);
    return stat.value;
}

/* One SM that has room for two blocks: all others are away at each sync. */
static void narrow(Kernels *kernels)
{
    set(kernels, "mode", "cycle");
    set(kernels, "sm_count", "1");
    set(kernels, "max_blocks_per_sm", "2");
    set(kernels, "context_local", "false");
}

static int input(uint32_t seed, int i) { return (int)(seed * 7919 + (uint32_t)i * 2654435761u) >> 8; }

/* What work() of the kernels leaves for a thread, with w[i] the input from `first` on. */
static void expect(uint32_t seed, int first, int *out)
{
    int t[THREADS] = {0}, next[THREADS];
    for (int round = 0; round < ROUNDS; round++) {
        for (int me = 0; me < THREADS; me++) {
            next[me] = t[(me + 1) % THREADS];
            for (int i = 0; i < 8; i++)
                next[me] += input(seed, (first + (me * 7 + i * 31 + round) % WORDS) % WORDS);
        }
        memcpy(t, next, sizeof t);
    }
    for (int me = 0; me < THREADS; me++)
        out[me] = t[(me + 2) % THREADS];
}

/* Bytes that were read again for a block that came back; fails if a result is wrong. */
static uint64_t run(Kernels *kernels, const char *name, uint32_t seed, int step, bool same)
{
    int in[WORDS + BLOCKS * THREADS], out[BLOCKS * THREADS], expected[THREADS], rounds = ROUNDS, shift = 0;
    for (int i = 0; i < WORDS; i++)
        in[i] = input(seed, i);
    memset(in + WORDS, 0, sizeof out);
    const bool is_hinted = !strcmp(name, "hinted");
    uint64_t from = kernels_upload(kernels, in, sizeof in);
    uint64_t to = same ? from + WORDS * sizeof *in : kernels_upload(kernels, in + WORDS, sizeof out);
    const uint64_t before = statistic(kernels, "sm.context_read_only_bytes");
    const uint64_t left = statistic(kernels, "sm.blocks_suspended");
    const WbArgument arguments[] = {WB_ARG(from), WB_ARG(to), WB_ARG(rounds), WB_ARG(shift)};
    kernels_run(kernels, name,
                (KernelsShape){BLOCKS, THREADS, is_hinted ? (uint32_t)((THREADS + WORDS) * sizeof *in) : 0},
                arguments, is_hinted ? 4 : 3);
    if (same) {
        kernels_download(kernels, from, in, sizeof in);
        memcpy(out, in + WORDS, sizeof out);
    } else {
        kernels_download(kernels, to, out, sizeof out);
        assert_int_equal(wb_free(kernels->gpu, from), WB_OK);
    }
    for (int block = 0; block < BLOCKS; block++) {
        expect(seed, step * block, expected);
        kernels_same(kernels, name, out + block * THREADS, expected, sizeof *out, THREADS);
    }
    const uint64_t away = statistic(kernels, "sm.blocks_suspended") - left;
    assert_true(away >= BLOCKS - 2);
    return (statistic(kernels, "sm.context_read_only_bytes") - before) / away;
}

static void test(Kernels *kernels)
{
    narrow(kernels);
    for (uint32_t seed = 0; seed < 3; seed++) {
        /* All but the lines of which a block has little. */
        assert_in_range(run(kernels, "found", seed, 3, false), WORDS * 4 - 128, WORDS * 4);
        assert_int_equal(run(kernels, "hinted", seed, 0, false), WORDS * 4);
    }
    assert_true(statistic(kernels, "scheduler.stall_global_sync") > 0); /* those that stay wait in place */
    assert_int_equal(statistic(kernels, "scheduler.stall_launched"), 0);
    assert_int_equal(run(kernels, "written_later", 7, 3, false), 0);
    assert_int_equal(run(kernels, "found", 8, 3, true), 0); /* it may write what it has read */
    set(kernels, "context_read_only", "false");
    assert_int_equal(run(kernels, "found", 9, 3, false), 0);
    assert_int_equal(run(kernels, "hinted", 9, 0, false), 0);
}

static void wrong(Kernels *kernels)
{
    int in[WORDS + 1], out[BLOCKS * THREADS] = {0}, rounds = ROUNDS, shift = 1;
    for (int i = 0; i <= WORDS; i++)
        in[i] = input(1, i);
    uint64_t from = kernels_upload(kernels, in, sizeof in), to = kernels_upload(kernels, out, sizeof out);
    const WbArgument arguments[] = {WB_ARG(from), WB_ARG(to), WB_ARG(rounds), WB_ARG(shift)};
    const KernelsShape shape = {BLOCKS, THREADS, (uint32_t)((THREADS + WORDS) * sizeof *in)};
    set(kernels, "mode", "functional");
    kernels_run(kernels, "hinted", shape, arguments, 4); /* nothing is saved there, so nothing is wrong */
    narrow(kernels);
    assert_int_equal(kernels_try(kernels, "hinted", shape, arguments, 4), WB_ERROR_EXECUTION);
    const char *const parts[] = {"Kernel hinted, block (", "were not saved when it left its SM",
                                 "wb_read_only() had said that they repeat the global memory at 0x"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!strstr(wb_error(kernels->gpu), parts[i]))
            fail_msg("'%s' is not in: %s", parts[i], wb_error(kernels->gpu));
    shift = WORDS; /* beyond the allocation */
    const WbArgument beyond[] = {WB_ARG(from), WB_ARG(to), WB_ARG(rounds), WB_ARG(shift)};
    assert_int_equal(kernels_try(kernels, "hinted", shape, beyond, 4), WB_ERROR_ADDRESS);
    assert_non_null(strstr(wb_error(kernels->gpu), "wb_read_only was given 1024 bytes of global memory"));
}

/* How often the text is in the file. */
static uint32_t count_text(const char *path, const char *text)
{
    static char content[1 << 22];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    content[fread(content, 1, sizeof content - 1, file)] = '\0';
    fclose(file);
    uint32_t count = 0;
    for (const char *at = content; (at = strstr(at, text)); at++)
        count++;
    return count;
}

/* Waits in place, blocks that leave and come back, and counters of all that. */
static void timeline(Kernels *kernels)
{
    char path[] = "/tmp/read_only_XXXXXX";
    const int made = mkstemp(path);
    assert_true(made >= 0);
    close(made);
    narrow(kernels);
    set(kernels, "timeline", "true");
    run(kernels, "found", 1, 3, false);
    assert_int_equal(wb_timeline(kernels->gpu, path), WB_OK);
    const uint32_t away = (uint32_t)statistic(kernels, "sm.blocks_suspended");
    assert_int_equal(count_text(path, "\"name\": \"saved\""), away);
    assert_int_equal(count_text(path, "\"name\": \"restored\""), away);
    assert_true(count_text(path, "\"name\": \"waits for the other blocks of its kernel\"") >= ROUNDS);
    static const char *const counters[] = {"blocks off their SMs", "warps that wait in place",
                                           "contexts moved, GB/s", "blocks that come to a global sync"};
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++)
        assert_true(count_text(path, counters[i]) > 1);
    unlink(path);
}

static void a_timeline_shows_waits(void **state)
{
    (void)state;
    kernels_each_on("gtx970", "read_only", timeline);
}

static void read_only_memory_is_read_again(void **state)
{
    (void)state;
    kernels_each_on("gtx970", "read_only", test);
}

static void wrong_hints_are_told(void **state)
{
    (void)state;
    kernels_each_on("gtx970", "read_only", wrong);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(read_only_memory_is_read_again),
        cmocka_unit_test(wrong_hints_are_told),
        cmocka_unit_test(a_timeline_shows_waits),
    };
    return cmocka_run_group_tests_name("read_only", tests, NULL, NULL);
}
