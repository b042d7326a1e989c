/* What the pipeline needs to know about each instruction of a program, worked out once before it runs.
 *
 * PTX is not what a GPU issues: its assembler drops some instructions (address casts, parameter loads,
 * copies), joins others (mul.wide and add to one multiply-add) and makes many of one (division). With the
 * knob machine_code at `ptx` each PTX instruction is issued as it stands; at `native` native/native.c says
 * what becomes of it. An instruction of 0 slots is done together with the one before it, and its result is
 * ready when its sources are. */
#ifndef NATIVE_TIMING_H
#define NATIVE_TIMING_H

#include "config/config.h"
#include "exec/program.h"
#include "native/mix.h"

/* The execution pipes of an SM. */
typedef enum Pipe {
    PIPE_INT,
    PIPE_FP32,
    PIPE_FP64,
    PIPE_SFU,
    PIPE_TENSOR,
    PIPE_LSU,
    PIPE_CONTROL,
    PIPE_COUNT
} Pipe;

/* What the pipeline does with an instruction besides computing. */
typedef enum InsnClass {
    CLASS_COMPUTE,  /* result after a fixed latency */
    CLASS_MEMORY,   /* goes to the load/store unit, which says when results are there */
    CLASS_BRANCH,   /* the next instruction is known only after branch_latency */
    CLASS_CALL,     /* call and return: as a branch, and waits for all pending results first */
    CLASS_EXCHANGE, /* a call that the SM answers by itself: the warp goes on when its latency is over */
    CLASS_BARRIER,
    CLASS_FENCE,
    CLASS_EXIT
} InsnClass;

/* Registers are numbered as the scoreboard sees them: 4-byte slots first, predicates from
 * FIRST_PREDICATE on, the carry flag last. A register of several slots is listed once, by its first slot. */
enum { TIMING_REGISTERS = 36, FIRST_PREDICATE = 4096, TIMING_CARRY = 2 * FIRST_PREDICATE };

/* A machine instruction that is not the last of those which an instruction becomes. */
typedef struct InsnStep {
    uint8_t pipe;     /* Pipe */
    uint8_t kind;     /* SlotKind */
    uint8_t interval; /* cycles until the pipe takes the next warp's instruction */
    uint16_t latency; /* cycles until the next step can issue */
} InsnStep;

/* Invariant: registers[0..write_count) are written, [write_count..write_count+read_count) read, of which the
 * first operand_count come from the register file; the others are constants of machine code. `filter` has
 * the bit (register % 64) of each of them set. slots 0 exactly where interval is 0. `address` is the sum of
 * the words of all instructions before it. `mix` has all slots but those of the steps. */
typedef struct InsnTiming {
    uint8_t pipe;  /* Pipe */
    uint8_t kind;  /* InsnClass */
    uint8_t slots; /* issue slots: machine instructions */
    uint8_t words; /* instructions of code that it fills: its slots, and one where machine_code is ptx */
    uint8_t write_count, read_count, operand_count;
    uint16_t tail;     /* cycles that loaded registers come later for what is done around the access */
    uint8_t lead;      /* cycles that what it begins with keeps the warp waiting beyond its slots */
    bool comes_along;  /* a word of a wide load of shared memory: needs no pass if few lanes differ */
    bool reads_parameters; /* of the kernel, from the constant bank */
    bool drains;       /* waits for all that is pending: it has more registers than the list holds */
    uint16_t latency;  /* cycles from issue until a dependent instruction can issue; of a branch, until the
                            next instruction can if it is taken */
    uint16_t interval; /* cycles until the pipe takes the next warp's instruction */
    uint32_t address;  /* in words of code from the program's beginning on */
    uint16_t registers[TIMING_REGISTERS];
    uint64_t filter;
    InsnStep *steps; /* [step_count] that issue before the last, each by itself; the numbers above are those
                        of the last, but for `slots`. Null: all issue together */
    uint8_t step_count;
    /* What the SM's address unit does (knob address_unit): */
    uint8_t special_reads; /* of special registers, which the result waits for */
    uint8_t bank_reads;    /* of constants that instructions of this block wait for, from here on */
    uint8_t bank_place;    /* which of them this one waits for, if it `awaits_bank` */
    bool awaits_bank;
    bool is_indexed;       /* a load of constants that counts its own addresses */
    SlotMix mix;
} InsnTiming;

/* Per program, made for one configuration; insns[i] belongs to program->code[i]. One more stands behind the
 * last, whose address no other reaches. */
typedef struct ProgramTiming {
    const Program *program;
    uint32_t number; /* among those of a GPU: where its code lies */
    InsnTiming *insns;
} ProgramTiming;

ProgramTiming *timing_create(const Program *program, const GpuConfig *config);
void timing_free(ProgramTiming *timing);

/* -- for native.c -- */

/* Of what the instruction reads, the operand is part of the machine code and no register. */
void timing_inline_read(InsnTiming *timing, const Operand *operand);
/* The operand is not written after all. */
void timing_drop_write(InsnTiming *timing, const Operand *operand);
/* Whether the instruction is an integer product or multiply-add. */
bool timing_multiplies(const Insn *insn);
/* Cycles that a matrix product occupies a tensor unit. */
unsigned timing_tensor_interval(const Insn *insn, const GpuConfig *config);

#endif
