#!/usr/bin/env python3
"""Times of libwarpbeam_rnn beside cuDNN's through PyTorch, on the GPU of this machine.

    rnn/build.sh build/rnn
    python3 bench/rnn/rnn.py                   LSTM, GRU, basic RNN, grouped and phased LSTM; T=256, batch 4
    python3 bench/rnn/rnn.py --all             layers 1 to 8, hidden 128 to 1,024, T 64 and 256, fp32 and fp16
    python3 bench/rnn/rnn.py --kinds lstm --layers 8 --hidden 256 --ways wait,data,persistent
    python3 bench/rnn/rnn.py --markdown FILE   tables, as rnn/RESULTS.md has them; --csv FILE: all numbers

A time is the median of 20 runs behind 5 that do not count, between two events of the GPU; TF32 is off. Every
way is timed as a call and, where it says graph, as a replay of a CUDA graph of one call. cuDNN is measured in
the same run, shape by shape. An error is the largest difference from the same network in double precision, by
torch's own operators and not by cuDNN."""
import argparse
import copy
import math
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "rnn", "python"))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

try:
    import torch
except ModuleNotFoundError:
    sys.exit(__doc__ + "\n\nrnn.py: This Python has no PyTorch; install torch, which is how cuDNN is measured.")

import report  # noqa: E402
import warpbeam_rnn  # noqa: E402
from double import run_double  # noqa: E402

WAYS = {
    "wait": {"method": "wait_signal"},
    "data": {"method": "wait_signal", "sync": "data"},
    "counter": {"method": "wait_signal", "sync": "counter"},
    "arrays": {"method": "wait_signal", "sync": "arrays"},
    "entry": {"method": "wait_signal", "sync": "entry"},
    "split": {"method": "wait_signal", "split": True},
    "persistent": {"method": "persistent"},
    "stream": {"method": "stream"},
    "stream-graph": {"method": "stream", "graph": True},
}
DEFAULT = [way for way in WAYS if way != "split"]
TYPES = {"fp32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16}
TABLE = ((8, 256), (4, 256), (1, 256), (8, 512), (8, 1024))
GROUPS = 4


def median(call, runs):
    for _ in range(5):
        call()
    torch.cuda.synchronize()
    times = []
    for _ in range(runs):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        call()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end))
    return sorted(times)[len(times) // 2]


def capture(call):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        call()
    return graph


def largest(values, exact):
    difference = (values.double() - exact).abs().max().item()
    return difference if math.isfinite(difference) else math.inf


def make(kind, layers, hidden, dtype):
    """A module of torch where it has the kind, else one of ours."""
    if kind == "grouped":
        module = warpbeam_rnn.GroupedLSTM(hidden, hidden, layers, groups=GROUPS)
    elif kind == "phased":  # without a leak gates do not jump, where a float's error would decide when
        module = warpbeam_rnn.PhasedLSTM(hidden, hidden, layers, open=0.3, periods=(2.0, 16.0), leak=0.0)
    elif kind == "relu":
        module = torch.nn.RNN(hidden, hidden, layers, nonlinearity="relu")
    else:
        kinds = {"lstm": torch.nn.LSTM, "gru": torch.nn.GRU, "rnn": torch.nn.RNN}
        module = kinds[kind](hidden, hidden, layers)
    return module.to("cuda", dtype).eval()


def ours_of(module, options):
    if not isinstance(module, (warpbeam_rnn.GroupedLSTM, warpbeam_rnn.PhasedLSTM)):
        return warpbeam_rnn.from_torch(module, options)
    made = copy.deepcopy(module)
    made.options = dict(options)
    return made


class Direct:
    """A network on buffers that are there already: what a C program would call. Timed so, the work of Python
    before a run does not count, of which torch's own modules, written in C++, have less."""

    def __init__(self, module, x):
        self.module, self.x = module, x
        self.y = torch.empty(*x.shape[:2], module.hidden_size, dtype=x.dtype, device=x.device)
        self.network = module.network(x.shape[1], module.tensors())

    def __call__(self):
        self.network.run(self.x.shape[0], self.x.data_ptr(), self.y.data_ptr(),
                         stream=torch.cuda.current_stream().cuda_stream)


def time_ours(name, module, x, exact, runs):
    """A dict of one way's numbers, or the sentence why there are none."""
    try:
        ours = ours_of(module, WAYS[name])
        direct = Direct(ours, x)
        direct()
        ours.wait()
        numbers = {"error": largest(direct.y, exact), "ms": median(direct, runs)}
        if name == "wait":
            numbers["module_ms"] = median(lambda: ours(x), runs)
            numbers["plan"] = ours.explain(x.shape[1])
        if name not in ("stream", "stream-graph"):  # that is captured inside of the library
            graph = capture(direct)
            numbers["graph_ms"] = median(graph.replay, runs)
            numbers["error"] = max(numbers["error"], largest(direct.y, exact))
            del graph
        ours.wait()
        ours.refresh()
        return numbers
    except (warpbeam_rnn.Error, RuntimeError) as error:
        return {"why": str(error).splitlines()[0] if str(error) else type(error).__name__}


def time_cudnn(module, x, exact, runs):
    if not isinstance(module, torch.nn.RNNBase):
        return {"why": "cuDNN does not have this kind"}
    numbers = {"error": largest(module(x)[0], exact), "ms": median(lambda: module(x), runs)}
    try:
        graph = capture(lambda: module(x))
        numbers["graph_ms"] = median(graph.replay, runs)
        del graph
    except RuntimeError as error:
        numbers["graph_why"] = str(error).splitlines()[0]
    return numbers


def measure(kind, type_name, layers, hidden, steps, batch, options):
    torch.manual_seed(20)
    module = make(kind, layers, hidden, TYPES[type_name])
    x = torch.randn(steps, batch, hidden, device="cuda").to(TYPES[type_name])
    exact = run_double(module, x)[0]
    row = {"kind": kind, "type": type_name, "layers": layers, "hidden": hidden, "steps": steps,
           "batch": batch, "cudnn": time_cudnn(module, x, exact, options.runs), "ours": {}}
    for name in options.ways:
        row["ours"][name] = time_ours(name, module, x, exact, options.runs)
    return row


def shapes(options):
    """(kind, type, layers, hidden, steps) of all that is measured."""
    for type_name in options.types:
        for kind in options.kinds:
            if options.layers or options.hidden or options.all:
                pairs = [(layers, hidden) for layers in options.layers or (1, 2, 4, 8)
                         for hidden in options.hidden or ((128, 256, 512, 1024) if options.all else (256,))]
            else:
                pairs = TABLE
            for layers, hidden in pairs:
                for steps in options.steps:
                    yield kind, type_name, layers, hidden, steps


def words(text):
    return [word for word in text.split(",") if word]


def numbers(text):
    return [int(word) for word in words(text)]


def parse():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--kinds", type=words, default=None, help="lstm,gru,rnn,relu,grouped,phased")
    parser.add_argument("--types", type=words, default=None, help="fp32,fp16,bf16")
    parser.add_argument("--layers", type=numbers, default=None)
    parser.add_argument("--hidden", type=numbers, default=None)
    parser.add_argument("--steps", type=numbers, default=None)
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--ways", type=words, default=None, help=",".join(WAYS))
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--markdown")
    parser.add_argument("--csv")
    parser.add_argument("--library")
    parser.add_argument("--kernels", help="folder of kernels; that of the library if it has cubins")
    options = parser.parse_args()
    options.kinds = options.kinds or (["lstm", "gru", "rnn"] + ([] if options.all else ["grouped", "phased"]))
    options.types = options.types or (["fp32", "fp16"] if options.all else ["fp32"])
    options.steps = options.steps or ([64, 256] if options.all else [256])
    options.ways = options.ways or (["wait", "persistent"] if options.all else DEFAULT)
    for name in options.ways:
        if name not in WAYS:
            parser.error(f"there is no way {name}; ways are {', '.join(WAYS)}")
    return options


def prepare(options):
    """The library and its machine code."""
    warpbeam_rnn.load(options.library)
    folder = options.kernels or os.path.dirname(warpbeam_rnn.load()._name)
    if os.path.exists(os.path.join(folder, "prepare.cubin")):
        os.environ["WARPBEAM_RNN_KERNELS"] = folder
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cuda.matmul.allow_tf32 = False


def main():
    options = parse()
    prepare(options)
    machine = (f"{torch.cuda.get_device_name(0)}, torch {torch.__version__}, cuDNN "
               f"{torch.backends.cudnn.version()}")
    print(machine, flush=True)
    rows = []
    with torch.no_grad():
        for kind, type_name, layers, hidden, steps in shapes(options):
            rows.append(measure(kind, type_name, layers, hidden, steps, options.batch, options))
            print(report.line(rows[-1]), flush=True)
            if options.markdown:  # after each shape: what was measured stays if the run is cut off
                with open(options.markdown, "w", encoding="utf-8") as file:
                    file.write(report.markdown(rows, machine, " ".join(["python3", *sys.argv])))
    print(report.summary(rows))
    if options.csv:
        with open(options.csv, "w", encoding="utf-8") as file:
            file.write(report.csv(rows))


if __name__ == "__main__":
    main()
