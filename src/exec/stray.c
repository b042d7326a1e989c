/* A machine notes its own stray accesses; those of all machines are put in order before they are told, so
 * that threads do not matter. */
#include "exec/stray.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/access.h"

/* Kernel and line: that of the source counts, since one line of it is many of PTX. */
static void name_line(const Step *step, char *buffer, size_t size)
{
    const Program *program = step->warp->block->launch->program;
    const Module *module = program->functions[step->insn->function].module;
    const PtxInsn *ptx = step->insn->ptx;
    const SourcePlace *source = ptx ? &ptx->source : NULL;
    if (source && source->line && source->file < module->file_count)
        snprintf(buffer, size, "%s\n%s\n%u", program->name, module->files[source->file], source->line);
    else
        snprintf(buffer, size, "%s\n%s\n%u", program->name, module->file_name, ptx ? ptx->place.line : 0);
}

static bool is_known(const Strays *strays, const char *line)
{
    for (uint32_t i = 0; i < strays->count; i++)
        if (strcmp(strays->items[i].line, line) == 0)
            return true;
    return false;
}

void stray_note(Step *step, const Access *access, unsigned lane, uint64_t address, const char *verb)
{
    const Launch *launch = step->warp->block->launch;
    Machine *machine = launch->machine;
    char line[1024], place[768], nearest[384], sentence[1536];
    /* Counted whether or not it is told. */
    machine->statistics.outside_accesses++;
    if (launch->space->check != CHECK_REPORT || machine->strays.count >= MOST_STRAYS)
        return;
    name_line(step, line, sizeof line);
    /* One sentence a line: a loop over an array would make thousands. */
    if (is_known(&machine->strays, line))
        return;
    snprintf(sentence, sizeof sentence,
             "%s: %u-byte %s 0x%" PRIx64 ": %s. It passed, as on a GPU, since it is inside of a mapped page; "
             "memory_check=allocation stops there.",
             step_place(step, lane, place, sizeof place), access->bytes, verb, address,
             space_describe(launch->space, address, nearest, sizeof nearest));
    VEC_PUSH(&machine->strays, ((Stray){.line = xcopy_text(line),
                                        .sentence = xcopy_text(sentence),
                                        .clock = machine->clock}));
}

void strays_take(Strays *from, uint32_t machine, uint64_t clock, Strays *to)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < from->count; i++) {
        Stray *stray = &from->items[i];
        /* Later ones may still get company from machines that are behind. */
        if (stray->clock < clock) {
            stray->machine = machine;
            VEC_PUSH(to, *stray);
        } else {
            from->items[left++] = *stray;
        }
    }
    from->count = left;
}

static int compare(const void *left, const void *right)
{
    const Stray *a = left, *b = right;
    if (a->clock != b->clock)
        return a->clock < b->clock ? -1 : 1;
    if (a->machine != b->machine)
        return a->machine < b->machine ? -1 : 1;
    return strcmp(a->line, b->line);
}

void strays_sort(Strays *strays)
{
    if (strays->count)
        qsort(strays->items, strays->count, sizeof *strays->items, compare);
}

void strays_free(Strays *strays)
{
    for (uint32_t i = 0; i < strays->count; i++) {
        xfree(strays->items[i].line);
        xfree(strays->items[i].sentence);
    }
    VEC_FREE(strays);
}
