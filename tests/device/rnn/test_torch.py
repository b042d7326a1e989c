#!/usr/bin/env python3
"""The Python modules beside torch.nn's on a GPU: results within cuDNN's own error, and the same behaviour.
run.sh runs it; WARPBEAM_RNN_LIBRARY and WARPBEAM_RNN_KERNELS say where the library and its kernels are."""
import copy
import io
import math
import os
import random
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.path[:0] = [os.path.join(ROOT, "rnn", "python"), os.path.join(ROOT, "bench", "rnn")]

import torch  # noqa: E402
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence, pad_packed_sequence  # noqa: E402

import warpbeam_rnn  # noqa: E402
from double import run_double  # noqa: E402

SHAPES = int(os.environ.get("SHAPES", "150"))
TYPES = (torch.float32, torch.float16, torch.bfloat16)
# One rounding of a result: what errors may differ by for free.
ULP = {torch.float32: 2.0 ** -23, torch.float16: 2.0 ** -10, torch.bfloat16: 2.0 ** -7}
# Where cuDNN has no such kind; relative to 1.
BOUND = {torch.float32: 4e-6, torch.float16: 6e-3, torch.bfloat16: 5e-2}
passed = failed = 0


def check(holds, what):
    global passed, failed
    if holds:
        passed += 1
    else:
        failed += 1
        print("FAILED", what, flush=True)


def attempt(what, call):
    """Runs a test; an exception fails it."""
    try:
        with torch.no_grad():
            call()
    except Exception as error:  # whatever it is, the other tests go on
        check(False, f"{what}: {type(error).__name__}: {error}")


def refuses(what, part, call):
    try:
        call()
    except warpbeam_rnn.Error as error:
        check(part in str(error) and str(error).endswith("."), f"{what}: the sentence is: {error}")
    except Exception as error:
        check(False, f"{what}: {type(error).__name__}: {error}")
    else:
        check(False, f"{what}: is not refused")


def largest(results, exact):
    """Largest difference of y, hn and cn."""
    worst = 0.0
    for result, value in zip(results, exact):
        if value is not None:
            worst = max(worst, ((result.double() - value).abs() / value.abs().clamp(min=1)).max().item())
    return worst if math.isfinite(worst) else math.inf


def flat(answer):
    y, states = answer
    return (y, *states) if isinstance(states, tuple) else (y, states, None)


# -- within cuDNN's error ----------------------------------------------------------------------------------


def make(kind, sizes, dtype):
    if kind == "relu":
        module = torch.nn.RNN(*sizes, nonlinearity="relu")
    elif kind == "grouped":
        module = warpbeam_rnn.GroupedLSTM(*sizes, groups=2)
    elif kind == "phased":  # a leak would make gates jump, and a float's error decide on which side a step is
        module = warpbeam_rnn.PhasedLSTM(*sizes, open=0.4, periods=(2.0, 16.0), leak=0.0)
    else:
        module = {"lstm": torch.nn.LSTM, "gru": torch.nn.GRU, "tanh": torch.nn.RNN}[kind](*sizes)
    return module.to("cuda", dtype).eval()


def states_like(module, batch, dtype):
    size = (module.num_layers, batch, module.hidden_size)
    h = torch.rand(size, device="cuda").mul(2).sub(1).to(dtype)
    if not (isinstance(module, torch.nn.LSTM) or not isinstance(module, torch.nn.RNNBase)):
        return h
    return h, torch.rand(size, device="cuda").mul(2).sub(1).to(dtype)


def run_lengths(module, x, hx, lengths):
    """y padded with zeros, hn and cn."""
    if lengths is None:
        return flat(module(x, hx))
    packed = pack_padded_sequence(x, torch.tensor(lengths), enforce_sorted=False)
    y, states = module(packed, hx)
    return flat((pad_packed_sequence(y, total_length=x.shape[0])[0], states))


def padded(exact, steps):
    """The reference's y has no steps behind the longest sequence."""
    y, *states = exact
    missing = steps - y.shape[0]
    return (torch.nn.functional.pad(y, (0, 0, 0, 0, 0, missing)) if missing else y, *states)


def compare(number, ratios):
    """One random network with random lengths by one way."""
    draw = random.Random(number)
    torch.manual_seed(number)
    kind = draw.choice(("lstm", "gru", "tanh", "relu", "grouped", "phased"))
    dtype = draw.choice(TYPES)
    hidden = 2 * round(32 * 2 ** draw.uniform(0, 4.5))
    sizes = 2 * round(2 ** draw.uniform(0, 9)), min(hidden, 1400), draw.choice((1, 1, 2, 3, 4, 8))
    steps, batch = draw.randint(1, 80), draw.choice((1, 2, 4, 4, 5, 8, 16, 33, 64))
    lengths = [draw.randint(1, steps) for _ in range(batch)] if draw.random() < 0.7 else None
    options = draw.choice(({}, {}, {}, {"method": "persistent"}, {"method": "stream"},
                           {"method": "wait_signal", "sync": "counter"}))
    module = make(kind, sizes, dtype)
    x = torch.randn(steps, batch, sizes[0], device="cuda").to(dtype)
    hx = states_like(module, batch, dtype) if draw.random() < 0.7 else None
    what = (f"{number}: {kind} {dtype} I{sizes[0]} H{sizes[1]} L{sizes[2]} T{steps} B{batch} "
            f"{'lengths ' if lengths else ''}{options}")
    has_cudnn = isinstance(module, torch.nn.RNNBase)
    ours = warpbeam_rnn.from_torch(module, options) if has_cudnn else module
    if not has_cudnn:
        ours.options = options

    def call():
        exact = padded(run_double(module, x, hx, lengths), steps)
        error = largest(run_lengths(ours, x, hx, lengths), exact)
        ours.wait()
        bound = BOUND[dtype]
        if has_cudnn:
            own = largest(run_lengths(module, x, hx, lengths), exact)
            bound = 2 * own + ULP[dtype]
            if own > 0 and error > 0:
                ratios.append(error / own)
        check(error <= bound, f"{what}: error {error:.2e}, at most {bound:.2e}")

    attempt(what, call)
    ours.refresh()


def test_errors_beside_cudnn():
    ratios = []
    for number in range(SHAPES):
        compare(number, ratios)
    if ratios:
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        print(f"our error over cuDNN's: geometric mean {mean:.2f}, largest {max(ratios):.2f}, "
              f"{sum(ratio <= 1 for ratio in ratios)} of {len(ratios)} at most cuDNN's own")


# -- a drop-in ---------------------------------------------------------------------------------------------

CLASSES = {"LSTM": (torch.nn.LSTM, "LSTM"), "GRU": (torch.nn.GRU, "GRU"), "RNN": (torch.nn.RNN, "RNN")}


def close(ours, theirs):
    """The same structure, shapes and types, and values up to rounding."""
    if isinstance(theirs, PackedSequence):
        return (isinstance(ours, PackedSequence) and close(ours.data, theirs.data) and
                torch.equal(ours.batch_sizes, theirs.batch_sizes) and
                (ours.sorted_indices is None) == (theirs.sorted_indices is None) and
                (ours.sorted_indices is None or torch.equal(ours.sorted_indices, theirs.sorted_indices)))
    if isinstance(theirs, tuple):
        return isinstance(ours, tuple) and len(ours) == len(theirs) and all(map(close, ours, theirs))
    return (ours.shape == theirs.shape and ours.dtype == theirs.dtype and ours.device == theirs.device and
            torch.allclose(ours, theirs, rtol=1e-4, atol=1e-5))


def contiguous(value):
    """torch.nn's own modules refuse states that are not contiguous; ours copy them."""
    if isinstance(value, PackedSequence):
        return value
    return tuple(map(contiguous, value)) if isinstance(value, tuple) else value.contiguous()


def test_inputs(name):
    """All that forward() takes."""
    theirs_class, ours_name = CLASSES[name]
    for batch_first in (False, True):
        theirs = theirs_class(20, 64, 2, batch_first=batch_first).cuda().eval()
        ours = getattr(warpbeam_rnn, ours_name)(20, 64, 2, batch_first=batch_first).cuda().eval()
        ours.load_state_dict(theirs.state_dict())
        size = (3, 9, 20) if batch_first else (9, 3, 20)
        x = torch.randn(size, device="cuda")
        hx = states_like(theirs, 3, torch.float32)
        one = tuple(state[:, 0] for state in hx) if name == "LSTM" else hx[:, 0]
        wide = torch.rand(2, 3, 128, device="cuda")
        apart = (wide[:, :, ::2], wide[:, :, 1::2]) if name == "LSTM" else wide[:, :, ::2]
        lengths, falling = torch.tensor([4, 9, 2]), torch.tensor([9, 4, 2])
        inputs = {"x": (x,), "x and hx": (x, hx), "no batch": (x[0] if batch_first else x[:, 0],),
                  "no batch and hx": (x[0] if batch_first else x[:, 0], one),
                  "hx not contiguous": (x, apart),
                  "not contiguous": (torch.randn(size[1], size[0], 20, device="cuda").transpose(0, 1),),
                  "packed": (pack_padded_sequence(x, lengths, batch_first, enforce_sorted=False), hx),
                  "packed and sorted": (pack_padded_sequence(x, falling, batch_first),)}
        for what, arguments in inputs.items():
            attempt(f"{name} {what}", lambda: check(
                close(ours(*arguments), theirs(*contiguous(arguments))),
                f"{name} batch_first={batch_first} {what} differs"))
        no_bias = theirs_class(20, 64, 2, bias=False, batch_first=batch_first).cuda().eval()
        attempt(f"{name} without biases", lambda: check(
            close(warpbeam_rnn.from_torch(no_bias)(x), no_bias(x)), f"{name} without biases differs"))


def test_weights():
    theirs = torch.nn.LSTM(64, 64, 2).cuda().eval()
    ours = warpbeam_rnn.from_torch(theirs)
    x = torch.randn(5, 2, 64, device="cuda")
    check(close(ours(x), theirs(x)), "from_torch differs")
    theirs.weight_hh_l1.mul_(0.5)
    check(close(ours(x), theirs(x)), "a weight that was changed in place is not seen")
    theirs.load_state_dict({name: value * 0.9 for name, value in theirs.state_dict().items()})
    check(close(ours(x), theirs(x)), "a loaded state_dict is not seen")
    copied = copy.deepcopy(ours)
    theirs.weight_ih_l0.zero_()
    check(not close(copied(x), ours(x)), "a deep copy shares weights")
    memory = io.BytesIO()
    torch.save(ours, memory)
    memory.seek(0)
    check(close(torch.load(memory, weights_only=False)(x), ours(x)), "a saved and loaded module differs")
    half, half_theirs = copy.deepcopy(ours).half(), copy.deepcopy(theirs).half()
    error = largest(flat(half(x.half())), run_double(half_theirs, x.half()))
    check(error < BOUND[torch.float16], f"half() of a module: error {error}")
    both = torch.nn.ModuleList([ours, copied])
    check(close(both[0](x), theirs(x)) and "0.weight_ih_l0" in both.state_dict(), "inside of another module")
    check("layers" in ours.explain(2) or "layer" in ours.explain(2), "explain() says nothing")


def test_streams_and_graphs():
    theirs = torch.nn.GRU(64, 64, 3).cuda().eval()
    ours = warpbeam_rnn.from_torch(theirs)
    x = torch.randn(8, 4, 64, device="cuda")
    expected = ours(x)
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        on_stream = ours(x)
    stream.synchronize()
    check(torch.equal(on_stream[0], expected[0]), "another stream differs")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y, h = ours(x)
    x.copy_(torch.randn_like(x))
    graph.replay()
    expected = ours(x)
    check(torch.equal(y, expected[0]) and torch.equal(h, expected[1]), "a graph's replay differs")
    graph = torch.cuda.CUDAGraph()
    new = torch.randn(8, 5, 64, device="cuda")

    def capture_new():
        with torch.cuda.graph(graph):
            ours(new)
    refuses("a capture of a new batch", "before the capture", capture_new)


def test_refusals():
    make_lstm = warpbeam_rnn.LSTM
    refuses("bidirectional", "bidirectional", lambda: make_lstm(64, 64, bidirectional=True))
    refuses("proj_size", "proj_size", lambda: make_lstm(64, 64, proj_size=32))
    both_ways = torch.nn.GRU(64, 64, bidirectional=True)
    refuses("from_torch", "bidirectional", lambda: warpbeam_rnn.from_torch(both_ways))
    refuses("from_torch of others", "Linear", lambda: warpbeam_rnn.from_torch(torch.nn.Linear(4, 4)))
    lstm, x = make_lstm(64, 64, 2, dropout=0.5).cuda(), torch.randn(4, 2, 64, device="cuda")
    refuses("gradients", "no_grad", lambda: lstm.eval()(x))
    with torch.no_grad():
        refuses("training with dropout", "eval()", lambda: lstm.train()(x))
        lstm.eval()
        refuses("x on the host", "cpu", lambda: lstm(x.cpu()))
        refuses("x of another type", "float64", lambda: lstm(x.double()))
        refuses("x of another width", "shape", lambda: lstm(x[:, :, :40]))
        refuses("x of four dimensions", "dimensions", lambda: lstm(x.unsqueeze(0)))
        refuses("one state", "pair", lambda: lstm(x, x))
        refuses("states of another batch", "h0", lambda: lstm(x, (x, x)))
        refuses("a module on the host", "cuda()", lambda: make_lstm(64, 64)(x))
        refuses("hidden of 8", "hidden", lambda: make_lstm(64, 8).cuda()(x))
        refuses("a batch of 65", "batch", lambda: lstm(torch.randn(1, 65, 64, device="cuda")))
        refuses("a method", "method", lambda: make_lstm(64, 64, options={"method": "magic"}).cuda()(x))


def main():
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cuda.matmul.allow_tf32 = False
    for name in CLASSES:
        attempt(f"inputs of {name}", lambda: test_inputs(name))
    for test in (test_weights, test_streams_and_graphs, test_errors_beside_cudnn):
        attempt(test.__name__, test)
    test_refusals()
    print(f"{passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
