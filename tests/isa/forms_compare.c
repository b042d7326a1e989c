/* Comparison and selection. */
#include "forms.h"

#define INTEGER "<s16|u16|s32|u32|s64|u64>"
#define BITS "<b16|b32|b64>"
#define SIGNED "<eq|ne|lt|le|gt|ge>"
#define UNSIGNED "<lo|ls|hi|hs>"
#define FLOAT "<eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan>"

const FormSpec forms_compare[] = {
    FORM("setp." SIGNED "." INTEGER " %d0, %a0, %a1;", "@2 @2", "pred"),
    FORM("setp.<eq|ne>." BITS " %d0, %a0, %a1;", "@2 @2", "pred"),
    FORM("setp." UNSIGNED ".<u16|u32|u64> %d0, %a0, %a1;", "@2 @2", "pred"),
    FORM("setp." FLOAT ".<f32|f64> %d0, %a0, %a1;", "@2 @2", "pred"),
    FORM("setp." FLOAT ".ftz.f32 %d0, %a0, %a1;", "f32 f32", "pred"),
    FORM("setp." FLOAT "<|.ftz>.f16 %d0, %a0, %a1;", "f16 f16", "pred"),
    FORM("setp." FLOAT "<|.ftz>.f16x2 %d0|%d1, %a0, %a1;", "f16x2 f16x2", "pred pred"),
    FORM("setp." FLOAT ".bf16 %d0, %a0, %a1;", "bf16 bf16", "pred", .target = 90),
    FORM("setp." FLOAT ".bf16x2 %d0|%d1, %a0, %a1;", "bf16x2 bf16x2", "pred pred", .target = 90),
    FORM("setp.<lt|eq>.<and|or|xor>." INTEGER " %d0|%d1, %a0, %a1, %a2;", "@3 @3 pred", "pred pred"),
    FORM("setp.<lt|eq>.<and|or|xor>." INTEGER " %d0|%d1, %a0, %a1, !%a2;", "@3 @3 pred", "pred pred",
         .vectors = 256),
    FORM("setp.<lt|gtu|nan>.<and|or|xor><|.ftz>.f32 %d0|%d1, %a0, %a1, %a2;", "f32 f32 pred", "pred pred"),
    FORM("setp.<lt|gtu|nan>.<and|or|xor>.f64 %d0|%d1, %a0, %a1, %a2;", "f64 f64 pred", "pred pred"),
    FORM("setp.<lt|gtu>.<and|or|xor>.f16 %d0, %a0, %a1, %a2;", "f16 f16 pred", "pred"),
    FORM("setp.<lt|gtu>.<and|or|xor>.f16x2 %d0|%d1, %a0, %a1, %a2;", "f16x2 f16x2 pred", "pred pred"),
    FORM("setp.<lt|gtu>.<and|or|xor>.<bf16> %d0, %a0, %a1, %a2;", "bf16 bf16 pred", "pred", .target = 90),
    FORM("setp.gt.s32 %d0, %a0, <-1|0|100>;", "s32", "pred", .vectors = 256),

    FORM("set." SIGNED ".<u32|s32|f32>." INTEGER " %d0, %a0, %a1;", "@3 @3", "b32", .vectors = 512),
    FORM("set.<eq|ne>.<u32|f32>." BITS " %d0, %a0, %a1;", "@3 @3", "b32", .vectors = 512),
    FORM("set." UNSIGNED ".u32.<u32|u64> %d0, %a0, %a1;", "@2 @2", "b32", .vectors = 512),
    FORM("set." FLOAT ".<u32|f32>.<f32|f64> %d0, %a0, %a1;", "@3 @3", "b32", .vectors = 512),
    FORM("set.<lt|geu><|.ftz>.<u32|s32|f32>.f32 %d0, %a0, %a1;", "f32 f32", "b32", .vectors = 512),
    FORM("set.<lt|ge>.<and|or|xor>.<u32|s32|f32>.<f32|f64|s32|u64> %d0, %a0, %a1, %a2;", "@4 @4 pred", "b32",
         .vectors = 256),
    FORM("set." FLOAT "<|.ftz>.<f16|u16|s16>.f16 %d0, %a0, %a1;", "f16 f16", "b16", .vectors = 512),
    FORM("set." FLOAT "<|.ftz>.f16x2.f16x2 %d0, %a0, %a1;", "f16x2 f16x2", "b32", .vectors = 512),
    FORM("set.<lt|neu|nan>.<bf16|u16|s16>.bf16 %d0, %a0, %a1;", "bf16 bf16", "b16", .vectors = 512,
         .target = 90),
    FORM("set.<lt|neu|nan>.bf16x2.bf16x2 %d0, %a0, %a1;", "bf16x2 bf16x2", "b32", .vectors = 512,
         .target = 90),
    FORM("set.<lt|neu>.<and|or|xor>.f16.f16 %d0, %a0, %a1, %a2;", "f16 f16 pred", "b16", .vectors = 256),
    FORM("set.<lt|neu>.<u32|s32>.f16 %d0, %a0, %a1;", "f16 f16", "b32", .vectors = 256),
    FORM("set.<lt|neu>.<u32|s32>.bf16 %d0, %a0, %a1;", "bf16 bf16", "b32", .vectors = 256, .target = 90),
    FORM("set.<lt|ge>.f16.<f16|u16|s16|u32|s32|f32|f64|u64|s64> %d0, %a0, %a1;", "@2 @2", "b16",
         .vectors = 256),
    FORM("set.<lt|ge>.bf16.<bf16|f16|u16|s16|u32|s32|f32|f64|u64|s64> %d0, %a0, %a1;", "@2 @2", "b16",
         .vectors = 256, .target = 90),
    FORM("set.<eq|ne>.<f16|bf16>." BITS " %d0, %a0, %a1;", "@3 @3", "b16", .vectors = 256, .target = 90),
    FORM("set.<lt|neu>.<u32|s32>.f16x2 %d0, %a0, %a1;", "f16x2 f16x2", "b32", .vectors = 256),
    FORM("set.<lt|neu>.<u32|s32>.bf16x2 %d0, %a0, %a1;", "bf16x2 bf16x2", "b32", .vectors = 256,
         .target = 90),

    FORM("selp.<b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64> %d0, %a0, %a1, %a2;", "@1 @1 pred", "@1",
         .vectors = 256),
    FORM("selp.b32 %d0, 17, %a0, %a1;", "b32 pred", "b32", .vectors = 128),
    FORM("slct.<b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64>.s32 %d0, %a0, %a1, %a2;", "@1 @1 s32", "@1",
         .vectors = 256),
    FORM("slct<|.ftz>.<b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64>.f32 %d0, %a0, %a1, %a2;", "@2 @2 f32",
         "@2", .vectors = 256),
    FORM_END};
