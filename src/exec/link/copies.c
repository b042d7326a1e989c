/* Marks the loads and stores of the kernel that fill shared memory with a copy of global memory, so that the
 * machine can tell of each block what it repeats (exec/shared_copies.h). */
#include "exec/link/link.h"
#include "exec/shared_copies.h"

static const CopyPointer *link_pointers(const Linker *linker, const PointerRoot *roots, uint32_t count)
{
    CopyPointer *pointers = ARENA_ARRAY(linker->arena, CopyPointer, count + 1);
    const LinkEnvironment *environment = linker->environment;
    for (uint32_t i = 0; i < count; i++) {
        const PointerRoot *root = &roots[i];
        pointers[i].is_parameter = root->is_parameter;
        pointers[i].place = root->is_parameter
                                ? linker->placements[root->variable].offset + (uint64_t)root->offset
                                : environment->variable_address(environment->context, root->variable);
    }
    return pointers;
}

void link_copies(Linker *linker)
{
    Program *program = linker->program;
    const ProgramFunction *kernel = &program->functions[0];
    const FlowCopies *found = flow_copies_find(linker->module, kernel->function, linker->arena);
    if (!found)
        return;
    for (uint32_t i = 0; i < kernel->count; i++) {
        Insn *insn = &program->code[kernel->first + i];
        if (found->stores[i])
            insn->detail = found->stores[i];
        else if (found->loads[i] != NO_INDEX)
            insn->detail = &found->loads[i];
    }
    ProgramCopies *copies = ARENA_NEW(linker->arena, ProgramCopies);
    *copies = (ProgramCopies){
        .load_count = found->load_count,
        .sources = link_pointers(linker, found->sources, found->source_count),
        .source_count = found->source_count,
        .written = link_pointers(linker, found->written, found->written_count),
        .written_count = found->written_count,
    };
    program->copies = copies;
}
