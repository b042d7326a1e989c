"""Modules of PyTorch over libwarpbeam_rnn; import them from warpbeam_rnn.

RNN, LSTM and GRU are torch.nn's own classes with another forward(): arguments, names of parameters and
state_dict() are theirs. GroupedLSTM and PhasedLSTM, which torch does not have, are made alike. All take one
more argument, options: a dict of what make_options() of warpbeam_rnn takes.

A module keeps a network for each batch size, type and GPU that it has seen. Weights are packed when a network
is made and again when they have changed: a changed address or version of a parameter tells. An inference
tensor has no version: call refresh() after changing one in place."""
import math
import threading

import torch
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence, pad_packed_sequence

from warpbeam_rnn import LSTMS, Network, check_arguments, check_mode, cut, layer_counts, refused

TYPE_NAMES = {torch.float32: "float32", torch.float16: "float16", torch.bfloat16: "bfloat16"}


class Networks:
    """The networks of one module, and the weights each was given. A copy of the module makes its own."""

    def __init__(self):
        self.lock = threading.Lock()
        self.by_key, self.stamps = {}, {}

    def __reduce__(self):
        return Networks, ()

    def clear(self):
        with self.lock:
            for network in self.by_key.values():
                network.close()
            self.by_key, self.stamps = {}, {}


def address(tensor):
    return None if tensor is None else tensor.data_ptr()


def stamp(tensor):
    return tensor.data_ptr(), 0 if tensor.is_inference() else tensor._version


class Recurrent:
    """What all kinds share. A class that uses it has input_size, hidden_size, num_layers, bias, batch_first,
    dropout, `kind`, and parameters named as torch names them; it calls begin() when they are there."""
    kind = None
    groups = 1

    def begin(self, options):
        self.options = dict(options or {})
        self.networks = Networks()

    # -- weights --

    def names(self, layer):
        """Names of a layer's parameters, in the order of layer_tensors()."""
        biases = [f"bias_ih_l{layer}", f"bias_hh_l{layer}"] if self.bias else []
        return [f"weight_ih_l{layer}", f"weight_hh_l{layer}", *biases]

    def tensors(self):
        """All parameters; those that torch.nn.utils.parametrize computes are no entries of _parameters."""
        found = []
        for layer in range(self.num_layers):
            for name in self.names(layer):
                tensor = self._parameters.get(name)
                found.append(getattr(self, name) if tensor is None else tensor)
        return found

    def extra(self, layer):
        """What a phased LSTM has besides: arguments of set_weights()."""
        return {}

    def give_weights(self, network):
        for layer in range(self.num_layers):
            held = [getattr(self, name).detach().contiguous() for name in self.names(layer)[:4]]
            extra = self.extra(layer)
            counts = (held[0].numel(), held[1].numel(), held[2].numel() if self.bias else 0)
            addresses = {name: value if isinstance(value, float) else address(value)
                         for name, value in extra.items()}
            network.set_weights(layer, *[address(tensor) for tensor in held], counts=counts, **addresses)

    # -- networks --

    def network(self, batch, tensors):
        """The network of this batch size with the weights as they are now. The lock is held."""
        first = tensors[0]
        key = batch, first.dtype, first.device
        stamps = [stamp(tensor) for tensor in tensors]
        network = self.networks.by_key.get(key)
        if network is not None and self.networks.stamps[key] == stamps:
            return network
        if torch.cuda.is_current_stream_capturing():
            raise refused("The module has no network for this batch yet, or its weights have changed, and "
                          "none can be made while the stream captures: call it once before the capture "
                          "begins.")
        if network is None:
            groups = self.groups if self.kind == "grouped_lstm" else 0
            network = Network(self.kind, self.num_layers, self.hidden_size, self.input_size, batch,
                              TYPE_NAMES[first.dtype], groups, **self.options)
        torch.cuda.current_stream(first.device).synchronize()
        self.give_weights(network)
        self.networks.by_key[key], self.networks.stamps[key] = network, stamps
        return network

    def refresh(self):
        """Forgets all networks: the next call packs the weights again."""
        self.networks.clear()

    def wait(self):
        """Waits for the last run of each network; an Error if a watchdog ended one."""
        with self.networks.lock:
            for network in self.networks.by_key.values():
                network.wait()

    def explain(self, batch=1):
        """What the planner decided for this batch size."""
        tensors = self.tensors()
        self.check_weights(tensors)
        with torch.cuda.device(tensors[0].device), self.networks.lock:
            return self.network(batch, tensors).explain()

    # -- checks --

    def check_weights(self, tensors):
        first = tensors[0]
        if not first.is_cuda:
            raise refused(f"The module's weights are on {first.device}; move it to a GPU with cuda().")
        if first.dtype not in TYPE_NAMES:
            raise refused(f"The module's type is {first.dtype}; it has to be one of "
                          f"{', '.join(TYPE_NAMES.values())}.")

    def check_tensor(self, tensor, what, shape, like):
        if tensor.dtype != like.dtype or tensor.device != like.device:
            raise refused(f"{what} is {tensor.dtype} on {tensor.device}, but the module's weights are "
                          f"{like.dtype} on {like.device}.")
        if tuple(tensor.shape) != tuple(shape):
            raise refused(f"{what} has shape {tuple(tensor.shape)}; it has to be {tuple(shape)}.")

    def check_inference(self, tensors, x, states):
        needs_grad = torch.is_grad_enabled() and any(
            tensor.requires_grad for tensor in (x, *states, *tensors) if tensor is not None)
        check_mode(self.training, self.dropout, self.num_layers, needs_grad)

    def states_of(self, hx):
        """(h0, c0) of what a caller gave."""
        if hx is None:
            return None, None
        if self.kind not in LSTMS:
            return hx, None
        if not isinstance(hx, (tuple, list)) or len(hx) != 2:
            raise refused("hx of an LSTM is a pair of tensors, h0 and c0.")
        return hx[0], hx[1]

    # -- calls --

    def compute(self, x, states, lengths=None, times=None):
        """x has three dimensions, states are [layers][batch][hidden] or None. Returns y, hn and cn."""
        tensors = self.tensors()
        self.check_weights(tensors)
        self.check_inference(tensors, x, states)
        steps, batch, _ = cut(tuple(x.shape), self.batch_first)
        first, last = (batch, steps) if self.batch_first else (steps, batch)
        self.check_tensor(x, "x", (first, last, self.input_size), tensors[0])
        size = (self.num_layers, batch, self.hidden_size)
        for state, name in zip(states, ("h0", "c0")):
            if state is not None:
                self.check_tensor(state, name, size, tensors[0])
        x = x.contiguous()
        h0, c0 = [None if state is None else state.contiguous() for state in states]
        y = torch.empty(first, last, self.hidden_size, dtype=x.dtype, device=x.device)
        hn = torch.empty(size, dtype=x.dtype, device=x.device)
        cn = torch.empty_like(hn) if self.kind in LSTMS else None
        with torch.cuda.device(x.device), self.networks.lock:
            self.network(batch, tensors).run(
                steps, address(x), address(y), address(h0), address(c0), address(hn), address(cn), lengths,
                address(times), self.batch_first, torch.cuda.current_stream(x.device).cuda_stream)
        return y, hn, cn

    def answer(self, y, hn, cn):
        return y, ((hn, cn) if self.kind in LSTMS else hn)

    def times_of(self, times, steps, batch, device):
        """[steps][batch] floats on the GPU; None stays."""
        if times is None:
            return None
        times = times.to(device=device, dtype=torch.float32)
        if times.dim() == 1:
            times = times.unsqueeze(1)
        elif self.batch_first:
            times = times.transpose(0, 1)
        if tuple(times.shape) != (steps, batch):
            raise refused(f"times are for {times.shape[0]} steps of {times.shape[1]} sequences; x has "
                          f"{steps} of {batch}.")
        return times.contiguous()

    def run_padded(self, x, hx, times=None):
        steps, batch, is_batched = cut(tuple(x.shape), self.batch_first)
        states = self.states_of(hx)
        times = self.times_of(times, steps, batch, x.device)
        if is_batched:
            return self.answer(*self.compute(x, states, None, times))
        place = 0 if self.batch_first else 1
        states = [None if state is None else state.unsqueeze(1) for state in states]
        y, hn, cn = self.compute(x.unsqueeze(place), states, None, times)
        return self.answer(y.squeeze(place), hn.squeeze(1), None if cn is None else cn.squeeze(1))

    def run_packed(self, packed, hx, times=None):
        """Sequences of different lengths: padded, run with their lengths, packed again. Everything but the
        packed data is in the caller's order of sequences, as torch has it."""
        x, lengths = pad_packed_sequence(packed, batch_first=self.batch_first)
        steps, batch, _ = cut(tuple(x.shape), self.batch_first)
        times = self.times_of(times, steps, batch, x.device)
        y, hn, cn = self.compute(x, self.states_of(hx), lengths.tolist(), times)
        if packed.sorted_indices is not None:
            y = y.index_select(0 if self.batch_first else 1, packed.sorted_indices)
            lengths = lengths.sort(descending=True)[0]
        data = pack_padded_sequence(y, lengths, batch_first=self.batch_first).data
        again = PackedSequence(data, packed.batch_sizes, packed.sorted_indices, packed.unsorted_indices)
        return self.answer(again, hn, cn)

    def forward(self, input, hx=None):
        run = self.run_packed if isinstance(input, PackedSequence) else self.run_padded
        return run(input, hx)


# -- drop-ins ----------------------------------------------------------------------------------------------


class RNN(Recurrent, torch.nn.RNN):
    """torch.nn.RNN in inference."""

    def __init__(self, *arguments, options=None, **named):
        torch.nn.RNN.__init__(self, *arguments, **named)
        check_arguments("RNN", self.bidirectional, self.proj_size)
        self.begin(options)

    @property
    def kind(self):
        return self.nonlinearity


class LSTM(Recurrent, torch.nn.LSTM):
    """torch.nn.LSTM in inference."""
    kind = "lstm"

    def __init__(self, *arguments, options=None, **named):
        torch.nn.LSTM.__init__(self, *arguments, **named)
        check_arguments("LSTM", self.bidirectional, self.proj_size)
        self.begin(options)


class GRU(Recurrent, torch.nn.GRU):
    """torch.nn.GRU in inference."""
    kind = "gru"

    def __init__(self, *arguments, options=None, **named):
        torch.nn.GRU.__init__(self, *arguments, **named)
        check_arguments("GRU", self.bidirectional, self.proj_size)
        self.begin(options)


def from_torch(module, options=None):
    """The same network over the parameters of a torch.nn.RNN, LSTM or GRU, which both share."""
    for theirs, ours in ((torch.nn.LSTM, LSTM), (torch.nn.GRU, GRU), (torch.nn.RNN, RNN)):
        if isinstance(module, theirs):
            break
    else:
        raise refused(f"A {type(module).__name__} cannot be taken over; give an RNN, LSTM or GRU.")
    check_arguments(theirs.__name__, module.bidirectional, module.proj_size)
    named = {"nonlinearity": module.nonlinearity} if ours is RNN else {}
    made = ours(module.input_size, module.hidden_size, module.num_layers, bias=module.bias,
                batch_first=module.batch_first, dropout=module.dropout, device="meta", options=options,
                **named)
    for layer in range(module.num_layers):
        for name in made.names(layer):
            tensor = getattr(module, name)
            if not isinstance(tensor, torch.nn.Parameter):
                tensor = torch.nn.Parameter(tensor.detach(), requires_grad=False)
            setattr(made, name, tensor)
    return made.train(module.training)


# -- kinds that torch does not have ------------------------------------------------------------------------


class Other(Recurrent, torch.nn.Module):
    """An LSTM with parameters as torch names and initializes them."""

    def __init__(self, input_size, hidden_size, num_layers=1, bias=True, batch_first=False, groups=1,
                 device=None, dtype=None, options=None):
        super().__init__()
        self.input_size, self.hidden_size, self.num_layers = input_size, hidden_size, num_layers
        self.bias, self.batch_first, self.groups, self.dropout = bias, batch_first, groups, 0.0
        if groups < 1 or input_size % groups or hidden_size % groups:
            raise refused(f"groups={groups} has to divide the input size, {input_size}, and the hidden "
                          f"size, {hidden_size}.")
        bound = 1 / math.sqrt(hidden_size)
        for layer in range(num_layers):
            counts = layer_counts(self.kind, layer, hidden_size, input_size, groups)
            for name, count in zip(Recurrent.names(self, layer), (*counts, counts[2])):
                size = (counts[2], count // counts[2]) if name.startswith("weight") else (count,)
                value = torch.empty(size, device=device, dtype=dtype).uniform_(-bound, bound)
                setattr(self, name, torch.nn.Parameter(value))
        self.begin(options)


class GroupedLSTM(Other):
    """An LSTM whose inputs and states are in independent groups [Kuchaiev and Ginsburg 2017, 2.2].
    weight_ih_l0 is [4 x hidden][input / groups], weight_hh_l0 [4 x hidden][hidden / groups]; the units of the
    first group, of each gate, come first."""
    kind = "grouped_lstm"

    def __init__(self, input_size, hidden_size, num_layers=1, groups=1, **named):
        super().__init__(input_size, hidden_size, num_layers, groups=groups, **named)


class PhasedLSTM(Other):
    """An LSTM with a time gate and peepholes [Neil et al. 2016]. period_l0, shift_l0 and open_l0 are
    [hidden], peephole_l0 [3][hidden] of i, f and o. forward() takes the times of steps as well,
    [steps][batch] as x has it; 0, 1, 2, ... otherwise. Periods are drawn from exp(U(log low, log high))."""
    kind = "phased_lstm"

    def __init__(self, input_size, hidden_size, num_layers=1, open=0.05, periods=(1.0, 1000.0), leak=0.001,
                 peephole=True, device=None, **named):
        super().__init__(input_size, hidden_size, num_layers, device=device, **named)
        self.leak, self.peephole = float(leak), peephole
        low, high = math.log(periods[0]), math.log(periods[1])
        for layer in range(num_layers):
            period = torch.empty(hidden_size, device=device).uniform_(low, high).exp()
            values = {"period": period, "shift": torch.rand_like(period) * period,
                      "open": torch.full_like(period, open)}
            if peephole:
                bound = 1 / math.sqrt(hidden_size)
                values["peephole"] = torch.empty(3, hidden_size, device=device).uniform_(-bound, bound)
            for name, value in values.items():
                setattr(self, f"{name}_l{layer}", torch.nn.Parameter(value))

    def extra_names(self):
        return ("period", "shift", "open", "peephole") if self.peephole else ("period", "shift", "open")

    def tensors(self):
        return super().tensors() + [self._parameters[f"{name}_l{layer}"] for layer in range(self.num_layers)
                                    for name in self.extra_names()]

    def extra(self, layer):
        held = {name: getattr(self, f"{name}_l{layer}").detach().float().contiguous()
                for name in self.extra_names()}
        return {**held, "leak": self.leak}

    def forward(self, input, hx=None, times=None):
        run = self.run_packed if isinstance(input, PackedSequence) else self.run_padded
        return run(input, hx, times)
