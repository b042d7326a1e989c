/* What cubins say of kernels, which of a fat binary's is asked, and what becomes of damaged ones. */
#include "cubin_image.h"
#include "fatbin_image.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "rt/cubin.h"
#include "rt/fatbin.h"
#include "rt/module.h"

static const CubinKernelMade made[] = {{"first", 21, 0}, {"second", 96, 160}, {"third", 8, 16}};
enum { MADE = sizeof made / sizeof *made };

static void kernels_are_read(void **state)
{
    (void)state;
    const CubinImage image = new_cubin(made, MADE);
    CubinKernels kernels;
    assert_true(cubin_read(&image, sizeof image, false, &kernels));
    assert_int_equal(kernels.count, MADE);
    for (uint32_t i = 0; i < MADE; i++) {
        assert_string_equal(kernels.items[i].name, made[i].name);
        assert_int_equal(kernels.items[i].registers, made[i].registers);
        assert_int_equal(kernels.items[i].local_bytes, made[i].local_bytes);
    }
    VEC_FREE(&kernels);
}

/* Cut anywhere, and any byte changed: names that come out lie inside of the image. Under a sanitizer this
 * also shows that nothing behind its end is read. */
static void damage_is_survived(void **state)
{
    (void)state;
    static const uint8_t changes[] = {0x01, 0x10, 0x80, 0xFF};
    const CubinImage whole = new_cubin(made, MADE);
    for (size_t at = 0; at < sizeof whole * (sizeof changes + 1); at++) {
        const size_t byte = at / (sizeof changes + 1), change = at % (sizeof changes + 1);
        const size_t size = change == sizeof changes ? byte : sizeof whole;
        uint8_t *image = memcpy(xmalloc(size ? size : 1), &whole, size);
        CubinKernels kernels;
        if (change < sizeof changes)
            image[byte] ^= changes[change];
        const bool is_read = cubin_read(image, size, false, &kernels);
        assert_true(is_read || kernels.count == 0);
        for (uint32_t i = 0; i < kernels.count; i++) {
            assert_true((uint8_t *)kernels.items[i].name >= image);
            assert_true((uint8_t *)kernels.items[i].name + strlen(kernels.items[i].name) < image + size);
        }
        VEC_FREE(&kernels);
        xfree(image);
    }
}

static void stacks_of_unknown_depth_count_nothing(void **state)
{
    (void)state;
    const CubinKernelMade recursive = {"recursive", 26, UINT32_MAX};
    const CubinImage image = new_cubin(&recursive, 1);
    CubinKernels kernels;
    assert_true(cubin_read(&image, sizeof image, false, &kernels));
    assert_int_equal(kernels.items[0].registers, 26);
    assert_int_equal(kernels.items[0].local_bytes, 0);
    VEC_FREE(&kernels);
}

static void other_files_are_refused(void **state)
{
    (void)state;
    CubinKernels kernels;
    CubinImage image = new_cubin(made, MADE);
    image.header.e_ident[EI_CLASS] = ELFCLASS32;
    assert_false(cubin_read(&image, sizeof image, false, &kernels));
    image = new_cubin(made, MADE);
    image.sections[CUBIN_INFO].sh_type = SHT_PROGBITS;
    assert_false(cubin_read(&image, sizeof image, false, &kernels));
    image = new_cubin(made, MADE);
    image.sections[CUBIN_INFO].sh_link = 1; /* names are no symbols */
    assert_false(cubin_read(&image, sizeof image, false, &kernels));
    assert_false(cubin_read("machine code", 12, false, &kernels));
}

/* Entries whose first byte says which they are. 0: none is of use. */
static void gives(const Image *image, uint32_t capability, uint8_t expected)
{
    FatbinCode code;
    const bool is_found = fatbin_machine_code(image->bytes, image->size, capability, &code);
    assert_int_equal(is_found, expected != 0);
    if (!is_found)
        return;
    assert_int_equal(code.bytes[0], expected);
    xfree(code.bytes);
}

static void the_driver_s_choice_is_asked(void **state)
{
    (void)state;
    Image image = new_image();
    add_entry(&image, PTX, 90, PLAIN, "p");
    gives(&image, 90, 0);
    add_entry(&image, ELF, 75, PLAIN, "t");
    gives(&image, 75, 't');
    gives(&image, 70, 0); /* no GPU runs code of a higher one */
    gives(&image, 90, 't');
    add_entry(&image, ELF, 80, ZSTD, "a");
    add_entry(&image, ELF, 86, LZ4, "b");
    gives(&image, 80, 'a');
    gives(&image, 89, 'b');
    gives(&image, 90, 'b'); /* compiled from PTX there: the nearest */
    add_entry(&image, ELF, 90, PLAIN | 0x100000, "o");
    gives(&image, 90, 'o');
    add_entry(&image, ELF, 90, PLAIN, "h");
    gives(&image, 90, 'h');
    gives(&image, 100, 'h');
    gives(&image, 35, 0);
}

#define KERNELS                                                                                              \
    ".address_size 64\n.visible .entry first () { ret; }\n"                                                  \
    ".visible .entry second () { .local .b32 array[100]; ret; }\n.visible .entry unknown () { ret; }\n"
static const char text[] = ".version 8.0\n.target sm_90\n" KERNELS;
static const char text_75[] = ".version 8.0\n.target sm_75\n" KERNELS;

static WbKernelInfo info_of(RtModule *module, const char *name)
{
    RtFunction *function;
    WbKernelInfo info;
    assert_int_equal(rt_module_function(module, name, &function), RT_SUCCESS);
    assert_int_equal(rt_function_info(function, &info), RT_SUCCESS);
    return info;
}

static void check_module(RtModule *module, uint32_t first, uint32_t second, uint32_t local_bytes)
{
    assert_int_equal(info_of(module, "first").registers, first);
    assert_int_equal(info_of(module, "second").registers, second);
    assert_int_equal(info_of(module, "second").local_bytes, local_bytes);
}

/* 96 registers of 256 threads: two blocks fit into 65,536; the knob goes back to what PTX says. */
static void kernels_have_what_their_machine_code_says(void **state)
{
    (void)state;
    static FatbinWrapper wrapper = {.magic = (uint32_t)FATBIN_WRAPPER_MAGIC, .version = 1};
    const CubinImage cubin = new_cubin(made, MADE);
    const CubinKernelMade impossible[] = {{"first", 1000, 0}};
    const CubinImage wrong = new_cubin(impossible, 1);
    Image image = new_image(), wrong_image = new_image();
    RtModule *module, *other;
    RtFunction *function;
    int blocks;
    add_entry(&image, PTX, 90, ZSTD, text);
    add_bytes(&image, ELF, 90, ZSTD, &cubin, sizeof cubin);
    wrapper.data = image.bytes;
    assert_int_equal(rt_enter("test"), RT_SUCCESS);
    assert_int_equal(rt_module_register(&wrapper, &module), RT_SUCCESS);
    const uint32_t estimate = info_of(module, "unknown").registers;
    check_module(module, 21, 96, 160);
    assert_int_equal(rt_module_function(module, "second", &function), RT_SUCCESS);
    assert_int_equal(rt_function_occupancy(function, 256, 0, &blocks), RT_SUCCESS);
    assert_int_equal(blocks, 2);
    assert_int_equal(rt_module_load(image.bytes, &other), RT_SUCCESS);
    check_module(other, 21, 96, 160);
    rt_module_unload(other);
    assert_int_equal(wb_gpu_set(rt_gpu(), "register_counts", "estimate"), WB_OK);
    check_module(module, estimate, estimate, 400);
    assert_int_equal(wb_gpu_set(rt_gpu(), "register_counts", "compiled"), WB_OK);
    rt_module_unload(module);
    add_entry(&wrong_image, PTX, 90, ZSTD, text);
    add_bytes(&wrong_image, ELF, 90, PLAIN, &wrong, sizeof wrong);
    assert_int_equal(rt_module_load(wrong_image.bytes, &other), RT_SUCCESS);
    check_module(other, estimate, estimate, 400);
    rt_module_unload(other);
    rt_leave();
}

/* Code for Turing says how many registers there are at the least, if all threads of an SM have so many. */
static void older_code_is_a_lower_bound(void **state)
{
    (void)state;
    const CubinImage cubin = new_cubin(made, MADE);
    Image image = new_image();
    RtModule *module;
    add_entry(&image, PTX, 75, ZSTD, text_75);
    add_bytes(&image, ELF, 75, PLAIN, &cubin, sizeof cubin);
    assert_int_equal(rt_enter("test"), RT_SUCCESS);
    assert_int_equal(rt_module_load(image.bytes, &module), RT_SUCCESS);
    const uint32_t estimate = info_of(module, "unknown").registers;
    assert_true(estimate < 21);
    check_module(module, 21, estimate, 400);
    rt_module_unload(module);
    rt_leave();
}

/* -- an assembler -- */

/* A toolkit whose ptxas copies a cubin to where its output goes, if it is asked for `architecture`. */
static void make_toolkit(char folder[64], const char *architecture)
{
    const CubinImage cubin = new_cubin(made, MADE);
    char path[256];
    strcpy(folder, "/tmp/warpbeam-toolkit-XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/cubin", folder);
    FILE *file = fopen(path, "wb");
    assert_int_equal(fwrite(&cubin, sizeof cubin, 1, file), 1);
    fclose(file);
    snprintf(path, sizeof path, "%s/bin", folder);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/bin/ptxas", folder);
    file = fopen(path, "w");
    fprintf(file, "#!/bin/sh\n[ \"$1\" = -arch=%s ] && grep -q 'entry second' \"$2\" && cp %s/cubin \"$4\"\n",
            architecture, folder);
    fclose(file);
    assert_int_equal(chmod(path, 0700), 0);
}

static void drop_toolkit(const char *folder)
{
    static const char *const parts[] = {"/bin/ptxas", "/bin", "/cubin", ""};
    char path[256];
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        snprintf(path, sizeof path, "%s%s", folder, parts[i]);
        assert_int_equal(remove(path), 0);
    }
}

/* PTX without machine code has what the toolkit's assembler says, if the knob asks for it; where that fails, the
 * estimate. */
static void an_assembler_is_asked_if_wanted(void **state)
{
    (void)state;
    char right[64], wrong[64];
    RtModule *module;
    make_toolkit(right, "sm_90");
    make_toolkit(wrong, "sm_12");
    assert_int_equal(rt_enter("test"), RT_SUCCESS);
    setenv("CUDA_HOME", right, 1);
    assert_int_equal(rt_module_load(text, &module), RT_SUCCESS);
    const uint32_t estimate = info_of(module, "unknown").registers;
    check_module(module, estimate, estimate, 400);
    rt_module_unload(module);
    assert_int_equal(wb_gpu_set(rt_gpu(), "register_counts", "assembler"), WB_OK);
    assert_int_equal(rt_module_load(text, &module), RT_SUCCESS);
    check_module(module, 21, 96, 160);
    rt_module_unload(module);
    setenv("CUDA_HOME", wrong, 1);
    assert_int_equal(rt_module_load(text, &module), RT_SUCCESS);
    check_module(module, estimate, estimate, 400);
    rt_module_unload(module);
    assert_int_equal(wb_gpu_set(rt_gpu(), "register_counts", "compiled"), WB_OK);
    rt_leave();
    drop_toolkit(right);
    drop_toolkit(wrong);
}

int main(void)
{
    setenv("WARPBEAM_FUNCTIONAL", "1", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_are_read),
        cmocka_unit_test(damage_is_survived),
        cmocka_unit_test(stacks_of_unknown_depth_count_nothing),
        cmocka_unit_test(other_files_are_refused),
        cmocka_unit_test(the_driver_s_choice_is_asked),
        cmocka_unit_test(kernels_have_what_their_machine_code_says),
        cmocka_unit_test(older_code_is_a_lower_bound),
        cmocka_unit_test(an_assembler_is_asked_if_wanted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
