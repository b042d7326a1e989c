/* The table of CUDA's calls against what is really there: every call of the table is defined, every call that
 * is defined stands in the table, missing ones say so when they are used, and docs/CUDA.md shows it all. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <cmocka.h>
#include <ctype.h>
#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rt/calls.h"

#define CUDART_MAJOR 13
#include "rt/cudart/versions.h"

enum { NOT_SUPPORTED = 801 };

/* That these can be linked with is the first half of the test. */
#define RUNTIME(name, versions, state, note) versions(int name(void);)
#define DRIVER(name, since, state, note) int name(void);
#include "rt/calls.def"
#undef RUNTIME
#undef DRIVER
static const struct {
    const char *name;
    int (*function)(void);
} functions[] = {
#define ROW(name) {#name, name},
#define RUNTIME(name, versions, state, note) versions(ROW(name))
#define DRIVER(name, since, state, note) ROW(name)
#include "rt/calls.def"
};

static const Call *find_call(const char *name)
{
    for (size_t i = 0; i < CALL_COUNT; i++)
        if (strcmp(calls[i].name, name) == 0)
            return &calls[i];
    return NULL;
}

static bool is_api_name(const char *name)
{
    while (*name == '_')
        name++;
    return strncmp(name, "cuda", 4) == 0 ? isupper(name[4]) : strncmp(name, "cu", 2) == 0 && isupper(name[2]);
}

/* An ELF file in memory. */
typedef struct Image {
    const uint8_t *bytes;
    size_t size;
} Image;

static Image map_file(const char *path)
{
    struct stat status;
    Image image = {NULL, 0};
    const int file = open(path, O_RDONLY);
    if (file < 0)
        return image;
    if (fstat(file, &status) == 0) {
        void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
        if (bytes != MAP_FAILED)
            image = (Image){bytes, (size_t)status.st_size};
    }
    close(file);
    return image;
}

/* Calls back for each global function that a symbol table of that type (SHT_SYMTAB, SHT_DYNSYM) defines. */
static void visit_functions(Image image, uint32_t type, void (*visit)(const char *name, void *context),
                            void *context)
{
    const Elf64_Ehdr *header = (const void *)image.bytes;
    const Elf64_Shdr *sections = (const void *)(image.bytes + header->e_shoff);
    for (unsigned i = 0; i < header->e_shnum; i++) {
        if (sections[i].sh_type != type)
            continue;
        const Elf64_Sym *symbols = (const void *)(image.bytes + sections[i].sh_offset);
        const char *names = (const char *)image.bytes + sections[sections[i].sh_link].sh_offset;
        for (size_t k = 0; k < sections[i].sh_size / sizeof *symbols; k++)
            if (ELF64_ST_TYPE(symbols[k].st_info) == STT_FUNC &&
                ELF64_ST_BIND(symbols[k].st_info) != STB_LOCAL && symbols[k].st_shndx != SHN_UNDEF)
                visit(names + symbols[k].st_name, context);
    }
}

static void check_in_table(const char *name, void *count)
{
    if (!is_api_name(name))
        return;
    ++*(unsigned *)count;
    if (!find_call(name))
        fail_msg("%s is defined, but src/rt/calls.def has no row of it.", name);
}

static void table_has_all_that_is_defined(void **state)
{
    (void)state;
    unsigned count = 0;
    const Image self = map_file("/proc/self/exe");
    assert_non_null(self.bytes);
    visit_functions(self, SHT_SYMTAB, check_in_table, &count);
    assert_true(count >= sizeof functions / sizeof *functions);
    munmap((void *)(uintptr_t)self.bytes, self.size);
}

typedef struct Search {
    bool found[CALL_COUNT];
} Search;

static void note_call(const char *name, void *search)
{
    const Call *call = find_call(name);
    if (call)
        ((Search *)search)->found[call - calls] = true;
    else if (is_api_name(name))
        fail_msg("%s is exported, but src/rt/calls.def has no row of it.", name);
}

/* The built libraries, beside the folder of this test: each exports exactly what the table says for its
 * version. */
static void check_library(const char *name, bool is_driver, unsigned version)
{
    char path[4096], self[3072];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    assert_true(length > 0);
    self[length] = '\0';
    *strrchr(self, '/') = '\0';
    snprintf(path, sizeof path, "%s/../lib/%s", self, name);
    const Image library = map_file(path);
    if (!library.bytes) {
        print_message("%s is not built, and not looked at\n", name);
        return;
    }
    Search search = {0};
    visit_functions(library, SHT_DYNSYM, note_call, &search);
    for (size_t i = 0; i < CALL_COUNT; i++) {
        const bool expected =
            calls[i].is_driver == is_driver && calls[i].first <= version && version <= calls[i].last;
        if (search.found[i] != expected)
            fail_msg("%s exports %s%s, against src/rt/calls.def.", name, expected ? "no " : "",
                     calls[i].name);
    }
    munmap((void *)(uintptr_t)library.bytes, library.size);
}

static void libraries_export_the_table(void **state)
{
    (void)state;
    check_library("libcudart.so.11.0", false, 11);
    check_library("libcudart.so.12", false, 12);
    check_library("libcudart.so.13", false, 13);
    check_library("libcuda.so.1", true, 13);
}

static void missing_calls_say_so(void **state)
{
    (void)state;
    unsigned missing = 0;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (find_call(functions[i].name)->state != CALL_MISSING)
            continue;
        missing++;
        if (functions[i].function() != NOT_SUPPORTED)
            fail_msg("%s is missing, but does not say so.", functions[i].name);
    }
    assert_true(missing > 0);
}

static char *read_page(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t size = 0;
    assert_non_null(file);
    assert_true(getdelim(&text, &size, '\0', file) > 0);
    fclose(file);
    return text;
}

/* docs/CUDA.md ends with what `warpbeam list cuda --markdown` writes. */
static void page_has_every_row(void **state)
{
    (void)state;
    char *page = read_page(SOURCE_DIRECTORY "/docs/CUDA.md");
    unsigned rows = 0, expected = 0;
    for (const char *line = page; (line = strstr(line, "\n| `cu")); line++)
        rows++;
    for (const char *line = page; (line = strstr(line, "\n| `__cu")); line++)
        rows++;
    for (size_t i = 0; i < CALL_COUNT; i++) {
        char row[512];
        if (call_is_per_thread(&calls[i]))
            continue;
        expected++;
        call_markdown(&calls[i], row, sizeof row);
        if (!strstr(page, row))
            fail_msg("docs/CUDA.md lacks the row of %s: %s", calls[i].name, row);
    }
    assert_int_equal(rows, expected);
    free(page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_has_all_that_is_defined),
        cmocka_unit_test(libraries_export_the_table),
        cmocka_unit_test(missing_calls_say_so),
        cmocka_unit_test(page_has_every_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
