/* As many registers of a kind as are live at once are enough: code can be written so that no two of them are
 * in each other's way. Values of 8 and 16 bits have a register of 32, those of 128 bits two of 64. */
#include "ptx/flow_kinds.h"

static uint32_t more(uint32_t a, uint32_t b) { return a > b ? a : b; }

static RegisterKinds count(const FlowSet *set)
{
    RegisterKinds now = {0};
    for (uint32_t i = 0; i < set->count; i++) {
        const uint8_t words = set->words_of[set->items[i]];
        now.predicates += words == 0;
        now.words += words == 1;
        now.pairs += words / 2;
    }
    return now;
}

RegisterKinds flow_register_kinds(const Function *function, const FlowLive *live)
{
    Arena scratch = {0};
    FlowWalk walk = flow_walk_new(function, live, &scratch);
    RegisterKinds most = {0};
    for (uint32_t b = live->graph->block_count; b-- > 0;) {
        flow_walk_enter(&walk, b);
        for (uint32_t i = live->graph->first[b + 1]; i-- > live->graph->first[b];) {
            flow_walk_step(&walk, i);
            const RegisterKinds now = count(&walk.set);
            most.words = more(most.words, now.words);
            most.pairs = more(most.pairs, now.pairs);
            most.predicates = more(most.predicates, now.predicates);
        }
    }
    arena_free(&scratch);
    return most;
}
