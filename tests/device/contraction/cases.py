#!/usr/bin/env python3
"""Writes cases.txt: random kernels of products, sums and what stands between them, for contraction.cu.

    python3 cases.py > cases.txt

A line is a kernel: its name, the number of its registers %v, and what it does between its loads and stores; cases.h
has the rest of it.

A kernel reads eight values a thread and writes up to eight. The last letters of its name are its type. Names
that begin with "flat" have no branches and write no register twice; those that begin with "wild" have guards,
branches, instructions that become branches, registers written again, constants and roundings. Loops are left out:
the assembler unrolls them, and what it then makes of one round's product and the next one's sum has no place in PTX.
What no output needs is not written, nor are branches around nothing: the assembler drops it before it looks for
products. f64 gets no NaNs as input (cases.h).
"""
import random
import re

SEED = 20
COUNTS = {"f32": (40, 80), "ftz": (10, 25), "f64": (15, 30), "f16": (8, 15), "f16x2": (8, 12),
          "bf16": (5, 8), "bf16x2": (5, 8)}
BITS = {"f32": 32, "ftz": 32, "f64": 64, "f16": 16, "f16x2": 32, "bf16": 16, "bf16x2": 32}
INPUTS, OUTPUTS, THREADS, SLOT = 8, 8, 32, 8
CONSTANTS = {"f32": ["0f3F800000", "0fBF800000", "0f40000000", "0f40490FDB", "0f3DCCCCCD", "0f00000000", "0f80000000"],
             "f64": ["0d3FF0000000000000", "0dBFF0000000000000", "0d400921FB54442D18", "0d3FB999999999999A"]}


def needed(lines):
    """Without instructions whose %v nobody reads, and without empty branches; branches only lead forward."""
    read, kept, at_label = set(), [], set()
    for line in reversed(lines):
        values = re.findall(r"%v\d+", line)
        if line.endswith(":"):
            at_label = set(read)
        elif " bra " in line:
            if kept[-1].endswith(":"):
                kept.pop()
                continue
            read |= at_label
        elif values and not line.startswith("st."):
            if values[0] not in read:
                continue
            if line[0] != "@":
                read.discard(values[0])
            read.update(values[1:])
        else:
            read.update(values)
        kept.append(line)
    return kept[::-1]


class Kernel:
    """One kernel as it is being written; `values` are the registers that can be read."""

    def __init__(self, rng, kind, is_wild):
        self.rng, self.kind, self.is_wild = rng, kind, is_wild
        self.type = "f32" if kind == "ftz" else kind
        self.values, self.lines, self.made, self.labels = list(range(INPUTS)), [], INPUTS, 0

    def pick(self):
        recent = self.values[INPUTS:]
        return self.rng.choice(recent) if recent and self.rng.random() < 0.6 else self.rng.choice(self.values)

    def target(self):
        """The register that is written: mostly a new one."""
        written = self.values[INPUTS:]
        if self.is_wild and written and self.rng.random() < 0.12:
            return self.rng.choice(written)
        self.made += 1
        return self.made - 1

    def source(self):
        constants = CONSTANTS.get(self.type)
        if self.is_wild and constants and self.rng.random() < 0.06:
            return self.rng.choice(constants)
        return "%%v%d" % self.pick()

    def suffix(self, name):
        flush = ".ftz" if self.kind == "ftz" and self.rng.random() < 0.9 else ""
        if name in ("neg", "abs"):
            return flush
        text = ".rn" if self.is_wild and self.rng.random() < 0.04 else ""
        can_saturate = self.type in ("f32", "f16", "f16x2")
        return text + flush + (".sat" if self.is_wild and can_saturate and self.rng.random() < 0.04 else "")

    def write(self, text, to):
        self.lines.append(text)
        if to not in self.values:
            self.values.append(to)

    def arithmetic(self, guard=""):
        name = self.rng.choice("mul mul mul mul mul add add add add sub sub sub neg mov fma abs".split())
        operands = {"neg": 1, "mov": 1, "abs": 1, "fma": 3}.get(name, 2)
        sources = ["%%v%d" % self.pick() if k == 0 or operands != 2 else self.source() for k in range(operands)]
        if operands == 2 and self.rng.random() < 0.5:
            sources.reverse()
        if sources[0][0] != "%" or (operands == 2 and sources[0] == sources[1] and not self.is_wild):
            sources[0] = "%%v%d" % self.rng.choice([v for v in self.values if "%%v%d" % v != sources[-1]])
        opcode = {"mov": "mov.b%d" % BITS[self.kind], "fma": "fma.rn%s.%s" % (
            ".ftz" if self.kind == "ftz" else "", self.type)}.get(name) or name + self.suffix(name) + "." + self.type
        to = self.rng.choice(self.values[INPUTS:]) if guard and self.values[INPUTS:] else self.target()
        if guard and to not in self.values:
            guard = ""
        self.write("%s%s %%v%d, %s;" % (guard, opcode, to, ", ".join(sources)), to)

    def split(self):
        """What the assembler makes branches of, or only looks like it."""
        self.lines.append(self.rng.choice([
            "membar.cta;", "bar.warp.sync -1;", "div.rn.f32 %q, %q, %s;", "sqrt.rn.f32 %q, %q;", "rcp.rn.f64 %w, %w;",
            "div.u32 %i, %i, %j;", "div.s32 %i, %i, %j;", "rem.u64 %l, %l, %m;", "@%p st.global.u32 [%spare], %i;",
            "st.global.u32 [%spare], %i;", "@%p add.u32 %i, %i, 1;", "div.full.f32 %q, %q, %s;", "sin.approx.f32 %q, %q;"]))

    def branch(self):
        """A few instructions that half of the threads skip; what is new in them is not read behind them."""
        before, self.labels = list(self.values), self.labels + 1
        label = "L%d" % self.labels
        self.lines.append("@%%p bra %s;" % label)
        for _ in range(self.rng.randrange(1, 5)):
            self.arithmetic()
        self.lines.append(label + ":")
        self.values = before

    def fill(self, size):
        for _ in range(size):
            chance = self.rng.random() if self.is_wild else 1
            if chance < 0.05:
                self.split()
            elif chance < 0.09:
                self.branch()
            elif chance < 0.15:
                self.arithmetic(self.rng.choice(["@%p ", "@!%p "]))
            else:
                self.arithmetic()

    def text(self, name):
        chosen = self.values[INPUTS:]
        self.rng.shuffle(chosen)
        stores = ["st.global.b%d [%%out+%d], %%v%d;" % (BITS[self.kind], k * THREADS * SLOT, value)
                  for k, value in enumerate(chosen[:OUTPUTS])]
        return "%s %d %s" % (name, self.made + 1, " ".join(needed(self.lines + stores)))


def main():
    rng = random.Random(SEED)
    for kind, counts in COUNTS.items():
        for is_wild, count in enumerate(counts):
            for number in range(count):
                kernel = Kernel(rng, kind, bool(is_wild))
                kernel.fill(rng.randrange(3, 26))
                name = "%s%d_%s" % (("flat", "wild")[is_wild], number, kind)
                print(kernel.text(name))


if __name__ == "__main__":
    main()
