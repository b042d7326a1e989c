/* Fat binaries as nvcc writes them, made here byte by byte; then the same with every number in them wrong. */
#include "fatbin_image.h"

#include "base/alloc.h"
#include "rt/fatbin.h"

static const char text_75[] =
    ".version 8.0\n.target sm_75\n.address_size 64\n// seventy-five, seventy-five, seventy-five\n";
static const char text_90[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n// ninety, ninety, ninety, ninety, ninety\n";
static const char text_120[] = ".version 8.7\n.target sm_120\n.address_size 64\n// one hundred and twenty\n";

static void gives(const Image *image, uint32_t capability, const char *expected, uint32_t arch)
{
    FatbinText text;
    Error error = {0};
    const FatbinResult result = fatbin_ptx(image->bytes, image->size, capability, &text, &error);
    if (result != FATBIN_OK)
        fail_msg("%s", error.text);
    assert_string_equal(text.text, expected);
    assert_int_equal(text.length, strlen(expected));
    assert_int_equal(text.arch, arch);
    xfree(text.text);
}

static void is_refused(const Image *image, size_t limit, FatbinResult expected, const char *sentence)
{
    FatbinText text;
    Error error = {0};
    assert_int_equal(fatbin_ptx(image->bytes, limit, 90, &text, &error), expected);
    assert_string_equal(error.text, sentence);
}

static void all_compressions_are_read(void **state)
{
    (void)state;
    const uint32_t flags[] = {PLAIN, LZ4, ZSTD};
    for (unsigned i = 0; i < 3; i++) {
        Image image = new_image();
        add_entry(&image, PTX, 75, flags[i], text_75);
        gives(&image, 90, text_75, 75);
    }
}

static void the_nearest_architecture_is_chosen(void **state)
{
    (void)state;
    Image image = new_image();
    add_entry(&image, PTX, 120, ZSTD, text_120);
    add_entry(&image, ELF, 90, PLAIN, "machine code");
    add_entry(&image, PTX, 75, LZ4, text_75);
    add_entry(&image, PTX, 90, PLAIN, text_90);
    gives(&image, 90, text_90, 90);
    gives(&image, 100, text_90, 90);
    gives(&image, 89, text_75, 75);
    gives(&image, 120, text_120, 120);
    gives(&image, 52, text_75, 75); /* none is low enough */
}

static void code_for_one_architecture_only_comes_second(void **state)
{
    (void)state;
    Image image = new_image();
    add_entry(&image, PTX, 90, PLAIN | 0x100000, text_75);
    add_entry(&image, PTX, 90, PLAIN, text_90);
    gives(&image, 90, text_90, 90);
}

static void without_ptx_the_flag_to_add_is_named(void **state)
{
    (void)state;
    Image image = new_image();
    is_refused(&image, image.size, FATBIN_EMPTY, "");
    add_entry(&image, ELF, 90, PLAIN, "machine code");
    add_entry(&image, ELF, 80, PLAIN, "machine code");
    is_refused(
        &image, image.size, FATBIN_NO_PTX,
        "The program holds machine code for sm_80 but no PTX, which is what is simulated. Build it with nvcc "
        "-gencode arch=compute_80,code=compute_80.");
}

static void damage_is_told(void **state)
{
    (void)state;
    static const struct {
        size_t at;
        unsigned bytes;
        uint64_t value;
        bool in_entry;
        const char *what;
    } damages[] = {
        {0, 4, 0, false, "it does not begin with its magic number"},
        {6, 2, 8, false, "its header has an impossible size"},
        {6, 2, 60000, false, "its header has an impossible size"},
        {8, 8, 50000, false, "it is shorter than its header says"},
        {8, 8, UINT64_MAX, false, "it is shorter than its header says"},
        {8, 8, 30, false, "an entry is cut off"},
        {AT_HEADER, 4, 63, true, "an entry's header has an impossible size"},
        {AT_HEADER, 4, UINT32_MAX, true, "an entry's header has an impossible size"},
        {AT_STORED, 8, UINT64_MAX, true, "an entry is longer than what is left"},
        {AT_PACKED, 4, UINT32_MAX, true, "an entry's compressed size is larger than its room"},
        {AT_PACKED, 4, 3, true, "its zstd data cannot be unpacked"},
        {AT_UNPACKED, 8, 5, true, "its zstd data cannot be unpacked"},
        {AT_UNPACKED, 8, 100000, true, "its zstd data cannot be unpacked"},
        {AT_UNPACKED, 8, (uint64_t)1 << 40, true, "an entry of it has more than 1 GiB"},
        {ENTRY_BYTES + OPTION_BYTES, 4, 0, true, "its zstd data cannot be unpacked"},
    };
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        Image image = new_image();
        char sentence[256];
        add_entry(&image, PTX, 75, ZSTD, text_75);
        put(&image, damages[i].at + (damages[i].in_entry ? image.entry : 0), damages[i].value,
            damages[i].bytes);
        snprintf(sentence, sizeof sentence, "The fat binary is damaged: %s.", damages[i].what);
        is_refused(&image, image.size, FATBIN_BROKEN, sentence);
    }
    Image image = new_image();
    add_entry(&image, PTX, 75, LZ4, text_75);
    put(&image, image.entry + AT_UNPACKED, 1 << 29, 8);
    is_refused(&image, image.size, FATBIN_BROKEN,
               "The fat binary is damaged: an entry of it cannot have been packed that well.");
    put(&image, image.entry + AT_UNPACKED, 20, 8);
    is_refused(&image, image.size, FATBIN_BROKEN,
               "The fat binary is damaged: its LZ4 data cannot be unpacked.");
}

/* Under a sanitizer this also shows that nothing behind the limit is read. */
static void a_cut_image_is_never_read_beyond_its_end(void **state)
{
    (void)state;
    Image image = new_image();
    add_entry(&image, PTX, 75, ZSTD, text_75);
    add_entry(&image, PTX, 90, LZ4, text_90);
    for (size_t size = 0; size < image.size; size++) {
        uint8_t *cut = memcpy(xmalloc(size ? size : 1), image.bytes, size);
        FatbinText text;
        Error error = {0};
        assert_int_equal(fatbin_ptx(cut, size, 90, &text, &error), FATBIN_BROKEN);
        assert_string_not_equal(error.text, "");
        xfree(cut);
    }
}

/* Every byte of the image changed in several ways: read or refused with a sentence, nothing else. */
static void flips_are_read_or_told(void **state)
{
    (void)state;
    static const uint8_t changes[] = {0x01, 0x10, 0x80, 0xFF};
    Image image = new_image();
    add_entry(&image, PTX, 75, ZSTD, text_75);
    add_entry(&image, ELF, 90, PLAIN, "machine code");
    add_entry(&image, PTX, 90, LZ4, text_90);
    for (size_t at = 0; at < image.size * sizeof changes; at++) {
        uint8_t *flipped = memcpy(xmalloc(image.size), image.bytes, image.size);
        FatbinText text;
        Error error = {0};
        flipped[at / sizeof changes] ^= changes[at % sizeof changes];
        const FatbinResult result = fatbin_ptx(flipped, image.size, 90, &text, &error);
        if (result == FATBIN_OK)
            xfree(text.text);
        else
            assert_string_not_equal(error.text, "");
        xfree(flipped);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_compressions_are_read),
        cmocka_unit_test(the_nearest_architecture_is_chosen),
        cmocka_unit_test(code_for_one_architecture_only_comes_second),
        cmocka_unit_test(without_ptx_the_flag_to_add_is_named),
        cmocka_unit_test(damage_is_told),
        cmocka_unit_test(a_cut_image_is_never_read_beyond_its_end),
        cmocka_unit_test(flips_are_read_or_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
