/* Random functions against slow definitions: meeting points as post-dominators by their set equations, on
 * a meeting graph found by asking again and again which instructions still have a way to an end;
 * liveness as a fixpoint over single instructions, slots by comparing every two registers that are
 * alive together. What an instruction does is written down while its text is generated, so nothing
 * here depends on how the analysis reads it. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/flow.h"

enum { MAX_INSNS = 160, PREDICATES = 6, WORDS = 10, DOUBLES = 8, QUADS = 3, REGISTERS = 27, MAX_TARGETS = 6 };
enum { FIRST_WORD = PREDICATES, FIRST_DOUBLE = FIRST_WORD + WORDS, FIRST_QUAD = FIRST_DOUBLE + DOUBLES };

/* Sets of registers are bit masks; `next` lists instruction numbers, MAX_INSNS standing for the exit. */
typedef struct Record {
    uint32_t reads, writes;
    bool is_guarded, may_share;
    bool is_control;
    enum { GOES_ON, RETURNS, EXITS, TRAPS } end;
    uint32_t next[MAX_TARGETS + 2], next_count;
} Record;

typedef struct Program {
    char text[32768];
    size_t length;
    Record insns[MAX_INSNS];
    uint32_t count, label;
    uint32_t label_at[MAX_INSNS];
    bool is_kernel, is_forward; /* most branches go forward, and to a return at the end */
    uint64_t random;
} Program;

static uint32_t pick(Program *p, uint32_t below)
{
    p->random = p->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(p->random >> 33) % below;
}

__attribute__((format(printf, 2, 3))) static void emit(Program *p, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    p->length += (size_t)vsnprintf(p->text + p->length, sizeof p->text - p->length, format, arguments);
    va_end(arguments);
}

static const char *name_of(uint32_t reg)
{
    static char names[REGISTERS][16];
    if (reg < FIRST_WORD)
        snprintf(names[reg], sizeof names[reg], "%%p%u", reg);
    else if (reg < FIRST_DOUBLE)
        snprintf(names[reg], sizeof names[reg], "%%r%u", reg - FIRST_WORD);
    else if (reg < FIRST_QUAD)
        snprintf(names[reg], sizeof names[reg], "%%rd%u", reg - FIRST_DOUBLE);
    else
        snprintf(names[reg], sizeof names[reg], "%%q%u", reg - FIRST_QUAD);
    return names[reg];
}

static unsigned words_of(uint32_t reg)
{
    return reg < FIRST_WORD ? 0 : reg < FIRST_DOUBLE ? 1 : reg < FIRST_QUAD ? 2 : 4;
}

#define BIT(reg) (1u << (reg))

/* One instruction that falls through. Two destinations are always different registers. */
static void generate_plain(Program *p, Record *insn)
{
    uint32_t a = FIRST_WORD + pick(p, WORDS), b = FIRST_WORD + pick(p, WORDS);
    uint32_t d = FIRST_WORD + pick(p, WORDS);
    uint32_t e = FIRST_WORD + (d - FIRST_WORD + 1 + pick(p, WORDS - 1)) % WORDS;
    uint32_t x = FIRST_DOUBLE + pick(p, DOUBLES), y = FIRST_DOUBLE + pick(p, DOUBLES);
    uint32_t z = FIRST_DOUBLE + (x - FIRST_DOUBLE + 1 + pick(p, DOUBLES - 1)) % DOUBLES;
    uint32_t q = FIRST_QUAD + pick(p, QUADS), c = pick(p, PREDICATES);
    uint32_t f = (c + 1 + pick(p, PREDICATES - 1)) % PREDICATES;
    const char *A = name_of(a), *B = name_of(b), *D = name_of(d), *E = name_of(e);
    const char *X = name_of(x), *Y = name_of(y), *Z = name_of(z), *Q = name_of(q);
    const char *C = name_of(c), *F = name_of(f);
#define WRITE(share, read, written, ...) \
    (insn->may_share = (share), insn->reads |= (read), insn->writes |= (written), emit(p, __VA_ARGS__))
    switch (pick(p, 14)) {
    case 0: WRITE(true, BIT(a) | BIT(b), BIT(d), "add.u32 %s, %s, %s;\n", D, A, B); break;
    case 1: WRITE(true, 0, BIT(d), "mov.u32 %s, 5;\n", D); break;
    case 2: WRITE(true, BIT(y) | BIT(z), BIT(x), "add.u64 %s, %s, %s;\n", X, Y, Z); break;
    case 3: WRITE(false, BIT(a), BIT(x), "mul.wide.u32 %s, %s, 3;\n", X, A); break;
    case 4: WRITE(false, BIT(y), BIT(d) | BIT(e), "ld.global.v2.u32 {%s, %s}, [%s+8];\n", D, E, Y); break;
    case 5: WRITE(true, BIT(y), BIT(x), "ld.global.u64 %s, [%s];\n", X, Y); break;
    case 6: WRITE(false, BIT(x) | BIT(a), 0, "st.global.u32 [%s], %s;\n", X, A); break;
    case 7: WRITE(false, BIT(a) | BIT(b), BIT(c) | BIT(f), "setp.lt.u32 %s|%s, %s, %s;\n", C, F, A, B); break;
    case 8: WRITE(true, BIT(a) | BIT(b) | BIT(c), BIT(d), "selp.b32 %s, %s, %s, %s;\n", D, A, B, C); break;
    case 9: WRITE(false, BIT(x), BIT(d) | BIT(e), "mov.b64 {%s, %s}, %s;\n", D, E, X); break;
    case 10: WRITE(false, BIT(a) | BIT(b), BIT(x), "mov.b64 %s, {%s, %s};\n", X, A, B); break;
    case 11: WRITE(false, BIT(x) | BIT(y), BIT(q), "mov.b128 %s, {%s, %s};\n", Q, X, Y); break;
    case 12: WRITE(false, BIT(q), BIT(x) | BIT(z), "mov.b128 {%s, %s}, %s;\n", X, Z, Q); break;
    case 13: WRITE(false, BIT(a) | BIT(b), BIT(d) | BIT(c), "shfl.sync.idx.b32 %s|%s, %s, 0, 31, %s;\n",
                   D, C, A, B); break;
    }
#undef WRITE
}

static uint32_t pick_label(Program *p, uint32_t labels)
{
    if (!p->is_forward || !pick(p, 8))
        return pick(p, labels);
    return pick(p, 2) ? labels - 1 : p->label + pick(p, labels - p->label);
}

/* Branch targets are written as labels and resolved when all labels are placed. */
static void generate_control(Program *p, Record *insn, uint32_t labels)
{
    insn->is_control = true;
    if (insn->is_guarded)
        insn->next[insn->next_count++] = p->count + 1;
    uint32_t kind = pick(p, 8);
    if (kind == 0) {
        static const char *const texts[] = {"ret", "ret", "exit", "trap", "call.uni fatal"};
        uint32_t which = pick(p, 5);
        emit(p, "%s;\n", texts[which]);
        insn->end = which < 2 ? RETURNS : which == 2 ? EXITS : TRAPS;
        insn->next[insn->next_count++] = MAX_INSNS;
    } else if (kind == 1) {
        uint32_t index = FIRST_WORD + pick(p, WORDS), count = 1 + pick(p, MAX_TARGETS - 1);
        emit(p, "brx.idx %s, T%u;\n", name_of(index), p->count);
        emit(p, "T%u: .branchtargets ", p->count);
        insn->reads |= BIT(index);
        for (uint32_t k = 0; k < count; k++) {
            uint32_t label = pick_label(p, labels);
            emit(p, "%sL%u", k ? ", " : "", label);
            insn->next[insn->next_count++] = MAX_INSNS + 1 + label;
        }
        emit(p, ";\n");
    } else {
        uint32_t label = pick_label(p, labels);
        emit(p, "bra%s L%u;\n", pick(p, 2) ? ".uni" : "", label);
        insn->next[insn->next_count++] = MAX_INSNS + 1 + label;
    }
}

static void generate(Program *p, uint64_t seed)
{
    memset(p, 0, sizeof *p);
    p->random = seed;
    uint32_t labels = 1 + pick(p, 25), density = 1 + pick(p, 4);
    p->is_kernel = pick(p, 4);
    p->is_forward = pick(p, 2);
    emit(p, ".version 8.3\n.target sm_75\n.address_size 64\n.func fatal() .noreturn { exit; }\n"
            "%s k()\n{\n.reg .pred %%p<%d>;\n.reg .b32 %%r<%d>;\n.reg .b64 %%rd<%d>;\n.reg .b128 %%q<%d>;\n",
         p->is_kernel ? ".visible .entry" : ".visible .func", PREDICATES, WORDS, DOUBLES, QUADS);
    for (uint32_t label = 0; label < labels; label++) {
        p->label_at[label] = p->count;
        p->label = label;
        emit(p, "L%u:\n", label);
        if (p->is_forward && label == labels - 1) {
            emit(p, "ret;\n");
            p->insns[p->count++] =
                (Record){.is_control = true, .end = RETURNS, .next = {MAX_INSNS}, .next_count = 1};
            break;
        }
        for (uint32_t k = pick(p, 6); k-- > 0;) {
            Record *insn = &p->insns[p->count];
            if (pick(p, 5) < 2) {
                uint32_t guard = pick(p, PREDICATES);
                emit(p, "@%s%s ", pick(p, 2) ? "!" : "", name_of(guard));
                insn->is_guarded = true;
                insn->reads |= BIT(guard);
            }
            if (k == 0 && pick(p, density)) {
                generate_control(p, insn, labels);
            } else {
                generate_plain(p, insn);
                insn->next[insn->next_count++] = p->count + 1;
            }
            p->count++;
        }
    }
    emit(p, "}\n");
    for (uint32_t i = 0; i < p->count; i++)
        for (uint32_t k = 0; k < p->insns[i].next_count; k++) {
            uint32_t *next = &p->insns[i].next[k];
            if (*next > MAX_INSNS)
                *next = p->label_at[*next - MAX_INSNS - 1];
            if (*next == p->count)
                *next = MAX_INSNS;
        }
}

typedef struct Slow {
    bool follows[MAX_INSNS + 1][MAX_INSNS + 1]; /* [i][j]: there is a way from i to j */
    bool ends[MAX_INSNS];                       /* it has a way to the exit that is not early */
    bool needs_return[MAX_INSNS];               /* its branch to a return block is its only way to an end */
    bool lasts[MAX_INSNS + 1];                  /* it has a way to the exit in the meeting graph */
    bool passes[MAX_INSNS + 1][MAX_INSNS + 1];  /* [i][j]: there every way from i to the exit passes j */
    uint32_t live_in[MAX_INSNS + 1], live_out[MAX_INSNS];
    bool is_target[MAX_INSNS + 1];
} Slow;

/* The last and the first instruction of i's basic block. */
static uint32_t block_end(const Program *p, const Slow *slow, uint32_t i)
{
    while (i + 1 < p->count && !p->insns[i].is_control && !slow->is_target[i + 1])
        i++;
    return i;
}

static uint32_t block_begin(const Program *p, const Slow *slow, uint32_t i)
{
    while (i > 0 && !p->insns[i - 1].is_control && !slow->is_target[i])
        i--;
    return i;
}

static void solve_following(const Program *p, Slow *slow)
{
    memset(slow->follows, 0, sizeof slow->follows);
    for (uint32_t i = 0; i < p->count; i++)
        for (uint32_t k = 0; k < p->insns[i].next_count; k++)
            slow->follows[i][p->insns[i].next[k]] = true;
    for (uint32_t middle = 0; middle < p->count; middle++)
        for (uint32_t i = 0; i < p->count; i++)
            for (uint32_t j = 0; j <= MAX_INSNS && slow->follows[i][middle]; j++)
                slow->follows[i][j] |= slow->follows[middle][j];
}

/* If what follows i leads back to it and i jumps backward, and no later one on the way does, then i
 * closes an endless loop. */
static bool closes_endless_loop(const Program *p, const Slow *slow, uint32_t i)
{
    bool closes = false;
    if (!p->insns[i].is_control && !slow->is_target[i + 1])
        return false;
    for (uint32_t j = 0; j <= MAX_INSNS; j++)
        if (slow->follows[i][j] && (j == MAX_INSNS || !slow->follows[j][i]))
            return false;
    for (uint32_t j = i; j < p->count; j++)
        for (uint32_t k = 0; k < p->insns[j].next_count && slow->follows[i][j]; k++)
            if (p->insns[j].next[k] <= j) {
                if (j > i)
                    return false;
                closes = true;
            }
    return closes;
}

/* Gives endless loops a way out. Returns whether there is one. */
static bool open_endless_loops(Program *p, const Slow *slow)
{
    bool any = false;
    for (uint32_t i = 0; i < p->count; i++)
        if (closes_endless_loop(p, slow, i)) {
            p->insns[i].next[p->insns[i].next_count++] = MAX_INSNS;
            any = true;
        }
    return any;
}

static void solve_ends(const Program *p, Slow *slow)
{
    bool any = false;
    for (uint32_t i = 0; i < p->count; i++) {
        const Record *insn = &p->insns[i];
        for (uint32_t k = 0; k < insn->next_count; k++)
            slow->ends[i] |= insn->next[k] == MAX_INSNS;
        bool falls_off = insn->is_guarded && i + 1 == p->count;
        if (insn->end != GOES_ON && !falls_off && (insn->end != RETURNS || insn->is_guarded))
            slow->ends[i] = false;
        any |= slow->ends[i] && (i == 0 || slow->follows[0][i]);
    }
    for (uint32_t i = 0; i < p->count && !any; i++)
        slow->ends[i] |= p->insns[i].end == EXITS && !p->insns[i].is_guarded;
}

static uint32_t different_targets(const Record *insn)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < insn->next_count; k++) {
        bool is_new = true;
        for (uint32_t before = 0; before < k; before++)
            is_new &= insn->next[before] != insn->next[k];
        count += is_new;
    }
    return count;
}

/* Does this edge branch to a block of a kernel that begins with a return? */
static bool branches_to_return(const Program *p, const Slow *slow, uint32_t from, uint32_t to)
{
    if (!p->is_kernel || to == MAX_INSNS || !slow->ends[to] || different_targets(&p->insns[from]) < 2)
        return false;
    return (p->insns[to].end == RETURNS || p->insns[to].end == EXITS) && !p->insns[to].is_guarded;
}

static bool is_met(const Program *p, const Slow *slow, uint32_t from, uint32_t to)
{
    if (!slow->lasts[from])
        return true;
    if (to == MAX_INSNS)
        return slow->ends[from];
    return slow->lasts[to] && (slow->needs_return[from] || !branches_to_return(p, slow, from, to));
}

static void solve_lasting_once(const Program *p, Slow *slow)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < p->count; i++) {
            bool lasts = slow->ends[i];
            for (uint32_t k = 0; k < p->insns[i].next_count; k++) {
                uint32_t to = p->insns[i].next[k];
                lasts |= to != MAX_INSNS && slow->lasts[to] &&
                         (slow->needs_return[i] || !branches_to_return(p, slow, i, to));
            }
            changed |= lasts != slow->lasts[i];
            slow->lasts[i] = lasts;
        }
    }
}

static void solve_lasting(const Program *p, Slow *slow)
{
    slow->lasts[MAX_INSNS] = true;
    solve_lasting_once(p, slow);
    for (uint32_t i = p->count; i-- > 0;)
        for (uint32_t k = 0; k < p->insns[i].next_count; k++)
            if (!slow->lasts[i] && branches_to_return(p, slow, i, p->insns[i].next[k])) {
                slow->needs_return[i] = true;
                solve_lasting_once(p, slow);
            }
}

/* pass(exit) = {exit}; pass(i) = {i} and what all successors pass. */
static void solve_passing(const Program *p, Slow *slow)
{
    memset(slow->passes, 1, sizeof slow->passes);
    memset(slow->passes[MAX_INSNS], 0, sizeof slow->passes[MAX_INSNS]);
    slow->passes[MAX_INSNS][MAX_INSNS] = true;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = p->count; i-- > 0;)
            for (uint32_t j = 0; j <= MAX_INSNS; j++) {
                bool all = true;
                for (uint32_t k = 0; k < p->insns[i].next_count; k++)
                    all &= !is_met(p, slow, i, p->insns[i].next[k]) || slow->passes[p->insns[i].next[k]][j];
                bool passes = i == j || all;
                changed |= passes != slow->passes[i][j];
                slow->passes[i][j] = passes;
            }
    }
}

static void solve_live(const Program *p, Slow *slow)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = p->count; i-- > 0;) {
            const Record *insn = &p->insns[i];
            uint32_t out = 0;
            for (uint32_t k = 0; k < insn->next_count; k++)
                out |= slow->live_in[insn->next[k]];
            uint32_t in = insn->reads | (insn->is_guarded ? out : out & ~insn->writes);
            changed |= in != slow->live_in[i];
            slow->live_in[i] = in;
            slow->live_out[i] = out;
        }
    }
}

/* Can control come back from a block to itself, going by the order of the text alone? */
static bool is_spanned(const Program *p, const Slow *slow, uint32_t end)
{
    for (uint32_t i = block_begin(p, slow, end); i < p->count; i++)
        for (uint32_t k = 0; k < p->insns[i].next_count; k++)
            if (p->insns[i].next[k] <= end && slow->is_target[p->insns[i].next[k]])
                return true;
    return false;
}

/* Where lanes that part at the end of a block meet. */
static uint32_t meeting_point(const Program *p, const Slow *slow, uint32_t end)
{
    const Record *insn = &p->insns[end];
    uint32_t meet = MAX_INSNS;
    for (uint32_t j = 0; j < p->count; j++)
        if (j != end && slow->passes[end][j] && (meet == MAX_INSNS || slow->passes[j][meet]))
            meet = j;
    if (!slow->passes[0][end] || different_targets(insn) != 2 || is_spanned(p, slow, end))
        return meet;
    for (uint32_t k = 0; k < insn->next_count; k++) {
        uint32_t to = insn->next[k];
        bool others_meet = true;
        for (uint32_t other = 0; other < insn->next_count; other++)
            others_meet &= insn->next[other] == to || insn->next[other] == meet;
        if (!is_met(p, slow, end, to) && branches_to_return(p, slow, end, to) && others_meet &&
            slow->passes[0][to])
            return to;
    }
    return meet;
}

static void check_reconvergence(const Program *p, const Slow *slow, const Flow *flow)
{
    for (uint32_t i = 0; i < p->count; i++) {
        uint32_t meet = flow->reconverge[i] == FLOW_AT_RETURN ? MAX_INSNS : flow->reconverge[i];
        assert_int_equal(meet, meeting_point(p, slow, block_end(p, slow, i)));
    }
}

/* The parser may number registers as it likes: ours by theirs. */
static uint32_t our_number(const Function *function, uint32_t reg)
{
    for (uint32_t r = 0; r < REGISTERS; r++)
        if (!strcmp(name_of(r), function->registers[reg].name))
            return r;
    fail_msg("unexpected register %s", function->registers[reg].name);
    return 0;
}

static uint32_t live_before(const Module *module, const Function *function, uint32_t insn)
{
    uint32_t registers[REGISTERS], mask = 0;
    uint32_t count = flow_live_before(module, function, insn, registers, REGISTERS);
    for (uint32_t k = 0; k < count; k++) {
        assert_true(k == 0 || registers[k] > registers[k - 1]);
        mask |= BIT(our_number(function, registers[k]));
    }
    return mask;
}

static void check_liveness(const Program *p, const Slow *slow, const Module *module, const Function *function,
                           const Flow *flow)
{
    uint32_t pressure = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        uint32_t words = 0;
        for (uint32_t r = 0; r < REGISTERS; r++)
            words += slow->live_in[i] >> r & 1 ? words_of(r) : 0;
        assert_int_equal(live_before(module, function, i), slow->live_in[i]);
        assert_int_equal(flow->live_words[i], words);
        pressure = words > pressure ? words : pressure;
    }
    assert_int_equal(flow->pressure, pressure);
}

static bool overlap(const uint32_t *slot, uint32_t a, uint32_t b)
{
    if (a == b || (words_of(a) == 0) != (words_of(b) == 0))
        return false;
    uint32_t size_a = words_of(a) ? words_of(a) : 1, size_b = words_of(b) ? words_of(b) : 1;
    return slot[a] < slot[b] + size_b && slot[b] < slot[a] + size_a;
}

/* No register of the first set shares with one of the second. */
static void check_apart(const uint32_t *slot, uint32_t first, uint32_t second)
{
    for (uint32_t a = 0; a < REGISTERS; a++)
        for (uint32_t b = 0; b < REGISTERS; b++)
            if (first >> a & 1 && second >> b & 1)
                assert_false(overlap(slot, a, b));
}

static void check_slots(const Program *p, const Slow *slow, const Function *function, const Flow *flow)
{
    uint32_t used = 0, slot[REGISTERS];
    memset(slot, 0xFF, sizeof slot); /* FLOW_NO_SLOT */
    for (uint32_t r = 0; r < function->register_count; r++)
        slot[our_number(function, r)] = flow->slot[r];
    for (uint32_t i = 0; i < p->count; i++) {
        const Record *insn = &p->insns[i];
        used |= insn->reads | insn->writes;
        check_apart(slot, slow->live_in[i], slow->live_in[i]);
        check_apart(slot, insn->writes, slow->live_out[i] | insn->writes);
        if (!insn->may_share)
            check_apart(slot, insn->writes, slow->live_in[i]);
    }
    uint32_t narrow = 0;
    for (uint32_t r = 0; r < REGISTERS; r++)
        narrow |= (uint32_t)(words_of(r) == 1) << r;
    check_apart(slot, used & narrow, used & ~narrow); /* whenever they live */
    for (uint32_t r = 0; r < REGISTERS; r++) {
        if (!(used >> r & 1)) {
            assert_int_equal(slot[r], FLOW_NO_SLOT);
        } else if (words_of(r) == 0) {
            assert_true(slot[r] < flow->predicate_count);
        } else {
            assert_int_equal(slot[r] % words_of(r), 0);
            assert_true(slot[r] + words_of(r) <= flow->slot_count);
        }
    }
}

/* Returns whether the function has an endless loop. */
static bool check_program(uint64_t seed, Program *p, Slow *slow)
{
    generate(p, seed);
    memset(slow, 0, sizeof *slow);
    Module *module;
    Error error = {0};
    Arena arena = {0};
    if (module_parse("random.ptx", p->text, p->length, &module, &error) != WB_OK)
        fail_msg("%s", error.text);
    const Function *function = &module->functions[module_find_function(module, "k")];
    assert_int_equal(function->insn_count, p->count);
    for (uint32_t i = 0; i < p->count; i++) {
        assert_int_not_equal(function->insns[i].row, ROW_UNKNOWN);
        for (uint32_t k = 0; k < p->insns[i].next_count && p->insns[i].is_control; k++)
            slow->is_target[p->insns[i].next[k]] = true;
    }
    Flow *flow = flow_analyse(module, function, &arena);
    solve_following(p, slow);
    bool is_endless = open_endless_loops(p, slow);
    solve_ends(p, slow);
    solve_lasting(p, slow);
    solve_passing(p, slow);
    solve_live(p, slow);
    check_reconvergence(p, slow, flow);
    check_liveness(p, slow, module, function, flow);
    check_slots(p, slow, function, flow);
    arena_free(&arena);
    module_free(module);
    return is_endless;
}

static void test_random_functions(void **state)
{
    (void)state;
    enum { RUNS = 1500 };
    Program *program = malloc(sizeof *program);
    Slow *slow = malloc(sizeof *slow);
    assert_non_null(program);
    assert_non_null(slow);
    int endless = 0;
    for (uint64_t seed = 1; seed <= RUNS; seed++)
        endless += check_program(seed * 0x9E3779B97F4A7C15u, program, slow);
    assert_in_range(endless, RUNS / 50, RUNS - RUNS / 4); /* both kinds were seen */
    free(program);
    free(slow);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_functions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
