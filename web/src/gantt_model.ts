// Where blocks, their states and launches lie in the chart of blocks over time, and which belong together.
import { spentBy, syncsOf, type Spent } from "./gantt_states";
import { blocksOf, config, toSeconds, type Scope, type ScopeBlock } from "./scope";
import type { Kernel, Launch } from "./types";

const mostBlocks = 20000,
    mostTimes = 60000, // of blocks on SMs and in states
    mostLanes = 12,
    leastSlots = 4; // of a row of blocks off the SMs

// A rectangle: in which row, and which part of the row's height.
export interface Place {
    row: number;
    slot: number;
    slots: number;
    from: number;
    to: number;
}

// A block's time on an SM, or a launch from its call to its end.
export interface Item extends Place {
    block?: ScopeBlock;
    launch?: Launch;
    of: Kernel;
}

// A block's time in a state: within its time on an SM, or in the rows of what is off the SMs behind that.
export interface Part extends Place {
    spent: Spent;
    item: Item;
}

// Edges of kernels that were launched together, by the numbers that their blocks have in a row.
export interface Edges {
    parents: Map<number, number[]>;
    children: Map<number, number[]>;
    items: Map<number, Item[]>;
}

export interface Model {
    rows: string[];
    items: Item[];
    pale: Place[]; // parts of bars in which nothing ran
    parts: Part[];
    syncs: number[]; // times at which global syncs were complete
    byBlock: Map<string, Item[]>; // a block's times on SMs
    byLaunch: Map<string, Item>; // launches that are drawn
    blocks: Map<string, Item[]>; // the first time of each of a launch's blocks
    launches: Map<string, Launch[]>; // by the block that made them
    graphs: Map<number, Edges>; // by the number of its first kernel
    left_out: number; // every so many blocks are shown
    launch_count: number; // to be drawn, if there is room
    off_count: number; // the same, of times off the SMs
    off_drawn: number;
}

// Seconds from the begin of what is shown.
export const since = (scope: Scope, cycle: number): number => toSeconds(scope, cycle - scope.begin);
const key = (...numbers: number[]): string => numbers.join("/");
export const blockKey = (block: ScopeBlock): string =>
    key(block.of.number, block.by?.number ?? 0, block.block);

function put<Key, Value>(map: Map<Key, Value[]>, at: Key, what: Value): void {
    const list = map.get(at);
    if (list) list.push(what);
    else map.set(at, [what]);
}

// The first slot that is free from then on; `ends` holds when each becomes so.
function takeSlot(ends: number[], from: number, to: number): number {
    let slot = ends.findIndex((end) => end <= from);
    if (slot < 0) slot = ends.push(0) - 1;
    ends[slot] = to;
    return slot;
}

function placeBlocks(scope: Scope, model: Model): void {
    const blocks = blocksOf(scope);
    const times = blocks.reduce((sum, { waits, holds }) => sum + 1 + 5 * waits.length + holds.length, 0);
    const left_out = (model.left_out = Math.ceil(Math.max(1, blocks.length / mostBlocks, times / mostTimes)));
    const all = blocks
        .flatMap((block, i) => block.stays.map((stay) => ({ block, stay, shown: i % left_out === 0 })))
        .sort((a, b) => a.stay.from - b.stay.from || a.block.block - b.block.block);
    const slots = new Map<number, number[]>();
    const placed = all.map(({ block, stay, shown }): Item => {
        if (!slots.has(stay.sm)) slots.set(stay.sm, []);
        const [from, to] = [since(scope, stay.from), since(scope, stay.to)];
        const slot = takeSlot(slots.get(stay.sm)!, from, to);
        const item = { row: stay.sm, slot, slots: 1, from, to, block, of: block.of };
        put(model.byBlock, blockKey(block), item);
        if (shown) model.items.push(item);
        return item;
    });
    const most = [...slots.values()].reduce((least, ends) => Math.max(least, ends.length), 1);
    for (const item of placed) item.slots = most;
    for (const [first] of model.byBlock.values())
        if (first.block!.by) put(model.blocks, key(first.of.number, first.block!.by.number), first);
    placeParts(scope, model, Math.max(most, leastSlots));
}

// States on SMs lie over the bars, those off SMs in rows below with so many slots each.
function placeParts(scope: Scope, model: Model, slots: number): void {
    const shown = new Set(model.items),
        syncs = new Set<number>(),
        off = new Map<Item, Part[]>();
    for (const items of model.byBlock.values()) {
        if (!shown.has(items[0])) continue;
        for (const spent of spentBy(items[0].block!)) {
            const item = items[spent.stay],
                { row, slot, slots } = item;
            const [from, to] = [since(scope, spent.from), since(scope, spent.to)];
            const part = { row, slot, slots, from, to, spent, item };
            if (spent.is_off) put(off, item, part);
            else model.parts.push(part);
        }
        for (const cycle of syncsOf(items[0].block!)) syncs.add(since(scope, cycle));
    }
    model.syncs = [...syncs];
    placeOff(model, [...off.values()], slots);
}

// Each of `all` has the states of one time off the SMs, in their order.
function placeOff(model: Model, all: Part[][], slots: number): void {
    const ends: number[] = new Array(mostLanes * slots).fill(-1),
        first = model.rows.length;
    let used = 0;
    for (const parts of all.sort(([a], [b]) => a.from - b.from)) {
        const lane = ends.findIndex((end) => end <= parts[0].from);
        if (lane < 0) continue;
        ends[lane] = parts[parts.length - 1].to;
        used = Math.max(used, lane + 1);
        model.off_drawn++;
        for (const part of parts)
            model.parts.push({ ...part, row: first + Math.floor(lane / slots), slot: lane % slots, slots });
    }
    model.off_count = all.length;
    for (let row = 0; row * slots < used; row++) model.rows.push(row ? "" : "off SMs");
}

// Pale until its first block is dispatched.
function placeLaunch(item: Item, scope: Scope, model: Model): void {
    const launch = item.launch!;
    model.items.push(item);
    model.byLaunch.set(key(item.of.number, launch.number), item);
    model.pale.push({ ...item, to: since(scope, launch.started) });
}

function placeLaunches(scope: Scope, model: Model): void {
    const all = scope.kernels
        .flatMap((of) => (of.launches ?? []).map((launch) => ({ launch, of })))
        .sort((a, b) => a.launch.launched - b.launch.launched);
    const lanes: number[] = new Array(mostLanes).fill(-1),
        first = model.rows.length;
    let used = 0;
    for (const { launch, of } of all) {
        put(model.launches, key(of.number, launch.parent, launch.parent_block), launch);
        const [from, to] = [since(scope, launch.launched), since(scope, launch.ended)];
        const lane = lanes.findIndex((end) => end <= from);
        if (lane < 0) continue;
        lanes[lane] = to;
        used = Math.max(used, lane + 1);
        placeLaunch({ row: first + lane, slot: 0, slots: 1, from, to, launch, of }, scope, model);
    }
    model.launch_count = all.length;
    for (let lane = 0; lane < used; lane++) model.rows.push(lane ? "" : "launches");
}

export const graphOf = (kernel: Kernel): number => kernel.number - (kernel.graph?.grid ?? 0);
export const taskOf = (item: Item): number => (item.of.graph?.first ?? 0) + item.block!.block;

function readGraph(kernel: Kernel, model: Model): void {
    if (!kernel.graph?.edges) return;
    const number = graphOf(kernel);
    const graph = model.graphs.get(number) ?? { parents: new Map(), children: new Map(), items: new Map() };
    for (const [parent, child] of kernel.graph.edges) {
        put(graph.parents, child, parent);
        put(graph.children, parent, child);
    }
    model.graphs.set(number, graph);
}

// The blocks at the other end of edges, each as its times on SMs; a join stands for those behind it.
export function neighbours(graph: Edges, edges: Map<number, number[]>, task: number, depth = 0): Item[][] {
    return (edges.get(task) ?? []).flatMap((other) => {
        const items = graph.items.get(other);
        if (items) return [items];
        return depth < 4 ? neighbours(graph, edges, other, depth + 1) : [];
    });
}

export function build(scope: Scope): Model {
    const model: Model = {
        rows: Array.from({ length: config(scope, "sm_count") }, (_, sm) => `SM ${sm}`),
        items: [],
        pale: [],
        parts: [],
        syncs: [],
        byBlock: new Map(),
        byLaunch: new Map(),
        blocks: new Map(),
        launches: new Map(),
        graphs: new Map(),
        left_out: 1,
        launch_count: 0,
        off_count: 0,
        off_drawn: 0,
    };
    placeBlocks(scope, model);
    placeLaunches(scope, model);
    for (const kernel of scope.kernels) readGraph(kernel, model);
    for (const items of model.byBlock.values())
        if (!items[0].block!.by) model.graphs.get(graphOf(items[0].of))?.items.set(taskOf(items[0]), items);
    return model;
}

// -- what belongs to an item --

// A line from one to the other; it begins at a time of the first.
export interface Edge {
    from: Item;
    to: Item;
    at: number;
}

export const graphOfItem = (model: Model, item: Item): Edges | undefined =>
    item.block && !item.block.by ? model.graphs.get(graphOf(item.of)) : undefined;

export const launchesBy = (model: Model, block: ScopeBlock): Launch[] =>
    model.launches.get(blockKey(block)) ?? [];

// To where a launch was called: the block's time on an SM, or if it is not known the launch that it is of.
function callEdge(model: Model, of: Kernel, launch: Launch, at: number, to: Item): Edge[] {
    const { parent, parent_block } = launch;
    const stays = model.byBlock.get(key(of.number, parent, parent_block)) ?? [];
    const from = stays.filter((stay) => stay.from <= at).pop() ?? model.byLaunch.get(key(of.number, parent));
    return from ? [{ from, to, at }] : [];
}

// Blocks of the launch, or the launch itself where they are not known.
function edgesToLaunch(scope: Scope, model: Model, of: Kernel, launch: Launch): Edge[] {
    const drawn = model.byLaunch.get(key(of.number, launch.number));
    const blocks = model.blocks.get(key(of.number, launch.number)) ?? (drawn ? [drawn] : []);
    return blocks.flatMap((to) => callEdge(model, of, launch, since(scope, launch.launched), to));
}

function launchEdges(scope: Scope, model: Model, item: Item): Edge[] {
    if (item.launch) {
        const at = since(scope, item.launch.launched);
        const blocks = model.blocks.get(key(item.of.number, item.launch.number)) ?? [];
        return [
            ...callEdge(model, item.of, item.launch, at, item),
            ...blocks.map((to) => ({ from: item, to, at: to.from })),
        ];
    }
    const block = item.block!;
    const made = launchesBy(model, block).flatMap((launch) => edgesToLaunch(scope, model, item.of, launch));
    if (block.by) made.push(...callEdge(model, item.of, block.by, since(scope, block.by.launched), item));
    return made;
}

export function edgesOf(scope: Scope, model: Model, item: Item): Edge[] {
    const graph = graphOfItem(model, item),
        made = launchEdges(scope, model, item);
    if (graph) {
        const last = (items: Item[]): Item => items[items.length - 1];
        for (const from of neighbours(graph, graph.parents, taskOf(item)))
            made.push({ from: last(from), to: item, at: last(from).to });
        for (const [to] of neighbours(graph, graph.children, taskOf(item)))
            made.push({ from: item, to, at: item.to });
    }
    return made.slice(0, 400);
}

// The item, and the other times of its block.
export const togetherWith = (model: Model, item: Item): Item[] =>
    item.block ? (model.byBlock.get(blockKey(item.block)) ?? [item]) : [item];
