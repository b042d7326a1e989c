// What `warpbeam report` puts into the page: reports as docs/STATISTICS.md describes them, and the tables of
// `warpbeam paper`. Fields with a question mark are there only when they were asked for, or in newer reports.

export type Counters = Record<string, number>;

// launch (0: a block of the kernel itself), block, sm (the first one), dispatched, started, ended
export type PackedBlock = [number, number, number, number, number, number];

// A channel of a flow graph: elements in use at the end of each sample, and of them those that were ready.
export interface ChannelSeries {
    name: string;
    capacity: number;
    reserved: number[];
    ready: number[];
}

// Samples of a kernel: `ends` counts from its launch. Other keys: counters' growth in each sample.
export interface Series {
    interval: number;
    ends: number[];
    warp_instructions_by_sm: number[][];
    memory_accesses_by_sm: number[][];
    resident_warp_cycles_by_sm?: number[][];
    channels?: ChannelSeries[]; // of the first kernel of a flow graph
    [counter: string]: number | number[] | number[][] | ChannelSeries[] | undefined;
}

export interface SourceLine {
    file: string;
    line: number;
    issued: number;
    waited: number;
    waits: Counters; // of `waited`, by reason
    thread_instructions: number;
}

// Place of the file in `line_files`, then line, issued, waited, thread_instructions, waits.
export type PackedLine = [number, number, number, number, number, Counters | null];

// What limited a kernel: `slots` of schedulers by what they were lost to.
export interface Limit {
    kind: string;
    title: string;
    share: number;
    text: string;
    slots: Counters;
}

// Of kernels of a dependency graph, beside its counters. Blocks of all of its kernels are numbered in a row:
// those of this kernel from `first` on. A number behind the last block is a join of several edges.
export interface Graph {
    grid?: number; // this kernel's place among those kernels
    first?: number;
    levels?: number[];
    edges?: [number, number][];
}

// A kernel or an aggregated group that a block of the kernel, or of one of its launches, launched.
export interface Launch {
    name: string;
    grid: number[];
    block: number[];
    launched: number;
    started: number;
    ended: number;
    number: number; // from 1
    parent: number; // of the launch whose block launched it; 0: of the kernel itself
    parent_block: number;
    kind: string;
}

// A block that left its SM until what it waited for was there.
export interface Wait {
    launch: number; // as `parent`
    block: number;
    sm: number;
    left: number;
    resumed: number;
    returned: number;
    returned_sm: number;
    reason?: string;
    save_begun?: number; // until it left
    restore_begun?: number;
    restored?: number;
}

// A block that waited on its SM.
export interface Hold {
    launch: number;
    block: number;
    reason: string;
    begun: number;
    ended: number;
    at: string;
}

// A block on an SM of a kernel that hangs. Warps that wait in the same way are together.
export interface HangBlock {
    kernel: string;
    block: number[];
    sm: number;
    state: string;
    warps: { first_warp: number; last_warp: number; lanes: string; place: string; waits_for: string }[];
}

// Blocks that wait for an event of the machine; `text` ends the sentence "they wait for ...".
export interface HangWait {
    reason: string;
    text: string;
    in_place: number;
    away: number;
}

// Who waits for what, of a kernel that hangs; texts may be empty.
export interface Hang {
    cause: string;
    undispatched: string;
    graph: string;
    units?: string;
    blocks_ended: number;
    blocks_undispatched: number;
    blocks_on_sms: number;
    blocks_suspended: number;
    waits: HangWait[];
    blocks: HangBlock[];
    blocks_left_out: number;
}

export interface Kernel {
    number: number;
    gpu?: number; // index of its GPU, of several
    name: string;
    grid: number[];
    block: number[];
    registers: number;
    shared_bytes: number;
    local_bytes: number;
    blocks_per_sm: number;
    plain_name?: string;
    launched: number;
    started: number;
    ended: number;
    cycles: number;
    alone: boolean;
    status?: string;
    interrupted?: boolean;
    failure?: string; // why it was cut off
    hang?: Hang;
    warp_instructions: number;
    thread_instructions: number;
    limited_by?: Limit;
    series?: Series;
    blocks?: PackedBlock[];
    blocks_stride?: number; // the page has every so many blocks of a grid,
    launches_stride?: number; // and of launches by blocks
    lines?: PackedLine[];
    graph?: Graph;
    launches?: Launch[];
    waits?: Wait[];
    holds?: Hold[];
    sampled?: Counters; // of how many launches, and blocks with waits or holds, one was kept
    details?: Record<string, Counters[]>;
    [component: string]: unknown;
}

// One of several GPUs: what a report of one has, but for what all share. Of files that were packed for the page,
// kernels are in the report, each with its `gpu`.
export interface GpuReport {
    index: number;
    gpu: string;
    config: Record<string, string | number | boolean>;
    kernels?: Kernel[];
    totals: Counters;
    limited_by?: { kind: string; text: string };
    time?: Counters;
}

// One way of a GPU's port, or what was sent from one GPU, or the host, to another.
export interface Link {
    from: string;
    to: string;
    busy_by_sample?: number[]; // of a port: cycles of the system
    bytes_by_sample?: number[]; // of a path
}

// Samples of `interval` cycles of the system; nothing moved where there is none.
export interface Links {
    interval: number;
    begins: number[];
    ports: Link[];
    paths: Link[];
}

export interface Report {
    format?: string;
    links?: Links;
    system?: { gpu_count: number; title: string; clock_khz: number };
    gpus?: GpuReport[]; // there exactly if `system` is
    gpu: string;
    config: Record<string, string | number | boolean>;
    kernels: Kernel[];
    totals: Counters;
    line_files?: string[];
    run?: { title?: string };
    sources?: Record<string, string>;
    limited_by?: { kind: string; text: string };
    time?: Counters;
    host: Counters;
}

export interface Run {
    label: string;
    file: string;
    notes: string[];
    no_speedup?: string; // why its time says nothing about the first run's
    report: Report;
    gpus?: Run[]; // of a system of several: each GPU as if it had run alone
    gpu?: number; // of one of these: its index
}

export interface PaperAbout {
    title: string;
    figures: { name: string; title: string; units: string[] }[]; // a unit for each column, "": none
}

export interface PaperFolder {
    label: string;
    about: PaperAbout | null; // null: the folder does not say
    claims: string; // papers/claims.csv: all claims with their words
    tables: { name: string; text: string }[];
}

export type StudyValue = string | number | null;

// A column of a study's table, a value for each run. What is the same in all runs is left out.
export interface StudyColumn {
    name: string;
    kind: "run" | "parameter" | "knob" | "statistic";
    values: StudyValue[];
}

// Of `warpbeam sweep --plot`.
export interface Study {
    name: string;
    axes: string[]; // columns that the study varies
    runs: number;
    columns: StudyColumn[];
    first?: { kind?: string; x?: string; y?: string; by?: string }; // what the user wants to see first
}

// A counter of silicon beside one of ours (bench/fidelity/counter.def).
export interface FidelityCounter {
    name: string;
    unit: string;
    is_difference: boolean; // errors are ours less theirs; else in per cent of theirs
    least: number; // of the latter: less counts as this much
    theirs: string; // how it is computed
    ours: string;
    differs: string; // "": nothing that is known
}

// A kernel that ran on both; values are in the order of the counters.
export interface FidelityRow {
    set: string;
    name: string;
    class: string | null;
    half: string | null;
    theirs: (number | null)[];
    ours: (number | null)[];
}

// Of `bench/fidelity --html`.
export interface Fidelity {
    gpu: string;
    knobs: string[]; // name=value
    counters: FidelityCounter[];
    rows: FidelityRow[];
}

export interface PageData {
    runs: Run[];
    papers: PaperFolder[];
    studies?: Study[];
    fidelity?: Fidelity;
    recording?: string[]; // knobs that say what is kept, not what the machine is
}
