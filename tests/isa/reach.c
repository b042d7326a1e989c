/* Splits a body into statements and looks each opcode up. */
#include "reach.h"
#include <ctype.h>
#include <string.h>

enum { MODIFIERS = 24 };

static const char *skip_blank(const char *at)
{
    while (isspace((unsigned char)*at) || *at == '{' || *at == '}')
        at++;
    return at;
}

/* Skips labels and the guard, up to the opcode or directive. */
static const char *opcode_begin(const char *at)
{
    for (;;) {
        at = skip_blank(at);
        const size_t word = strcspn(at, " :;,.");
        if (*at == '@' || (word && at[word] == ':'))
            at += *at == '@' ? strcspn(at, " ") : word + 1;
        else
            return at;
    }
}

/* The next suffix of an opcode; suffixes such as L1::no_allocate keep their colons. */
static RowId row_of(const char *opcode, size_t length)
{
    const size_t mnemonic = strcspn(opcode, ". ;") < length ? strcspn(opcode, ". ;") : length;
    Mod mods[MODIFIERS];
    unsigned count = 0;
    for (size_t at = mnemonic; at < length && opcode[at] == '.';) {
        const char *name = opcode + at + 1;
        const size_t size = strcspn(name, ". ;") < length - at - 1 ? strcspn(name, ". ;") : length - at - 1;
        if (count == MODIFIERS || !mod_find(name, size, &mods[count++]))
            return ROW_UNKNOWN;
        at += size + 1;
    }
    return isa_match(opcode, mnemonic, mods, count);
}

unsigned reach_rows(const Form *form, RowId *rows)
{
    unsigned count = 0;
    for (const char *at = opcode_begin(form->spec.body); *at; at = opcode_begin(at)) {
        const size_t statement = strcspn(at, ";");
        if (*at != '.' && count < REACH_ROWS)
            rows[count++] = row_of(at, strcspn(at, " ;"));
        at += statement + (at[statement] == ';');
    }
    return count;
}
