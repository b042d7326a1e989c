/* What the steps of linking modules share; merge.h is what others see. */
#ifndef PTX_MERGE_STATE_H
#define PTX_MERGE_STATE_H

#include "base/vec.h"
#include "ptx/merge.h"

/* What is added to lines, and to the numbers of .file, of one module. */
typedef struct MergeBase { uint32_t line, file; } MergeBase;
/* A function or variable of the merged module: whose it is. */
typedef struct MergeKept { uint32_t module, index; } MergeKept;

typedef struct Merge {
    Module **modules;
    uint32_t count;
    Module *merged;
    Error *error;
    MergeBase *bases;              /* [count] */
    uint32_t **functions;          /* [module][function]: its number in the merged module */
    uint32_t **variables;          /* the same, or NO_INDEX for what belongs to a function that is not kept */
    VEC(MergeKept) kept_functions, kept_variables;
    Map function_names, variable_names; /* of those that all modules share */
} Merge;

/* Whether the name means the same thing in all modules. */
bool merge_shares_function(const Function *function);
bool merge_shares_variable(const Variable *variable);
/* Decides what is kept, and numbers it. */
WbStatus merge_resolve(Merge *merge);
void merge_free(Merge *merge);

#endif
