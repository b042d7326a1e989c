// Flow graphs: what the aggregator dispatched and how full channels were, over time.
import { addChart, axis, isNarrow, type Look, type Option } from "./chart";
import { element, section, table } from "./dom";
import { bytes, escape, integer, percent, seconds } from "./format";
import { timePanels, type Line } from "./memory";
import { config, count, cycles, ratio, sum, toSeconds, type Scope } from "./scope";
import type { ChannelSeries } from "./types";

const mostChannels = 48; // rows of the chart: those that held most

const lines: Line[] = [
    {
        key: "tasks",
        name: "Wavefronts of tasks, in 1000 cycles",
        above: ["unit_aggregator.tasks"],
        factor: () => 1000,
    },
    {
        key: "lanes",
        name: "Lanes filled, % of these wavefronts'",
        above: ["unit_aggregator.lanes"],
        below: ["unit_aggregator.tasks"],
        factor: (scope) => 100 / config(scope, "warp_width"),
    },
    {
        key: "yields",
        name: "Wavefronts that yield, in 1000 cycles",
        above: ["unit_aggregator.yields"],
        factor: () => 1000,
    },
    {
        key: "aggregator",
        name: "Aggregator's core busy, % of its clocks",
        above: ["unit_aggregator.core_ticks_busy"],
        below: ["unit_aggregator.core_ticks"],
        factor: () => 100,
    },
    {
        key: "stalled",
        name: "No wavefront on the GPU, % of the time",
        above: [
            "unit_aggregator.idle_scheduling_cycles",
            "unit_aggregator.idle_yields_cycles",
            "unit_aggregator.idle_deallocation_cycles",
        ],
        below: ["unit_aggregator.cycles"],
        factor: () => 100,
    },
];

interface Row {
    name: string;
    capacity: number;
    peak: number;
    reserved: Float64Array; // the most in each part of the time
    ready: Float64Array;
}

function raise(values: Float64Array, from: number, to: number, width: number, value: number): void {
    const last = Math.min(values.length - 1, Math.ceil(to / width) - 1);
    for (let bin = Math.max(0, Math.floor(from / width)); bin <= last; bin++)
        values[bin] = Math.max(values[bin], value);
}

// Channels of one name, in several launches, are one row.
function channelRows(scope: Scope, bins: number): Row[] {
    const rows = new Map<string, Row>(),
        width = cycles(scope) / bins;
    for (const kernel of scope.kernels) {
        const base = kernel.launched - scope.begin;
        for (const channel of (kernel.series?.channels ?? []) as ChannelSeries[]) {
            const row = rows.get(channel.name) ?? {
                name: channel.name,
                capacity: channel.capacity,
                peak: 0,
                reserved: new Float64Array(bins),
                ready: new Float64Array(bins),
            };
            rows.set(channel.name, row);
            let from = base;
            kernel.series!.ends.forEach((end, i) => {
                raise(row.reserved, from, base + end, width, channel.reserved[i]);
                raise(row.ready, from, base + end, width, channel.ready[i]);
                row.peak = Math.max(row.peak, channel.reserved[i]);
                from = base + end;
            });
        }
    }
    const all = [...rows.values()];
    const least = all.map((row) => row.peak).sort((a, b) => b - a)[mostChannels - 1] ?? 0;
    return all.filter((row) => row.peak >= least).slice(0, mostChannels);
}

function channelChart(look: Look, scope: Scope, rows: Row[], bins: number): Option {
    const width = cycles(scope) / bins,
        start = (bin: number): string => seconds(toSeconds(scope, bin * width)),
        data: { value: [number, number, number]; visualMap?: boolean; itemStyle?: Option }[] = [];
    rows.forEach((row, y) =>
        row.reserved.forEach((value, bin) => {
            const empty = value === 0 && { visualMap: false, itemStyle: { color: look.ramp[0] } };
            data.push({ value: [bin, y, (100 * value) / row.capacity], ...empty });
        }),
    );
    return {
        grid: { left: 10, right: 14, top: 10, bottom: 64, containLabel: true },
        tooltip: {
            trigger: "item",
            formatter: (at: any) => {
                const [bin, y] = at.value as [number, number],
                    row = rows[y];
                return (
                    `<b>${escape(row.name)}</b>, ${start(bin)} to ${start(bin + 1)}<br>` +
                    `${integer(row.reserved[bin])} of ${integer(row.capacity)} elements in use, ` +
                    `${integer(row.ready[bin])} ready`
                );
            },
        },
        xAxis: axis(look, {
            type: "category",
            data: Array.from({ length: bins }, (_, bin) => start(bin)),
            splitLine: { show: false },
            axisTick: { show: false },
            axisLabel: { interval: Math.ceil(bins / (isNarrow() ? 3 : 8)) - 1 },
        }),
        yAxis: axis(look, {
            type: "category",
            inverse: true,
            data: rows.map((row) => row.name),
            axisLabel: { color: look.ink, width: isNarrow() ? 90 : 180, overflow: "truncate" },
            splitLine: { show: false },
        }),
        visualMap: {
            min: 0,
            max: 100,
            calculable: !isNarrow(),
            orient: "horizontal",
            left: "center",
            bottom: 0,
            itemWidth: 12,
            itemHeight: 120,
            inRange: { color: look.ramp.slice(1) },
            textStyle: { color: look.quiet },
            formatter: (value: number) => `${Math.round(value)}%`,
            text: isNarrow() ? ["100%", "0"] : undefined,
        },
        series: [
            {
                type: "heatmap",
                data,
                progressive: 0,
                emphasis: { itemStyle: { borderColor: look.accent, borderWidth: 1 } },
            },
        ],
    };
}

function overview(scopes: Scope[]): HTMLElement {
    const of =
        (name: string) =>
        (scope: Scope): number =>
            count(scope, `unit_aggregator.${name}`);
    const stalled = (scope: Scope): number =>
        sum(
            scope,
            "unit_aggregator.idle_scheduling_cycles",
            "unit_aggregator.idle_yields_cycles",
            "unit_aggregator.idle_deallocation_cycles",
        );
    const row = (name: string, show: (scope: Scope) => string): string[] => [name, ...scopes.map(show)];
    return table(
        ["", ...scopes.map((scope) => ">" + scope.run.label)],
        [
            row("Wavefronts of tasks", (scope) => integer(of("tasks")(scope))),
            row("Lanes filled", (scope) =>
                percent(ratio(of("lanes")(scope), of("tasks")(scope) * config(scope, "warp_width"))),
            ),
            row("No wavefront on the GPU", (scope) => percent(ratio(stalled(scope), of("cycles")(scope)))),
            row("Aggregator's core busy", (scope) =>
                percent(ratio(of("core_ticks_busy")(scope), of("core_ticks")(scope))),
            ),
            row("Yields", (scope) => integer(of("yields")(scope))),
            row("Most wavefronts away at once", (scope) => integer(of("away_peak")(scope))),
            row("Contexts saved and restored", (scope) => bytes(count(scope, "sm.context_bytes"))),
            row("Most memory for contexts", (scope) => bytes(count(scope, "sm.yield_memory_peak"))),
        ],
        "flow",
    );
}

// Null: no flow graph ran.
export function flowSection(scopes: Scope[], main: Scope): HTMLElement | null {
    const shown = scopes.filter((scope) => count(scope, "unit_aggregator.tasks") > 0);
    if (!shown.length) return null;
    const made = section(
        "flow",
        "Flow graph",
        "Tasks that feed each other through channels: what was dispatched, how full channels were, who yielded.",
    );
    made.append(overview(shown));
    const bins = isNarrow() ? 60 : 160,
        rows = channelRows(main, bins);
    made.append(element("h3", {}, "Channels over time"));
    if (rows.length) {
        made.append(
            element("p", {}, `Elements in use, of what each channel can hold, in ${main.run.label}.`),
        );
        addChart(made, "channels", 90 + 20 * rows.length, (look) => channelChart(look, main, rows, bins));
    } else {
        made.append(
            element(
                "p",
                { class: "missing" },
                "The run has no samples of channels; --set sample_interval=N takes one every N cycles.",
            ),
        );
    }
    made.append(timePanels(shown, lines));
    return made;
}
