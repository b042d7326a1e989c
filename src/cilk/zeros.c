/* Locals that an initializer gives a value only in part: the rest is zero. */
#include "cilk/parser.h"
#include "cilk/types.h"

/* Arrays with more elements are filled by a loop. */
enum { MOST_UNROLLED = 4 };

uint64_t cilk_count_scalars(const CilkType *type)
{
    if (type->kind == CILK_ARRAY)
        return type->count * cilk_count_scalars(type->to);
    if (type->kind != CILK_RECORD)
        return 1;
    uint64_t count = 0;
    for (uint32_t i = 0; i < type->record->member_count && !(i && type->record->is_union); i++)
        count += cilk_count_scalars(type->record->members[i].type);
    return count;
}

void cilk_initialize(Parser *parser, CilkExpression *place, CilkExpression *value, StatementList *list)
{
    const CilkType *type = cilk_without_const(&parser->program->arena, place->type);
    value = cilk_convert(parser, value, type, "the initializer");
    CilkExpression *assignment = cilk_make(parser, CILK_ASSIGN, place->place, type, place, value);
    if (!cilk_has_failed(parser))
        cilk_append_expression(parser, list, assignment);
}

/* for (i = 0; i < count; i++) place[i] = 0; */
static void fill_by_loop(Parser *parser, CilkExpression *place, StatementList *list)
{
    CilkPlace at = place->place;
    CilkVariable *index =
        cilk_new_variable(parser, parser->function, "i", &cilk_basic_types[CILK_UNSIGNED_LONG], at);
    CilkExpression *read = cilk_make_variable(parser, at, index);
    StatementList body = {0};
    cilk_append_expression(parser, list, cilk_make_assignment(parser, at, CILK_NONE, read,
                                                              cilk_make_integer(parser, at, CILK_INT, 0)));
    CilkStatement *loop = cilk_new_statement(parser, CILK_FOR, at);
    loop->expression = cilk_make_binary(
        parser, at, CILK_LESS, read, cilk_make_integer(parser, at, CILK_UNSIGNED_LONG, place->type->count));
    loop->step = cilk_make_unary(parser, at, CILK_PRE_INCREMENT, read);
    cilk_fill_zeros(parser, cilk_make_index(parser, at, place, read), &body);
    loop->body = cilk_one_statement(parser, &body, at);
    cilk_append(list, loop);
}

void cilk_fill_zeros(Parser *parser, CilkExpression *place, StatementList *list)
{
    const CilkType *type = place->type;
    CilkPlace at = place->place;
    if (cilk_has_failed(parser))
        return;
    if (type->kind == CILK_ARRAY && type->count > MOST_UNROLLED) {
        fill_by_loop(parser, place, list);
    } else if (type->kind == CILK_ARRAY) {
        for (uint64_t i = 0; i < type->count; i++)
            cilk_fill_zeros(parser, cilk_make_index(parser, at, place,
                                                    cilk_make_integer(parser, at, CILK_INT, i)), list);
    } else if (type->kind == CILK_RECORD) {
        for (uint32_t i = 0; i < type->record->member_count && !(i && type->record->is_union); i++)
            cilk_fill_zeros(parser, cilk_member_of(parser, at, place, type->record->members + i), list);
    } else {
        cilk_initialize(parser, place, cilk_make_integer(parser, at, CILK_INT, 0), list);
    }
}
