// Several GPUs of one system: their kernels, how busy each was, and what went over links, in one time.
import { addChart, axis, isNarrow, type Look, type Option } from "./chart";
import { element, section, table, type Cell } from "./dom";
import { bytesPerSecond, escape, integer, percent, seconds, trim } from "./format";
import { columns, heatOption } from "./heatmap";
import {
    Bins,
    config,
    count,
    cycles,
    dramBytes,
    hasSeries,
    limit,
    ratio,
    runningCycles,
    sampled,
    sampleInto,
    select,
    toSeconds,
    type Scope,
} from "./scope";
import { partsOf } from "./system";
import type { Kernel, Link, Links, Run } from "./types";

const mostKernels = 20000;

// A kernel's bar: in the row of its GPU, beside those that ran at the same time.
interface Bar {
    kernel: Kernel;
    row: number;
    slot: number;
    from: number; // seconds
    to: number;
}

function barsOf(scope: Scope, row: number): { bars: Bar[]; slots: number } {
    const ends: number[] = [];
    const bars = [...scope.kernels]
        .sort((a, b) => a.launched - b.launched)
        .map((kernel): Bar => {
            const [from, to] = [kernel.launched, kernel.ended].map((at) =>
                toSeconds(scope, at - scope.begin),
            );
            let slot = ends.findIndex((end) => end <= from);
            if (slot < 0) slot = ends.push(0) - 1;
            ends[slot] = to;
            return { kernel, row, slot, from, to };
        });
    return { bars, slots: Math.max(1, ends.length) };
}

function kernelOption(look: Look, parts: Scope[], bars: Bar[], slots: number): Option {
    const names = [...new Set(bars.map(({ kernel }) => kernel.name))];
    const color = (bar: Bar): string => look.series[names.indexOf(bar.kernel.name) % look.series.length];
    return {
        grid: { left: isNarrow() ? 56 : 110, right: 16, top: 10, bottom: 26 },
        tooltip: {
            trigger: "item",
            formatter: (at: any) => {
                const { kernel, row, from, to } = bars[at.dataIndex];
                return (
                    `<b>${escape(kernel.name)}</b>, kernel #${kernel.number} of ${rowName(parts[row])}<br>` +
                    `${kernel.grid.join("×")} blocks of ${kernel.block.join("×")}<br>` +
                    `${seconds(from)} to ${seconds(to)}: ${seconds(to - from)}`
                );
            },
        },
        xAxis: axis(look, {
            type: "value",
            min: 0,
            max: toSeconds(parts[0], cycles(parts[0])),
            axisLabel: { formatter: (value: number) => seconds(value), showMaxLabel: false },
        }),
        yAxis: axis(look, {
            type: "category",
            inverse: true,
            data: parts.map(rowName),
            splitLine: { show: false },
            axisTick: { show: false },
        }),
        series: [
            {
                type: "custom",
                clip: true,
                data: bars.map((bar) => [bar.from, bar.row, bar.to]),
                encode: { x: [0, 2], y: 1 },
                progressive: 0,
                renderItem: (params: any, api: any) => {
                    const bar = bars[params.dataIndex],
                        [left, middle] = api.coord([bar.from, bar.row]),
                        [right] = api.coord([bar.to, bar.row]);
                    const band = api.size([0, 1])[1] * 0.8,
                        height = band / slots;
                    return {
                        type: "rect",
                        shape: {
                            x: left,
                            y: middle - band / 2 + bar.slot * height,
                            width: Math.max(right - left, 1),
                            height: Math.max(height - (height > 4 ? 1 : 0), 0.7),
                        },
                        style: { fill: color(bar), opacity: 0.9 },
                        emphasis: { style: { stroke: look.ink, lineWidth: 2, opacity: 1 } },
                    };
                },
            },
        ],
    };
}

const rowName = (part: Scope): string => `GPU ${part.run.gpu}`;

function addKernels(parent: HTMLElement, parts: Scope[]): void {
    const rows = parts.map(barsOf),
        slots = Math.max(...rows.map((row) => row.slots));
    const all = rows.flatMap(({ bars }) => bars).slice(0, mostKernels);
    const height = 46 + parts.length * Math.min(60, Math.max(22, 12 * slots));
    parent.append(element("h3", {}, "Kernels"));
    addChart(parent, "gpu-kernels", height, (look) => kernelOption(look, parts, all, slots));
}

// What colours of the GPUs' rows mean.
interface Load {
    name: string;
    counters: string[];
    whole: (scope: Scope) => number; // the most that a cycle can hold
}

const loads: Load[] = [
    {
        name: "Warp slots in use",
        counters: ["sm.resident_warp_cycles"],
        whole: (s) => (config(s, "sm_count") * config(s, "max_threads_per_sm")) / config(s, "warp_width"),
    },
    {
        name: "Issue slots in use",
        counters: ["scheduler.issued"],
        whole: (s) => config(s, "sm_count") * config(s, "schedulers"),
    },
    {
        name: "DRAM busy",
        counters: ["dram.busy_ticks"],
        whole: (s) => (config(s, "dram_channels") * config(s, "dram_command_khz")) / config(s, "clock_khz"),
    },
];

function loadOf(part: Scope, load: Load, bins: number): Float64Array {
    const grid = new Bins(bins, cycles(part));
    sampleInto(grid, part, (series, sample) =>
        load.counters.reduce((sum, name) => sum + sampled(series, name, sample), 0),
    );
    const whole = (load.whole(part) * cycles(part)) / bins;
    return grid.values.map((value) => value / whole);
}

// A small heat map for each kind of load, with a row for each GPU.
function addLoads(parent: HTMLElement, parts: Scope[]): void {
    parent.append(element("h3", {}, "How busy the GPUs were"));
    if (!parts.some(hasSeries)) {
        parent.append(
            element("p", { class: "missing" }, "The run has no samples; --set sample_interval=N takes them."),
        );
        return;
    }
    const panels = element("div", { class: "panels" });
    const time = toSeconds(parts[0], cycles(parts[0]));
    for (const load of loads) {
        const panel = element("figure", {}, element("figcaption", {}, load.name));
        addChart(panel, "gpu-load", 90 + 20 * parts.length, (look) => {
            const values = parts.map((part) => loadOf(part, load, Math.round(columns() / 2)));
            return heatOption(look, {
                rows: parts.map(rowName),
                values,
                time,
                end: time,
                most: Math.max(...values.flatMap((row) => Array.from(row))),
                axis: { name: "", left: 56 },
                title: (row) => rowName(parts[row]),
                show: (value) => `${load.name}: ${percent(value)}`,
                short: percent,
            });
        });
        panels.append(panel);
    }
    parent.append(panels);
}

// Of each part of the time, what a link had of `values` in a second; time counts from the scope's begin.
function linkValues(links: Links, values: number[], whole: Scope, bins: number): Float64Array {
    const grid = new Bins(bins, cycles(whole));
    links.begins.forEach((begin, i) => {
        const from = begin - whole.begin;
        grid.add(from, from + links.interval, values[i]);
    });
    const width = toSeconds(whole, cycles(whole) / bins);
    return grid.values.map((value) => value / width);
}

interface LinkPanel {
    title: string;
    links: Link[];
    values: (link: Link) => number[];
    scale: number;
    show: (value: number) => string;
}

// Heat maps of links: how busy ports were, and who sent how much to whom.
function addLinks(parent: HTMLElement, run: Run, whole: Scope): void {
    const links = run.report.links;
    if (!links?.begins.length) return;
    const clock = run.report.system!.clock_khz * 1e3;
    const panels: LinkPanel[] = [
        {
            title: "How busy links were",
            links: links.ports,
            values: (link) => link.busy_by_sample!,
            scale: 1 / clock,
            show: percent,
        },
        {
            title: "Data from one to another",
            links: links.paths,
            values: (link) => link.bytes_by_sample!,
            scale: 1,
            show: bytesPerSecond,
        },
    ];
    parent.append(element("h3", {}, "Links over time"));
    for (const panel of panels.filter((one) => one.links.length)) {
        const names = panel.links.map((link) => `${link.from} → ${link.to}`);
        const figure = element("figure", {}, element("figcaption", {}, panel.title));
        addChart(figure, "links", 90 + 16 * names.length, (look) => {
            const values = panel.links.map((link) =>
                linkValues(links, panel.values(link), whole, columns()).map((value) => value * panel.scale),
            );
            const time = toSeconds(whole, cycles(whole));
            return heatOption(look, {
                rows: names,
                values,
                time,
                end: time,
                most: Math.max(...values.flatMap((row) => Array.from(row))),
                axis: { name: "", left: isNarrow() ? 104 : 120 },
                title: (row) => names[row],
                show: panel.show,
                short: panel.show,
            });
        });
        parent.append(figure);
    }
}

function gpuTable(parts: Scope[]): HTMLElement {
    const rows: Cell[][] = parts.map((part) => [
        `${part.run.gpu}: ${part.run.report.gpu}`,
        integer(part.kernels.length),
        percent(ratio(runningCycles(part), cycles(part))),
        integer(part.kernels.reduce((all, kernel) => all + kernel.warp_instructions, 0)),
        trim(count(part, "exec.warp_instructions") / cycles(part)),
        bytesPerSecond(dramBytes(part) / toSeconds(part, cycles(part))),
        part.kernels.length ? limit(part).replace(/[:.].*/s, "") : "–",
    ]);
    const heads = ["GPU", ">Kernels", ">With a kernel", ">Warp instructions", ">IPC", ">DRAM", "Limited by"];
    return table(heads, rows, "gpus");
}

export function gpusSection(run: Run, selection: string): HTMLElement {
    const made = section(
        "gpus",
        "GPUs over time",
        "All GPUs of the system in one time, from the first launch to the last end on any of them. The parts " +
            "below show each GPU by itself, or the one that is chosen above.",
    );
    const parts = partsOf(run, "all", selection);
    made.append(gpuTable(parts));
    addKernels(made, parts);
    addLoads(made, parts);
    addLinks(made, run, select(run, selection));
    return made;
}
