/* The instruction table: every instruction that Warpbeam knows is one row of a .def file in this
 * folder, and everything else about it (parser names, enum, lane function, unit, golden vectors,
 * documentation) follows from that row.
 *
 * A row's pattern says which spellings it accepts:
 *
 *     "add{.rn|.rz|.rm|.rp}{.ftz}{.sat}.f32"    braces: at most one of these
 *     "mov.(b32|u32|s32|f32)"                   parentheses: exactly one of these
 *
 * Suffixes other than types match in any order, since compilers and people write several
 * (vote.ballot.sync and vote.sync.ballot, atom.add.release.gpu and atom.release.gpu.add). Types match
 * in the order they are written. The first row of a mnemonic that matches wins. */
#ifndef ISA_ISA_H
#define ISA_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/lane.h"

typedef enum Mod {
    MOD_NONE,
#define MOD(identifier, spelling) MOD_##identifier,
#define TYPE(identifier, spelling, bits) TYPE_##identifier,
#include "isa/modifier.def"
#undef MOD
#undef TYPE
    MOD_COUNT
} Mod;

/* A type is the modifier that names it. */
typedef Mod Type;

typedef struct ModSet { uint64_t words[5]; } ModSet;
_Static_assert(MOD_COUNT <= 320, "ModSet holds 320 modifiers");

static inline bool modset_has(const ModSet *set, Mod mod) { return set->words[mod >> 6] >> (mod & 63) & 1; }
static inline void modset_add(ModSet *set, Mod mod) { set->words[mod >> 6] |= (uint64_t)1 << (mod & 63); }

const char *mod_name(Mod mod);
bool mod_find(const char *text, size_t length, Mod *mod);
/* 0 for what is not a type. */
unsigned type_bits(Type type);
static inline bool mod_is_type(Mod mod) { return type_bits(mod) != 0; }
static inline unsigned type_bytes(Type type) { return (type_bits(type) + 7) / 8; }
bool type_is_signed(Type type);
bool type_is_float(Type type);

/* The execution unit that an instruction occupies; also the key of its latency. */
typedef enum Unit {
    UNIT_INT, UNIT_FP32, UNIT_FP64, UNIT_HALF, UNIT_SFU, UNIT_TENSOR, UNIT_LDST, UNIT_CONTROL, UNIT_COUNT
} Unit;
const char *unit_name(Unit unit);

/* What the engine does with an instruction. LANE rows carry a lane function; the others name the
 * handler in exec/. */
typedef enum Action {
    ACTION_LANE,      /* registers to registers, lane by lane: lane.h */
    ACTION_MOVE,      /* mov with packing or unpacking, addresses, special registers: exec/move.c */
    ACTION_BRANCH, ACTION_BRANCH_TABLE, ACTION_CALL, ACTION_RETURN, ACTION_EXIT, ACTION_TRAP, ACTION_NOP,
    ACTION_BARRIER,   /* bar, barrier: exec/barrier.c */
    ACTION_CLUSTER_BARRIER,
    ACTION_WARP_SYNC, /* bar.warp.sync */
    /* exec/collective.c */
    ACTION_SHUFFLE, ACTION_VOTE, ACTION_MATCH, ACTION_REDUX, ACTION_ACTIVEMASK, ACTION_ELECT,
    /* exec/access.c, exec/hint.c, exec/atomic.c */
    ACTION_LOAD, ACTION_STORE, ACTION_ATOMIC, ACTION_FENCE, ACTION_PREFETCH,
    ACTION_COPY_ASYNC, ACTION_MBARRIER, /* exec/async.c */
    ACTION_ADDRESS,   /* cvta, isspacep, mapa, getctarank: exec/address.c */
    ACTION_LDMATRIX, ACTION_MMA, ACTION_WMMA_LOAD, ACTION_WMMA_STORE, /* exec/matrix/matrix.c */
    ACTION_TEXTURE, ACTION_TEXTURE_QUERY,       /* exec/texture/texture.c */
    ACTION_SURFACE_LOAD, ACTION_SURFACE_STORE,  /* exec/texture/surface.c */
    ACTION_COUNT
} Action;

/* Invariant: lane is set exactly for ACTION_LANE.
 *
 * `operands` describes the PTX operands in order, one letter each:
 *   D register or vector written      P predicate written ("p|q" allowed)
 *   s register, immediate or vector   p predicate read          m memory address in brackets
 *   l label or table                  f function, call lists    * any further operands
 * and in video instructions, where ".h1" or ".b3210" behind a register selects halves or bytes of it:
 *   V register written, in part       v source, in part         n the same, or with a minus
 * A '?' after a letter: may be left out. */
typedef struct IsaRow {
    const char *pattern;
    const char *operands;
    Unit unit;
    Action action;
    LaneFn *lane;
    uint8_t source_count; /* of a lane row */
    uint8_t bytes[5];     /* of a lane row: bytes of one lane of the result and of each source; 0: not stated
                             (predicates) */
} IsaRow;

/* Row numbers. ROW_UNKNOWN stands for an instruction that no row matches. */
typedef enum RowId {
    ROW_UNKNOWN,
#define ISA_ENUM
#include "isa/rows.h"
#undef ISA_ENUM
    ROW_COUNT
} RowId;

extern const IsaRow isa_rows[ROW_COUNT];

/* How many of the leading operands a row writes. */
unsigned isa_destination_count(const IsaRow *row);

bool isa_mnemonic_known(const char *text, size_t length);
/* ROW_UNKNOWN where no row takes these suffixes. */
RowId isa_match(const char *mnemonic, size_t length, const Mod *mods, unsigned mod_count);
/* The suffixes that change what a lane function computes. */
LaneMods isa_lane_mods(const Mod *mods, unsigned mod_count);

/* The lane function of a multiply-add of floats that heeds LaneMods.minus; null for other rows. */
LaneFn *isa_signed_lane(RowId row);

/* A selector of a video instruction's operand, such as ".h1" or ".b3210"; 0 for any other text. */
uint16_t isa_selector(const char *text, size_t length);
/* Puts the selector of a row's operand (0 is the result) into the mods. False where that operand of the row
 * cannot have it. */
bool isa_select(const IsaRow *row, unsigned operand, uint16_t selector, LaneMods *mods);

#endif
