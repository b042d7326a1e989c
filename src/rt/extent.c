/* Segments of loaded objects come first, since they say where a program's data ends; mappings only say
 * what can be read. */
#include "rt/extent.h"

#include <inttypes.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct Search {
    uintptr_t address, end; /* of the segment that holds the address; 0: none */
} Search;

static int look_into(struct dl_phdr_info *object, size_t size, void *context)
{
    (void)size;
    Search *search = context;
    for (unsigned i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        const uintptr_t begin = object->dlpi_addr + segment->p_vaddr;
        if (segment->p_type == PT_LOAD && segment->p_flags & PF_R && search->address >= begin &&
            search->address - begin < segment->p_memsz)
            search->end = begin + segment->p_memsz;
    }
    return search->end != 0;
}

/* The kernel lists mappings in the order of their addresses. */
static void look_at_mappings(Search *search)
{
    FILE *file = fopen("/proc/self/maps", "re");
    char *line = NULL;
    size_t room = 0;
    while (file && getline(&line, &room, file) > 0) {
        uintptr_t begin, end;
        char rights[8];
        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %7s", &begin, &end, rights) != 3 || rights[0] != 'r')
            continue;
        if (search->end ? begin == search->end : begin <= search->address && search->address < end)
            search->end = end;
    }
    free(line);
    if (file)
        fclose(file);
}

size_t extent_of(const void *pointer)
{
    Search search = {.address = (uintptr_t)pointer};
    if (!dl_iterate_phdr(look_into, &search))
        look_at_mappings(&search);
    return search.end ? search.end - search.address : 0;
}
