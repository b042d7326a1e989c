/* Any text that parses must also link and run, or be refused with a sentence: never crash.
 *
 * Every kernel of the module is linked and launched with small blocks, arguments of zeros and an
 * instruction limit. Most changes of bytes give text that does not parse, so the fuzzer also puts one
 * word of the text in another's place: another register, suffix, number or label. */
#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "warpbeam.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

enum { MOST_PARAMETERS = 64, MOST_BYTES = 4096, BUFFER_BYTES = 65536 };

static void discard(void *context, const char *text, size_t length)
{
    (void)context, (void)text, (void)length;
}

static WbGpu *open_gpu(const char *name)
{
    static const char *const knobs[][2] = {
        {"functional_limit", "3000"}, {"global_bytes", "67108864"}, {"stack_bytes", "4096"}};
    WbGpu *gpu;
    if (wb_gpu_open(name, &gpu, NULL, 0) != WB_OK)
        abort();
    for (size_t i = 0; i < sizeof knobs / sizeof *knobs; i++)
        if (wb_gpu_set(gpu, knobs[i][0], knobs[i][1]) != WB_OK)
            abort();
    wb_set_output(gpu, discard, NULL);
    return gpu;
}

/* Parameters hold the address of a buffer wherever it fits, so that kernels have something to work on. */
static void launch(WbGpu *gpu, WbKernel *kernel, uint32_t count, uint64_t buffer)
{
    static uint64_t values[MOST_BYTES / 8];
    WbArgument arguments[MOST_PARAMETERS];
    values[0] = buffer;
    for (uint32_t i = 0; i < count; i++) {
        size_t offset, size;
        if (wb_kernel_parameter(kernel, i, &offset, &size) != WB_OK || size > MOST_BYTES)
            return;
        arguments[i] = (WbArgument){values, size};
    }
    const WbLaunch description = {.grid = {2, 1, 1},
                                  .block = {33, 1, 1},
                                  .shared_bytes = 64,
                                  .arguments = arguments,
                                  .argument_count = count};
    if (wb_launch(kernel, &description) == WB_OK)
        wb_wait(gpu);
}

/* One of the three kinds of machine, by the length of the text. */
static WbGpu *gpu_for(size_t size)
{
    static const char *const names[] = {"gtx480", "apu8", "h200"};
    static WbGpu *gpus[3];
    WbGpu **gpu = &gpus[size % 3];
    if (!*gpu)
        *gpu = open_gpu(names[size % 3]);
    return *gpu;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    WbGpu *gpu = gpu_for(size);
    WbModule *module;
    uint64_t buffer;
    if (wb_module_load(gpu, "fuzz.ptx", (const char *)data, size, &module) != WB_OK)
        return 0;
    if (wb_malloc(gpu, BUFFER_BYTES, &buffer) != WB_OK)
        abort();
    for (size_t i = 0; i < wb_module_kernel_count(module) && i < 4; i++) {
        WbKernelInfo info;
        WbKernel *kernel = wb_module_kernel_at(module, i);
        if (wb_kernel_info(kernel, &info) == WB_OK && info.parameter_count <= MOST_PARAMETERS)
            launch(gpu, kernel, info.parameter_count, buffer);
    }
    wb_module_unload(module);
    wb_free(gpu, buffer);
    return 0;
}

typedef struct Word {
    size_t start, length;
} Word;

static bool is_word(uint8_t c) { return isalnum(c) || c == '_' || c == '%' || c == '$'; }

/* The word at or behind a place; length 0: there is none. */
static Word word_from(const uint8_t *data, size_t size, size_t at)
{
    while (at < size && !is_word(data[at]))
        at++;
    while (at > 0 && is_word(data[at - 1]))
        at--;
    size_t end = at;
    while (end < size && is_word(data[end]))
        end++;
    return (Word){at, end - at};
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    if (size < 2 || seed % 4 == 0)
        return LLVMFuzzerMutate(data, size, most);
    Word from = word_from(data, size, seed / 4 % size), to = word_from(data, size, seed / 7919 % size);
    if (!from.length || !to.length || size - to.length + from.length > most || from.length > 64)
        return LLVMFuzzerMutate(data, size, most);
    uint8_t word[64];
    memcpy(word, data + from.start, from.length);
    memmove(data + to.start + from.length, data + to.start + to.length, size - to.start - to.length);
    memcpy(data + to.start, word, from.length);
    return size - to.length + from.length;
}
