/* What kernels ask of the device runtime besides launches, as nvcc compiles it, in functional and in cycle
 * mode: copies and memsets in the order of streams, memory of the heap, events, and questions about the
 * device, kernels and errors. */
#include "kernels.h"

#include <stdio.h>
#include <string.h>

static void each(KernelsTest *test) { kernels_each("runtime", test); }

static void must_set(Kernels *kernels, const char *knob, const char *value)
{
    if (wb_gpu_set(kernels->gpu, knob, value) != WB_OK)
        fail_msg("%s", wb_error(kernels->gpu));
}

static const char *const modes[] = {"functional", "cycle"};
enum { MODE_COUNT = 2 };
#define EACH_MODE(kernels)                                                                                   \
    for (uint32_t mode = 0; mode < MODE_COUNT && (must_set(kernels, "mode", modes[mode]), true); mode++)

static void check_order(Kernels *kernels)
{
    EACH_MODE(kernels)
    {
        int values[100] = {0}, copy[100] = {0}, errors[4] = {-1, -1, -1, -1};
        uint64_t to = kernels_upload(kernels, values, sizeof values);
        uint64_t other = kernels_upload(kernels, copy, sizeof copy);
        uint64_t results = kernels_upload(kernels, errors, sizeof errors);
        KERNELS_RUN(kernels, "in_order", 1, 1, 0, WB_ARG(to), WB_ARG(other), WB_ARG(results));
        kernels_download(kernels, to, values, sizeof values);
        kernels_download(kernels, other, copy, sizeof copy);
        kernels_download(kernels, results, errors, sizeof errors);
        for (int i = 0; i < 4; i++)
            assert_int_equal(errors[i], 0);
        for (int i = 0; i < 100; i++) {
            assert_int_equal(copy[i], 7 + i);
            assert_int_equal((unsigned)values[i], i < 50 ? 0xababababu : 1007u + (unsigned)i);
        }
    }
}

static void copies_keep_the_order_of_streams(void **state)
{
    (void)state;
    each(check_order);
}

enum { BOX_BYTES = 8192 + 100000 + 64 };

static void make_boxes(char *to, const char *from)
{
    memset(to, 0, BOX_BYTES);
    memcpy(to, from, 4096);
    memcpy(to + 4096, from, 20);
    memcpy(to + 4199, from + 1, 37);
    for (int row = 0; row < 3; row++) {
        memcpy(to + 4300 + row * 20, from + row * 32, 12);
        memset(to + 4500 + row * 16, 0x45, 5);
    }
    for (int slice = 0; slice < 3; slice++)
        for (int row = 0; row < 2; row++)
            memcpy(to + 4400 + slice * 24 + row * 8 + 2, from + (slice + 1) * 24 + (row + 1) * 6 + 1, 4);
    memset(to + 4600, 0x46, 32);
    memset(to + 8192, -1, 100000);
}

static void check_boxes(Kernels *kernels)
{
    static char from[4096], to[BOX_BYTES], expected[BOX_BYTES];
    for (int i = 0; i < 4096; i++)
        from[i] = (char)(1 + i * 7 + i / 256);
    make_boxes(expected, from);
    EACH_MODE(kernels)
    {
        int errors[9];
        memset(errors, -1, sizeof errors);
        memset(to, 0, sizeof to);
        uint64_t source = kernels_upload(kernels, from, sizeof from);
        uint64_t destination = kernels_upload(kernels, to, sizeof to);
        uint64_t results = kernels_upload(kernels, errors, sizeof errors);
        KERNELS_RUN(kernels, "boxes", 1, 1, 0, WB_ARG(destination), WB_ARG(source), WB_ARG(results));
        kernels_download(kernels, destination, to, sizeof to);
        kernels_download(kernels, results, errors, sizeof errors);
        for (int i = 0; i < 9; i++)
            assert_int_equal(errors[i], 0);
        kernels_same(kernels, modes[mode], to, expected, 1, sizeof to);
    }
}

static void boxes_are_copied_and_set(void **state)
{
    (void)state;
    each(check_boxes);
}

/* Runs a kernel of one thread and compares the errors that it leaves; `memory`: it takes an address first. */
static void check_results(Kernels *kernels, const char *kernel, bool memory, const int *expected,
                          uint32_t count)
{
    EACH_MODE(kernels)
    {
        int errors[32];
        char bytes[256] = {0};
        memset(errors, -1, sizeof errors);
        uint64_t results = kernels_upload(kernels, errors, sizeof errors);
        uint64_t place = kernels_upload(kernels, bytes, sizeof bytes);
        if (memory)
            KERNELS_RUN(kernels, kernel, 1, 1, 0, WB_ARG(place), WB_ARG(results));
        else
            KERNELS_RUN(kernels, kernel, 1, 1, 0, WB_ARG(results));
        kernels_download(kernels, results, errors, sizeof errors);
        kernels_same(kernels, kernel, errors, expected, sizeof *errors, count);
    }
}

static void check_refused(Kernels *kernels)
{
    static const int expected[] = {1, 1, 1, 1, 1, 1, 1, 1, 21, 12, 0, 0};
    check_results(kernels, "refused_copies", true, expected, 12);
}

static void wrong_copies_are_errors(void **state)
{
    (void)state;
    each(check_refused);
}

static void check_pending(Kernels *kernels)
{
    static const int expected[] = {0, 0, 0, 0, 0, 999, 999, 999, 0, 0, 0, 0, 0, 999, 999, 999};
    must_set(kernels, "pending_launches", "5");
    check_results(kernels, "many_copies", true, expected, 16);
}

static void copies_are_launches_that_wait(void **state)
{
    (void)state;
    each(check_pending);
}

static void check_heap(Kernels *kernels)
{
    static const int expected[] = {1, 1, 2, 0, 0, 0, 0};
    check_results(kernels, "heap", false, expected, 7);
}

static void memory_comes_from_the_heap(void **state)
{
    (void)state;
    each(check_heap);
}

/* Twice as many events as launches may be pending. */
static void check_events(Kernels *kernels)
{
    static const int expected[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 2, 0, 1, 0, 0, 1};
    must_set(kernels, "pending_launches", "5");
    check_results(kernels, "events", false, expected, 17);
}

static void events_are_limited(void **state)
{
    (void)state;
    each(check_events);
}

static void fails(Kernels *kernels, const char *kernel, const char *part, const char *other)
{
    EACH_MODE(kernels)
    {
        char bytes[16] = {0};
        uint64_t place = kernels_upload(kernels, bytes, sizeof bytes);
        const WbArgument argument = WB_ARG(place);
        assert_int_equal(kernels_try(kernels, kernel, (KernelsShape){1, 1, 0}, &argument, 1),
                         WB_ERROR_ADDRESS);
        const char *sentence = wb_error(kernels->gpu);
        if (!strstr(sentence, part) || !strstr(sentence, other))
            fail_msg("%s, %s: neither '%s' nor '%s': %s", kernels->variant, kernel, part, other, sentence);
        kernels_download(kernels, place, bytes, sizeof bytes);
    }
}

static void check_faults(Kernels *kernels)
{
    fails(kernels, "copy_beyond", "kernel 'set', device_runtime.ptx:", "the allocation of 16 bytes");
    fails(kernels, "free_twice", "__cudaCDP2Free was given", "freed before");
    fails(kernels, "bad_place", "0x10 as the place for an answer of 4 bytes", "bad_place");
}

static void faults_end_the_run(void **state)
{
    (void)state;
    each(check_faults);
}

/* -- questions -- */

/* Layouts of kernels/runtime.cu and, up to binary_version, of cudaFuncAttributes. */
typedef struct Function {
    size_t shared_bytes, constant_bytes, local_bytes;
    int max_threads, registers, ptx_version, binary_version;
    int rest[25];
} Function;
typedef struct Answers {
    int errors[16], device, count, version, attribute, cache, banks, blocks[2];
    size_t limit;
    Function function;
    char name[64], text[64], unknown[64];
} Answers;

static Answers ask(Kernels *kernels)
{
    static Answers answers;
    memset(&answers, 0, sizeof answers);
    memset(&answers.function, 0x5a, sizeof answers.function);
    uint64_t to = kernels_upload(kernels, &answers, sizeof answers);
    KERNELS_RUN(kernels, "ask", 1, 1, 0, WB_ARG(to));
    kernels_download(kernels, to, &answers, sizeof answers);
    return answers;
}

static void check_errors(const Answers *answers, const int *expected)
{
    for (int i = 0; i < 16; i++)
        if (answers->errors[i] != expected[i])
            fail_msg("question %d was answered with error %d, not %d", i, answers->errors[i], expected[i]);
}

static void check_kernels(Kernels *kernels, const Answers *answers)
{
    WbKernel *kernel;
    WbKernelInfo info;
    uint32_t blocks;
    assert_int_equal(wb_module_kernel(kernels->module, "asked", &kernel), WB_OK);
    assert_int_equal(wb_kernel_info(kernel, &info), WB_OK);
    assert_int_equal(wb_kernel_occupancy(kernel, 96, 1000, &blocks), WB_OK);
    assert_true(blocks > 0);
    assert_int_equal(answers->blocks[0], blocks);
    assert_int_equal(answers->blocks[1], 0);
    const Function *function = &answers->function;
    assert_int_equal(function->shared_bytes, 512);
    assert_int_equal(function->constant_bytes, info.constant_bytes);
    assert_int_equal(function->local_bytes, info.local_bytes);
    assert_int_equal(function->max_threads, 96);
    assert_int_equal(function->registers, info.registers);
    assert_int_equal(function->ptx_version, strstr(kernels->variant, "sm_75") ? 75 : 90);
    assert_int_equal(function->binary_version, 90);
    assert_int_equal(function->rest[0], 0x5a5a5a5a); /* what is behind is left alone */
}

static void check_alone(Kernels *kernels)
{
    static const int expected[16] = {
        [8] = 1, [9] = 1, [11] = 801, [12] = 801, [13] = 101, [14] = 801, [15] = 801};
    EACH_MODE(kernels)
    {
        const Answers answers = ask(kernels);
        check_errors(&answers, expected);
        assert_int_equal(answers.count, 1);
        assert_int_equal(answers.banks, 1);
        assert_true(answers.version > 0);
        check_kernels(kernels, &answers);
        assert_string_equal(answers.name, "unrecognized error code");
    }
}

static void what_the_gpu_knows_is_told(void **state)
{
    (void)state;
    each(check_alone);
}

static bool attribute(void *context, int number, int *value)
{
    *value = 1000 + number;
    return context && number < 200;
}

static bool limit(void *context, int number, size_t *value)
{
    *value = 77;
    return context && number == 0;
}

static int cache_preference(void *context) { return context ? 2 : 0; }

static const char *error_name(void *context, int error) { return context && error == 1 ? "aName" : NULL; }

static const char *error_text(void *context, int error) { return context && error == 1 ? "a text" : NULL; }

static void check_queries(Kernels *kernels)
{
    static const int expected[16] = {[8] = 1, [9] = 1, [12] = 1, [13] = 101, [15] = 215};
    const WbQueries queries = {attribute, limit, cache_preference, error_name, error_text, kernels};
    wb_set_queries(kernels->gpu, &queries);
    EACH_MODE(kernels)
    {
        const Answers answers = ask(kernels);
        check_errors(&answers, expected);
        assert_int_equal(answers.attribute, 1010); /* number 10 is the warp's size */
        assert_int_equal(answers.limit, 77);
        assert_int_equal(answers.cache, 2);
        assert_string_equal(answers.name, "aName");
        assert_string_equal(answers.text, "a text");
        assert_string_equal(answers.unknown, "unrecognized error code");
    }
}

static void what_cuda_knows_is_asked_for(void **state)
{
    (void)state;
    each(check_queries);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_keep_the_order_of_streams),
        cmocka_unit_test(boxes_are_copied_and_set),
        cmocka_unit_test(wrong_copies_are_errors),
        cmocka_unit_test(copies_are_launches_that_wait),
        cmocka_unit_test(memory_comes_from_the_heap),
        cmocka_unit_test(events_are_limited),
        cmocka_unit_test(faults_end_the_run),
        cmocka_unit_test(what_the_gpu_knows_is_told),
        cmocka_unit_test(what_cuda_knows_is_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
