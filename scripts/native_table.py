#!/usr/bin/env python3
"""What the CUDA assembler makes of each PTX instruction: writes src/native/table.def.

    python3 scripts/native_table.py > src/native/table.def      (needs ptxas and gcc)
    python3 scripts/native_table.py --show rem_u32                 machine code of one row, both GPUs
    python3 scripts/native_table.py --file kernels.ptx [kernel]    machine code of a PTX file for sm_90
    python3 scripts/native_table.py --probe                        the limits of guarding and unrolling
    python3 scripts/native_table.py --converge                     loops that mean the warp as a whole
    python3 scripts/native_table.py --parameters FILE...           how kernels of PTX files load parameters

For every row of the instruction table (src/isa/) a kernel loads the operands, does the one instruction and
stores its result; ptxas assembles it for sm_75 and sm_90. Machine instructions that the loaded values flow
into, but for the store, are what became of the PTX instruction, with those that make constants for them. No
disassembler is needed: of the 16 bytes of a machine instruction the low 9 bits are the opcode, the next 3 say
where the sources are, and registers and predicates are at fixed places. Where the assembler offers a common
and a rare way (a check that goes to a subroutine), the way without the call counts.
"""
import argparse
import itertools
import os
import re
import struct
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PTXAS = os.environ.get("PTXAS", "/usr/local/cuda/bin/ptxas")
GPUS = (75, 90)
SOURCES = "move integer bits logic float half special compare convert video memory control warp matrix"

# -- machine code ------------------------------------------------------------------------------------------

# opcode: name, pipe letter, registers read (a b c; capitals: pairs), words written, predicates written
# (o: at bit 81, q: at bit 84) and read (i: at bit 87, e: at bit 68, x: at bit 77).
OPCODES = {
    0x002: "MOV i b 1", 0x003: "P2R i a 1 i", 0x004: "R2P i a 0 o", 0x005: "CS2R i - 2",
    0x006: "VOTE i - 1 oi", 0x007: "SEL i ab 1 i", 0x008: "FSEL i ab 1 i", 0x009: "FMNMX i ab 1 i",
    0x00a: "FSET i ab 1 i", 0x00b: "FSETP i ab 0 oqi", 0x00c: "ISETP i ab 0 oqie",
    0x010: "IADD3 i abc 1 oqix", 0x011: "LEA i abc 1 oi", 0x012: "LOP3 i abc 1 oi", 0x013: "IABS i b 1",
    0x014: "VABSDIFF i abc 1", 0x015: "VABSDIFF4 i abc 1", 0x016: "PRMT i abc 1", 0x017: "IMNMX i ab 1 i",
    0x019: "SHF i abc 1", 0x01a: "SGXT i ab 1", 0x01b: "BMSK i ab 1", 0x01c: "PLOP3 i - 0 oqiex",
    0x01f: "OVERFLOW i abc 0 o", 0x020: "FMUL f ab 1", 0x021: "FADD f abc 1", 0x022: "FSWZADD f ab 1",
    0x023: "FFMA f abc 1", 0x024: "IMAD m abc 1 i", 0x025: "IMAD.WIDE x abC 2 oi", 0x026: "IDP m abc 1",
    0x027: "IMAD.HI x abC 1 oi", 0x028: "DMUL d AB 2", 0x029: "DADD d ABC 2", 0x02a: "DSETP d AB 0 oqi",
    0x02b: "DFMA d ABC 2", 0x030: "HADD2 h abc 1", 0x031: "HFMA2 h abc 1", 0x032: "HMUL2 h ab 1",
    0x033: "HSET2 h ab 1 i", 0x034: "HSETP2 h ab 0 oqi", 0x035: "HFMA2.MMA h abc 1", 0x036: "VIADD m ab 1",
    0x037: "IMMA t ABC 4", 0x038: "VHMNMX i abc 1 i", 0x039: "BMMA t ABC 4", 0x03a: "VIADDMNMX i abc 1 i",
    0x03b: "LDSM l a 1", 0x03c: "HMMA t ABC 4", 0x03d: "BMMA t ABC 4", 0x03e: "F2FP i abc 1",
    0x03f: "DMMA t ABC 4", 0x040: "HMNMX2 h ab 1 i", 0x041: "HMUL2 h ab 1", 0x042: "F2IP i abc 1",
    0x043: "F2IP i abc 1", 0x045: "I2FP i b 1", 0x047: "FRND i b 1", 0x048: "VIMNMX i ab 1 i",
    0x082: "UMOV u - 0", 0x086: "VOTEU u - 0", 0x087: "USEL u - 0", 0x08c: "UISETP u - 0",
    0x090: "UIADD3 u - 0", 0x091: "ULEA u - 0", 0x092: "ULOP3 u - 0", 0x096: "UPRMT u - 0",
    0x099: "USHF u - 0", 0x09c: "UPLOP3 u - 0", 0x0a4: "UIMAD u - 0", 0x0a5: "UIMAD.WIDE u - 0",
    0x0b9: "ULDC u - 0", 0x0bd: "UFLO u - 0", 0x0bf: "UPOPC u - 0", 0x0c3: "S2UR u - 0",
    0x100: "FLO s b 1 o", 0x101: "BREV s b 1", 0x102: "FCHK s ab 0 o", 0x104: "F2F s b 1",
    0x105: "F2I s b 1", 0x106: "I2F s b 1", 0x107: "FRND s b 1", 0x108: "MUFU s b 1", 0x109: "POPC s b 1",
    0x110: "F2F.64 s B 2", 0x111: "F2I.64 s B 2", 0x112: "I2F.64 s B 2", 0x113: "FRND.64 s B 2",
    0x118: "NOP c - 0", 0x119: "S2R s - 1", 0x11a: "DEPBAR c - 0", 0x11d: "BAR c ab 0", 0x120: "B2R c - 1",
    0x141: "BSYNC c - 0", 0x142: "BREAK c - 0", 0x143: "CALL.ABS c - 0", 0x144: "CALL.REL c - 0",
    0x145: "BSSY c - 0", 0x146: "YIELD c - 0", 0x147: "BRA c - 0", 0x148: "WARPSYNC c a 0",
    0x149: "BRX c A 0", 0x14d: "EXIT c - 0", 0x14e: "PCNT c - 0", 0x150: "RET c A 0", 0x155: "BMOV c - 0",
    0x156: "BMOV c - 0", 0x15c: "BPT c - 0", 0x15d: "NANOSLEEP c b 0", 0x180: "LD l A 1", 0x181: "LDG l A 1",
    0x182: "LDC l a 1", 0x183: "LDL l a 1", 0x184: "LDS l a 1", 0x185: "ST l Ab 0", 0x186: "STG l Ab 0",
    0x187: "STL l ab 0", 0x188: "STS l ab 0", 0x189: "SHFL l abc 1 o", 0x18a: "ATOM l Ab 1 o",
    0x18b: "ATOM.CAS l Abc 1 o", 0x18c: "ATOMS l ab 1", 0x18d: "ATOMS.CAS l abc 1", 0x18e: "RED l Ab 0",
    0x18f: "CCTL l A 0", 0x192: "MEMBAR l - 0", 0x193: "QSPC l A 0 o", 0x1a1: "MATCH l a 1 o",
    0x1a2: "MATCH l A 1 o", 0x1a7: "SYNCS l ab 1 o", 0x1a8: "ATOMG l Ab 1 o", 0x1a9: "ATOMG.CAS l Abc 1 o",
    0x1ab: "ERRBAR l - 0", 0x1ae: "LDGSTS l aB 0", 0x1af: "LDGDEPBAR l - 0", 0x1c2: "R2UR u a 0",
    0x1c3: "S2UR s - 0", 0x1c4: "REDUX l a 1",
}
CALLS = ("CALL.ABS", "CALL.REL")
NO_REGISTER, NO_PREDICATE = 255, 7
STACK_POINTER = ("R", 1)
MEMORY_WORDS = {5: 2, 6: 4}


class Machine:
    """One machine instruction: name, pipe letter, registers and predicates read and written."""

    def __init__(self, word, address):
        self.word, self.address = word, address
        self.opcode = word & 0x1FF
        fields = OPCODES.get(self.opcode, "?%03x ? abc 1" % self.opcode).split()
        self.name, self.pipe, reads, words = fields[:4]
        predicates = fields[4] if len(fields) > 4 else ""
        self.guard = word >> 12 & 7
        self.stall = word >> 105 & 15
        self.wait, self.sets = word >> 116 & 63, word >> 110 & 7
        self.reads = self.register_reads(reads)
        self.guards = {("P", self.guard)} if self.guard != NO_PREDICATE else set()
        self.predicate_reads = self.predicate_sources(predicates)
        self.writes, self.predicate_writes = self.results(int(words), predicates)

    def bits(self, at, count=8):
        return self.word >> at & ((1 << count) - 1)

    def register_reads(self, which):
        form = self.bits(9, 3)
        places = {"a": 24, "b": {1: 32, 2: 64, 3: 64, 7: 64}.get(form),
                  "c": {1: 64, 4: 64, 5: 64, 6: 64}.get(form)}
        if self.name.startswith(("ST", "RED", "ATOM")) and self.name != "REDUX":
            places.update(b=32, c=64)
        if self.name == "FADD" and form == 1:
            places["c"] = None  # the second source is b for a register, c for anything else
        found = set()
        for letter in which.replace("-", ""):
            place = places[letter.lower()]
            if place is None or self.bits(place) == NO_REGISTER:
                continue
            words = 2 if letter.isupper() else 1
            if self.name in ("STG", "STS", "ST") and letter == "b":
                words = MEMORY_WORDS.get(self.bits(73, 3), 1)
            found |= {("R", self.bits(place) + i) for i in range(words)}
        if form in (6, 7) and self.pipe != "u":
            found.add(("U", self.bits(32)))
        return found

    def predicate_sources(self, flags):
        return self.predicates_at({"i": 87, "e": 68, "x": 77}, flags)

    def predicates_at(self, places, flags):
        found = {self.bits(place, 3) for flag, place in places.items() if flag in flags}
        return {("P", number) for number in found if number != NO_PREDICATE}

    def results(self, words, flags):
        if self.name in ("LDG", "LDS", "LD"):
            words = MEMORY_WORDS.get(self.bits(73, 3), 1)
        first = self.bits(16)
        if self.name == "REDUX":
            return {("U", first)}, set()
        registers = {("R", first + i) for i in range(words)} if first != NO_REGISTER else set()
        return registers, self.predicates_at({"o": 81, "q": 84}, flags)

    def branch_target(self, gpu):
        offset = self.bits(34, 48)
        offset -= (offset >> 47) << 48
        if gpu >= 90:
            offset = offset << 8 | self.bits(16)
        return self.address + 16 + offset * 4

    def __str__(self):
        sign = "!" if self.bits(15, 1) else ""
        guard = "" if self.guard == NO_PREDICATE else "@%sP%d " % (sign, self.guard)
        text = lambda regs: ",".join("%s%d" % r for r in sorted(regs))
        return "%04x %-5s%-10s %-12s <- %-20s stall %d%s%s" % (
            self.address, guard, self.name, text(self.writes | self.predicate_writes),
            text(self.reads | self.predicate_reads), self.stall,
            " sets %d" % self.sets if self.sets < 6 else "",
            " waits %s" % [i for i in range(6) if self.wait >> i & 1] if self.wait else "")


def sections(data):
    offset = struct.unpack_from("<Q", data, 0x28)[0]
    size, count, names = struct.unpack_from("<HHH", data, 0x3A)
    headers = [struct.unpack_from("<IIQQQQ", data, offset + i * size) for i in range(count)]
    base = headers[names][4]
    for name, _, _, _, start, length in headers:
        end = data.index(b"\0", base + name)
        yield data[base + name:end].decode(), data[start:start + length]


def assemble(text, gpu):
    """Kernel name -> machine instructions; a dictionary without kernels where ptxas refuses the text."""
    with tempfile.TemporaryDirectory() as folder:
        source, binary = os.path.join(folder, "k.ptx"), os.path.join(folder, "k.cubin")
        with open(source, "w", encoding="ascii") as file:
            file.write(text)
        done = subprocess.run([PTXAS, "-O3", "-arch=sm_%d" % gpu, source, "-o", binary],
                              capture_output=True, text=True, check=False)
        if done.returncode:
            return {}, done.stderr
        with open(binary, "rb") as file:
            data = file.read()
    code = {}
    for name, body in sections(data):
        if name.startswith(".text."):
            words = [struct.unpack_from("<QQ", body, at) for at in range(0, len(body) - 15, 16)]
            code[name[6:]] = [Machine(low | high << 64, i * 16) for i, (low, high) in enumerate(words)]
    return code, ""


# -- what becomes of one PTX instruction -------------------------------------------------------------------

def likely_way(code, gpu):
    """The instructions from the first to an exit: calls are followed, and at a branch the way with fewer
    calls, then fewer instructions, is taken. With each instruction: whether control jumped behind it."""

    def follow(at, seen, returns):
        way = []
        while at < len(code) and (at, returns) not in seen:
            insn = code[at]
            seen = seen | {(at, returns)}
            at += 1
            is_always = insn.guard == NO_PREDICATE and insn.bits(87, 3) == NO_PREDICATE
            if insn.name == "EXIT" and is_always:
                return way + [(insn, True)]
            if insn.name == "RET" and returns:
                at, returns = returns[-1], returns[:-1]
            elif insn.name in CALLS:
                at, returns = insn.branch_target(gpu) // 16, returns + (at,)
            elif insn.name == "BRA" and is_always:
                at = insn.branch_target(gpu) // 16
            elif insn.name == "BRA":
                target = insn.branch_target(gpu) // 16
                ways = [[(insn, False)] + follow(at, seen, returns),
                        [(insn, True)] + follow(target, seen, returns)]
                return way + min(ways, key=lambda w: (sum(i.name in CALLS for i, _ in w), len(w)))
            way.append((insn, insn.name in CALLS + ("RET", "BRA", "BSYNC")))
        return way

    return follow(0, frozenset(), ())


# Cycles until a dependent instruction can issue, near enough to tell which chain is the longest; w is an
# instruction that only waits for its turn.
CYCLES = {"i": 4.5, "m": 4.5, "x": 4.5, "f": 4, "d": 8, "h": 5, "s": 18, "l": 24, "c": 12, "u": 6, "t": 18,
          "p": 13,
          "w": 1, "?": 4}


def chain_cycles(chain):
    return sum(CYCLES[letter] for letter in chain)


def as_guard(chain):
    """The chain to a predicate that is needed as a guard, which takes longer than as an operand."""
    return chain[:-1] + "p" if chain.endswith("i") else chain


def lowered(code, gpu, setups, only=None):
    """(pipe letters of all instructions the loaded values flow into, letters of the longest chain to the
    store). With `only`, of the value loaded from that offset alone."""
    reached = {}  # register or predicate -> letters of the longest chain that ends with writing it
    constant = {}  # register -> addresses of the instructions that make a constant in it
    slots, result, turn = "", "", ""
    needed = set()  # addresses of those whose constant an instruction takes
    pipes = {insn.address: insn.pipe for insn in code}
    for insn, jumps in likely_way(code, gpu):
        if insn.name == "LDG":
            if only is None or insn.bits(40, 24) == only:
                reached.update({key: "" for key in insn.writes})
            continue
        chains = [reached[key] for key in insn.reads | insn.predicate_reads if key in reached]
        chains += [as_guard(reached[key]) for key in insn.guards if key in reached]
        if insn.name in ("STG", "EXIT"):
            result = max(chains + [result], key=chain_cycles)
            continue
        if not chains and not (insn.pipe == "c" and reached and insn.name != "NOP"):
            makes = insn.name not in ("S2R", "LDC", "CS2R") and insn.reads <= constant.keys()
            makers = {insn.address}.union(*(constant.get(key, ()) for key in insn.reads))
            for key in insn.writes | insn.predicate_writes if not insn.guards else ():
                reached.pop(key, None)
                constant.pop(key, None)
                if makes and key[0] == "R" and key != STACK_POINTER and not insn.predicate_reads:
                    constant[key] = makers
            continue
        for key in insn.reads & constant.keys():
            needed |= constant[key]
        for key in insn.writes if not insn.guards else ():
            constant.pop(key, None)
        slots += insn.pipe
        before = max(chains + [turn], key=chain_cycles)  # ... until it issues
        turn = before + ("c" if jumps else "w")
        made = {key: before + insn.pipe for key in insn.writes | insn.predicate_writes}
        for key, chain in made.items():
            kept = reached.get(key, "") if insn.guards else ""  # lanes that the guard leaves out
            reached[key] = max(chain, kept, key=chain_cycles)
    if "c" in turn:  # what follows cannot issue before the last jump
        result = max(result, turn[:turn.rindex("c") + 1], key=chain_cycles)
    if only is None:  # else they are made once, before
        slots += "".join(pipes[address] for address in sorted(needed))
    for setup in setups:
        slots = slots.replace("i", "", 1)
        result = result.replace(setup, "", 1)
    if gpu < 90:  # where a wide product is like any other
        slots, result = slots.replace("x", "m"), result.replace("x", "m")
    return slots, result


def counted(letters):
    order = "imxfdhslcut?pw"
    return " ".join("%s%d" % (letter, letters.count(letter)) for letter in order if letter in letters)


# -- kernels from the instruction table --------------------------------------------------------------------

def rows():
    """(id, unit, operand letters, element types, pattern) of every row."""
    shapes = {"LANE1": ("D,A", "Ds"), "LANE2": ("D,A,B", "Dss"), "LANE3": ("D,A,B,C", "Dsss"),
              "LANE4": ("D,A,B,C,E", "Dssss")}
    text = ""
    for macro, (types, letters) in shapes.items():
        text += "#define %s(id, pattern, unit, %s, x) @ROW id | unit | \"%s\" | %s | pattern\n" % (
            macro, types, letters, types.replace(",", " "))
    text += """
#define LANE_COMPARE(id, pattern, unit, A) @ROW id | unit | "Pss" | p A A | pattern
#define LANE_SET(id, pattern, unit, A, one) @ROW id | unit | "Dss" | u32 A A | pattern
#define LANE_HAND(id, pattern, unit, T, letters, count) @ROW id | unit | letters | T T T T T T | pattern
#define LANE_CUSTOM(id, pattern, unit, letters, count) @ROW id | unit | letters | p p p p | pattern
#define OTHER(id, pattern, unit, act, letters) @ROW id | unit act | letters | u32 u32 u32 u32 u32 | pattern
"""
    text += "".join('#include "isa/%s.def"\n' % name for name in SOURCES.split())
    done = subprocess.run(["gcc", "-E", "-P", "-I" + os.path.join(ROOT, "src"), "-"], input=text, text=True,
                          capture_output=True, check=True)
    for row in done.stdout.replace("\n", " ").split("@ROW")[1:]:
        name, unit, letters, types, pattern = row.split("|", 4)
        yield (name.strip(), unit.split(), letters.strip().strip('"'), types.split(),
               "".join(re.findall(r'"([^"]*)"', pattern)))


def opcode_of(pattern, flush):
    """The pattern with its first alternatives and without optional suffixes, but for .ftz where asked."""
    text = re.sub(r"\{([^}]*)\}", lambda m: ".ftz" if flush and m.group(1) == ".ftz" else "", pattern)
    return re.sub(r"\(([^()|]*)(\|[^()]*)?\)", r"\1", text)


REGISTER_BITS = {"u8": 16, "s8": 16, "u16": 16, "s16": 16, "h16": 16, "f16": 16, "bf16": 16, "u64": 64,
                 "s64": 64, "f64": 64}
ACTIONS = ("SHUFFLE", "VOTE", "MATCH", "REDUX")


def register_bits(pattern, name, kind):
    if kind in ("u32", "s32", "f32") and "_b64" in name and "match" in name:
        return 64
    return REGISTER_BITS.get(kind, 32)


def kernel(row, number, flush, immediate):
    """(text, setups) of a kernel for the row; None where the variant does not exist."""
    name, unit, letters, types, pattern = row
    if flush and "{.ftz}" not in pattern:
        return None
    letters = re.sub(r"[*]", "", letters)
    letters = letters.replace("s?", "s") if len(unit) > 1 else re.sub(r".\?", "", letters)
    opcode = opcode_of(pattern, flush)
    if len(unit) > 1:
        opcode = opcode_of(pattern.replace("{.sync}", ".sync"), flush)
    loads, operands, setups, result = [], [], [], ""
    sources = [k for k, letter in enumerate(letters) if letter in "svn"]
    takes_immediate = len(sources) > 1 and unit == ["INT"] and types[sources[-1]][0] in "us"
    if immediate and not takes_immediate:
        return None
    for k, letter in enumerate(letters):
        bits = register_bits(pattern, name, types[k])
        at = "[in+%d]" % (16 * k)
        if letter in "DV":
            operands.append("%%d%d" % bits)
            result = "st.global.b%d [out], %%d%d;" % (bits, bits)
        elif letter == "P":
            operands.append("%pd")
            result = "@%pd st.global.b32 [out], 1;"
        elif letter == "p":
            loads.append("ld.volatile.global.b32 %%s32_%d, %s;" % (k, at))
            loads.append("setp.ne.b32 %%p%d, %%s32_%d, 0;" % (k, k))
            operands.append("%%p%d" % k)
            setups.append("i")
        elif immediate and k == sources[-1]:
            operands.append("3")
        elif len(unit) > 1 and k == len(letters) - 1:
            operands.append("0xffffffff")
        elif unit[1:] == ["SHUFFLE"] and k >= 2:
            operands.append({2: "1", 3: "31"}[k])
        else:
            loads.append("ld.volatile.global.b%d %%s%d_%d, %s;" % (bits, bits, k, at))
            operands.append("%%s%d_%d" % (bits, k))
    if name == "lop3_b32":
        operands[4] = "0x1e"
    if "lop3_pred" in name:
        operands[0], operands[4] = "%d32|%pd", "0x1e"
        result += "@%pd st.global.b32 [out+16], 1;"
    before = after = ""
    if re.search(r"(addc|subc|madc)", opcode):
        before = ("ld.volatile.global.b32 %x0, [in+128]; ld.volatile.global.b32 %x1, [in+144];"
                  "add.cc.u32 %x2, %x0, %x1;")
        setups.append("i")
    if ".cc" in opcode:
        after = "addc.u32 %x3, 0, 0; st.global.b32 [out+16], %x3;"
        setups.append("i")
    body = "%s %s %s %s; %s %s" % (" ".join(loads), before, opcode, ", ".join(operands), after, result)
    text = (".visible .entry k%d(.param .u64 pin, .param .u64 pout) {\n"
            ".reg .b16 %%d16, %%s16_<6>; .reg .b32 %%d32, %%s32_<6>, %%t, %%x<4>; .reg .pred %%pd, %%p<6>;\n"
            ".reg .b64 %%d64, %%s64_<6>, in, out;\n"
            "ld.param.u64 in, [pin]; ld.param.u64 out, [pout]; mov.u32 %%t, %%tid.x;\n"
            "mad.wide.u32 in, %%t, 256, in; mad.wide.u32 out, %%t, 256, out;\n%s ret; }\n") % (number, body)
    return text, setups


def header(gpu):
    return ".version 8.0\n.target sm_%d\n.address_size 64\n" % gpu


def repeated(row, gpu, setups):
    """What one more division by the same divisor adds to a chain of them, each behind a logic instruction."""
    text, _ = kernel(row, 0, False, False)
    division = re.search(r"(\S+ %d32, )%s32_1, (%s32_2;)", text)
    counts = []
    for more in (0, STEPS):
        step = " or.b32 %%d32, %%d32, 0x40000000; %s%%d32, %s" % division.groups()
        chained = text.replace(division.group(0), division.group(0) + step * more)
        code, _ = assemble(header(gpu) + chained, gpu)
        counts.append(lowered(code["k0"], gpu, setups, 16))
    return tuple(one_step(*letters) for letters in zip(*counts))


STEPS = 4


def one_step(first, last):
    """Letters of a step, without those of its logic instruction."""
    added = {letter: (last.count(letter) - first.count(letter)) / STEPS for letter in set(last) - {"w"}}
    added["i"] -= 1
    return "".join(letter * int(count + 0.5) for letter, count in added.items())


def lower_row(row, variant, show=False):
    """[slots, chain] per GPU, or None for a GPU that does not have the instruction."""
    flush, immediate, is_repeated = variant
    if is_repeated and row[0] not in REPEATED_ROWS:
        return None
    made = kernel(row, 0, flush, immediate)
    if not made:
        return None
    text, setups = made
    results = []
    for gpu in GPUS:
        code, why = assemble(header(gpu) + text, gpu)
        if show:
            print("--", row[0], variant, "sm_%d" % gpu, why.strip())
            print("\n".join(str(i) for i in code.get("k0", []) if i.name != "NOP"))
        if is_repeated and gpu >= 90:
            results.append(repeated(row, gpu, setups))
        else:
            only = 16 if is_repeated else None
            results.append(lowered(code["k0"], gpu, setups, only) if "k0" in code else None)
        if show and results[-1]:
            print(results[-1])
    return results


# Divisions whose reciprocal of the divisor can be kept: what follows from the dividend is done each time.
REPEATED_ROWS = ("div_u32", "div_s32", "rem_u32", "rem_s32")
VARIANTS = [v for v in itertools.product((False, True), repeat=3) if sum(v) < 2 or v == (True, True, False)]
DEFAULT_PIPES = {"INT": "i", "FP32": "f", "FP64": "d", "HALF": "h", "SFU": "s", "LDST": "l"}


def entry(row, variant, results):
    """A line of the table, or an empty string for what the reader assumes without one."""
    known = [r for r in results if r]
    if not known:
        return ""
    pairs = [r or known[0] for r in results]
    letter = DEFAULT_PIPES[row[1][0]]
    usual = (letter, "p" if row[2][0] == "P" and letter == "i" else letter)
    if all(pair == usual for pair in pairs):
        return ""
    flags = "|".join(n for n, on in zip(("FLUSH", "IMMEDIATE", "REPEATED"), variant) if on) or "PLAIN"
    columns = ", ".join('"%s", "%s"' % (counted(slots), counted(chain)) for slots, chain in pairs)
    return "NATIVE(%s, %s, %s)" % (row[0], flags, columns)


def wanted(row):
    return len(row[1]) == 1 or row[1][1] in ACTIONS


HEAD = """/* What the assembler (ptxas, CUDA 13.0) makes of PTX instructions; scripts/native_table.py wrote it
 * and says how. Rows that become one machine instruction of their unit are left out.
 *
 *   NATIVE(row, variant, slots on sm_75, its longest chain, slots on sm_90, its longest chain)
 *
 * Letters are pipes: i integer and logic, m integer multiply, x a wide product of it, f fp32, d fp64, h half,
 * s special functions and conversions, l load/store, c control, u uniform, t tensor; in chains also p, a
 * comparison whose predicate guards the next instruction, and w, a cycle of waiting for a turn to issue.
 * FLUSH: with .ftz; IMMEDIATE: the last source is one; REPEATED: by a divisor whose reciprocal is known. */"""


def print_table():
    print(HEAD)
    for row in rows():
        if not wanted(row):
            continue
        for variant in VARIANTS:
            results = lower_row(row, variant)
            line = entry(row, variant, results) if results else ""
            if line:
                print(line)


# -- experiments with control flow -------------------------------------------------------------------------

PROBE = """.visible .entry k0(.param .u64 p, .param .u32 q, .param .u32 unknown) {
.reg .b64 %%rd<9>; .reg .f32 %%f<9>; .reg .b32 %%r<9>; .reg .pred %%p<4>; .shared .b8 s[4096];
ld.param.u64 %%rd0, [p]; mov.u32 %%r0, %%tid.x; mul.wide.u32 %%rd1, %%r0, 64; add.s64 %%rd1, %%rd0, %%rd1;
ld.param.u32 %%r2, [q]; ld.param.u32 %%r6, [unknown]; shl.b32 %%r1, %%r0, 2; mov.u32 %%r3, s;
add.s32 %%r1, %%r1, %%r3; mov.u64 %%rd2, %%rd1; ld.global.f32 %%f1, [%%rd1]; ld.global.f32 %%f2, [%%rd1+4];
%s
st.global.f32 [%%rd2], %%f1; ret; }
"""
BODIES = {
    "arithmetic": ("fma.rn.f32 %f1, %f1, %f1, %f2;", "FFMA"),
    "shared load": ("ld.shared.f32 %f3, [%r1]; add.s32 %r1, %r1, 4; add.f32 %f1, %f1, %f3;", "LDS"),
    "global load": ("ld.global.f32 %f3, [%rd1]; add.s64 %rd1, %rd1, 4; add.f32 %f1, %f1, %f3;", "LDG"),
    "global store": ("st.global.f32 [%rd1], %f1; add.s64 %rd1, %rd1, 4;", "STG"),
    "atomic": ("red.global.add.u32 [%rd1], 1;", "RED"),
}
LOOPS = {
    "unknown length": "mov.u32 %r5, %r2; L: {} add.s32 %r5, %r5, -1; setp.ne.s32 %p1, %r5, 0; @%p1 bra L;",
    "length 1000": "mov.u32 %r5, 0; L: {} add.s32 %r5, %r5, 1; setp.lt.s32 %p1, %r5, 1000; @%p1 bra L;",
    "unknown step": "mov.u32 %r5, 0; L: {} add.s32 %r5, %r5, %r6; setp.lt.s32 %p1, %r5, %r2; @%p1 bra L;",
}


def largest_loop(code, gpu, name):
    """How many instructions of this name the largest loop has; 0: there is none."""
    jumps = [(i.branch_target(gpu), i.address) for i in code if i.name == "BRA"]
    return max((sum(start <= i.address <= end and i.name == name for i in code)
                for start, end in jumps if start < end), default=0)


def print_probes():
    """Up to which size a skipped block becomes guards, and how many copies of a loop's body are made."""
    for gpu in GPUS:
        for kind, (body, name) in BODIES.items():
            guarded = []
            for count in range(1, 13):
                text = "setp.ge.u32 %%p1, %%r0, %%r2; bar.sync 0; @%%p1 bra L; %s L: bar.sync 0;"
                code, _ = assemble(header(gpu) + PROBE % (text % (body * count)).replace("%%", "%"), gpu)
                if not any(i.name == "BSSY" for i in code["k0"]):
                    guarded.append(count)
            print("sm_%d, block of %s: guards for %s" % (gpu, kind, guarded))
            for length, loop in LOOPS.items():
                copies = []
                for count in (1, 2, 4, 8, 12, 16, 24, 32, 64):
                    code, _ = assemble(header(gpu) + PROBE % loop.format(body * count), gpu)
                    copies.append("%d: %g" % (count, largest_loop(code["k0"], gpu, name) / count))
                print("sm_%d, loop of %s, %s: copies %s" % (gpu, kind, length, ", ".join(copies)))


CONVERGENT = {
    "barrier": ("bar.sync 0;", "BAR"),
    "shuffle": ("shfl.sync.bfly.b32 %r4, %r0, 1, 31, -1; st.global.u32 [%rd1], %r4;", "SHFL"),
    "atomic": ("atom.global.add.u32 %r4, [%rd1], 3; st.global.u32 [%rd1+4], %r4;", "ATOMG"),
    "warp barrier": ("bar.warp.sync -1; st.global.u32 [%rd1], %r5;", "STG"),
    "fence": ("membar.gl; st.global.u32 [%rd1], %r5;", "MEMBAR"),
    "store": ("st.global.u32 [%rd1], %r5;", "STG"),
}
HEADS = {
    "0 to a parameter": "mov.u32 %r5, 0;",
    "0 to a parameter and one": "mov.u32 %r5, 0; add.u32 %r2, %r2, 1;",
    "0 to %ntid": "mov.u32 %r5, 0; mov.u32 %r2, %ntid.x;",
    "0 to a word of memory": "mov.u32 %r5, 0; ld.global.u32 %r2, [%rd0];",
    "%ctaid to a parameter": "mov.u32 %r5, %ctaid.x;",
    "%tid to a parameter": "mov.u32 %r5, %tid.x;",
    "0 to 8": "mov.u32 %r5, 0; mov.u32 %r2, 8;",
}


AROUND = {
    "nothing": ("bar.sync 0;", "bar.sync 0;"),
    "a load before": ("ld.global.f32 %f4, [%rd1+64];", "st.global.f32 [%rd1+68], %f4;"),
    "a load and a barrier before": ("ld.global.f32 %f4, [%rd1+64]; bar.sync 0;", "st.global.f32 [%rd1+68], %f4;"),
    "a load that it needs and a barrier before": ("ld.global.f32 %f1, [%rd1+64]; bar.sync 0;", ""),
    "a load in another block before": ("@%p2 st.global.f32 [%rd1+60], %f2; bar.sync 0; @%p2 bra M; bar.sync 0; M:", ""),
    "a load behind": ("bar.sync 0;", "ld.global.f32 %f4, [%rd1+64]; st.global.f32 [%rd1+68], %f4;"),
    "a shared load behind": ("bar.sync 0;", "ld.shared.f32 %f4, [%r1]; st.global.f32 [%rd1+68], %f4;"),
}


def print_guarded_loads():
    """How many loads and sums under a branch become guards, by the loads around it; the first two of the frame
    are left out here."""
    frame = PROBE.replace("ld.global.f32 %%f1, [%%rd1]; ld.global.f32 %%f2, [%%rd1+4];",
                          "mov.f32 %%f1, 0f3F800000; setp.gt.u32 %%p2, %%r2, 7;")
    body = "ld.global.f32 %f3, [%rd1]; add.s64 %rd1, %rd1, 4; add.f32 %f1, %f1, %f3;"
    for what, (before, behind) in AROUND.items():
        guarded = []
        for count in range(1, 13):
            text = "setp.ge.u32 %p1, %r0, %r2; " + before + " @%p1 bra L; " + body * count + " L: " + behind
            code, _ = assemble(header(90) + frame % text.replace("%%", "%"), 90)
            if not any(i.name == "BSSY" for i in code["k0"]):
                guarded.append(count)
        print("loads with %s: guards for %s" % (what, guarded))


def print_convergence():
    """Copies of a loop's body in all, by what it holds and where it begins and ends."""
    for kind, (body, name) in CONVERGENT.items():
        counts = []
        for head, text in HEADS.items():
            loop = text + " L: %s add.s32 %%r5, %%r5, 1; setp.lt.s32 %%p1, %%r5, %%r2; @%%p1 bra L;" % body
            code, _ = assemble(header(90) + PROBE % loop.replace("%%", "%"), 90)
            counts.append("%s: %d" % (head, sum(i.name == name for i in code["k0"])))
        print("loop with a %s: %s" % (kind, ", ".join(counts)))


FIRST_PARAMETER = 0x210  # in the constant bank of sm_90


def parameter_types(text):
    """Of each kernel: the type of the parameter at each place of the constant bank."""
    found = {}
    for name, listed in re.findall(r"\.entry\s+(\w+)\s*\(([^)]*)\)", text):
        places, at = {}, FIRST_PARAMETER
        for kind, bits in re.findall(r"\.param\s+\.(\w)(\d+)", listed):
            size = int(bits) // 8
            at = (at + size - 1) // size * size
            places.update({place: kind + bits for place in range(at, at + size)})
            at += size
        found[name] = places
    return found


def print_parameters(paths):
    """Loads of the constant bank by type: into registers (LDC) and by the uniform datapath (ULDC)."""
    counts = {}
    for path in paths:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        places = parameter_types(text)
        for name, insns in assemble(text, 90)[0].items():
            for i in insns:
                if i.name in ("LDC", "ULDC") and i.bits(54, 5) == 0 and i.bits(24) == NO_REGISTER * (i.name == "LDC"):
                    what = places.get(name, {}).get(i.bits(38, 16), "c[0][0x%x]" % i.bits(38, 16))
                    counts[what, i.name] = counts.get((what, i.name), 0) + 1
    for what, name in sorted(counts):
        print("%-12s %-4s %d" % (what, name, counts[what, name]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--show", metavar="ROW")
    parser.add_argument("--file", metavar="PTX")
    parser.add_argument("--probe", action="store_true")
    parser.add_argument("--converge", action="store_true")
    parser.add_argument("--parameters", metavar="FILE", nargs="+")
    parser.add_argument("kernel", nargs="?")
    options = parser.parse_args()
    if options.file:
        with open(options.file, encoding="ascii") as file:
            code, why = assemble(file.read(), 90)
        print(why, end="")
        for name, insns in code.items():
            if options.kernel in (None, name):
                print(name)
                print("\n".join(str(i) for i in insns if i.name != "NOP"))
    elif options.probe:
        print_probes()
    elif options.converge:
        print_convergence()
        print_guarded_loads()
    elif options.parameters:
        print_parameters(options.parameters)
    elif options.show:
        for row in rows():
            if row[0] == options.show:
                for variant in VARIANTS:
                    lower_row(row, variant, show=True)
    else:
        print_table()


if __name__ == "__main__":
    sys.exit(main())
