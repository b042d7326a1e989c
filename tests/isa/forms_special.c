/* Functions that PTX lets a GPU approximate, with the bounds that PTX gives. It gives none for f64: results
 * with .ftz have 20 bits behind the point, and the last one counts; rsqrt without it is almost exact. */
#include "forms.h"

#define WITHIN(kind, limit) .rule = RULE_##kind, .bound = (limit)

const FormSpec forms_special[] = {
    FORM("div.<approx|full><|.ftz>.f32 %d0, %a0, %a1;", "f32r f32r", "f32", WITHIN(ULP, 2)),
    FORM("rcp.approx<|.ftz>.f32 %d0, %a0;", "f32", "f32", WITHIN(ULP, 1)),
    FORM("<rcp|rsqrt>.approx.ftz.f64 %d0, %a0;", "f64", "f64", WITHIN(RELATIVE, -20)),
    FORM("sqrt.approx<|.ftz>.f32 %d0, %a0;", "f32", "f32", WITHIN(RELATIVE, -23)),
    FORM("rsqrt.approx<|.ftz>.f32 %d0, %a0;", "f32", "f32", WITHIN(RELATIVE, -22.9)),
    FORM("rsqrt.approx.f64 %d0, %a0;", "f64", "f64", WITHIN(ULP, 1)),
    FORM("<sin|cos>.approx<|.ftz>.f32 %d0, %a0;", "f32r", "f32", WITHIN(ABSOLUTE, -14.7)),
    FORM("lg2.approx<|.ftz>.f32 %d0, %a0;", "f32", "f32", WITHIN(LOGARITHM, -22)),
    FORM("ex2.approx<|.ftz>.f32 %d0, %a0;", "f32r", "f32", WITHIN(ULP, 2)),
    FORM("ex2.approx<|.ftz>.f32 %d0, %a0;", "f32", "f32", WITHIN(ULP, 2)),
    FORM("tanh.approx.f32 %d0, %a0;", "f32r", "f32", WITHIN(RELATIVE, -11), .target = 75),
    FORM("tanh.approx.f32 %d0, %a0;", "f32", "f32", WITHIN(RELATIVE, -11), .target = 75),
    FORM("tanh.approx.<f16|f16x2> %d0, %a0;", "@1", "@1", WITHIN(ABSOLUTE, -10.987), .target = 75),
    FORM("tanh.approx.<bf16|bf16x2> %d0, %a0;", "@1", "@1", WITHIN(ABSOLUTE, -8), .target = 90),
    FORM("ex2.approx.<f16|f16x2> %d0, %a0;", "@1", "@1", WITHIN(RELATIVE, -9.9), .target = 75),
    FORM("ex2.approx.ftz.<bf16|bf16x2> %d0, %a0;", "@1", "@1", WITHIN(RELATIVE, -7), .target = 90),
    FORM_END};
