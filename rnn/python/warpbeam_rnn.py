"""Recurrent networks of several layers in one kernel, on a GPU: libwarpbeam_rnn for Python.

With PyTorch the modules are drop-ins for torch.nn.RNN, LSTM and GRU in inference:

    import torch, warpbeam_rnn
    lstm = warpbeam_rnn.from_torch(trained)                   # trained: a torch.nn.LSTM on the GPU
    lstm = warpbeam_rnn.LSTM(256, 256, 8).cuda().eval()       # or made as torch.nn.LSTM is
    with torch.no_grad():
        y, (h, c) = lstm(x)
    print(lstm.explain(batch=4))

Without it, Network is the C library of warpbeam_rnn.h call by call, for addresses of device memory that the
caller has. This file needs Python alone; the modules are in warpbeam_rnn_torch.py, which is imported when the
first of them is asked for.

The library is looked for in WARPBEAM_RNN_LIBRARY, beside this file, and in folders that builds use."""
import ctypes
import glob
import os

# -- names of the C header, in its order -------------------------------------------------------------------

STATUSES = ("ok", "invalid", "too_small", "busy", "stuck", "memory", "gpu")
KINDS = ("tanh", "relu", "lstm", "gru", "grouped_lstm", "phased_lstm")
TYPES = ("float32", "float16", "bfloat16")
METHODS = ("auto", "stream", "persistent", "wait_signal")
SYNCS = ("auto", "arrays", "entry", "counter", "data", "hardware")

GATES = {"tanh": 1, "relu": 1, "lstm": 4, "gru": 3, "grouped_lstm": 4, "phased_lstm": 4}
LSTMS = ("lstm", "grouped_lstm", "phased_lstm")


class Error(RuntimeError):
    """What the library refused or could not do: a sentence. `status` is one of STATUSES."""

    def __init__(self, status, sentence):
        super().__init__(sentence)
        self.status = status


def refused(sentence):
    return Error("invalid", sentence)


def number_of(name, names, what):
    """Which of the names it is; hyphens are underscores."""
    wanted = str(name).replace("-", "_").lower()
    if wanted not in names:
        raise refused(f"There is no {what} '{name}'; it is one of {', '.join(names)}.")
    return names.index(wanted)


# -- structs -----------------------------------------------------------------------------------------------


class Shape(ctypes.Structure):
    """WbRnnShape."""
    _fields_ = [("kind", ctypes.c_int), ("type", ctypes.c_int), ("layers", ctypes.c_uint32),
                ("hidden", ctypes.c_uint32), ("input", ctypes.c_uint32), ("batch", ctypes.c_uint32),
                ("groups", ctypes.c_uint32)]


class Options(ctypes.Structure):
    """WbRnnOptions."""
    _fields_ = [("method", ctypes.c_int), ("sync", ctypes.c_int), ("graph", ctypes.c_bool),
                ("split", ctypes.c_bool), ("refuse_if_busy", ctypes.c_bool), ("sm_limit", ctypes.c_uint32),
                ("watchdog_ms", ctypes.c_uint32), ("kernels", ctypes.c_char_p)]


class Weights(ctypes.Structure):
    """WbRnnWeights."""
    _fields_ = [("w_input", ctypes.c_void_p), ("w_state", ctypes.c_void_p), ("b_input", ctypes.c_void_p),
                ("b_state", ctypes.c_void_p), ("w_input_count", ctypes.c_size_t),
                ("w_state_count", ctypes.c_size_t), ("bias_count", ctypes.c_size_t),
                ("period", ctypes.c_void_p), ("shift", ctypes.c_void_p), ("open", ctypes.c_void_p),
                ("peephole", ctypes.c_void_p), ("leak", ctypes.c_float)]


class Run(ctypes.Structure):
    """WbRnnRun."""
    _fields_ = [("steps", ctypes.c_uint32), ("batch_first", ctypes.c_bool), ("x", ctypes.c_void_p),
                ("h0", ctypes.c_void_p), ("c0", ctypes.c_void_p), ("y", ctypes.c_void_p),
                ("hn", ctypes.c_void_p), ("cn", ctypes.c_void_p),
                ("lengths", ctypes.POINTER(ctypes.c_uint32)), ("times", ctypes.c_void_p)]


def unsigned(value, what):
    """A number that C's uint32_t can have: ctypes would silently take its low bits."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1 << 32:
        raise refused(f"{what} is {value!r}; it has to be a whole number from 0 to 4294967295.")
    return value


def make_shape(kind, layers, hidden, input, batch, type="float32", groups=0):
    return Shape(number_of(kind, KINDS, "kind"), number_of(type, TYPES, "type"), unsigned(layers, "layers"),
                 unsigned(hidden, "hidden"), unsigned(input, "input"), unsigned(batch, "batch"),
                 unsigned(groups, "groups"))


def make_options(method="auto", sync="auto", graph=False, split=False, refuse_if_busy=False, sm_limit=0,
                 watchdog_ms=0, kernels=None):
    """Options by their names in C. `kernels` is a folder of kernels, else those built in are used; a folder
    may also be named by WARPBEAM_RNN_KERNELS."""
    kernels = kernels or os.environ.get("WARPBEAM_RNN_KERNELS")
    return Options(number_of(method, METHODS, "method"), number_of(sync, SYNCS, "sync"), bool(graph),
                   bool(split), bool(refuse_if_busy), unsigned(sm_limit, "sm_limit"),
                   unsigned(watchdog_ms, "watchdog_ms"), os.fsencode(kernels) if kernels else None)


# -- the library -------------------------------------------------------------------------------------------

_library = None


def candidates():
    """Where the library may be, best first."""
    here = os.path.dirname(os.path.abspath(__file__))
    root = os.path.dirname(os.path.dirname(here))
    name = "libwarpbeam_rnn.so"
    given = os.environ.get("WARPBEAM_RNN_LIBRARY")
    if given:
        return [given]
    built = [os.path.join(root, "build", "rnn", name)]
    for preset in ("release", "dev", "*"): # those of sanitizers end a Python that does not have them
        built += sorted(glob.glob(os.path.join(root, "build", preset, "lib", name)))
    built += sorted(glob.glob(os.path.join(root, "build", "*", name)))
    # Installed, this file is in PREFIX/share/warpbeam/python.
    installed = glob.glob(os.path.join(os.path.dirname(root), "lib*", name))
    return [os.path.join(here, name), *built, *sorted(installed), name, name + ".0"]


def _declare(library):
    pointer, shape, options = ctypes.c_void_p, ctypes.POINTER(Shape), ctypes.POINTER(Options)
    calls = {
        "wbrnn_create": (ctypes.c_int, [shape, options, ctypes.POINTER(pointer)]),
        "wbrnn_destroy": (None, [pointer]),
        "wbrnn_error": (ctypes.c_char_p, [pointer]),
        "wbrnn_set_weights": (ctypes.c_int, [pointer, ctypes.c_uint32, ctypes.POINTER(Weights)]),
        "wbrnn_set_weights_cudnn": (ctypes.c_int, [pointer, pointer, ctypes.c_size_t]),
        "wbrnn_run": (ctypes.c_int, [pointer, ctypes.POINTER(Run), pointer]),
        "wbrnn_wait": (ctypes.c_int, [pointer]),
        "wbrnn_explain": (ctypes.c_size_t, [pointer, ctypes.c_char_p, ctypes.c_size_t]),
    }
    for name, (result, arguments) in calls.items():
        call = getattr(library, name)
        call.restype, call.argtypes = result, arguments
    return library


def load(path=None):
    """The library, opened once. `path` says which file it is."""
    global _library
    if _library is None or path:
        paths, why = [path] if path else candidates(), "none of the places has it"
        for place in paths:
            if os.path.dirname(place) and not os.path.exists(place):
                why = f"{place} is not there" if len(paths) == 1 else why
                continue
            try:
                _library = _declare(ctypes.CDLL(place))
                break
            except OSError as error:
                why = str(error)
        else:
            raise refused(f"libwarpbeam_rnn.so was not found ({why}); build it by rnn/build.sh build/rnn, "
                          "or say where it is in WARPBEAM_RNN_LIBRARY.")
    return _library


# -- networks ----------------------------------------------------------------------------------------------


class Network:
    """A WbRnn. Sizes as in C; addresses are ints. It is used by one thread at a time."""

    def __init__(self, kind, layers, hidden, input, batch, type="float32", groups=0, **options):
        self._handle = ctypes.c_void_p()
        self._library = load()
        self.kind, self.layers, self.batch = KINDS[number_of(kind, KINDS, "kind")], layers, batch
        shape = make_shape(kind, layers, hidden, input, batch, type, groups)
        made = make_options(**options)
        try:
            self._check(self._library.wbrnn_create(ctypes.byref(shape), ctypes.byref(made),
                                                   ctypes.byref(self._handle)))
        except Error:
            self.close()
            raise

    def _check(self, status):
        if status:
            sentence = self._library.wbrnn_error(self._handle) or b""
            name = STATUSES[status] if status < len(STATUSES) else str(status)
            raise Error(name, sentence.decode(errors="replace") or f"The library's status is {name}.")

    def set_weights(self, layer, w_input, w_state, b_input=None, b_state=None, counts=(0, 0, 0), period=None,
                    shift=None, open=None, peephole=None, leak=0.0):
        """Addresses, in host or device memory. `counts` are the elements of w_input, w_state and a bias."""
        weights = Weights(w_input, w_state, b_input, b_state, *counts, period, shift, open, peephole, leak)
        self._check(self._library.wbrnn_set_weights(self._handle, layer, ctypes.byref(weights)))

    def set_weights_cudnn(self, buffer, count):
        self._check(self._library.wbrnn_set_weights_cudnn(self._handle, buffer, count))

    def run(self, steps, x, y=None, h0=None, c0=None, hn=None, cn=None, lengths=None, times=None,
            batch_first=False, stream=None):
        """Enqueues a run on a CUstream. Addresses are of device memory, `lengths` is a list."""
        run = Run(unsigned(steps, "steps"), batch_first, x, h0, c0, y, hn, cn, None, times)
        if lengths is not None:
            if len(lengths) != self.batch:
                raise refused(f"There are {len(lengths)} lengths for a batch of {self.batch}; give one "
                              "for each sequence.")
            run.lengths = (ctypes.c_uint32 * self.batch)(*[unsigned(int(n), "A length") for n in lengths])
        self._check(self._library.wbrnn_run(self._handle, ctypes.byref(run), stream))

    def wait(self):
        """Waits for the last run; an Error if the watchdog ended it."""
        self._check(self._library.wbrnn_wait(self._handle))

    def explain(self):
        length = self._library.wbrnn_explain(self._handle, None, 0)
        text = ctypes.create_string_buffer(length + 1)
        self._library.wbrnn_explain(self._handle, text, length + 1)
        return text.value.decode(errors="replace")

    def close(self):
        handle, self._handle = self._handle, ctypes.c_void_p()
        if handle:
            self._library.wbrnn_destroy(handle)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    def __del__(self):
        if getattr(self, "_handle", None):
            self.close()


# -- what both torch modules and their tests need ----------------------------------------------------------


def check_arguments(kind, bidirectional=False, proj_size=0):
    """Refuses what torch's modules have and these do not."""
    if bidirectional:
        raise refused("bidirectional=True is not supported: a layer reads its sequence in one direction "
                      "only. Run two networks, the second on the reversed sequence, and concatenate.")
    if proj_size:
        raise refused(f"proj_size={proj_size} is not supported: a {kind}'s output is its whole state.")


def check_mode(training, dropout, layers, needs_grad):
    """Refuses what is not inference. Training without dropout and gradients computes the same."""
    if needs_grad:
        raise refused("Gradients are not supported: call the module under torch.no_grad() or "
                      "torch.inference_mode().")
    if training and dropout > 0 and layers > 1:
        raise refused("Dropout is not supported while training: call eval() on the module first.")


def layer_counts(kind, layer, hidden, input, groups=1):
    """Elements of a layer's two matrices and of one bias."""
    rows = GATES[kind] * hidden
    return rows * ((hidden if layer else input) // groups), rows * (hidden // groups), rows


def cut(shape, batch_first):
    """(steps, batch, is batched) of an input of this shape; two dimensions are one sequence."""
    if len(shape) == 2:
        return shape[0], 1, False
    if len(shape) != 3:
        raise refused(f"x has {len(shape)} dimensions; it has three, or two when there is no batch.")
    return (shape[1], shape[0], True) if batch_first else (shape[0], shape[1], True)


_MODULES = ("RNN", "LSTM", "GRU", "GroupedLSTM", "PhasedLSTM", "from_torch")


def __getattr__(name):
    if name in _MODULES:
        import warpbeam_rnn_torch
        return getattr(warpbeam_rnn_torch, name)
    raise AttributeError(f"module 'warpbeam_rnn' has no attribute '{name}'")
