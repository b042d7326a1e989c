// Blocks over time: a row for each SM, and rows for what blocks launched. Pointing at a block shows what it
// waited for and what waited for it.
import { addChart, axis, isNarrow, type Chart, type Look, type Option } from "./chart";
import { element, section } from "./dom";
import { escape, integer, seconds } from "./format";
import { blocksOf, config, toSeconds, type Scope, type ScopeBlock } from "./scope";
import type { Kernel, Launch, Wait } from "./types";

const mostBlocks = 20000,
    mostLaunches = 3000,
    mostLanes = 12;

// A rectangle: in which row, and which part of the row's height.
interface Place {
    row: number;
    slot: number;
    slots: number;
    from: number;
    to: number;
}

interface Item extends Place {
    block?: ScopeBlock;
    launch?: Launch;
    of: Kernel;
}

// Edges of kernels that were launched together, by the numbers that their blocks have in a row.
interface Graph {
    parents: Map<number, number[]>;
    children: Map<number, number[]>;
    items: Map<number, Item>;
}

interface Model {
    rows: string[];
    items: Item[];
    waits: (Place & { wait: Wait })[];
    byBlock: Map<string, Item>;
    graphs: Map<number, Graph>; // by the number of its first kernel
    left_out: number; // every so many blocks are shown
}

// Seconds from the begin of what is shown.
const since = (scope: Scope, cycle: number): number => toSeconds(scope, cycle - scope.begin);
const key = (kernel: number, block: number): string => `${kernel}/${block}`;

// The first slot that is free from then on; `ends` holds when each becomes so.
function takeSlot(ends: number[], from: number, to: number): number {
    let slot = ends.findIndex((end) => end <= from);
    if (slot < 0) slot = ends.push(0) - 1;
    ends[slot] = to;
    return slot;
}

function placeBlocks(scope: Scope, model: Model): void {
    const all = blocksOf(scope).sort((a, b) => a.dispatched - b.dispatched || a.block - b.block);
    const slots = new Map<number, number[]>();
    const placed = all.map((block): Item => {
        if (!slots.has(block.sm)) slots.set(block.sm, []);
        const [from, to] = [since(scope, block.dispatched), since(scope, block.ended)];
        return {
            row: block.sm,
            slot: takeSlot(slots.get(block.sm)!, from, to),
            slots: 1,
            from,
            to,
            block,
            of: block.of,
        };
    });
    const most = Math.max(1, ...[...slots.values()].map((ends) => ends.length));
    model.left_out = Math.ceil(placed.length / mostBlocks);
    placed.forEach((item, i) => {
        item.slots = most;
        model.byBlock.set(key(item.of.number, item.block!.block), item);
        if (i % model.left_out === 0) model.items.push(item);
    });
}

function placeLaunches(scope: Scope, model: Model): void {
    const all = scope.kernels
        .flatMap((of) => (of.launches ?? []).map((launch) => ({ launch, of })))
        .sort((a, b) => a.launch.launched - b.launch.launched)
        .slice(0, mostLaunches);
    const lanes: number[] = [],
        first = model.rows.length;
    for (const { launch, of } of all) {
        const [from, to] = [since(scope, launch.launched), since(scope, launch.ended)];
        const lane = takeSlot(lanes, from, to);
        if (lane < mostLanes)
            model.items.push({ row: first + lane, slot: 0, slots: 1, from, to, launch, of });
    }
    for (let lane = 0; lane < Math.min(lanes.length, mostLanes); lane++)
        model.rows.push(lane ? "" : "launches");
}

function placeWaits(scope: Scope, model: Model): void {
    for (const kernel of scope.kernels) {
        for (const wait of kernel.waits ?? []) {
            const item = model.byBlock.get(key(kernel.number, wait.block));
            if (item)
                model.waits.push({
                    ...item,
                    from: since(scope, wait.left),
                    to: since(scope, wait.returned),
                    wait,
                });
        }
    }
}

const graphOf = (kernel: Kernel): number => kernel.number - (kernel.dependencies?.grid ?? 0);
const taskOf = (item: Item): number => (item.of.dependencies?.first ?? 0) + item.block!.block;

function readGraph(kernel: Kernel, model: Model): void {
    if (!kernel.dependencies) return;
    const number = graphOf(kernel);
    const graph = model.graphs.get(number) ?? { parents: new Map(), children: new Map(), items: new Map() };
    const put = (map: Map<number, number[]>, at: number, what: number): void => {
        if (!map.has(at)) map.set(at, []);
        map.get(at)!.push(what);
    };
    for (const [parent, child] of kernel.dependencies.edges ?? []) {
        put(graph.parents, child, parent);
        put(graph.children, parent, child);
    }
    model.graphs.set(number, graph);
}

// The blocks at the other end of edges; a join stands for those behind it.
function neighbours(graph: Graph, edges: Map<number, number[]>, task: number, depth = 0): Item[] {
    return (edges.get(task) ?? []).flatMap((other) => {
        const item = graph.items.get(other);
        if (item) return [item];
        return depth < 4 ? neighbours(graph, edges, other, depth + 1) : [];
    });
}

function build(scope: Scope): Model {
    const model: Model = {
        rows: Array.from({ length: config(scope, "sm_count") }, (_, sm) => `SM ${sm}`),
        items: [],
        waits: [],
        byBlock: new Map(),
        graphs: new Map(),
        left_out: 1,
    };
    placeBlocks(scope, model);
    placeWaits(scope, model);
    placeLaunches(scope, model);
    for (const kernel of scope.kernels) readGraph(kernel, model);
    for (const item of model.byBlock.values())
        model.graphs.get(graphOf(item.of))?.items.set(taskOf(item), item);
    return model;
}

function coordinates(kernel: Kernel, block: number): string {
    const [x, y] = kernel.grid;
    const all = [block % x, Math.floor(block / x) % y, Math.floor(block / (x * y))];
    return all.slice(0, kernel.grid[2] > 1 ? 3 : y > 1 ? 2 : 1).join(", ");
}

function names(items: Item[]): string {
    const shown = items
        .slice(0, 4)
        .map((item) => `(${coordinates(item.of, item.block!.block)})`)
        .join(" ");
    return items.length > 4 ? `${shown} and ${items.length - 4} more` : shown;
}

function blockTip(scope: Scope, model: Model, item: Item): string {
    const block = item.block!,
        kernel = item.of,
        graph = model.graphs.get(graphOf(kernel));
    const at = (cycle: number): string => `${integer(cycle)} (${seconds(since(scope, cycle))})`;
    const lines = [
        `<b>${escape(kernel.name)} (${coordinates(kernel, block.block)})</b>`,
        `launch #${kernel.number}, SM ${block.sm}`,
        `dispatched ${at(block.dispatched)}`,
        `started ${at(block.started)}`,
        `ended ${at(block.ended)}: ${integer(block.ended - block.started)} cycles`,
    ];
    if (graph) {
        const parents = neighbours(graph, graph.parents, taskOf(item));
        const children = neighbours(graph, graph.children, taskOf(item));
        const level = kernel.dependencies?.levels?.[block.block];
        if (level !== undefined) lines.push(`level ${level}`);
        lines.push(parents.length ? `after ${names(parents)}` : "after no other block");
        if (children.length) lines.push(`before ${names(children)}`);
    }
    const launched = (kernel.launches ?? []).filter((launch) => launch.parent_block === block.block).length;
    if (launched) lines.push(`launched ${launched} times`);
    return lines.join("<br>");
}

function launchTip(scope: Scope, item: Item): string {
    const launch = item.launch!,
        at = (cycle: number): string => seconds(since(scope, cycle));
    const grid = Array.isArray(launch.grid) ? launch.grid.join("×") : String(launch.grid);
    return [
        `<b>${escape(launch.name)}</b>, a ${escape(launch.kind)} of ${grid} blocks`,
        launch.parent_block === undefined
            ? ""
            : `launched by block ${launch.parent_block} of #${item.of.number}`,
        `launched ${at(launch.launched)}, started ${at(launch.started)}, ended ${at(launch.ended)}`,
    ]
        .filter(Boolean)
        .join("<br>");
}

function color(look: Look, item: Item): string {
    if (item.launch) return look.accent;
    const level = item.of.dependencies?.levels?.[item.block!.block];
    return look.series[(level ?? item.of.number) % look.series.length];
}

// The rectangle on the canvas, cut to the grid; null outside of it.
function rectangle(api: any, box: any, place: Place): Option | null {
    const [left, middle] = api.coord([place.from, place.row]),
        [right] = api.coord([place.to, place.row]);
    const band = api.size([0, 1])[1] * 0.86,
        height = band / place.slots;
    const from = Math.max(left, box.x),
        to = Math.min(right, box.x + box.width);
    if (to < box.x || from > box.x + box.width) return null;
    return {
        x: from,
        y: middle - band / 2 + place.slot * height,
        width: Math.max(to - from, 0.7),
        height: Math.max(height - (height > 4 ? 1 : 0), 0.7),
    };
}

// Lines from the end of blocks to the start of those behind them.
interface Edge {
    from: Item;
    to: Item;
}

function edgesOf(model: Model, item: Item): Edge[] {
    const graph = model.graphs.get(graphOf(item.of)),
        made: Edge[] = [];
    if (item.block) {
        if (graph) {
            for (const from of neighbours(graph, graph.parents, taskOf(item))) made.push({ from, to: item });
            for (const to of neighbours(graph, graph.children, taskOf(item))) made.push({ from: item, to });
        }
        for (const launched of model.items)
            if (
                launched.launch &&
                launched.of === item.of &&
                launched.launch.parent_block === item.block.block
            )
                made.push({ from: item, to: launched });
    } else if (item.launch?.parent_block !== undefined) {
        const from = model.byBlock.get(key(item.of.number, item.launch.parent_block));
        if (from) made.push({ from, to: item });
    }
    return made.slice(0, 400);
}

function edgeShape(api: any, edge: Edge): Option["shape"] {
    const middle = (place: Place): number => {
        const band = api.size([0, 1])[1] * 0.86;
        return api.coord([0, place.row])[1] - band / 2 + ((place.slot + 0.5) * band) / place.slots;
    };
    const start = edge.to.launch ? edge.to.from : edge.from.to;
    return {
        x1: api.coord([start, 0])[0],
        y1: middle(edge.from),
        x2: api.coord([edge.to.from, 0])[0],
        y2: middle(edge.to),
    };
}

function option(look: Look, chart: Chart, scope: Scope, model: Model): Option {
    let edges: Edge[] = [];
    chart.off("mouseover");
    chart.off("globalout");
    const showEdges = (next: Edge[]): void => {
        if (!edges.length && !next.length) return;
        edges = next;
        chart.setOption({ series: [{ id: "edges", data: edges.map((_, i) => [i]) }] });
    };
    chart.on("mouseover", (at: any) => {
        if (at.seriesId === "blocks") showEdges(edgesOf(model, model.items[at.dataIndex]));
    });
    chart.on("globalout", () => showEdges([]));
    return {
        grid: { left: isNarrow() ? 48 : 66, right: 16, top: 10, bottom: 76 },
        tooltip: {
            trigger: "item",
            formatter: (at: any) =>
                at.seriesId === "blocks"
                    ? model.items[at.dataIndex].block
                        ? blockTip(scope, model, model.items[at.dataIndex])
                        : launchTip(scope, model.items[at.dataIndex])
                    : "",
        },
        dataZoom: [
            {
                type: "slider",
                filterMode: "none",
                bottom: 8,
                height: 24,
                borderColor: look.line,
                textStyle: { color: look.quiet },
                labelFormatter: (value: number) => seconds(value),
            },
            {
                type: "inside",
                filterMode: "none",
                zoomOnMouseWheel: "ctrl",
                moveOnMouseMove: true,
                moveOnMouseWheel: false,
            },
        ],
        xAxis: axis(look, {
            type: "value",
            min: 0,
            max: since(scope, scope.end),
            axisLabel: { formatter: (value: number) => seconds(value), showMaxLabel: false },
        }),
        yAxis: axis(look, { type: "category", inverse: true, data: model.rows, splitLine: { show: false } }),
        series: [
            {
                id: "blocks",
                type: "custom",
                clip: true,
                data: model.items.map((item) => [item.from, item.row, item.to]),
                encode: { x: [0, 2], y: 1 },
                progressive: 0,
                renderItem: (params: any, api: any) => {
                    const item = model.items[params.dataIndex],
                        shape = rectangle(api, params.coordSys, item);
                    return (
                        shape && {
                            type: "rect",
                            shape,
                            style: { fill: color(look, item), opacity: 0.9 },
                            emphasis: { style: { stroke: look.ink, lineWidth: 2, opacity: 1 } },
                        }
                    );
                },
            },
            {
                id: "waits",
                type: "custom",
                clip: true,
                silent: true,
                data: model.waits.map((wait) => [wait.from, wait.row, wait.to]),
                encode: { x: [0, 2], y: 1 },
                renderItem: (params: any, api: any) => {
                    const shape = rectangle(api, params.coordSys, model.waits[params.dataIndex]);
                    return shape && { type: "rect", shape, style: { fill: look.back, opacity: 0.65 } };
                },
            },
            {
                id: "edges",
                type: "custom",
                clip: true,
                silent: true,
                data: [],
                z: 5,
                renderItem: (params: any, api: any) =>
                    edges[params.dataIndex] && {
                        type: "line",
                        shape: edgeShape(api, edges[params.dataIndex]),
                        style: { stroke: look.accent, lineWidth: 2 },
                    },
            },
        ],
    };
}

export function ganttSection(scope: Scope): HTMLElement {
    const made = section(
        "blocks",
        "Blocks over time",
        "Each bar is a thread block on its SM, from its dispatch to its end; its colour is its launch, or its " +
            "level in the dependency graph. Point at one: lines lead to the blocks it waited for and to those " +
            "that waited for it, or to what it launched. Pale parts: the block had left its SM to wait. Drag " +
            "the slider, or Ctrl and wheel, to zoom.",
    );
    const model = build(scope);
    if (!model.items.length) {
        made.append(
            element("p", { class: "missing" }, `${scope.run.label} recorded no blocks; --blocks keeps them.`),
        );
        return made;
    }
    made.append(element("h3", {}, scope.run.label));
    const strides = scope.kernels.map((kernel) => kernel.blocks_stride ?? 1);
    const stride = Math.max(...strides) * model.left_out;
    if (stride > 1) made.append(element("p", { class: "note" }, `1 of ${stride} blocks is shown.`));
    const height = 96 + Math.min(1100, Math.max(120, model.rows.length * (model.rows.length > 60 ? 9 : 26)));
    const place = addChart(made, "gantt", height, (look, chart) => option(look, chart, scope, model));
    place.dataset.items = String(model.items.length);
    return made;
}
