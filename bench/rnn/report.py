"""What bench/rnn/rnn.py measured, as lines, tables and a CSV. Needs no torch.

A row has kind, type, layers, hidden, steps, batch; `cudnn` and `ours`[way] are dicts of ms, graph_ms and
error, or have `why` when there are none."""
import math

NAMES = {"lstm": "LSTM", "gru": "GRU", "rnn": "RNN", "relu": "RNN relu", "grouped": "grouped LSTM",
         "phased": "phased LSTM"}


def shape_of(row):
    return (f"{NAMES[row['kind']]} L{row['layers']} H{row['hidden']} T{row['steps']} B{row['batch']} "
            f"{row['type']}")


def number(value, digits=3):
    return "-" if value is None else f"{value:.{digits}f}"


def error(value):
    return "-" if value is None else f"{value:.1e}"


def ratio(above, below):
    return above / below if above and below else None


def times_of(value):
    return "-" if value is None else f"{value:.2f}x"


def mean(values):
    """Geometric; None of nothing."""
    values = [value for value in values if value]
    return math.exp(sum(math.log(value) for value in values) / len(values)) if values else None


def best_call(row, way="wait"):
    return row["ours"].get(way, {}).get("ms")


def over_graph(row):
    """cuDNN in a graph over ours as a plain call."""
    return ratio(row["cudnn"].get("graph_ms"), best_call(row))


def over_persistent(row):
    return ratio(best_call(row, "persistent"), best_call(row))


def line(row):
    wait, cudnn = row["ours"].get("wait", {}), row["cudnn"]
    parts = [f"{shape_of(row):34s} cuDNN {number(cudnn.get('ms')):>7s}",
             f"graph {number(cudnn.get('graph_ms')):>7s} err {error(cudnn.get('error'))}",
             f"| wait-signal {number(wait.get('ms')):>7s} graph {number(wait.get('graph_ms')):>7s}",
             f"module {number(wait.get('module_ms')):>7s} err {error(wait.get('error'))}",
             f"| {times_of(over_graph(row))} over cuDNN's graph,",
             f"{times_of(over_persistent(row))} over persistent"]
    rest = [f"{name} {number(ours.get('ms'))}" for name, ours in row["ours"].items() if name != "wait"]
    whys = [f"\n    {name}: {ours['why']}" for name, ours in row["ours"].items() if "why" in ours]
    return " ".join(parts) + (" | " + ", ".join(rest) if rest else "") + "".join(whys)


def summary_rows(rows):
    """(kind and type, means) over the shapes of each kind."""
    keys = []
    for row in rows:
        key = row["kind"], row["type"]
        if key not in keys:
            keys.append(key)
    for key in keys:
        these = [row for row in rows if (row["kind"], row["type"]) == key]
        eager = mean(ratio(row["cudnn"].get("ms"), best_call(row)) for row in these)
        stream = mean(ratio(best_call(row, "stream"), best_call(row)) for row in these)
        yield (f"{NAMES[key[0]]} {key[1]}", eager, mean(map(over_graph, these)),
               mean(map(over_persistent, these)), stream)


def summary(rows):
    lines = ["wait-signal over (geometric means): cuDNN eager, cuDNN in a graph, persistent, stream"]
    for name, *values in summary_rows(rows):
        lines.append(f"{name:18s}" + " ".join(f"{times_of(value):>8s}" for value in values))
    return "\n".join(lines)


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def first_table(rows):
    head = ["shape", "cuDNN eager, ms", "cuDNN in a graph, ms", "wait-signal, ms", "in a graph, ms",
            "Python module, ms", "over cuDNN eager", "over cuDNN's graph", "error", "cuDNN's error"]
    body = []
    for row in rows:
        wait, cudnn = row["ours"].get("wait", {}), row["cudnn"]
        body.append([shape_of(row), number(cudnn.get("ms")), number(cudnn.get("graph_ms")),
                     number(wait.get("ms")), number(wait.get("graph_ms")), number(wait.get("module_ms")),
                     times_of(ratio(cudnn.get("ms"), wait.get("ms"))), times_of(over_graph(row)),
                     error(wait.get("error")), error(cudnn.get("error"))])
    return table(head, body)


def second_table(rows):
    ways = []
    for row in rows:
        ways += [way for way in row["ours"] if way not in ways]
    body = [[shape_of(row)] + [number(row["ours"].get(way, {}).get("ms")) for way in ways] +
            [times_of(over_persistent(row))] for row in rows]
    return table(["shape", *[f"{way}, ms" for way in ways], "over persistent"], body)


def notes(rows):
    """Why ways have no time, each sentence once."""
    said = {}
    for row in rows:
        for way, ours in row["ours"].items():
            if "why" in ours:
                said.setdefault((way, ours["why"]), []).append(shape_of(row))
    return "".join(f"- {way}, {', '.join(shapes)}: {why}\n" for (way, why), shapes in said.items())


def markdown(rows, machine, command):
    text = f"Measured on {machine}, by `{command}`.\n\n"
    text += "### Beside cuDNN\n\n" + first_table(rows)
    text += "\n### Every way\n\n" + second_table(rows)
    text += "\n### Geometric means of wait-signal's speedups\n\n"
    text += table(["kind", "over cuDNN eager", "over cuDNN's graph", "over persistent", "over stream"],
                  [[name, *map(times_of, values)] for name, *values in summary_rows(rows)])
    why = notes(rows)
    return text + (f"\n### Without a time\n\n{why}" if why else "")


def csv(rows):
    lines = ["kind,type,layers,hidden,steps,batch,way,ms,graph_ms,module_ms,error"]
    for row in rows:
        shape = [str(row[name]) for name in ("kind", "type", "layers", "hidden", "steps", "batch")]
        for way, values in [("cudnn", row["cudnn"]), *row["ours"].items()]:
            cells = [values.get(name) for name in ("ms", "graph_ms", "module_ms", "error")]
            lines.append(",".join([*shape, way, *["" if cell is None else f"{cell:.6g}" for cell in cells]]))
    return "\n".join(lines) + "\n"
