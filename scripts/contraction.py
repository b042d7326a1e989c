#!/usr/bin/env python3
"""Which products and sums the CUDA assembler makes one multiply-add of: docs/NATIVE.md has the rules.

    python3 scripts/contraction.py                 every case, for sm_75, sm_80 and sm_90 (needs ptxas)
    python3 scripts/contraction.py both            the cases whose name holds a word
    python3 scripts/contraction.py --file k.ptx    what a file's kernels store, for sm_90

A case is a few PTX instructions on loaded values a .. h, whose results y, z are stored. ptxas assembles them,
and the machine code is evaluated with names instead of numbers: what is stored is then an expression such as
fma(a, b, -c). Cases with branches show the expression of each machine instruction that computes.
"""
import argparse
import sys

from native_table import NO_PREDICATE, assemble

GPUS = (75, 80, 90)
NAMES = "abcdefgh"
FORMATS = {"f32": (4, "FADD FMUL FFMA"), "f64": (8, "DADD DMUL DFMA"), "f16": (2, "HADD2 HMUL2 HFMA2 HFMA2.MMA"),
           "f16x2": (4, "HADD2 HMUL2 HFMA2 HFMA2.MMA"), "bf16": (2, "HADD2 HMUL2 HFMA2 HFMA2.MMA"),
           "bf16x2": (4, "HADD2 HMUL2 HFMA2 HFMA2.MMA")}
COMPUTES = {"FADD": "add", "FMUL": "mul", "FFMA": "fma", "DADD": "add", "DMUL": "mul", "DFMA": "fma",
            "HADD2": "add", "HMUL2": "mul", "HFMA2": "fma", "HFMA2.MMA": "fma"}

# name, type, PTX. T stands for the type; registers need no declaration.
CASES = """
plain           f32  mul.T t, a, b; add.T y, t, c
commuted        f32  mul.T t, a, b; add.T y, c, t
minuend         f32  mul.T t, a, b; sub.T y, t, c
subtrahend      f32  mul.T t, a, b; sub.T y, c, t
plain           f64  mul.T t, a, b; add.T y, t, c
minuend         f64  mul.T t, a, b; sub.T y, t, c
subtrahend      f64  mul.T t, a, b; sub.T y, c, t
plain           f16  mul.T t, a, b; add.T y, t, c
minuend         f16  mul.T t, a, b; sub.T y, t, c
subtrahend      f16  mul.T t, a, b; sub.T y, c, t
plain           f16x2  mul.T t, a, b; add.T y, t, c
minuend         f16x2  mul.T t, a, b; sub.T y, t, c
plain           bf16  mul.T t, a, b; add.T y, t, c
plain           bf16x2  mul.T t, a, b; add.T y, t, c
rn-mul          f32  mul.rn.T t, a, b; add.T y, t, c
rn-add          f32  mul.T t, a, b; add.rn.T y, t, c
rn-mul          f64  mul.rn.T t, a, b; add.T y, t, c
rn-add          f64  mul.T t, a, b; add.rn.T y, t, c
rn-mul          f16  mul.rn.T t, a, b; add.T y, t, c
rn-add          f16  mul.T t, a, b; add.rn.T y, t, c
rn-mul          f16x2  mul.rn.T t, a, b; add.T y, t, c
rn-mul          bf16  mul.rn.T t, a, b; add.T y, t, c
rn-add          bf16  mul.T t, a, b; add.rn.T y, t, c
rz-mul          f32  mul.rz.T t, a, b; add.T y, t, c
rz-add          f32  mul.T t, a, b; add.rz.T y, t, c
rz-both         f32  mul.rz.T t, a, b; add.rz.T y, t, c
both-products   f32  mul.T t, a, b; mul.T u, c, d; add.T y, t, u
both-reversed   f32  mul.T t, a, b; mul.T u, c, d; add.T y, u, t
both-sub        f32  mul.T t, a, b; mul.T u, c, d; sub.T y, t, u
both-sub-rev    f32  mul.T t, a, b; mul.T u, c, d; sub.T y, u, t
both-late-loads f32  mul.T t, c, d; mul.T u, a, b; add.T y, t, u
both-products   f64  mul.T t, a, b; mul.T u, c, d; add.T y, t, u
both-reversed   f64  mul.T t, a, b; mul.T u, c, d; add.T y, u, t
both-sub        f64  mul.T t, a, b; mul.T u, c, d; sub.T y, t, u
both-sub-rev    f64  mul.T t, a, b; mul.T u, c, d; sub.T y, u, t
both-products   f16  mul.T t, a, b; mul.T u, c, d; add.T y, t, u
both-reversed   f16  mul.T t, a, b; mul.T u, c, d; add.T y, u, t
both-sub        f16  mul.T t, a, b; mul.T u, c, d; sub.T y, t, u
both-first-used-twice  f32 mul.T t, a, b; mul.T u, c, d; add.T y, t, u; add.T z, t, e
both-second-used-twice f32 mul.T t, a, b; mul.T u, c, d; add.T y, t, u; add.T z, u, e
same-product    f32  mul.T t, a, b; add.T y, t, t
same-twice      f32  mul.T t, a, b; mul.T u, a, b; add.T y, t, u
square          f32  mul.T t, a, a; add.T y, t, b
dot3            f32  mul.T t, a, b; mul.T u, c, d; mul.T v, e, f; add.T w, t, u; add.T y, w, v
dot3-rev        f32  mul.T t, a, b; mul.T u, c, d; mul.T v, e, f; add.T w, t, u; add.T y, v, w
dot4-tree       f32  mul.T t, a, b; mul.T u, c, d; mul.T v, e, f; mul.T w, g, h; add.T p1, t, u; add.T q, v, w; add.T y, p1, q
two-uses-added  f32  mul.T t, a, b; add.T y, t, c; add.T z, t, d
two-uses-subbed f32  mul.T t, a, b; add.T y, t, c; sub.T z, d, t
three-uses      f32  mul.T t, a, b; add.T y, t, c; sub.T z, d, t; add.T w, t, e; mul.T z, z, w
used-and-stored f32  mul.T t, a, b; add.T y, t, c; mov.T z, t
used-and-multiplied f32 mul.T t, a, b; add.T y, t, c; mul.T z, t, d
two-uses-added  f64  mul.T t, a, b; add.T y, t, c; add.T z, t, d
used-and-stored f64  mul.T t, a, b; add.T y, t, c; mov.T z, t
used-and-multiplied f64 mul.T t, a, b; add.T y, t, c; mul.T z, t, d
used-and-stored f16  mul.T t, a, b; add.T y, t, c; mov.b16 z, t
negated-product f32  mul.T t, a, b; neg.T u, t; add.T y, u, c
negated-product-sub f32  mul.T t, a, b; neg.T u, t; sub.T y, c, u
negated-factor  f32  neg.T n, a; mul.T t, n, b; add.T y, t, c
negated-factors f32  neg.T n, a; neg.T m, b; mul.T t, n, m; add.T y, t, c
negated-addend  f32  neg.T n, c; mul.T t, a, b; add.T y, t, n
abs-product     f32  mul.T t, a, b; abs.T u, t; add.T y, u, c
abs-factor      f32  abs.T n, a; mul.T t, n, b; add.T y, t, c
abs-addend      f32  abs.T n, c; mul.T t, a, b; add.T y, t, n
neg-result      f32  mul.T t, a, b; add.T u, t, c; neg.T y, u
moved-product   f32  mul.T t, a, b; mov.T u, t; add.T y, u, c
moved-bits      f32  mul.T t, a, b; mov.b32 i1, t; mov.b32 u, i1; add.T y, u, c
negated-product f64  mul.T t, a, b; neg.T u, t; add.T y, u, c
abs-product     f64  mul.T t, a, b; abs.T u, t; add.T y, u, c
neg-two-uses    f32  mul.T t, a, b; neg.T u, t; add.T y, u, c; add.T z, t, d
negated-stored  f32  mul.T t, a, b; neg.T u, t; add.T y, u, c; mov.T z, u
ftz-both        f32  mul.ftz.T t, a, b; add.ftz.T y, t, c
ftz-mul         f32  mul.ftz.T t, a, b; add.T y, t, c
ftz-add         f32  mul.T t, a, b; add.ftz.T y, t, c
sat-mul         f32  mul.sat.T t, a, b; add.T y, t, c
sat-add         f32  mul.T t, a, b; add.sat.T y, t, c
sat-both        f32  mul.sat.T t, a, b; add.sat.T y, t, c
ftz-sat-add     f32  mul.ftz.T t, a, b; add.ftz.sat.T y, t, c
sat-add         f16  mul.T t, a, b; add.sat.T y, t, c
sat-mul         f16  mul.sat.T t, a, b; add.T y, t, c
ftz-both        f16  mul.ftz.T t, a, b; add.ftz.T y, t, c
ftz-mul         f16  mul.ftz.T t, a, b; add.T y, t, c
ftz-add         f16  mul.T t, a, b; add.ftz.T y, t, c
relu-like       f16  mul.T t, a, b; add.T u, t, c; max.T y, u, d
immediate-factor  f32  mul.T t, a, 0f40490FDB; add.T y, t, c
immediate-addend  f32  mul.T t, a, b; add.T y, t, 0f40490FDB
immediate-minuend f32  mul.T t, a, b; sub.T y, 0f40490FDB, t
immediate-subtrahend f32  mul.T t, a, b; sub.T y, t, 0f40490FDB
immediate-both    f32  mul.T t, a, 0f40490FDB; add.T y, t, 0f3F800000
immediate-both-other f32  mul.T t, a, 0f40490FDB; add.T y, t, 0f40A00000
immediate-both    f64  mul.T t, a, 0d400921FB54442D18; add.T y, t, 0d4005BF0A8B145769
times-two       f32  mul.T t, a, 0f40000000; add.T y, t, c
times-one       f32  mul.T t, a, 0f3F800000; add.T y, t, c
times-minus-one f32  mul.T t, a, 0fBF800000; add.T y, t, c
times-zero      f32  mul.T t, a, 0f00000000; add.T y, t, c
plus-zero       f32  mul.T t, a, b; add.T y, t, 0f00000000
plus-minus-zero f32  mul.T t, a, b; add.T y, t, 0f80000000
minus-zero      f32  mul.T t, a, b; sub.T y, t, 0f00000000
zero-minus      f32  mul.T t, a, b; sub.T y, 0f00000000, t
minus-zero-minus f32  mul.T t, a, b; sub.T y, 0f80000000, t
times-two       f64  mul.T t, a, 0d4000000000000000; add.T y, t, c
times-one       f64  mul.T t, a, 0d3FF0000000000000; add.T y, t, c
plus-zero       f64  mul.T t, a, b; add.T y, t, 0d0000000000000000
constant-mov    f32  mov.T k, 0f40490FDB; mul.T t, a, k; add.T y, t, c
one-mov         f32  mov.T k, 0f3F800000; mul.T t, a, k; add.T y, t, c
guarded-add     f32  mul.T t, a, b; setp.gt.T p, d, e; mov.T y, f; @p add.T y, t, c
guarded-mul     f32  setp.gt.T p, d, e; mov.T t, f; @p mul.T t, a, b; add.T y, t, c
guarded-both    f32  setp.gt.T p, d, e; mov.T y, f; mov.T t, g; @p mul.T t, a, b; @p add.T y, t, c
guarded-two     f32  mul.T t, a, b; setp.gt.T p, d, e; mov.T y, f; @p add.T y, t, c; @!p sub.T y, t, g
selected        f32  mul.T t, a, b; setp.gt.T p, d, e; selp.T u, t, f, p; add.T y, u, c
other-block     f32  mul.T t, a, b; setp.gt.T p, d, e; mov.T y, f; @p bra L; add.T y, t, c; st.global.T [out+8], h; bar.sync 0; L:
both-arms       f32  mul.T t, a, b; setp.gt.T p, d, e; @p bra L; add.T y, t, c; bar.sync 0; bra M; L: sub.T y, t, f; bar.sync 1; M:
after-barrier   f32  mul.T t, a, b; bar.sync 0; add.T y, t, c
join            f32  setp.gt.T p, d, e; mul.T t, a, b; @p bra L; mul.T t, f, g; bar.sync 0; L: add.T y, t, c
loop            f32  mov.T y, c; mov.T w, a; mov.u32 i1, 0; L: mul.T t, w, b; add.T y, y, t; add.T w, w, d; add.u32 i1, i1, 1; setp.lt.u32 p, i1, n; @p bra L
loop-invariant  f32  mov.T y, c; mul.T t, a, b; mov.u32 i1, 0; L: add.T y, y, t; mul.T y, y, d; add.u32 i1, i1, 1; setp.lt.u32 p, i1, n; @p bra L
loop-inv-used   f32  mov.T y, c; mul.T t, a, b; mov.u32 i1, 0; bar.sync 0; L: sub.T y, t, y; add.u32 i1, i1, 1; setp.lt.u32 p, i1, n; @p bra L
if-converted     f32  mul.T t, a, b; setp.gt.T p, d, e; mov.T y, f; @p bra L; add.T y, t, c; L:
if-mul           f32  setp.gt.T p, d, e; mov.T t, f; @p bra L; mul.T t, a, b; L: add.T y, t, c
if-both          f32  setp.gt.T p, d, e; mov.T y, f; @p bra L; mul.T t, a, b; add.T y, t, c; L:
if-two-uses      f32  mul.T t, a, b; add.T z, t, g; setp.gt.T p, d, e; mov.T y, f; @p bra L; add.T y, t, c; L:
if-else          f32  mul.T t, a, b; setp.gt.T p, d, e; @p bra L; add.T y, t, c; bra M; L: sub.T y, t, g; M:
empty-join       f32  mul.T t, a, b; setp.gt.T p, d, e; mov.T z, f; @p bra L; add.T z, g, h; L: add.T y, t, c
long-join        f32  mul.T t, a, b; setp.gt.T p, d, e; mov.T z, f; @p bra L; bar.sync 0; add.T z, g, h; bar.sync 1; L: add.T y, t, c
straight-branch  f32  mul.T t, a, b; bra L; L: add.T y, t, c
unused-label     f32  mul.T t, a, b; L: add.T y, t, c
loop-after       f32  mul.T t, a, b; mov.T z, a; mov.u32 i1, 0; L: sub.T z, d, z; add.u32 i1, i1, 1; setp.lt.u32 p, i1, n; @p bra L; add.T y, t, c
loop-counted     f32  mov.T y, c; mov.T w, a; mov.u32 i1, 0; L: add.T y, y, w; mul.T w, y, b; add.u32 i1, i1, 1; setp.lt.u32 p, i1, 4; @p bra L; add.T y, y, w
loop-carried     f32  mov.T y, c; mov.T w, a; mov.u32 i1, 0; L: add.T y, y, w; mul.T w, y, b; add.u32 i1, i1, 1; setp.lt.u32 p, i1, n; @p bra L
guarded-exit     f32  mul.T t, a, b; setp.gt.T p, d, e; @p ret; add.T y, t, c
duplicate-stored f32  mul.T t, a, b; add.T y, t, c; mul.T z, a, b
duplicate-commuted f32  mul.T t, a, b; add.T y, t, c; mul.T z, b, a
duplicate-neg    f32  mul.T t, a, b; add.T y, t, c; neg.T m, a; mul.T z, m, b
invariant        f32  mov.T y, c; mov.u32 i1, 0; L: mul.T t, a, b; sub.T y, t, y; add.u32 i1, i1, 1; setp.lt.u32 p, i1, n; @p bra L
neg-product-minus f32 mul.T t, a, b; neg.T u, t; sub.T y, u, c
minus-itself    f32  mul.T t, a, b; neg.T u, t; add.T y, u, t
times-minus-two f32  mul.T t, a, 0fC0000000; add.T y, t, c
abs-both        f32  abs.T m, a; abs.T s, b; mul.T t, m, s; sub.T y, c, t
guarded-one-use f32  mul.T t, a, b; setp.gt.T p, d, e; mov.T y, f; @p add.T y, t, c; add.T z, t, g
guarded-mul-same f32  setp.gt.T p, d, e; mov.T t, f; mov.T y, g; @p mul.T t, a, b; @p add.T y, t, c; mov.T z, t
guarded-dead    f32  setp.gt.T p, d, e; mov.T y, g; @p mul.T t, a, b; @p add.T y, t, c
guarded-mul-undefined f32  setp.gt.T p, d, e; @p mul.T t, a, b; add.T y, t, c
overwritten     f32  mul.T t, a, b; mov.T s, a; add.T a, a, d; add.T y, t, a; mul.T z, s, a
chain           f32  mul.T t, a, b; add.T u, t, c; mul.T v, u, d; add.T y, v, e
horner          f32  mul.T t, a, b; add.T u, t, c; mul.T v, u, a; add.T w, v, d; mul.T v, w, a; add.T y, v, e
product-of-product f32  mul.T t, a, b; mul.T u, t, c; add.T y, u, d
fma-feeds       f32  mul.T t, a, b; fma.rn.T y, t, c, d
product-as-addend f32  mul.T t, a, b; fma.rn.T y, c, d, t
fma-then-add    f32  fma.rn.T t, a, b, c; add.T y, t, d
mul-to-setp     f32  mul.T t, a, b; setp.gt.T p, t, c; selp.T y, d, e, p
mul-to-min      f32  mul.T t, a, b; min.T y, t, c
both-one-neg    f32  mul.T t, a, b; mul.T u, c, d; neg.T v, t; add.T y, v, u
both-one-rn     f32  mul.rn.T t, a, b; mul.T u, c, d; add.T y, t, u
both-other-rn   f32  mul.T t, a, b; mul.rn.T u, c, d; add.T y, t, u
both-one-imm    f32  mul.T t, a, 0f40490FDB; mul.T u, c, d; add.T y, t, u
both-other-imm  f32  mul.T t, a, b; mul.T u, c, 0f40490FDB; add.T y, t, u
both-second-multiplied f32  mul.T t, a, b; mul.T u, c, d; add.T y, t, u; mul.T z, u, e
both-first-multiplied f32  mul.T t, a, b; mul.T u, c, d; add.T y, t, u; mul.T z, t, e
complex         f32  mul.T t, a, c; mul.T u, b, d; sub.T y, t, u; mul.T v, a, d; mul.T w, b, c; add.T z, v, w
cross           f32  mul.T t, a, b; mul.T u, c, d; sub.T y, t, u; add.T z, t, u
length          f32  mul.T t, a, a; mul.T u, b, b; add.T v, t, u; mul.T w, c, c; add.T y, v, w
both-one        f32  mul.T t, a, 0f3F800000; mul.T u, c, d; add.T y, t, u
both-two        f32  mul.T t, a, 0f40000000; mul.T u, c, d; add.T y, t, u
both-two-rev    f32  mul.T t, a, 0f40000000; mul.T u, c, d; add.T y, u, t
both-half       f32  mul.T t, a, 0f3F000000; mul.T u, c, d; add.T y, t, u
both-zero       f32  mul.T t, a, 0f00000000; mul.T u, c, d; add.T y, t, u
both-minus-one  f32  mul.T t, a, 0fBF800000; mul.T u, c, d; add.T y, t, u
both-one-mov    f32  mov.T k, 0f3F800000; mul.T t, a, k; mul.T u, c, d; add.T y, t, u
neg-ftz         f32  mul.T t, a, b; neg.ftz.T u, t; add.T y, u, c
ftz-neg         f32  mul.ftz.T t, a, b; neg.T u, t; add.ftz.T y, u, c
ftz-neg-ftz     f32  mul.ftz.T t, a, b; neg.ftz.T u, t; add.ftz.T y, u, c
neg-f16         f16  mul.T t, a, b; neg.T u, t; add.T y, u, c
neg-f16x2       f16x2  mul.T t, a, b; neg.T u, t; add.T y, u, c
neg-f64         f64  mul.T t, a, b; neg.T u, t; add.T y, c, u; add.T z, u, d
abs-f16         f16  mul.T t, a, b; abs.T u, t; add.T y, u, c
both-f16        f16  mul.T t, a, b; mul.T u, c, d; add.T y, t, u; add.T z, t, e
both-f16x2      f16x2  mul.T t, a, b; mul.T u, c, d; add.T y, t, u; add.T z, t, e
dup-f16x2       f16x2  mul.T t, a, b; add.T y, t, c; add.T z, t, d
dup-bf16        bf16  mul.T t, a, b; add.T y, t, c; sub.T z, t, d
both-bf16       bf16  mul.T t, a, b; mul.T u, c, d; add.T y, t, u; add.T z, t, e
sat-f16x2       f16x2  mul.T t, a, b; add.sat.T y, t, c
rn-f16x2-add    f16x2  mul.T t, a, b; add.rn.T y, t, c
dead-use        f32  mul.T t, a, b; add.T y, t, c; min.T u, t, d
sub-both-neg    f32  mul.T t, a, b; mul.T u, c, d; neg.T v, t; sub.T y, v, u
add-imm-mul-imm f64  mul.T t, a, 0d3FF0000000000000; mul.T u, c, d; add.T y, t, u
bits-used       f32  mul.T t, a, b; mov.b32 i1, t; st.global.b32 [out+8], i1; add.T y, t, c
fp-zero-add     f32  mul.T t, a, b; add.T u, t, 0f80000000; add.T y, u, c
fp-zero-add2    f32  add.T u, a, 0f80000000; mul.T t, u, b; mul.T v, c, d; add.T w, t, 0f80000000; add.T y, w, v
mul-mul-one     f32  mul.T t, a, b; mul.T u, t, 0f3F800000; add.T y, u, c
lerp            f32  sub.T t, b, a; mul.T u, t, c; add.T y, a, u
sign            f32  neg.T y, a; abs.T z, b
sign-guarded    f32  setp.gt.T p, g, h; mov.T y, c; @p neg.T y, a; mov.T z, d; @p abs.T z, b
sign-guarded-ftz f32  setp.gt.T p, g, h; mov.T y, c; @p neg.ftz.T y, a
sign-guarded    f64  setp.gt.T p, g, h; mov.T y, c; @p neg.T y, a
sign-guarded    f16  setp.gt.T p, g, h; mov.T y, c; @p neg.T y, a
sign-branch     f32  setp.gt.T p, g, h; mov.T y, c; @p bra L; neg.T y, a; L:
sign-of-sign    f32  setp.gt.T p, g, h; mov.T y, c; abs.T t, a; @p neg.T y, t
sign-old        f32  setp.gt.T p, g, h; neg.T y, a; @p add.T y, c, d
sign-old-own    f32  setp.gt.T p, g, h; neg.T y, a; @p mul.T y, y, d
sign-old-b32    f32  setp.gt.T p, g, h; neg.T y, a; @p mov.b32 y, c
sign-old-seen   f32  setp.gt.T p, g, h; neg.T y, a; mov.T z, y; @p add.T y, c, d
sign-old-block  f32  setp.gt.T p, g, h; neg.T y, a; @p bra L; bar.sync 0; L: @p add.T y, c, d
sign-old-special f32  setp.gt.T p, g, h; neg.T y, a; @p ex2.approx.T y, b
sign-selp       f32  setp.gt.T p, g, h; neg.T t, a; selp.T y, t, c, p
sign-selp-b32   f32  setp.gt.T p, g, h; neg.T t, a; selp.b32 y, t, c, p
sign-selp-added f32  setp.gt.T p, g, h; neg.T t, a; add.T z, t, c; selp.T y, t, b, p
sign-mul        f32  setp.gt.T p, g, h; mov.T y, c; @p mul.T y, a, 0fBF800000
"""


def cases():
    for line in CASES.strip().splitlines():
        name, kind, text = line.split(None, 2)
        yield name, kind, text.replace(".T", "." + kind)


def kernel(kind, text):
    """The case as PTX: what is read before it is written is loaded, y and z are stored."""
    size = FORMATS[kind][0]
    bits, moved = {2: ("b16", "b16"), 4: ("b32", "b32"), 8: ("f64", "f64")}[size]
    registers = {word: word for word in list("abcdefgh") + "t u v w q s k m y z p1".split()}
    declare = "".join(".reg .%s %%%s; " % (bits if size < 8 else "f64", word) for word in registers)
    if kind == "f32":
        declare = declare.replace(".b32", ".f32")
    if kind in ("f16", "bf16"):
        text = text.replace("mov." + kind, "mov.b16")
    out = []
    for statement in text.split(";"):
        words = statement.strip()
        for mark in "[](),@!:":
            words = words.replace(mark, " %s " % mark)
        done = []
        for word in words.split():
            known = word in registers or word in ("p", "i1", "n", "out") or word.startswith("out+")
            done.append("%" + word if known else word)
        out.append(" ".join(done).replace(" ,", ",").replace("@ ", "@").replace("! ", "!").replace(" :", ":") +
                   ("" if words.endswith(": ") else ";"))
    loads = "".join("ld.global.%s %%%s, [%%in+%d];\n" % (moved if kind != "f32" else "f32", letter, k * size)
                    for k, letter in enumerate(NAMES))
    stores = "".join("st.global.%s [%%out+%d], %%%s;\n" % (moved if kind != "f32" else "f32", k * size, letter)
                     for k, letter in enumerate("yz") if letter + "," in text)
    return """
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 count)
{
.reg .u64 %%in; .reg .u64 %%out; .reg .pred %%p; .reg .b32 %%i1; .reg .b32 %%n; .reg .f32 %%n32; %s
ld.param.u64 %%in, [in]; ld.param.u64 %%out, [out]; ld.param.u32 %%n, [count];
%s%s
%sret;
}
""" % (declare, loads, "\n".join(out), stores)


class Evaluation:
    """Runs machine code from the first instruction to the last, branches not taken, with expressions."""

    def __init__(self, size):
        self.size = size
        self.values, self.stored, self.computed = {}, [], []

    def source(self, insn, at, negative, absolute, form):
        """The operand at a place; form: 1 register, 2 immediate, 3 constant, 4 uniform register."""
        if form == 2:
            text = "#%x" % insn.bits(32, 32)
        elif form == 3:
            text = "c%x" % insn.bits(40, 14)
        elif form == 4:
            text = self.values.get(("U", insn.bits(32, 6)), "U%d" % insn.bits(32, 6))
        else:
            text = "0" if insn.bits(at) == 255 else self.values.get(insn.bits(at), "R%d" % insn.bits(at))
        if form != 2 and insn.bits(absolute, 1):
            text = "|%s|" % text
        return "-" + text if form != 2 and insn.bits(negative, 1) else text

    def sources(self, insn, kind):
        form = insn.bits(9, 3)
        first = self.source(insn, 24, 72, 73, 1)
        low = self.source(insn, 32, 63, 62, {1: 1, 2: 2, 3: 3, 4: 2, 5: 3, 6: 4, 7: 4}[form])
        high = self.source(insn, 64, 75, 74, 1)
        if kind == "fma":
            return [first, high, low] if form in (2, 3, 7) else [first, low, high]
        return [first, low]

    def step(self, insn):
        guard = "" if insn.guard == NO_PREDICATE else "@%sP%d " % ("!" if insn.bits(15, 1) else "", insn.guard)
        result = insn.bits(16)
        if insn.name == "LDG":
            offset = insn.bits(40, 24)
            words = {5: 2, 6: 4}.get(insn.bits(73, 3), 1)
            for k in range(0, words, max(1, self.size // 4)):
                index = (offset + 4 * k) // self.size
                self.values[result + k] = NAMES[index] if index < 8 else "?"
        elif insn.name in COMPUTES:
            kind = COMPUTES[insn.name]
            text = "%s(%s)" % (kind, ", ".join(self.sources(insn, kind)))
            if insn.name[0] == "F":
                text += (".ftz" if insn.bits(80, 1) else "") + (".sat" if insn.bits(77, 1) else "")
                text += ("", ".rm", ".rp", ".rz")[insn.bits(78, 2)]
            self.computed.append(guard + text)
            self.values[result] = text if not guard else "{%s%s : %s}" % (guard, text, self.values.get(result))
        elif insn.name == "FSEL":
            self.values[result] = "%sselect(%s)" % (guard, ", ".join(self.sources(insn, "select")))
        elif insn.name == "STG":
            self.stored.append("%s%s" % (guard, self.values.get(insn.bits(32), "R%d" % insn.bits(32))))
        elif insn.name == "MOV":
            self.values[result] = self.source(insn, 32, 127, 127, {1: 1, 4: 2, 5: 3}.get(insn.bits(9, 3), 1))
        elif insn.writes and insn.name not in ("LDC", "ULDC", "S2R"):
            self.values[result] = "%s%s(%s)" % (guard, insn.name, ", ".join(
                str(self.values.get(number, "R%d" % number)) for letter, number in sorted(insn.reads)
                if letter == "R"))


def evaluate(code, size):
    run = Evaluation(size)
    for insn in code:
        run.step(insn)
    return run


def header(gpu):
    return ".version 7.8\n.target sm_%d\n.address_size 64\n" % gpu


def show(name, kind, text):
    results = {}
    for gpu in GPUS:
        code, problem = assemble(header(gpu) + kernel(kind, text), gpu)
        if not code:
            results[gpu] = "ptxas: " + problem.strip().splitlines()[0][-70:] if problem.strip() else "?"
            continue
        run = evaluate(code["k"], FORMATS[kind][0])
        branches = any(insn.name in ("BRA", "BSSY") for insn in code["k"][:-8]) and ("bra" in text)
        results[gpu] = " ; ".join(run.computed if branches else run.stored)
    texts = sorted(set(results.values()))
    print("%-22s %-6s %s" % (name, kind, text.strip()))
    for result in texts:
        gpus = " ".join("sm_%d" % gpu for gpu in GPUS if results[gpu] == result)
        print("    %-18s %s" % ("" if len(texts) == 1 else gpus, result))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("words", nargs="*")
    parser.add_argument("--file")
    options = parser.parse_args()
    if options.file:
        with open(options.file, encoding="utf-8") as file:
            code, problem = assemble(file.read(), 90)
        sys.exit(problem) if problem else None
        for name, body in code.items():
            print(name, *evaluate(body, 4).stored, sep="\n    ")
        return
    for name, kind, text in cases():
        if not options.words or any(word in name for word in options.words):
            show(name, kind, text)


if __name__ == "__main__":
    main()
