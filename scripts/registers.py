#!/usr/bin/env python3
"""How near our register counts are to those of ptxas: prints the distribution over all PTX at hand.

    python3 scripts/registers.py --warpbeam build/release/bin/warpbeam [--gpu h200] [--built sm_80] [--list] [FILE...]

--built: as programs have them that were built for that architecture, and so hold machine code for it beside
their PTX: a fat binary of both is loaded by our libcuda. Without it there is PTX alone. FILE: PTX files, or CUDA
sources, of which nvcc makes PTX; without any, those of workloads/ and tests/. Every kernel counts once, however
many files hold it. Kernels are told apart in two halves by a hash of their names: rules are made by looking at
the first one only, so that the second says what they are worth elsewhere.
"""
import argparse
import collections
import ctypes
import glob
import hashlib
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CUDA = os.environ.get("CUDA_HOME", "/usr/local/cuda")
MOST = 64   # kernels with as many registers or more are not looked at
NEAR = 1
FUNCTION_REGISTERS = 4  # CU_FUNC_ATTRIBUTE_NUM_REGS


def default_files():
    found = []
    for pattern in ("workloads/*/*.ptx", "tests/end-to-end/kernels/*.ptx", "tests/cuda/*.cu"):
        found += sorted(glob.glob(os.path.join(ROOT, pattern)))
    return found


def ptx_of(path, arch, cache):
    """The file itself, or what nvcc makes of it; null where it refuses."""
    if path.endswith(".ptx"):
        return path
    made = os.path.join(cache, os.path.basename(path)[:-3] + "." + arch + ".ptx")
    if os.path.exists(made):
        return made if os.path.getsize(made) else None
    for extra in ([], ["-rdc=true"]):
        command = [CUDA + "/bin/nvcc", "-std=c++17", "-arch=" + arch, "-ptx", "-I" + os.path.dirname(path),
                   "-I" + ROOT + "/include", path, "-o", made] + extra
        if not subprocess.run(command, capture_output=True, check=False).returncode:
            return made
    open(made, "w", encoding="ascii").close()
    return None


def ptxas_counts(path, arch):
    """Kernel -> (registers, whether it spills)."""
    for extra in ([], ["-c"]):
        done = subprocess.run([CUDA + "/bin/ptxas", "-v", "-arch=" + arch, path, "-o", "/dev/null"] + extra,
                              capture_output=True, text=True, check=False)
        if not done.returncode:
            break
    found, name, spills = {}, None, False
    for line in done.stderr.splitlines():
        match = re.search(r"Compiling entry function '([^']+)'", line)
        if match:
            name = match.group(1)
        match = re.search(r"(\d+) bytes spill stores", line)
        if match:
            spills = int(match.group(1)) > 0
        match = re.search(r"Used (\d+) registers", line)
        if match and name:
            found[name] = (int(match.group(1)), spills)
            name = None
    return found


def our_counts(path, warpbeam, gpu):
    with open(path, encoding="utf-8", errors="replace") as file:
        names = re.findall(r"^\s*(?:\.(?:visible|weak|extern)\s+)*\.entry\s+([\w$]+)", file.read(), re.M)
    done = subprocess.run([warpbeam, "ptx", "--gpu", gpu, path], capture_output=True, text=True, check=False)
    rows = [line for line in done.stdout.splitlines()[1:] if re.match(r"\s*\d+\s+\S+\s+\d+|cannot run", line)]
    if len(rows) > len(names):
        rows = rows[:len(names)]
    return {name: int(row.split()[0]) for name, row in zip(names, rows) if not row.startswith("cannot")}


def built_counts(path, names, arch, options):
    """What cuFuncGetAttribute says of kernels of a fat binary with machine code for the architecture."""
    stem = os.path.join(options.cache, "built")
    with open(path, encoding="utf-8", errors="replace") as file:
        target = re.search(r"^\s*\.target\s+sm_(\d+)", file.read(), re.M).group(1)
    for extra in ([], ["-c"]):
        done = subprocess.run([CUDA + "/bin/ptxas", "-arch=" + arch, path, "-o", stem + ".cubin"] + extra,
                              capture_output=True, check=False)
        if not done.returncode:
            break
    images = [] if done.returncode else ["--image3=kind=elf,sm=%s,file=%s.cubin" % (arch[3:], stem)]
    subprocess.run([CUDA + "/bin/fatbinary", "--create=" + stem + ".fatbin", "-64"] + images +
                   ["--image3=kind=ptx,sm=%s,file=%s" % (target, path)], check=True)
    library, module, function, value = options.library, ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_int()
    if library.cuModuleLoad(ctypes.byref(module), (stem + ".fatbin").encode()):
        return {}
    found = {}
    for name in names:
        if not library.cuModuleGetFunction(ctypes.byref(function), module, name.encode()) and \
           not library.cuFuncGetAttribute(ctypes.byref(value), FUNCTION_REGISTERS, function):
            found[name] = value.value
    library.cuModuleUnload(module)
    return found


def open_library(options):
    """Our libcuda beside the program, with its first context."""
    os.environ.update(WARPBEAM_GPU=options.gpu, WARPBEAM_FUNCTIONAL="1", WARPBEAM_SET="newer_ptx=take;" + options.set)
    folder = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(options.warpbeam))), "lib")
    library, context = ctypes.CDLL(os.path.join(folder, "libcuda.so.1")), ctypes.c_void_p()
    if library.cuInit(0) or library.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) or \
       library.cuCtxSetCurrent(context):
        sys.exit("libcuda.so.1 of %s cannot be used." % folder)
    return library


def is_held_out(name):
    return hashlib.sha256(name.encode()).digest()[0] % 2 == 1


def report(title, rows):
    if not rows:
        return
    off = [ours - theirs for _, _, theirs, ours in rows]
    near = sum(abs(d) <= NEAR for d in off)
    print("%-10s %4d kernels: %5.1f%% within %d, %5.1f%% equal, mean deviation %.2f" % (
        title, len(rows), 100 * near / len(rows), NEAR, 100 * off.count(0) / len(rows),
        sum(map(abs, off)) / len(rows)))
    counts = collections.Counter(max(-10, min(10, d)) for d in off)
    print("           " + "  ".join("%+d:%d" % (d, counts[d]) for d in sorted(counts)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*")
    parser.add_argument("--warpbeam", default=os.path.join(ROOT, "build/release/bin/warpbeam"))
    parser.add_argument("--gpu", default="h200")
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--cache", default=os.path.join(tempfile.gettempdir(), "warpbeam-registers"))
    parser.add_argument("--list", action="store_true", help="every kernel of the first half")
    parser.add_argument("--set", default="", help="a knob, with --built: register_counts=assembler")
    parser.add_argument("--built", help="architecture of the machine code that the programs hold")
    options = parser.parse_args()
    options.library = open_library(options) if options.built else None
    os.makedirs(options.cache, exist_ok=True)
    rows, seen = [], set()
    for path in options.files or default_files():
        ptx = ptx_of(path, options.built or options.arch, options.cache)
        if not ptx:
            print("nvcc refuses " + path, file=sys.stderr)
            continue
        theirs = ptxas_counts(ptx, options.arch)
        ours = built_counts(ptx, theirs, options.built, options) if options.built else \
            our_counts(ptx, options.warpbeam, options.gpu)
        with open(ptx, encoding="utf-8", errors="replace") as file:
            text = file.read()
        for name in theirs.keys() & ours.keys():
            at = text.find(name + "(")
            key = (name, hashlib.sha256(re.sub(r"//.*", "", text[at:text.find("\n}", at)]).encode()).digest())
            registers, spills = theirs[name]
            if key in seen or registers >= MOST or spills:
                continue
            seen.add(key)
            rows.append((os.path.basename(path), name, registers, ours[name]))
    rows.sort()
    if options.list:
        for row in rows:
            if not is_held_out(row[1]):
                print("%+4d  ptxas %3d ours %3d  %s %s" % (row[3] - row[2], row[2], row[3], row[0], row[1]))
    report("looked at", [row for row in rows if not is_held_out(row[1])])
    report("held out", [row for row in rows if is_held_out(row[1])])
    report("all", rows)


if __name__ == "__main__":
    main()
