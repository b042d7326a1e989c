/* Integer arithmetic. */
#include "forms.h"

#define ANY "<u16|s16|u32|s32|u64|s64>"

const FormSpec forms_integer[] = {
    FORM("add." ANY " %d0, %a0, %a1;", "@1 @1", "@1"), FORM("sub." ANY " %d0, %a0, %a1;", "@1 @1", "@1"),
    FORM("add.<u16x2|s16x2> %d0, %a0, %a1;", "b32 b32", "b32", .target = 90),
    FORM("<add|sub>.sat.s32 %d0, %a0, %a1;", "s32 s32", "s32"), FORM("add.s32 %d0, %a0, -5;", "s32", "s32"),
    FORM("add.s64 %d0, %a0, 0x123456789abc;", "s64", "s64"),
    FORM("mul.lo." ANY " %d0, %a0, %a1;", "@1 @1", "@1"),
    FORM("mul.hi." ANY " %d0, %a0, %a1;", "@1 @1", "@1"),
    FORM("mul.wide.<u16|s16> %d0, %a0, %a1;", "@1 @1", "u32"),
    FORM("mul.wide.<u32|s32> %d0, %a0, %a1;", "@1 @1", "u64"),
    FORM("mad.lo." ANY " %d0, %a0, %a1, %a2;", "@1 @1 @1", "@1"),
    FORM("mad.hi." ANY " %d0, %a0, %a1, %a2;", "@1 @1 @1", "@1"),
    FORM("mad.hi.sat.s32 %d0, %a0, %a1, %a2;", "s32 s32 s32", "s32"),
    FORM("mad.wide.<u16|s16> %d0, %a0, %a1, %a2;", "@1 @1 u32", "u32"),
    FORM("mad.wide.<u32|s32> %d0, %a0, %a1, %a2;", "@1 @1 u64", "u64"),
    FORM("mul24.<lo|hi>.<u32|s32> %d0, %a0, %a1;", "@2 @2", "@2"),
    FORM("mad24.<lo|hi>.<u32|s32> %d0, %a0, %a1, %a2;", "@2 @2 @2", "@2"),
    FORM("mad24.hi.sat.s32 %d0, %a0, %a1, %a2;", "s32 s32 s32", "s32"),
    FORM("sad." ANY " %d0, %a0, %a1, %a2;", "@1 @1 @1", "@1"),
    FORM("<div|rem>." ANY " %d0, %a0, %a1;", "@2 @2z", "@2"),
    FORM("<abs|neg>.<s16|s32|s64> %d0, %a0;", "@2", "@2"),
    FORM("<min|max>." ANY " %d0, %a0, %a1;", "@2 @2", "@2"),
    FORM("<min|max>.<u16x2|s16x2> %d0, %a0, %a1;", "b32 b32", "b32", .target = 90),
    FORM("<min|max>.relu.<s32|s16x2> %d0, %a0, %a1;", "b32 b32", "b32", .target = 90),
    FORM("dp4a.<u32|s32>.<u32|s32> %d0, %a0, %a1, %a2;", "b32 b32 b32", "b32"),
    FORM("dp2a.<lo|hi>.<u32|s32>.<u32|s32> %d0, %a0, %a1, %a2;", "b32 b32 b32", "b32"),

    /* Extended precision: a chain through the carry, and the carry itself. */
    FORM("add.cc.<u32|s32|u64|s64> %d0, %a0, %a1; addc.@1 %d1, %a2, %a3;", "@1 @1 @1 @1", "@1 @1"),
    FORM("add.cc.<u32|s32|u64|s64> %d0, %a0, %a1; addc.cc.@1 %d1, %a2, %a3; addc.@1 %d2, 0, 0;",
         "@1 @1 @1 @1", "@1 @1 @1"),
    FORM("sub.cc.<u32|s32|u64|s64> %d0, %a0, %a1; subc.@1 %d1, %a2, %a3;", "@1 @1 @1 @1", "@1 @1"),
    FORM("sub.cc.<u32|s32|u64|s64> %d0, %a0, %a1; subc.cc.@1 %d1, %a2, %a3; subc.@1 %d2, 0, 0;",
         "@1 @1 @1 @1", "@1 @1 @1"),
    /* one flag serves both: subtraction sets it where nothing is borrowed */
    FORM("sub.cc.<u32|s32|u64|s64> %d0, %a0, %a1; addc.@1 %d1, %a2, %a3;", "@1 @1 @1 @1", "@1 @1"),
    FORM("add.cc.<u32|s32|u64|s64> %d0, %a0, %a1; subc.@1 %d1, %a2, %a3;", "@1 @1 @1 @1", "@1 @1"),
    FORM("sub.cc.<u32|u64> %d0, %a0, %a1; subc.cc.@1 %d1, %a2, %a3; addc.@1 %d2, 0, 0;", "@1 @1 @1 @1",
         "@1 @1 @1"),
    FORM("mad.<lo|hi>.cc.<u32|s32|u64|s64> %d0, %a0, %a1, %a2; addc.@2 %d1, 0, 0;", "@2 @2 @2", "@2 @2"),
    FORM("mad.lo.cc.<u32|s32|u64|s64> %d0, %a0, %a1, %a2; madc.<lo|hi>.@1 %d1, %a0, %a1, %a3;", "@1 @1 @1 @1",
         "@1 @1"),
    FORM("mad.lo.cc.<u32|s32|u64|s64> %d0, %a0, %a1, %a2; madc.<lo|hi>.cc.@1 %d1, %a0, %a1, %a3; addc.@1 "
         "%d2, 0, 0;",
         "@1 @1 @1 @1", "@1 @1 @1"),
    FORM_END};
