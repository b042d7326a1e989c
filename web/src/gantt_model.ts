// Where blocks, waits and launches lie in the chart of blocks over time, and which belong together.
import { blocksOf, config, toSeconds, type Scope, type ScopeBlock } from "./scope";
import type { Kernel, Launch } from "./types";

const mostBlocks = 20000,
    mostLaunches = 3000,
    mostLanes = 12;

// A rectangle: in which row, and which part of the row's height.
export interface Place {
    row: number;
    slot: number;
    slots: number;
    from: number;
    to: number;
}

export interface Item extends Place {
    block?: ScopeBlock;
    launch?: Launch;
    of: Kernel;
}

// Edges of kernels that were launched together, by the numbers that their blocks have in a row.
export interface Edges {
    parents: Map<number, number[]>;
    children: Map<number, number[]>;
    items: Map<number, Item>;
}

export interface Model {
    rows: string[];
    items: Item[];
    waits: Place[]; // parts of bars in which nothing ran
    byBlock: Map<string, Item>;
    byLaunch: Map<string, Item>;
    graphs: Map<number, Edges>; // by the number of its first kernel
    left_out: number; // every so many blocks are shown
}

// Seconds from the begin of what is shown.
export const since = (scope: Scope, cycle: number): number => toSeconds(scope, cycle - scope.begin);
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

// Pale until its first block is dispatched.
function placeLaunch(item: Item, scope: Scope, model: Model): void {
    const launch = item.launch!;
    model.items.push(item);
    model.byLaunch.set(key(item.of.number, launch.number), item);
    model.waits.push({ ...item, to: since(scope, launch.started) });
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
            placeLaunch({ row: first + lane, slot: 0, slots: 1, from, to, launch, of }, scope, model);
    }
    for (let lane = 0; lane < Math.min(lanes.length, mostLanes); lane++)
        model.rows.push(lane ? "" : "launches");
}

function placeWaits(scope: Scope, model: Model): void {
    for (const kernel of scope.kernels) {
        for (const wait of kernel.waits ?? []) {
            const item = wait.launch === 0 ? model.byBlock.get(key(kernel.number, wait.block)) : undefined;
            if (item)
                model.waits.push({ ...item, from: since(scope, wait.left), to: since(scope, wait.returned) });
        }
    }
}

export const graphOf = (kernel: Kernel): number => kernel.number - (kernel.graph?.grid ?? 0);
export const taskOf = (item: Item): number => (item.of.graph?.first ?? 0) + item.block!.block;

function readGraph(kernel: Kernel, model: Model): void {
    if (!kernel.graph?.edges) return;
    const number = graphOf(kernel);
    const graph = model.graphs.get(number) ?? { parents: new Map(), children: new Map(), items: new Map() };
    const put = (map: Map<number, number[]>, at: number, what: number): void => {
        if (!map.has(at)) map.set(at, []);
        map.get(at)!.push(what);
    };
    for (const [parent, child] of kernel.graph.edges) {
        put(graph.parents, child, parent);
        put(graph.children, parent, child);
    }
    model.graphs.set(number, graph);
}

// The blocks at the other end of edges; a join stands for those behind it.
export function neighbours(graph: Edges, edges: Map<number, number[]>, task: number, depth = 0): Item[] {
    return (edges.get(task) ?? []).flatMap((other) => {
        const item = graph.items.get(other);
        if (item) return [item];
        return depth < 4 ? neighbours(graph, edges, other, depth + 1) : [];
    });
}

export function build(scope: Scope): Model {
    const model: Model = {
        rows: Array.from({ length: config(scope, "sm_count") }, (_, sm) => `SM ${sm}`),
        items: [],
        waits: [],
        byBlock: new Map(),
        byLaunch: new Map(),
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

// Lines from the end of blocks to the start of those behind them.
export interface Edge {
    from: Item;
    to: Item;
}

// What launched it: a block, or the launch that the block is of.
function launcher(model: Model, item: Item): Item | undefined {
    const { parent, parent_block } = item.launch!;
    return parent === 0
        ? model.byBlock.get(key(item.of.number, parent_block))
        : model.byLaunch.get(key(item.of.number, parent));
}

function launchEdges(model: Model, item: Item): Edge[] {
    const made: Edge[] = [];
    for (const to of model.byLaunch.values())
        if (to.of === item.of && launcher(model, to) === item) made.push({ from: item, to });
    const from = item.launch && launcher(model, item);
    return from ? [...made, { from, to: item }] : made;
}

export function edgesOf(model: Model, item: Item): Edge[] {
    const graph = model.graphs.get(graphOf(item.of));
    const made = launchEdges(model, item);
    if (item.block && graph) {
        for (const from of neighbours(graph, graph.parents, taskOf(item))) made.push({ from, to: item });
        for (const to of neighbours(graph, graph.children, taskOf(item))) made.push({ from: item, to });
    }
    return made.slice(0, 400);
}
