"""A network in double precision by torch's operators: what results are compared with."""
import torch


def sums(x, matrix, bias, groups):
    """x times a matrix, [batch][gates x hidden]; with groups, [gates x hidden][inputs / groups] (the units of
    the first group, of each gate, come first)."""
    if groups == 1:
        result = x @ matrix.t()
    else:
        batch, rows = x.shape[0], matrix.shape[0]
        parts = x.view(batch, groups, -1)
        blocks = matrix.view(4, groups, rows // 4 // groups, -1)
        result = torch.einsum("bgk,agrk->bagr", parts, blocks).reshape(batch, rows)
    return result if bias is None else result + bias


def time_gate(module, layer, time):
    """How far the gates are open: [batch][hidden]."""
    names = ("period", "shift", "open")
    period, shift, share = (getattr(module, f"{name}_l{layer}").double() for name in names)
    phase = torch.remainder(time.unsqueeze(1) - shift, period) / period
    rising, falling = 2 * phase / share, 2 - 2 * phase / share
    return torch.where(phase < share / 2, rising, torch.where(phase < share, falling, module.leak * phase))


def lstm(module, layer, i, f, g, o, h, c, time):
    if module.kind != "phased_lstm":
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        return torch.sigmoid(o) * torch.tanh(c), c
    peephole = getattr(module, f"peephole_l{layer}").double() if module.peephole else torch.zeros(3, 1).to(c)
    new_c = torch.sigmoid(f + peephole[1] * c) * c + torch.sigmoid(i + peephole[0] * c) * torch.tanh(g)
    new_h = torch.sigmoid(o + peephole[2] * new_c) * torch.tanh(new_c)
    k = time_gate(module, layer, time)
    return k * new_h + (1 - k) * h, k * new_c + (1 - k) * c


def layer_values(module, layer):
    """Both matrices and both biases, or None."""
    names = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    return [getattr(module, f"{name}_l{layer}").double() if module.bias or name.startswith("weight") else None
            for name in names]


def run_own(module, x, hx, lengths, times):
    """Grouped and phased LSTMs, step by step. x is [steps][batch][input]."""
    steps, batch = x.shape[:2]
    sequence, last_h, last_c = x.double(), [], []
    ends = torch.full((batch,), steps) if lengths is None else torch.tensor(lengths)
    ends = ends.to(x.device).unsqueeze(1)
    for layer in range(module.num_layers):
        w_input, w_state, b_input, b_state = layer_values(module, layer)
        h = torch.zeros(batch, module.hidden_size).to(sequence) if hx is None else hx[0][layer].double()
        c = torch.zeros_like(h) if hx is None else hx[1][layer].double()
        outputs = []
        for step in range(steps):
            time = torch.full((batch,), step).to(sequence) if times is None else times[step].double()
            both = (sums(sequence[step], w_input, b_input, module.groups) +
                    sums(h, w_state, b_state, module.groups))
            new_h, new_c = lstm(module, layer, *both.chunk(4, 1), h, c, time)
            alive = step < ends
            h, c = torch.where(alive, new_h, h), torch.where(alive, new_c, c)
            outputs.append(torch.where(alive, new_h, torch.zeros_like(new_h)))
        sequence = torch.stack(outputs)
        last_h.append(h)
        last_c.append(c)
    return sequence, torch.stack(last_h), torch.stack(last_c)


def run_torch(module, x, hx, lengths):
    """torch's own kinds, by its operators: cuDNN is off."""
    kind = {"LSTM": torch.nn.LSTM, "GRU": torch.nn.GRU}.get(module.mode, torch.nn.RNN)
    named = {"nonlinearity": module.nonlinearity} if kind is torch.nn.RNN else {}
    exact = kind(module.input_size, module.hidden_size, module.num_layers, bias=module.bias, device=x.device,
                 dtype=torch.float64, **named).eval()
    exact.load_state_dict({name: value.double() for name, value in module.state_dict().items()})
    x = x.double()
    if hx is not None:
        hx = tuple(state.double() for state in hx) if module.mode == "LSTM" else hx.double()
    if lengths is not None:
        x = torch.nn.utils.rnn.pack_padded_sequence(x, torch.tensor(lengths), enforce_sorted=False)
    with torch.backends.cudnn.flags(enabled=False):
        y, states = exact(x, hx)
    if lengths is not None:
        y, _ = torch.nn.utils.rnn.pad_packed_sequence(y)
    return (y, *states) if module.mode == "LSTM" else (y, states, None)


def run_double(module, x, hx=None, lengths=None, times=None):
    """y, hn and cn, or None, of a module that is not batch_first; x is [steps][batch][input]."""
    with torch.no_grad():
        if isinstance(module, torch.nn.RNNBase):
            return run_torch(module, x, hx, lengths)
        return run_own(module, x, hx, lengths, times)
