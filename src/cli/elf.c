/* Every offset is checked against the file's size: the file may be anything. */
#include "cli/elf.h"

#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct Image {
    const uint8_t *bytes;
    uint64_t size;
} Image;

/* `size` bytes at `offset`, or null where the file does not have them. */
static const void *at(const Image *image, uint64_t offset, uint64_t size)
{
    return offset <= image->size && size <= image->size - offset ? image->bytes + offset : NULL;
}

/* The text at an offset into a table of strings; empty where it does not end inside it. */
static const char *text_at(const Image *image, const Elf64_Shdr *table, uint64_t offset)
{
    const char *text = table && at(image, table->sh_offset, table->sh_size)
                           ? (const char *)image->bytes + table->sh_offset
                           : NULL;
    if (!text || offset >= table->sh_size || !memchr(text + offset, '\0', table->sh_size - offset))
        return "";
    return text + offset;
}

static const Elf64_Shdr *section_at(const Image *image, const Elf64_Ehdr *head, uint64_t index)
{
    if (index >= head->e_shnum || head->e_shentsize != sizeof(Elf64_Shdr))
        return NULL;
    return at(image, head->e_shoff + index * sizeof(Elf64_Shdr), sizeof(Elf64_Shdr));
}

static void note_needed(ElfFacts *facts, const char *name)
{
    static const char runtime[] = "libcudart.so.";
    if (strncmp(name, runtime, strlen(runtime)) == 0)
        snprintf(facts->runtime, sizeof facts->runtime, "%.31s", name + strlen(runtime));
    if (strncmp(name, "libcuda.so", 10) == 0)
        facts->needs_driver = true;
}

static void read_dynamic(const Image *image, const Elf64_Ehdr *head, const Elf64_Shdr *section,
                         ElfFacts *facts)
{
    const Elf64_Shdr *strings = section_at(image, head, section->sh_link);
    const uint64_t count = section->sh_size / sizeof(Elf64_Dyn);
    const Elf64_Dyn *entries = at(image, section->sh_offset, count * sizeof(Elf64_Dyn));
    for (uint64_t i = 0; entries && i < count && entries[i].d_tag != DT_NULL; i++) {
        if (entries[i].d_tag == DT_NEEDED)
            note_needed(facts, text_at(image, strings, entries[i].d_un.d_val));
        facts->has_old_rpath |= entries[i].d_tag == DT_RPATH;
    }
}

static void read_sections(const Image *image, ElfFacts *facts)
{
    const Elf64_Ehdr *head = at(image, 0, sizeof *head);
    const Elf64_Shdr *names = section_at(image, head, head->e_shstrndx);
    for (uint64_t i = 0; i < head->e_shnum; i++) {
        const Elf64_Shdr *section = section_at(image, head, i);
        if (!section)
            return;
        if (section->sh_type == SHT_DYNAMIC)
            read_dynamic(image, head, section, facts);
        facts->has_device_code |= strcmp(text_at(image, names, section->sh_name), ".nv_fatbin") == 0;
    }
}

static FileKind kind_of(const Image *image)
{
    const Elf64_Ehdr *head = at(image, 0, sizeof *head);
    if (image->size >= 2 && memcmp(image->bytes, "#!", 2) == 0)
        return FILE_SCRIPT;
    const bool is_executable = head && memcmp(head->e_ident, ELFMAG, SELFMAG) == 0 &&
                               head->e_ident[EI_CLASS] == ELFCLASS64 && head->e_machine == EM_X86_64 &&
                               (head->e_type == ET_EXEC || head->e_type == ET_DYN);
    return is_executable ? FILE_ELF : FILE_OTHER;
}

ElfFacts elf_look(const char *path)
{
    ElfFacts facts = {.kind = FILE_UNREADABLE};
    struct stat status;
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
        return (ElfFacts){.kind = FILE_OTHER}; /* opening a pipe would disturb whoever writes to it */
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return facts;
    if (fstat(file, &status) < 0)
        status.st_size = 0;
    Image image = {.size = (uint64_t)status.st_size};
    void *bytes = image.size ? mmap(NULL, image.size, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
    close(file);
    facts.kind = FILE_OTHER;
    if (bytes == MAP_FAILED)
        return facts;
    image.bytes = bytes;
    facts.kind = kind_of(&image);
    if (facts.kind == FILE_ELF)
        read_sections(&image, &facts);
    munmap(bytes, image.size);
    return facts;
}
