/* A form's kernel: load the inputs, run the form, store the outputs.
 *
 * The entry takes (in, out, mem, value). Inputs lie vector by vector, 8 bytes each; outputs lie column by
 * column without gaps, so that the columns of a recording compress well. */
#include "kernel.h"
#include "inputs.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

unsigned kernel_values(const char *list, KernelValue *values)
{
    unsigned count = 0, before = 0;
    for (const char *at = list; *at; count++) {
        const size_t length = strcspn(at, " ");
        KernelValue *value = &values[count];
        snprintf(value->name, sizeof value->name, "%.*s", (int)length, at);
        value->is_predicate = strcmp(value->name, "pred") == 0;
        value->bytes = value->is_predicate ? 1 : inputs_bits(value->name) / 8;
        value->before = before;
        before += value->bytes;
        at += length;
        at += *at == ' ';
    }
    return count;
}

unsigned kernel_output_bytes(const Form *form)
{
    KernelValue values[KERNEL_VALUES];
    const unsigned count = kernel_values(form->spec.outputs, values);
    return count ? values[count - 1].before + values[count - 1].bytes : 0;
}

unsigned kernel_input_bytes(const Form *form)
{
    KernelValue values[KERNEL_VALUES];
    return 8 * kernel_values(form->spec.inputs, values);
}

static bool form_mentions(const Form *form, const char *name)
{
    return strstr(form->spec.setup, name) || strstr(form->spec.body, name) || strstr(form->spec.after, name);
}

bool kernel_uses_memory(const Form *form)
{
    return form_mentions(form, "%mem") || form_mentions(form, "%wmem");
}

/* 8-bit values live in 16-bit registers. */
static unsigned register_bits(const KernelValue *value) { return value->bytes == 1 ? 16 : 8 * value->bytes; }

static void emit_registers(FILE *out, char letter, const KernelValue *values, unsigned count)
{
    for (unsigned k = 0; k < count; k++)
        if (values[k].is_predicate)
            fprintf(out, "  .reg .pred %%%c%u;\n", letter, k);
        else
            fprintf(out, "  .reg .b%u %%%c%u;\n", register_bits(&values[k]), letter, k);
}

/* The registers that only some forms name. */
static void emit_places(FILE *out, const Form *form)
{
    const unsigned warp_bytes = 32 * FORM_MEMORY;
    if (form_mentions(form, "%lane") || form_mentions(form, "%wmem"))
        fprintf(out, "  mov.u32 %%lane, %%laneid;\n");
    if (form_mentions(form, "%mem"))
        fprintf(out, "  mul.wide.u32 %%o, %%i, %u;\n  add.s64 %%mem, %%g_mem, %%o;\n", FORM_MEMORY);
    if (form_mentions(form, "%wmem"))
        fprintf(out,
                "  shr.u32 %%k, %%i, 5;\n  mul.wide.u32 %%o, %%k, %u;\n  add.s64 %%wmem, %%g_mem, %%o;\n",
                warp_bytes);
    if (form_mentions(form, "%shm") || form_mentions(form, "%wshm")) {
        fprintf(out, "  .shared .align 128 .b8 shared_bytes[%u];\n", form->spec.threads * FORM_MEMORY);
        fprintf(out, "  mov.u64 %%g_shared, shared_bytes;\n");
        fprintf(out, "  mul.wide.u32 %%o, %%t, %u;\n  add.s64 %%shm, %%g_shared, %%o;\n", FORM_MEMORY);
        fprintf(out,
                "  shr.u32 %%k, %%t, 5;\n  mul.wide.u32 %%o, %%k, %u;\n  add.s64 %%wshm, %%g_shared, %%o;\n",
                warp_bytes);
    }
    if (form_mentions(form, "%loc"))
        fprintf(out, "  .local .align 16 .b8 local_bytes[64];\n  mov.u64 %%loc, local_bytes;\n");
}

static void emit_inputs(FILE *out, const KernelValue *values, unsigned count)
{
    if (count)
        fprintf(out, "  mul.wide.u32 %%o, %%i, %u;\n  add.s64 %%g_in, %%g_in, %%o;\n", 8 * count);
    for (unsigned k = 0; k < count; k++)
        if (values[k].is_predicate)
            fprintf(out, "  ld.global.u32 %%k, [%%g_in+%u];\n  setp.ne.u32 %%a%u, %%k, 0;\n", 8 * k, k);
        else
            fprintf(out, "  ld.global.b%u %%a%u, [%%g_in+%u];\n", register_bits(&values[k]), k, 8 * k);
}

static void emit_outputs(FILE *out, const KernelValue *values, unsigned count)
{
    for (unsigned k = 0; k < count; k++) {
        fprintf(out, "  mul.wide.u32 %%o, %%n, %u;\n  add.s64 %%g_column, %%g_out, %%o;\n", values[k].before);
        fprintf(out, "  mul.wide.u32 %%o, %%i, %u;\n  add.s64 %%g_column, %%g_column, %%o;\n",
                values[k].bytes);
        if (values[k].is_predicate)
            fprintf(out, "  selp.u32 %%k, 1, 0, %%d%u;\n  st.global.u8 [%%g_column], %%k;\n", k);
        else if (values[k].bytes == 16)
            fprintf(out,
                    "  mov.b128 {%%o, %%g_in}, %%d%u;\n  st.global.v2.b64 [%%g_column], {%%o, %%g_in};\n", k);
        else
            fprintf(out, "  st.global.b%u [%%g_column], %%d%u;\n", 8 * values[k].bytes, k);
    }
}

/* Copies PTX text, one statement a line, with "$" replaced by the form's number. */
static void emit_text(FILE *out, const char *text, unsigned number)
{
    for (const char *at = text; *at; at++) {
        if (*at == '$')
            fprintf(out, "%u", number);
        else
            fputc(*at, out);
        if (*at == ';')
            fputc('\n', out);
    }
    fputc('\n', out);
}

static void emit_entry(FILE *out, const Form *form, unsigned number)
{
    KernelValue inputs[KERNEL_VALUES], outputs[KERNEL_VALUES];
    const unsigned input_count = kernel_values(form->spec.inputs, inputs);
    const unsigned output_count = kernel_values(form->spec.outputs, outputs);
    emit_text(out, form->spec.declare, number);
    fprintf(out,
            ".visible .entry form_%u(.param .u64 in, .param .u64 out, .param .u64 mem, "
            ".param .align 16 .b8 value[%u])\n{\n",
            number, KERNEL_PARAMETER);
    fprintf(out,
            "  .reg .b16 %%h<10>;\n  .reg .b32 %%r<40>;\n  .reg .b64 %%rd<10>;\n  .reg .pred %%q<10>;\n");
    if (form_mentions(form, "%x"))
        fprintf(out, "  .reg .b128 %%x<4>;\n");
    fprintf(out, "  .reg .b32 %%i, %%t, %%n, %%k, %%lane;\n");
    fprintf(out, "  .reg .b64 %%g_in, %%g_out, %%g_mem, %%g_shared, %%g_column, %%o, "
                 "%%mem, %%wmem, %%shm, %%wshm, %%loc;\n");
    emit_registers(out, 'a', inputs, input_count);
    emit_registers(out, 'd', outputs, output_count);
    fprintf(out,
            "  ld.param.u64 %%g_in, [in];\n  ld.param.u64 %%g_out, [out];\n  ld.param.u64 %%g_mem, [mem];\n");
    fprintf(out, "  cvta.to.global.u64 %%g_in, %%g_in;\n  cvta.to.global.u64 %%g_out, %%g_out;\n");
    fprintf(out, "  cvta.to.global.u64 %%g_mem, %%g_mem;\n");
    fprintf(out, "  mov.u32 %%t, %%tid.x;\n  mov.u32 %%k, %%ntid.x;\n  mov.u32 %%i, %%ctaid.x;\n");
    fprintf(out,
            "  mov.u32 %%n, %%nctaid.x;\n  mul.lo.u32 %%n, %%n, %%k;\n  mad.lo.u32 %%i, %%i, %%k, %%t;\n");
    emit_places(out, form);
    emit_inputs(out, inputs, input_count);
    emit_text(out, form->spec.setup, number);
    emit_text(out, form->spec.body, number);
    emit_text(out, form->spec.after, number);
    emit_outputs(out, outputs, output_count);
    fprintf(out, "  ret;\n}\n\n");
}

char *kernel_module(const Form *const *forms, unsigned count)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    fprintf(out, ".version 9.0\n.target sm_%u\n.address_size 64\n\n", forms[0]->spec.target);
    for (unsigned k = 0; k < count; k++)
        emit_entry(out, forms[k], k);
    fclose(out);
    return text;
}

void kernel_fill(uint8_t *bytes, size_t size)
{
    uint64_t state = 0x9e3779b97f4a7c15u;
    for (size_t k = 0; k < size; k++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        bytes[k] = (uint8_t)(state >> 56);
    }
}
