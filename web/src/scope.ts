// What the panels look at: a run, or some of its kernels, as one thing with counters, blocks and samples.
import type { Counters, Hold, Kernel, Launch, Limit, Run, Series, Wait } from "./types";

export interface Scope {
    run: Run;
    kernels: Kernel[];
    begin: number; // first launch and last end, in cycles since the GPU was opened
    end: number;
    counters: Counters; // by component.counter, over all kernels of the scope
}

const components = [
    "exec",
    "front_end",
    "graph",
    "sm",
    "scheduler",
    "lsu",
    "l1",
    "l2",
    "dram",
    "request_out",
    "request_in",
    "reply_out",
    "reply_in",
    "unit_aggregator",
];

function addCounters(sums: Counters, kernel: Kernel): void {
    for (const component of components) {
        for (const [name, value] of Object.entries((kernel[component] ?? {}) as Counters)) {
            if (typeof value !== "number") continue;
            const key = `${component}.${name}`;
            sums[key] = name.endsWith("_peak") ? Math.max(sums[key] ?? 0, value) : (sums[key] ?? 0) + value;
        }
    }
}

// Kernels that ran at the same time count each other's work, so that only the totals are right for all.
function fromTotals(totals: Counters): Counters {
    const counters: Counters = {};
    for (const [name, value] of Object.entries(totals)) {
        if (name.includes(".")) counters[name] = value;
        else counters[`exec.${name}`] = counters[`front_end.${name}`] = value;
    }
    return counters;
}

export function makeScope(run: Run, kernels: Kernel[]): Scope {
    let counters: Counters = {};
    const whole = kernels.length === run.report.kernels.length;
    if (whole && kernels.some((kernel) => !kernel.alone)) counters = fromTotals(run.report.totals);
    else for (const kernel of kernels) addCounters(counters, kernel);
    const begin = kernels.reduce((least, kernel) => Math.min(least, kernel.launched), Infinity);
    const end = kernels.reduce((most, kernel) => Math.max(most, kernel.ended), 0);
    return { run, kernels, begin: kernels.length ? begin : 0, end, counters };
}

// A selection is "all", "name:NAME" or "number:N"; a run without such a kernel is looked at as a whole, but a
// GPU of several has none then.
export function select(run: Run, selection: string): Scope {
    const kernels = run.report.kernels;
    const [kind, wish] = [selection.replace(/:.*/s, ""), selection.replace(/^[^:]*:/s, "")];
    let chosen = kernels;
    if (kind === "name") chosen = kernels.filter((kernel) => kernel.name === wish);
    if (kind === "number") chosen = kernels.filter((kernel) => kernel.number === Number(wish));
    return makeScope(run, chosen.length || run.gpu !== undefined ? chosen : kernels);
}

// Cycles of the scope in which at least one of its kernels was there.
export function runningCycles(scope: Scope): number {
    let sum = 0,
        reached = -1;
    for (const kernel of [...scope.kernels].sort((a, b) => a.launched - b.launched)) {
        if (kernel.ended > reached) sum += kernel.ended - Math.max(reached, kernel.launched);
        reached = Math.max(reached, kernel.ended);
    }
    return sum;
}

export const cycles = (scope: Scope): number => scope.end - scope.begin;
export const config = (scope: Scope, knob: string): number => Number(scope.run.report.config[knob] ?? NaN);
export const count = (scope: Scope, name: string): number => scope.counters[name] ?? 0;
export const toSeconds = (scope: Scope, value: number): number => value / (config(scope, "clock_khz") * 1e3);

export function ratio(part: number, whole: number): number | null {
    return whole > 0 ? part / whole : null;
}

export function sum(scope: Scope, ...names: string[]): number {
    return names.reduce((total, name) => total + count(scope, name), 0);
}

export const burstBytes = (scope: Scope): number =>
    (config(scope, "dram_bus_bits") / 8) * config(scope, "dram_burst");
export const dramBytes = (scope: Scope): number =>
    sum(scope, "dram.reads", "dram.writes") * burstBytes(scope);

const l2Sectors = [
    "load_hits",
    "load_pending",
    "load_misses",
    "store_hits",
    "store_pending",
    "store_misses",
    "atomic_hits",
    "atomic_pending",
    "atomic_misses",
].map((name) => `l2.${name}`);
export const sectorBytes = 32;
export const l2Bytes = (scope: Scope): number => sum(scope, ...l2Sectors) * sectorBytes;

// The same ratios as those of the report, for scopes of any number of kernels.
export interface Rate {
    name: string;
    about: string;
    of: (scope: Scope) => number | null;
}

export const rates: Rate[] = [
    {
        name: "L1 hits",
        about: "Load requests all of whose sectors were in L1",
        of: (s) => ratio(count(s, "l1.load_hits"), count(s, "l1.loads")),
    },
    {
        name: "L2 hits",
        about: "Sectors that were in L2",
        of: (s) => ratio(sum(s, "l2.load_hits", "l2.store_hits", "l2.atomic_hits"), sum(s, ...l2Sectors)),
    },
    {
        name: "Constant cache hits",
        about: "Lookups of constants that hit",
        of: (s) => ratio(count(s, "lsu.const_hits"), sum(s, "lsu.const_hits", "lsu.const_misses")),
    },
    {
        name: "Instruction cache hits",
        about: "Fetches of instructions that hit",
        of: (s) => ratio(count(s, "sm.fetches") - count(s, "sm.icache_misses"), count(s, "sm.fetches")),
    },
    {
        name: "DRAM row hits",
        about: "Requests that found their row open",
        of: (s) =>
            ratio(
                count(s, "dram.row_hits"),
                sum(s, "dram.row_hits", "dram.row_misses", "dram.row_conflicts"),
            ),
    },
    {
        name: "DRAM bandwidth used",
        about: "Bytes read and written, of what the channels can move in that time",
        of: (s) => ratio(dramBytes(s), dramPeak(s) * toSeconds(s, cycles(s))),
    },
    {
        name: "Request ports busy",
        about: "Crossbar clocks in which the SMs' ports sent requests",
        of: (s) => ratio(count(s, "request_out.busy_ticks"), crossbarTicks(s)),
    },
    {
        name: "Reply ports busy",
        about: "Crossbar clocks in which the SMs' ports received replies",
        of: (s) => ratio(count(s, "reply_in.busy_ticks"), crossbarTicks(s)),
    },
];

function crossbarTicks(scope: Scope): number {
    return (
        ((cycles(scope) * config(scope, "crossbar_khz")) / config(scope, "clock_khz")) *
        config(scope, "sm_count")
    );
}

// -- what the configuration allows, a second --

export const dramPeak = (scope: Scope): number =>
    ((config(scope, "dram_channels") * config(scope, "dram_bus_bits")) / 8) *
    config(scope, "dram_data_khz") *
    1e3;
export const l2Peak = (scope: Scope): number =>
    config(scope, "l2_slices") * config(scope, "l2_bytes_per_tick") * config(scope, "l2_khz") * 1e3;
export const issuePeak = (scope: Scope): number =>
    config(scope, "sm_count") *
    config(scope, "schedulers") *
    config(scope, "issue_width") *
    config(scope, "clock_khz") *
    1e3;

// -- stalls --

export interface Reason {
    key: string; // counter of `scheduler`, "idle" or "gap"
    name: string;
    about: string;
    colors: [string, string]; // light, dark
}

export const reasons: Reason[] = [
    { key: "issued", name: "Issued", about: "an instruction was issued", colors: ["#2f8f5b", "#57c48a"] },
    {
        key: "stall_policy",
        name: "Policy",
        about: "the warp schedulers' policy let no ready warp issue",
        colors: ["#4a7c8c", "#6fa8ba"],
    },
    {
        key: "stall_pipe",
        name: "Pipe busy",
        about: "a warp was ready but its pipe was busy",
        colors: ["#84b63a", "#a5d45c"],
    },
    {
        key: "stall_lsu",
        name: "Load/store queue",
        about: "the load/store unit's queue was full",
        colors: ["#0e8a9c", "#45c3d4"],
    },
    {
        key: "stall_operands",
        name: "Operands",
        about: "operands of the last instruction were being read",
        colors: ["#6aa9b8", "#8fd0de"],
    },
    {
        key: "stall_result",
        name: "Arithmetic result",
        about: "warps waited for an arithmetic result",
        colors: ["#d9a406", "#f2c744"],
    },
    {
        key: "stall_shared",
        name: "Shared memory",
        about: "warps waited for shared or constant memory",
        colors: ["#e07b39", "#f59d62"],
    },
    {
        key: "stall_memory",
        name: "Global memory",
        about: "warps waited for global or local memory",
        colors: ["#c53030", "#f07272"],
    },
    {
        key: "stall_fetch",
        name: "Instruction fetch",
        about: "instruction buffers were empty",
        colors: ["#b4378a", "#e07cc0"],
    },
    {
        key: "stall_branch",
        name: "Branch",
        about: "branches were being resolved",
        colors: ["#8c564b", "#c49189"],
    },
    { key: "stall_fence", name: "Fence", about: "fences waited for stores", colors: ["#5b3fa8", "#9a80ec"] },
    {
        key: "stall_barrier",
        name: "Barrier",
        about: "warps waited at barriers",
        colors: ["#6d54c9", "#b3a1f5"],
    },
    {
        key: "stall_unit",
        name: "Unit outside",
        about: "warps waited for a unit outside the SM",
        colors: ["#3d5a80", "#7fa0cc"],
    },
    {
        key: "stall_pause",
        name: "Paused",
        about: "blocks were paused by the admission policy",
        colors: ["#a0522d", "#d99a73"],
    },
    {
        key: "stall_launched",
        name: "Own launches",
        about: "blocks or warps waited in place for what they launched",
        colors: ["#57707f", "#93b3c4"],
    },
    {
        key: "stall_global_sync",
        name: "Global sync",
        about: "blocks waited in place for the other blocks of their kernel",
        colors: ["#2c6e8f", "#5fb0d6"],
    },
    {
        key: "stall_signals",
        name: "Signals",
        about: "blocks waited in place for signals of events",
        colors: ["#1f7a6d", "#4fbfae"],
    },
    {
        key: "stall_block",
        name: "Other event",
        about: "blocks or warps waited in place for other events of the machine",
        colors: ["#7d8c95", "#aebcc4"],
    },
    {
        key: "stall_suspend",
        name: "Saving blocks",
        about: "blocks were being saved or restored",
        colors: ["#7a6a1a", "#c2ae4f"],
    },
    {
        key: "stall_drain",
        name: "Ending",
        about: "ended warps waited for their memory requests",
        colors: ["#9aa0a6", "#8b949e"],
    },
    {
        key: "stall_empty",
        name: "No warp",
        about: "the scheduler had no warp, though its SM had a block",
        colors: ["#b9c0ca", "#5d6878"],
    },
    { key: "idle", name: "SM idle", about: "the SM had no block", colors: ["#dfe4eb", "#3a4453"] },
    {
        key: "gap",
        name: "No kernel",
        about: "the host had not launched the next kernel yet",
        colors: ["#ecd6c8", "#5a4438"],
    },
];

// Cycles by reason, on average over all schedulers; together: the scope's cycles.
export function stallCycles(scope: Scope): Counters {
    const schedulers = config(scope, "sm_count") * config(scope, "schedulers");
    const result: Counters = {};
    for (const reason of reasons) {
        const total =
            reason.key === "idle"
                ? count(scope, "sm.idle_cycles") * config(scope, "schedulers")
                : count(scope, `scheduler.${reason.key}`);
        result[reason.key] = total / schedulers;
    }
    // What units have that this page does not know: the rest of the cycles in which SMs had blocks.
    let rest = count(scope, "sm.active_cycles") * config(scope, "schedulers");
    for (const reason of reasons)
        if (reason.key !== "idle" && reason.key !== "gap") rest -= result[reason.key] * schedulers;
    result.stall_block += Math.max(0, Math.round(rest)) / schedulers;
    result.gap = cycles(scope) - runningCycles(scope);
    return result;
}

// Several kernels: what most slots of all of them were lost to.
function limitOfAll(limits: Limit[]): string {
    const slots: Counters = {},
        titles: Record<string, string> = {};
    let all = 0;
    for (const limit of limits) {
        titles[limit.kind] = limit.title;
        for (const [kind, count] of Object.entries(limit.slots)) {
            slots[kind] = (slots[kind] ?? 0) + count;
            all += count;
        }
    }
    const [kind, most] = Object.entries(slots).reduce((a, b) => (b[1] > a[1] ? b : a));
    const title = titles[kind] ?? kind.replace(/_/g, " ");
    return `${title}: ${Math.round((100 * most) / all)}% of the schedulers' slots`;
}

// What the report says itself, or else the largest reason.
export function limit(scope: Scope): string {
    const limits = scope.kernels.flatMap((kernel) => (kernel.limited_by ? [kernel.limited_by] : []));
    const whole = scope.run.report.limited_by;
    if (limits.length === 1 && scope.kernels.length === 1) return limits[0].text;
    if (whole && scope.kernels.length === scope.run.report.kernels.length) return whole.text;
    if (limits.length) return limitOfAll(limits);
    const stalls = stallCycles(scope);
    const total = reasons.reduce((all, reason) => all + stalls[reason.key], 0);
    if (!(total > 0)) return "nothing that was counted";
    const worst = reasons.reduce((a, b) => (stalls[b.key] > stalls[a.key] ? b : a));
    const share = Math.round((100 * stalls[worst.key]) / total);
    return `“${worst.name}”: in ${share}% of the schedulers' cycles ${worst.about}`;
}

// -- blocks and samples over time, from 0 at the scope's begin --

// A block's time on an SM, in cycles.
export interface Stay {
    sm: number;
    from: number;
    to: number;
}

export interface ScopeBlock {
    of: Kernel;
    by?: Launch; // what it belongs to; none: to the kernel itself
    block: number; // index in its grid
    started: number;
    stays: Stay[]; // one more than the times that it left to wait
    waits: Wait[]; // those times
    holds: Hold[]; // waits in place
    warps: number;
    weight: number; // blocks that it stands for
}

const product = (sides: number[]): number => sides.reduce((all, side) => all * side, 1);

function staysOf(sm: number, from: number, to: number, waits: Wait[]): Stay[] {
    const stays: Stay[] = [];
    for (const wait of waits) {
        stays.push({ sm, from, to: wait.left });
        [sm, from] = [wait.returned_sm ?? wait.sm, wait.returned];
    }
    return [...stays, { sm, from, to }];
}

// By launch and block, those of each in the order of time.
function byBlock<Row extends { launch: number; block: number }>(rows: Row[] = []): Map<string, Row[]> {
    const made = new Map<string, Row[]>();
    for (const row of rows) {
        const key = `${row.launch}/${row.block}`;
        if (!made.get(key)?.push(row)) made.set(key, [row]);
    }
    return made;
}

// How many launches one that is there stands for.
export const launchStride = (kernel: Kernel): number =>
    (kernel.sampled?.launches ?? 1) * (kernel.launches_stride ?? 1);

function blocksOfKernel(kernel: Kernel, sms: number, width: number): ScopeBlock[] {
    const launches = new Map((kernel.launches ?? []).map((launch) => [launch.number, launch]));
    const waits = byBlock(kernel.waits),
        holds = byBlock(kernel.holds),
        kept = new Map<number, number>();
    for (const [launch] of kernel.blocks ?? []) kept.set(launch, (kept.get(launch) ?? 0) + 1);
    return (kernel.blocks ?? []).flatMap(([launch, block, sm, dispatched, started, ended]) => {
        const by = launches.get(launch);
        if (sm >= sms) return []; // it was cut off before it was dispatched
        const { grid, block: sides } = by ?? kernel,
            away = waits.get(`${launch}/${block}`) ?? [];
        return {
            of: kernel,
            by,
            block,
            started,
            stays: staysOf(sm, dispatched, ended, away),
            waits: away,
            holds: holds.get(`${launch}/${block}`) ?? [],
            warps: Math.ceil(product(sides) / width),
            weight: (product(grid) / kept.get(launch)!) * (launch ? launchStride(kernel) : 1),
        };
    });
}

const known = new WeakMap<Scope, ScopeBlock[]>();

export function blocksOf(scope: Scope): ScopeBlock[] {
    const [sms, width] = [config(scope, "sm_count"), config(scope, "warp_width") || 32];
    if (!known.has(scope))
        known.set(
            scope,
            scope.kernels.flatMap((kernel) => blocksOfKernel(kernel, sms, width)),
        );
    return known.get(scope)!;
}

// Spreads amounts over `bins` equal parts of [0, span): what lies in each.
export class Bins {
    readonly values: Float64Array;
    constructor(
        readonly bins: number,
        readonly span: number,
    ) {
        this.values = new Float64Array(bins);
    }
    add(from: number, to: number, amount: number): void {
        const width = this.span / this.bins;
        const rate = amount / Math.max(to - from, 1e-9);
        const last = Math.min(this.bins - 1, Math.ceil(to / width) - 1);
        for (let bin = Math.max(0, Math.floor(from / width)); bin <= last; bin++) {
            const overlap = Math.min(to, (bin + 1) * width) - Math.max(from, bin * width);
            if (overlap > 0) this.values[bin] += rate * overlap;
        }
    }
}

export function hasSeries(scope: Scope): boolean {
    return scope.kernels.some((kernel) => kernel.series && kernel.series.ends.length > 0);
}

// Adds up samples of all kernels of the scope; `value` gives that of one sample. Samples are of the whole GPU:
// of kernels that ran side by side each time counts once.
export function sampleInto(
    bins: Bins,
    scope: Scope,
    value: (series: Series, sample: number) => number,
): void {
    let covered = 0;
    for (const kernel of [...scope.kernels].sort((a, b) => a.launched - b.launched)) {
        const series = kernel.series;
        if (!series) continue;
        let from = kernel.launched - scope.begin;
        const base = from;
        series.ends.forEach((end, i) => {
            if (from >= covered) {
                bins.add(from, base + end, value(series, i));
                covered = base + end;
            }
            from = base + end;
        });
    }
}

export function sampled(series: Series, counter: string, sample: number): number {
    return (series[counter] as number[] | undefined)?.[sample] ?? 0;
}
