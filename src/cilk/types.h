/* Makes and compares types. Those that are made lie in an arena. */
#ifndef CILK_TYPES_H
#define CILK_TYPES_H

#include "cilk/ast.h"

/* void to double. */
extern const CilkType cilk_basic_types[CILK_POINTER];

/* More bytes than any GPU has: sizes up to it do not overflow. */
#define CILK_MOST_BYTES ((uint64_t)1 << 40)

const CilkType *cilk_pointer_to(Arena *arena, const CilkType *to);
/* Null: it would have more than CILK_MOST_BYTES. */
const CilkType *cilk_array_of(Arena *arena, const CilkType *element, uint64_t count);
/* A record that has no members yet. */
CilkRecord *cilk_new_record(Arena *arena, const char *name, bool is_union, CilkPlace place);
/* The same type with const, of an array its elements. */
const CilkType *cilk_const_of(Arena *arena, const CilkType *type);
const CilkType *cilk_without_const(Arena *arena, const CilkType *type);
/* Of a value: an array is a pointer to its first element, and nothing is const. */
const CilkType *cilk_value_type(Arena *arena, const CilkType *type);

bool cilk_is_arithmetic(const CilkType *type);
bool cilk_is_scalar(const CilkType *type); /* a number or a pointer */
/* Offsets, size and alignment of a record whose members have their types. False: more than
 * CILK_MOST_BYTES. */
bool cilk_record_lay_out(CilkRecord *record);
/* What an operator computes in: integer promotions, then the usual arithmetic conversions. */
const CilkType *cilk_promoted(const CilkType *type);
const CilkType *cilk_common_type(const CilkType *a, const CilkType *b);

#endif
