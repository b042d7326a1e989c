/* f32 and f64 arithmetic that IEEE 754 defines to the last bit. */
#include "forms.h"

#define ROUND "<|.rn|.rz|.rm|.rp>"
#define ROUNDED "<.rn|.rz|.rm|.rp>"

const FormSpec forms_float[] = {
    FORM("<add|sub|mul>" ROUND "<|.ftz><|.sat>.f32 %d0, %a0, %a1;", "f32 f32", "f32"),
    FORM("<add|sub|mul>" ROUND ".f64 %d0, %a0, %a1;", "f64 f64", "f64"),
    FORM("<fma|mad>" ROUNDED "<|.ftz><|.sat>.f32 %d0, %a0, %a1, %a2;", "f32 f32 f32", "f32"),
    FORM("<fma|mad>" ROUNDED ".f64 %d0, %a0, %a1, %a2;", "f64 f64 f64", "f64"),
    FORM("mul" ROUND ".ftz.f32 %d0, %a0, %a1;", "f32t f32t", "f32"),
    FORM("fma" ROUNDED ".ftz.f32 %d0, %a0, %a1, %a2;", "f32t f32t f32t", "f32"),
    FORM("div" ROUNDED ".ftz.f32 %d0, %a0, %a1;", "f32t f32t", "f32"),
    FORM("add.f32 %d0, %a0, 0f3f800000;", "f32", "f32"),
    FORM("fma.rn.f32 %d0, %a0, 0fBF000000, %a1;", "f32 f32", "f32"),
    FORM("<abs|neg><|.ftz>.f32 %d0, %a0;", "f32", "f32", .vectors = 512),
    FORM("<abs|neg>.f64 %d0, %a0;", "f64", "f64", .vectors = 512),
    FORM("<min|max><|.ftz><|.NaN>.f32 %d0, %a0, %a1;", "f32 f32", "f32", .target = 80),
    FORM("<min|max><|.ftz><|.NaN>.xorsign.abs.f32 %d0, %a0, %a1;", "f32 f32", "f32", .target = 86),
    FORM("<min|max>.f64 %d0, %a0, %a1;", "f64 f64", "f64"),
    FORM("copysign.<f32|f64> %d0, %a0, %a1;", "@1 @1", "@1", .vectors = 512),
    FORM("testp.<finite|infinite|number|notanumber|normal|subnormal>.<f32|f64> %d0, %a0;", "@2", "pred",
         .vectors = 512),
    FORM("div" ROUNDED "<|.ftz>.f32 %d0, %a0, %a1;", "f32 f32", "f32"),
    FORM("div" ROUNDED ".f64 %d0, %a0, %a1;", "f64 f64", "f64"),
    FORM("<rcp|sqrt>" ROUNDED "<|.ftz>.f32 %d0, %a0;", "f32", "f32"),
    FORM("<rcp|sqrt>" ROUNDED ".f64 %d0, %a0;", "f64", "f64"),
    FORM_END};
