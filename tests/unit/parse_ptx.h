/* Parsing for tests: texts without their header, and the sentence of a failure. */
#ifndef TESTS_PARSE_PTX_H
#define TESTS_PARSE_PTX_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ptx/module.h"

#define PTX_HEADER ".version 8.0 .target sm_80 .address_size 64 "

/* A module that must parse. */
static inline Module *parse_whole(const char *text)
{
    Module *module;
    Error error = {0};
    if (module_parse("test.ptx", text, strlen(text), &module, &error) != WB_OK)
        fail_msg("%s", error.text);
    assert_non_null(module);
    return module;
}

/* The same with a header put before the text. */
static inline Module *parse(const char *text)
{
    char whole[16384];
    assert_true((size_t)snprintf(whole, sizeof whole, "%s%s", PTX_HEADER, text) < sizeof whole);
    return parse_whole(whole);
}

/* A kernel "k" with this body and plenty of registers; *function is the kernel. */
static inline Module *parse_kernel(const char *body, const Function **function)
{
    char text[12000];
    const int length =
        snprintf(text, sizeof text,
                 ".global .u32 table[8]; .entry k (.param .u64 arg) {"
                 ".reg .b32 %%r<100>; .reg .b64 %%rd<100>; .reg .f32 %%f<100>; .reg .f64 %%fd<100>;"
                 ".reg .b16 %%rs<100>; .reg .pred %%p<100>; %s }",
                 body);
    assert_true(length > 0 && (size_t)length < sizeof text);
    Module *module = parse(text);
    *function = &module->functions[module_find_function(module, "k")];
    return module;
}

static inline const PtxOperand *operand_at(const Function *function, uint32_t insn, unsigned number)
{
    assert_true(insn < function->insn_count && number < function->insns[insn].operand_count);
    return &function->operands[function->insns[insn].first_operand + number];
}

static inline const PtxOperand *element_at(const Function *function, const PtxOperand *operand,
                                           unsigned number)
{
    assert_true(number < operand->count);
    return &function->operands[operand->first + number];
}

static inline const char *register_name(const Function *function, const PtxOperand *operand)
{
    assert_int_equal(operand->kind, PTX_REGISTER);
    return function->registers[operand->index].name;
}

static inline const Variable *variable_of(const Module *module, const char *name)
{
    const uint32_t index = module_find_variable(module, name);
    if (index == NO_INDEX)
        fail_msg("there is no variable '%s'", name);
    return &module->variables[index];
}

#endif
