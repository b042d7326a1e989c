/* f16 and bf16, single and in pairs. */
#include "forms.h"

const FormSpec forms_half[] = {
    FORM("<add|sub|mul><|.rn><|.ftz><|.sat>.<f16|f16x2> %d0, %a0, %a1;", "@5 @5", "@5"),
    FORM("fma.rn<|.ftz><|.sat>.<f16|f16x2> %d0, %a0, %a1, %a2;", "@3 @3 @3", "@3"),
    FORM("fma.rn<|.ftz>.relu.<f16|f16x2> %d0, %a0, %a1, %a2;", "@2 @2 @2", "@2", .target = 80),
    FORM("fma.rn.oob<|.relu>.<f16|f16x2|bf16|bf16x2> %d0, %a0, %a1, %a2;", "@2 @2 @2", "@2", .target = 90),
    FORM("fma.rn.oob<|.relu>.<f16|f16x2|bf16|bf16x2> %d0, %a0, %a1, %a2;", "@2o @2o @2o", "@2", .target = 90),
    FORM("mul<|.rn>.ftz.<f16|f16x2> %d0, %a0, %a1;", "@2t @2t", "@2"),
    FORM("fma.rn.ftz.<f16|f16x2> %d0, %a0, %a1, %a2;", "@1t @1t @1t", "@1"),
    FORM("<add|sub|mul><|.rn>.<bf16|bf16x2> %d0, %a0, %a1;", "@3 @3", "@3", .target = 90),
    FORM("fma.rn<|.relu>.<bf16|bf16x2> %d0, %a0, %a1, %a2;", "@2 @2 @2", "@2", .target = 80),
    FORM("<abs|neg><|.ftz>.<f16|f16x2> %d0, %a0;", "@3", "@3", .vectors = 512),
    FORM("<abs|neg>.<bf16|bf16x2> %d0, %a0;", "@2", "@2", .vectors = 512, .target = 80),
    FORM("<min|max><|.ftz><|.NaN>.<f16|f16x2> %d0, %a0, %a1;", "@4 @4", "@4", .target = 80),
    FORM("<min|max><|.ftz><|.NaN>.xorsign.abs.<f16|f16x2> %d0, %a0, %a1;", "@4 @4", "@4", .target = 86),
    FORM("<min|max><|.NaN>.<bf16|bf16x2> %d0, %a0, %a1;", "@3 @3", "@3", .target = 80),
    FORM("<min|max><|.NaN>.xorsign.abs.<bf16|bf16x2> %d0, %a0, %a1;", "@3 @3", "@3", .target = 86),
    FORM_END};
