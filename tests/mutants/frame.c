#include "frame.h"

#include <stdio.h>

static const char head[] =
    ".version 9.0\n.target sm_90a\n.address_size 64\n"
    ".global .align 16 .b8 gvar[256]; .const .align 16 .b8 cvar[256]; .shared .align 128 .b8 svar[1024];\n"
    ".global .texref gtex; .global .surfref gsurf;\n"
    ".extern .shared .align 16 .b8 dynamic[];\n"
    ".func fnone { ret; } .func f1 (.param .b32 x) { ret; }\n"
    ".func (.param .b32 y) f2 (.param .b32 x, .param .b64 z) { ret; }\n"
    ".func (.reg .b32 y) f3 (.reg .b32 x) { mov.b32 y, x; ret; }\n"
    ".visible .entry k(.param .u64 parg, .param .align 16 .b8 value[64])\n{\n"
    ".reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<40>; .reg .b64 %rd<9>; .reg .b128 %q<5>;\n"
    ".reg .f32 %f<9>; .reg .f64 %fd<9>; .reg .u32 %u<5>; .reg .s32 %s<5>; .reg .u16 %uh<5>; .reg .s16 "
    "%sh<5>;\n"
    ".reg .u64 %ul<5>; .reg .s64 %sl<5>; .reg .f16 %hf<5>; .reg .f16x2 %hx<5>; .reg .b8 %c<5>;\n"
    ".reg .v2 .b32 %v2r; .reg .v4 .f32 %v4f; .reg .u8 %uc<5>; .reg .s8 %sc<5>;\n"
    ".local .align 16 .b8 lvar[64]; .param .b32 pvar; .param .b64 pvar8; .param .align 16 .b8 pblock[32];\n"
    "table: .branchtargets L1, L2; targets: .calltargets f1; proto: .callprototype _ (.param .b32 _);\n"
    "L1:\n";
static const char tail[] = "L2:\nret;\n}\n";

char *frame_text(const char *const *lines, uint32_t count, uint32_t *first_line)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    fputs(head, out);
    *first_line = 1;
    for (const char *at = head; *at; at++)
        *first_line += *at == '\n';
    for (uint32_t i = 0; i < count; i++)
        fprintf(out, "%s\n", lines[i]);
    fputs(tail, out);
    fclose(out);
    return text;
}
