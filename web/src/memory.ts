// Caches and DRAM: hit rates of the runs side by side, and how they changed over time.
import { addChart, axis, isNarrow, legend, type Look, type Option } from "./chart";
import { element, section, table } from "./dom";
import { bytes, escape, percent, seconds, trim } from "./format";
import {
    Bins,
    burstBytes,
    config,
    count,
    cycles,
    dramBytes,
    hasSeries,
    l2Bytes,
    rates,
    sampled,
    sampleInto,
    toSeconds,
    type Scope,
} from "./scope";

function rateChart(look: Look, scopes: Scope[]): Option {
    const shown = rates.filter((rate) => scopes.some((scope) => rate.of(scope) !== null));
    return {
        grid: { left: 10, right: 30, top: 36, bottom: 30, containLabel: true },
        legend: legend(look),
        tooltip: {
            trigger: "item",
            formatter: (at: any) =>
                `<b>${escape(at.seriesName)}</b><br>${shown[at.dataIndex].name}: ` +
                `${percent(at.value / 100)}<br><i>${shown[at.dataIndex].about}</i>`,
        },
        xAxis: axis(look, { type: "value", max: 100, name: "%", nameLocation: "end", nameGap: 6 }),
        yAxis: axis(look, {
            type: "category",
            inverse: true,
            data: shown.map((rate) => rate.name),
            axisLabel: { color: look.ink, width: isNarrow() ? 110 : 200, overflow: "break" },
        }),
        series: scopes.map((scope) => ({
            type: "bar",
            name: scope.run.label,
            barMaxWidth: 14,
            barMinHeight: 1,
            data: shown.map((rate) => {
                const share = rate.of(scope);
                return share === null ? null : 100 * share;
            }),
        })),
    };
}

export interface Line {
    key: string;
    name: string;
    // What a bin holds of `above`, over `below`; without `below`: over the bin's length.
    above: string[];
    below?: string[];
    factor: (scope: Scope) => number;
}

const lines: Line[] = [
    {
        key: "ipc",
        name: "Warp instructions per cycle, whole GPU",
        above: ["warp_instructions"],
        factor: () => 1,
    },
    { key: "warps", name: "Resident warps, whole GPU", above: ["sm.resident_warp_cycles"], factor: () => 1 },
    {
        key: "dram",
        name: "DRAM, GB/s",
        above: ["dram.reads", "dram.writes"],
        factor: (scope) => (burstBytes(scope) * config(scope, "clock_khz")) / 1e6,
    },
    {
        key: "l2",
        name: "L2 hits, % of sectors",
        above: ["l2.load_hits", "l2.store_hits", "l2.atomic_hits"],
        below: [
            "l2.load_hits",
            "l2.store_hits",
            "l2.atomic_hits",
            "l2.load_pending",
            "l2.load_misses",
            "l2.store_misses",
            "l2.atomic_misses",
        ],
        factor: () => 100,
    },
    {
        key: "l1",
        name: "L1 hits, % of load requests",
        above: ["l1.load_hits"],
        below: ["l1.load_hits", "l1.load_misses", "l1.load_merges"],
        factor: () => 100,
    },
    {
        key: "rows",
        name: "DRAM channels busy, %",
        above: ["dram.busy_ticks"],
        factor: (scope) =>
            (100 * config(scope, "clock_khz")) /
            config(scope, "dram_command_khz") /
            config(scope, "dram_channels"),
    },
];

function lineData(scope: Scope, line: Line, span: number, bins: number): [number, number | null][] {
    const width = span / bins,
        above = new Bins(bins, span),
        below = new Bins(bins, span);
    const total =
        (names: string[]) =>
        (series: any, sample: number): number =>
            names.reduce((all, name) => all + sampled(series, name, sample), 0);
    sampleInto(above, scope, total(line.above));
    if (line.below) sampleInto(below, scope, total(line.below));
    const made: [number, number | null][] = [];
    for (let bin = 0; bin < bins && bin * width < cycles(scope); bin++) {
        const divisor = line.below ? below.values[bin] : width;
        made.push([
            toSeconds(scope, (bin + 0.5) * width),
            divisor > 0 ? (above.values[bin] / divisor) * line.factor(scope) : null,
        ]);
    }
    return made;
}

function lineChart(look: Look, scopes: Scope[], line: Line): Option {
    const span = Math.max(1, ...scopes.map(cycles)),
        bins = isNarrow() ? 120 : 300;
    return {
        grid: { left: 10, right: 20, top: 34, bottom: 24, containLabel: true },
        legend: scopes.length > 1 ? legend(look) : undefined,
        tooltip: {
            trigger: "axis",
            formatter: (at: any[]) =>
                `${seconds(at[0].value[0])}<br>` +
                at
                    .map(
                        (one) =>
                            `${one.marker}${escape(one.seriesName)}: <b>${trim(one.value[1] ?? NaN)}</b>`,
                    )
                    .join("<br>"),
        },
        xAxis: axis(look, {
            type: "value",
            min: 0,
            splitLine: { show: false },
            axisLabel: { formatter: (value: number) => seconds(value) },
        }),
        yAxis: axis(look, { type: "value", min: 0 }),
        series: scopes.filter(hasSeries).map((scope) => ({
            type: "line",
            name: scope.run.label,
            showSymbol: false,
            lineStyle: { width: 1.5 },
            color: look.series[scopes.indexOf(scope) % look.series.length],
            data: lineData(scope, line, span, bins),
        })),
    };
}

// A chart over time for each of the lines that has something to show.
export function timePanels(scopes: Scope[], lines: Line[]): HTMLElement {
    const panels = element("div", { class: "panels" });
    for (const line of lines) {
        const used = scopes.some((scope) =>
            scope.kernels.some(
                (kernel) =>
                    kernel.series &&
                    (line.below ?? line.above).some((name) =>
                        (kernel.series![name] as number[] | undefined)?.some((v) => v > 0),
                    ),
            ),
        );
        if (!used) continue;
        const panel = element("figure", {}, element("figcaption", {}, line.name));
        addChart(panel, `time-${line.key}`, 210, (look) => lineChart(look, scopes, line));
        panels.append(panel);
    }
    return panels;
}

export function memorySection(scopes: Scope[]): HTMLElement {
    const made = section(
        "memory",
        "Caches and DRAM",
        "How often what was wanted was there, and what had to be moved.",
    );
    const shown = rates.filter((rate) => scopes.some((scope) => rate.of(scope) !== null)).length;
    addChart(made, "rates", 80 + shown * (16 + 12 * scopes.length), (look) => rateChart(look, scopes));
    made.append(
        table(
            ["", ...scopes.map((scope) => ">" + scope.run.label)],
            [
                ["Moved at L2", ...scopes.map((scope) => bytes(l2Bytes(scope)))],
                ["Moved at DRAM", ...scopes.map((scope) => bytes(dramBytes(scope)))],
                [
                    "Lines of a global access",
                    ...scopes.map((scope) =>
                        trim(
                            count(scope, "lsu.global_lines") /
                                (count(scope, "lsu.global_loads") +
                                    count(scope, "lsu.global_stores") +
                                    count(scope, "lsu.global_atomics")),
                        ),
                    ),
                ],
                [
                    "Shared memory: passes of an access",
                    ...scopes.map((scope) =>
                        trim(count(scope, "lsu.shared_passes") / count(scope, "lsu.shared_accesses")),
                    ),
                ],
            ],
            "memory",
        ),
    );
    made.append(element("h3", {}, "Over time"));
    if (!scopes.some(hasSeries)) {
        made.append(
            element(
                "p",
                { class: "missing" },
                "The runs have no samples; --set sample_interval=N takes one every N cycles.",
            ),
        );
        return made;
    }
    made.append(timePanels(scopes, lines));
    return made;
}
