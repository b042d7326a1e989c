/* Makes cubins as far as they say what kernels need: the sections .nv.info, .symtab and .strtab of a 64-bit
 * ELF file as ptxas writes it. For tests and fuzzers. */
#ifndef TESTS_CUBIN_IMAGE_H
#define TESTS_CUBIN_IMAGE_H

#include <elf.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct CubinKernelMade {
    const char *name;
    uint32_t registers, local_bytes;
} CubinKernelMade;

enum { CUBIN_MOST_KERNELS = 4, CUBIN_NAME_BYTES = 32, CUBIN_SECTIONS = 5, CUBIN_INFO = 4 };

/* Everything has its place; what is not used is zero. An attribute is 12 bytes. */
typedef struct CubinImage {
    Elf64_Ehdr header;
    Elf64_Sym symbols[CUBIN_MOST_KERNELS + 1];
    char names[CUBIN_MOST_KERNELS + 1][CUBIN_NAME_BYTES];
    uint32_t info[1 + 2 * 3 * CUBIN_MOST_KERNELS];
    Elf64_Shdr sections[CUBIN_SECTIONS];
} CubinImage;

static inline void cubin_section(CubinImage *image, uint32_t number, uint32_t type, const void *at,
                                 size_t bytes, uint32_t link, uint32_t info)
{
    image->sections[number] = (Elf64_Shdr){.sh_type = type,
                                           .sh_offset = (uint64_t)((const char *)at - (const char *)image),
                                           .sh_size = bytes,
                                           .sh_link = link,
                                           .sh_info = info};
}

/* An attribute without a value comes first, as in cubins of some architectures. */
static inline CubinImage new_cubin(const CubinKernelMade *kernels, uint32_t count)
{
    CubinImage image = {.header = {.e_ident = {0x7F, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1, 0x41, 8},
                                   .e_type = ET_EXEC,
                                   .e_machine = 190,
                                   .e_shoff = offsetof(CubinImage, sections),
                                   .e_shentsize = sizeof(Elf64_Shdr),
                                   .e_shnum = CUBIN_SECTIONS}};
    uint32_t *to = image.info;
    *to++ = 0x00000501;
    for (uint32_t i = 0; i < count; i++) {
        strncpy(image.names[i + 1], kernels[i].name, CUBIN_NAME_BYTES - 1);
        image.symbols[i + 1].st_name = (i + 1) * CUBIN_NAME_BYTES;
        const uint32_t registers[] = {0x00082F04, i + 1, kernels[i].registers};
        const uint32_t stack[] = {0x00081204, i + 1, kernels[i].local_bytes};
        memcpy(to, i % 2 ? stack : registers, 12); /* in any order */
        memcpy(to + 3, i % 2 ? registers : stack, 12);
        to += 6;
    }
    cubin_section(&image, 1, SHT_STRTAB, image.names, sizeof image.names, 0, 0);
    cubin_section(&image, 2, SHT_SYMTAB, image.symbols, sizeof image.symbols, 1, 0);
    cubin_section(&image, 3, SHT_LOPROC, image.info, 0, 2, 1); /* of one kernel: not the one to read */
    cubin_section(&image, CUBIN_INFO, SHT_LOPROC, image.info, (size_t)(to - image.info) * sizeof *to, 2, 0);
    return image;
}

#endif
