#!/usr/bin/env python3
"""Tests of warpbeam_rnn.py without torch: its structs are the header's, arguments are translated or refused,
and networks run where there is a CUDA driver, be it the simulator's (warpbeam run -- python3 FILE).

WARPBEAM_RNN_LIBRARY says where the library is; what needs it is left out otherwise."""
import ctypes
import os
import re
import struct
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, HERE)

import warpbeam_rnn as rnn  # noqa: E402

with open(os.path.join(HERE, "..", "warpbeam_rnn.h"), encoding="utf-8") as header:
    HEADER = re.sub(r"/\*.*?\*/", "", header.read(), flags=re.S)
LIBRARY = os.environ.get("WARPBEAM_RNN_LIBRARY")


def driver():
    try:
        found = ctypes.CDLL("libcuda.so.1")
        return found if found.cuInit(0) == 0 else None
    except OSError:
        return None


DRIVER = driver()


def fields(name):
    """(name, is a pointer, type) of a struct's members, as the header has them."""
    body = re.search(r"typedef struct %s \{(.*?)\} %s;" % (name, name), HEADER, re.S).group(1)
    for declaration in body.split(";"):
        words = re.match(r"\s*(?:const )?(\w+) (.*)", declaration.strip(), re.S)
        if words:
            for member in words.group(2).split(","):
                yield member.strip(" *\n"), "*" in member, words.group(1)


def enumerators(name, prefix):
    body = re.search(r"typedef enum %s \{(.*?)\} %s;" % (name, name), HEADER, re.S).group(1)
    words = [word.strip() for word in body.split(",") if word.strip()]
    counts = ("WBRNN_KINDS", "WBRNN_TYPES", "WBRNN_METHODS", "WBRNN_SYNCS")
    return [word[len(prefix):].lower() for word in words if word not in counts]


class Header(unittest.TestCase):
    def check_struct(self, name, struct_class):
        sizes = {"uint32_t": 4, "bool": 1, "size_t": 8, "float": 4, "WbRnnKind": 4, "WbRnnType": 4,
                 "WbRnnMethod": 4, "WbRnnSync": 4}
        expected = [(member, 8 if pointer else sizes[kind]) for member, pointer, kind in fields(name)]
        ours = [(member, ctypes.sizeof(kind)) for member, kind in struct_class._fields_]
        self.assertEqual(ours, expected)

    def test_structs_are_those_of_the_header(self):
        self.check_struct("WbRnnShape", rnn.Shape)
        self.check_struct("WbRnnOptions", rnn.Options)
        self.check_struct("WbRnnWeights", rnn.Weights)
        self.check_struct("WbRnnRun", rnn.Run)

    def test_names_are_those_of_the_header(self):
        self.assertEqual(enumerators("WbRnnKind", "WBRNN_"), list(rnn.KINDS))
        self.assertEqual(enumerators("WbRnnMethod", "WBRNN_"), list(rnn.METHODS))
        self.assertEqual(enumerators("WbRnnSync", "WBRNN_SYNC_"), list(rnn.SYNCS))
        self.assertEqual(enumerators("WbRnnStatus", "WBRNN_"), list(rnn.STATUSES))
        self.assertEqual(enumerators("WbRnnType", "WBRNN_"), ["f32", "f16", "bf16"])


class Arguments(unittest.TestCase):
    def refuses(self, part, call, *arguments, **named):
        with self.assertRaises(rnn.Error) as caught:
            call(*arguments, **named)
        self.assertIn(part, str(caught.exception))
        self.assertEqual(str(caught.exception)[-1], ".")

    def test_shapes(self):
        shape = rnn.make_shape("gru", 8, 256, 40, 4, "float16")
        self.assertEqual([getattr(shape, name) for name, _ in rnn.Shape._fields_], [3, 1, 8, 256, 40, 4, 0])
        self.refuses("kind", rnn.make_shape, "cnn", 1, 64, 64, 1)
        self.refuses("type", rnn.make_shape, "gru", 1, 64, 64, 1, "float64")
        self.refuses("layers", rnn.make_shape, "gru", -1, 64, 64, 1)
        self.refuses("hidden", rnn.make_shape, "gru", 1, 64.5, 64, 1)
        self.refuses("batch", rnn.make_shape, "gru", 1, 64, 64, 1 << 32)

    def test_options(self):
        options = rnn.make_options("wait-signal", "counter", split=True, watchdog_ms=7, kernels="/k")
        self.assertEqual((options.method, options.sync, options.split, options.graph), (3, 3, True, False))
        self.assertEqual((options.watchdog_ms, options.kernels), (7, b"/k"))
        self.refuses("sync", rnn.make_options, sync="telepathy")

    def test_what_torch_has_and_this_has_not(self):
        rnn.check_arguments("LSTM")
        self.refuses("bidirectional", rnn.check_arguments, "LSTM", bidirectional=True)
        self.refuses("proj_size", rnn.check_arguments, "LSTM", proj_size=3)
        rnn.check_mode(training=True, dropout=0.0, layers=2, needs_grad=False)
        rnn.check_mode(training=False, dropout=0.5, layers=2, needs_grad=False)
        self.refuses("eval()", rnn.check_mode, True, 0.5, 2, False)
        self.refuses("no_grad", rnn.check_mode, False, 0.0, 2, True)

    def test_inputs(self):
        self.assertEqual(rnn.cut((9, 3, 5), False), (9, 3, True))
        self.assertEqual(rnn.cut((3, 9, 5), True), (9, 3, True))
        self.assertEqual(rnn.cut((9, 5), True), (9, 1, False))
        self.refuses("dimensions", rnn.cut, (5,), False)
        self.assertEqual(rnn.layer_counts("lstm", 0, 64, 40), (4 * 64 * 40, 4 * 64 * 64, 256))
        self.assertEqual(rnn.layer_counts("grouped_lstm", 1, 64, 40, 4), (4 * 64 * 16, 4 * 64 * 16, 256))

    def test_a_library_that_is_not_there(self):
        self.refuses("WARPBEAM_RNN_LIBRARY", rnn.load, "/nowhere/libwarpbeam_rnn.so")

    def test_where_the_library_is_looked_for(self):
        name, given = "libwarpbeam_rnn.so", os.environ.pop("WARPBEAM_RNN_LIBRARY", None)
        self.addCleanup(os.environ.update, {"WARPBEAM_RNN_LIBRARY": given} if given else {})
        self.addCleanup(setattr, rnn, "__file__", rnn.__file__)
        with tempfile.TemporaryDirectory() as top:
            top = os.path.realpath(top)
            for folder in ("build/asan/lib", "build/release/lib", "prefix/lib"):
                os.makedirs(os.path.join(top, folder))
                open(os.path.join(top, folder, name), "w").close()
            rnn.__file__ = os.path.join(top, "rnn", "python", "warpbeam_rnn.py")
            found = [place for place in rnn.candidates() if os.path.exists(place)]
            self.assertEqual(os.path.relpath(found[0], top), "build/release/lib/" + name)
            rnn.__file__ = os.path.join(top, "prefix", "share", "warpbeam", "python", "warpbeam_rnn.py")
            found = [place for place in rnn.candidates() if os.path.exists(place)]
            self.assertEqual([os.path.relpath(place, top) for place in found], ["prefix/lib/" + name])


@unittest.skipUnless(LIBRARY, "WARPBEAM_RNN_LIBRARY is not set")
class Library(unittest.TestCase):
    @unittest.skipIf(DRIVER, "there is a GPU")
    def test_without_a_driver_there_is_a_sentence(self):
        with self.assertRaises(rnn.Error) as caught:
            rnn.Network("lstm", 1, 64, 64, 1)
        self.assertEqual(caught.exception.status, "gpu")
        self.assertIn("driver", str(caught.exception))

    @unittest.skipUnless(DRIVER, "there is no GPU")
    def test_bad_arguments_reach_the_caller_as_sentences(self):
        with self.assertRaises(rnn.Error) as caught:
            rnn.Network("lstm", 1, 0, 64, 1)
        self.assertEqual(caught.exception.status, "invalid")
        self.assertIn("hidden", str(caught.exception))
        with rnn.Network("gru", 1, 64, 64, 2) as network:
            with self.assertRaises(rnn.Error) as caught:
                network.run(3, 1 << 20, lengths=[3])
            self.assertIn("lengths", str(caught.exception))
            with self.assertRaises(rnn.Error) as caught:
                network.run(3, 1 << 20)
            self.assertIn("weights", str(caught.exception))

    @unittest.skipUnless(DRIVER, "there is no GPU")
    def test_a_relu_of_ones_adds_up(self):
        """Weights of the input are 1, of the state 0: y is the sum of x and the biases."""
        steps, batch, size = 3, 2, 64
        with rnn.Network("relu", 1, size, size, batch) as network:
            matrix = (ctypes.c_float * (size * size))
            ones, zeros, half = matrix(*[1.0] * size * size), matrix(), (ctypes.c_float * size)(*[0.5] * size)
            network.set_weights(0, ctypes.addressof(ones), ctypes.addressof(zeros), ctypes.addressof(half),
                                ctypes.addressof(half), counts=(size * size, size * size, size))
            self.assertIn("relu", network.explain())
            values = [float(t + 10 * b) for t in range(steps) for b in range(batch) for _ in range(size)]
            x, y, hn = self.room(values), self.room([7.0] * len(values)), self.room([7.0] * batch * size)
            network.run(steps, x, y=y, hn=hn, lengths=[3, 2])
            network.wait()
            expected = [0.0 if t == 2 and b == 1 else 1.0 + size * (t + 10.0 * b)
                        for t in range(steps) for b in range(batch) for _ in range(size)]
            self.assertEqual(self.floats(y, len(values)), expected)
            self.assertEqual(self.floats(hn, batch * size),
                             [1.0 + 2 * size] * size + [1.0 + 11 * size] * size)

    def setUp(self):
        self.memory = []
        if DRIVER:
            context = ctypes.c_void_p()
            self.assertEqual(DRIVER.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0), 0)
            self.assertEqual(DRIVER.cuCtxSetCurrent(context), 0)

    def tearDown(self):
        for address in self.memory:
            DRIVER.cuMemFree_v2(address)

    def room(self, values):
        address, data = ctypes.c_uint64(), struct.pack(f"{len(values)}f", *values)
        self.assertEqual(DRIVER.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(len(data))), 0)
        self.assertEqual(DRIVER.cuMemcpyHtoD_v2(address, data, ctypes.c_size_t(len(data))), 0)
        self.memory.append(address)
        return address.value

    def floats(self, address, count):
        data, size = ctypes.create_string_buffer(4 * count), ctypes.c_size_t(4 * count)
        self.assertEqual(DRIVER.cuMemcpyDtoH_v2(data, ctypes.c_uint64(address), size), 0)
        return list(struct.unpack(f"{count}f", data.raw))


if __name__ == "__main__":
    unittest.main()
