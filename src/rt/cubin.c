/* Takes a cubin apart. What is looked for stands in the section .nv.info, a list of attributes of which some
 * name a symbol and its value. Every number is taken for a claim, and checked before it is used. */
#include "rt/cubin.h"

#include <elf.h>
#include <string.h>

#include "base/map.h"

enum { SECTION_INFO = SHT_LOPROC }; /* .nv.info; those of one kernel name its section in sh_info */
enum { FORM_SIZED = 4 };            /* of an attribute: its value follows, as long as it says */
enum { ATTRIBUTE_STACK_BYTES = 0x12, ATTRIBUTE_REGISTERS = 0x2F };

/* Layout of an attribute's header. */
typedef struct Attribute {
    uint8_t form, kind;
    uint16_t bytes;
} Attribute;

/* Layout of the value of those that name a symbol. */
typedef struct SymbolValue {
    uint32_t symbol, value;
} SymbolValue;
_Static_assert(sizeof(Attribute) == 4 && sizeof(SymbolValue) == 8, "as ptxas writes them");

/* A part of the image: it lies inside of it. */
typedef struct Part {
    const uint8_t *at;
    uint64_t bytes;
} Part;

typedef struct Cubin {
    Part image;
    Elf64_Ehdr header;
    Part symbols, names;
    Map numbers; /* of the kernels in the list */
    bool is_older;
} Cubin;

static bool take_part(const Cubin *cubin, uint64_t offset, uint64_t bytes, Part *part)
{
    if (offset > cubin->image.bytes || bytes > cubin->image.bytes - offset)
        return false;
    *part = (Part){cubin->image.at + offset, bytes};
    return true;
}

static bool read_header(Cubin *cubin)
{
    static const uint8_t magic[] = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB};
    Part sections;
    if (cubin->image.bytes < sizeof cubin->header)
        return false;
    memcpy(&cubin->header, cubin->image.at, sizeof cubin->header);
    return memcmp(cubin->header.e_ident, magic, sizeof magic) == 0 &&
           cubin->header.e_shentsize == sizeof(Elf64_Shdr) &&
           take_part(cubin, cubin->header.e_shoff, (uint64_t)cubin->header.e_shnum * sizeof(Elf64_Shdr),
                     &sections);
}

/* The header of a section and what is in it. */
static bool read_section(const Cubin *cubin, uint32_t number, uint32_t type, Elf64_Shdr *section, Part *part)
{
    if (number >= cubin->header.e_shnum)
        return false;
    memcpy(section, cubin->image.at + cubin->header.e_shoff + number * sizeof *section, sizeof *section);
    return section->sh_type == type && take_part(cubin, section->sh_offset, section->sh_size, part);
}

static bool find_info(Cubin *cubin, Part *info)
{
    Elf64_Shdr section, symbols, names;
    for (uint32_t i = 0; i < cubin->header.e_shnum; i++)
        if (read_section(cubin, i, SECTION_INFO, &section, info) && section.sh_info == 0)
            return read_section(cubin, section.sh_link, SHT_SYMTAB, &symbols, &cubin->symbols) &&
                   read_section(cubin, symbols.sh_link, SHT_STRTAB, &names, &cubin->names);
    return false;
}

/* Null: there is no such symbol. */
static const char *symbol_name(const Cubin *cubin, uint32_t number)
{
    Elf64_Sym symbol;
    if (number >= cubin->symbols.bytes / sizeof symbol)
        return NULL;
    memcpy(&symbol, cubin->symbols.at + number * sizeof symbol, sizeof symbol);
    if (symbol.st_name >= cubin->names.bytes)
        return NULL;
    const char *name = (const char *)cubin->names.at + symbol.st_name;
    return memchr(name, '\0', cubin->names.bytes - symbol.st_name) ? name : NULL;
}

/* The next attribute, with its value behind it if it names a symbol; false at the end, or where the list is
 * broken off. */
static bool next_attribute(Part *info, Attribute *attribute, SymbolValue *value)
{
    if (info->bytes < sizeof *attribute)
        return false;
    memcpy(attribute, info->at, sizeof *attribute);
    const uint64_t bytes = sizeof *attribute + (attribute->form == FORM_SIZED ? attribute->bytes : 0);
    if (bytes > info->bytes)
        return false;
    if (bytes == sizeof *attribute + sizeof *value)
        memcpy(value, info->at + sizeof *attribute, sizeof *value);
    else
        attribute->kind = 0;
    info->at += bytes;
    info->bytes -= bytes;
    return true;
}

static WbCompiledKernel *entry_of(Cubin *cubin, const char *name, CubinKernels *kernels)
{
    uint32_t index;
    if (!map_get(&cubin->numbers, name, strlen(name), &index)) {
        index = kernels->count;
        map_put(&cubin->numbers, name, strlen(name), index);
        VEC_PUSH(kernels, ((WbCompiledKernel){.name = name, .is_older = cubin->is_older}));
    }
    return &kernels->items[index];
}

/* The stack is that of all that the kernel calls. Of recursion, which may go to any depth, an H200 reports
 * 0. */
static void note(Cubin *cubin, const Attribute *attribute, const SymbolValue *value, CubinKernels *kernels)
{
    const bool are_registers = attribute->kind == ATTRIBUTE_REGISTERS;
    const bool is_stack = attribute->kind == ATTRIBUTE_STACK_BYTES;
    const char *name = are_registers || is_stack ? symbol_name(cubin, value->symbol) : NULL;
    if (name && are_registers)
        entry_of(cubin, name, kernels)->registers = value->value;
    else if (name)
        entry_of(cubin, name, kernels)->local_bytes = value->value == UINT32_MAX ? 0 : value->value;
}

bool cubin_read(const void *image, size_t size, bool is_older, CubinKernels *kernels)
{
    Cubin cubin = {.image = {image, size}, .is_older = is_older};
    Part info;
    Attribute attribute;
    SymbolValue value = {0};
    *kernels = (CubinKernels){0};
    if (!read_header(&cubin) || !find_info(&cubin, &info))
        return false;
    while (next_attribute(&info, &attribute, &value))
        note(&cubin, &attribute, &value, kernels);
    map_free(&cubin.numbers);
    return true;
}
