// What every SM held or did over time. All runs share the axis of time, so that longer ones look longer.
import { addChart, axis, isNarrow, type Look, type Option } from "./chart";
import { choice, element, section } from "./dom";
import { escape, percent, seconds, trim } from "./format";
import { Bins, blocksOf, config, count, cycles, hasSeries, sampleInto, toSeconds, type Scope } from "./scope";

interface Metric {
    key: string;
    name: string;
    there: (scope: Scope) => boolean;
    grids: (scope: Scope, span: number, bins: number) => Bins[]; // one for each SM
    scale: (scope: Scope, width: number) => number; // divides what a bin of that width holds
    show: (value: number) => string;
}

type CoreSeries = "warp_instructions_by_sm" | "memory_accesses_by_sm" | "resident_warp_cycles_by_sm";

function fromSeries(key: CoreSeries): Metric["grids"] {
    return (scope, span, bins) =>
        Array.from({ length: config(scope, "sm_count") }, (_, sm) => {
            const grid = new Bins(bins, span);
            sampleInto(grid, scope, (series, sample) => series[key]?.[sm]?.[sample] ?? 0);
            return grid;
        });
}

const hasWarps = (scope: Scope): boolean =>
    scope.kernels.some((kernel) => kernel.series?.resident_warp_cycles_by_sm);

// Blocks are more exact than samples if all of them are there. Without samples, some blocks stand for all.
function hasBlocks(scope: Scope): boolean {
    const blocks = blocksOf(scope),
        all = count(scope, "sm.blocks");
    if (!blocks.length) return false;
    return hasWarps(scope)
        ? blocks.length >= all
        : blocks.reduce((sum, block) => sum + block.weight, 0) >= 0.9 * all;
}

function fromBlocks(scope: Scope, span: number, bins: number): Bins[] {
    const grids = Array.from({ length: config(scope, "sm_count") }, () => new Bins(bins, span));
    for (const block of blocksOf(scope))
        for (const stay of block.stays) {
            const [from, to] = [stay.from - scope.begin, stay.to - scope.begin];
            grids[stay.sm]?.add(from, to, block.warps * (to - from) * block.weight);
        }
    return grids;
}

const metrics: Metric[] = [
    {
        key: "occupancy",
        name: "occupancy",
        there: (scope) => hasBlocks(scope) || hasWarps(scope),
        grids: (scope, span, bins) =>
            hasBlocks(scope)
                ? fromBlocks(scope, span, bins)
                : fromSeries("resident_warp_cycles_by_sm")(scope, span, bins),
        scale: (scope, width) => (width * config(scope, "max_threads_per_sm")) / config(scope, "warp_width"),
        show: (value) => `${percent(value)} of the warps that fit`,
    },
    {
        key: "ipc",
        name: "instructions per cycle",
        there: hasSeries,
        grids: fromSeries("warp_instructions_by_sm"),
        scale: (_, width) => width,
        show: (value) => `${trim(value)} warp instructions a cycle`,
    },
    {
        key: "accesses",
        name: "memory requests",
        there: hasSeries,
        grids: fromSeries("memory_accesses_by_sm"),
        scale: (_, width) => width,
        show: (value) => `${trim(value)} requests to L2 a cycle`,
    },
];

export const columns = (): number => (isNarrow() ? 60 : 160);

// 1, 2 or 5 times a power of ten, the next above.
function roundStep(least: number): number {
    const power = 10 ** Math.floor(Math.log10(least));
    return power * ([1, 2, 5].find((digit) => digit * power >= least) ?? 10);
}

// The multiple of the step in a part of the time; null: there is none.
function tick(from: number, width: number, step: number): number | null {
    const multiple = Math.ceil(from / step - 1e-9) * step;
    return multiple < from + width * (1 - 1e-9) ? multiple : null;
}

let wanted = "", // the metric
    wantedScale = "whole"; // what the last colour of occupancy means: 100%, or the "largest" value

// A heat map: rows by columns of time, which lasts `time` seconds; columns from `end` on are left empty.
export interface Heat {
    rows: string[];
    values: ArrayLike<number>[]; // of each row, one for each column
    time: number;
    end: number;
    most: number; // what the last colour means
    axis: { name: string; left: number }; // of rows
    title: (row: number) => string;
    show: (value: number) => string;
    short: (value: number) => string;
}

export function heatOption(look: Look, heat: Heat): Option {
    const bins = heat.values[0].length,
        width = heat.time / bins;
    const data: { value: [number, number, number]; visualMap?: boolean; itemStyle?: Option }[] = [];
    heat.values.forEach((values, row) =>
        Array.from(values).forEach((value, bin) => {
            if (bin * width >= heat.end) return;
            const idle = value === 0 && { visualMap: false, itemStyle: { color: look.ramp[0] } };
            data.push({ value: [bin, row, value], ...idle });
        }),
    );
    const step = roundStep(heat.time / (isNarrow() ? 4 : 10));
    const start = (bin: number): string => seconds(bin * width);
    return {
        grid: { left: heat.axis.left, right: 14, top: 10, bottom: 70 },
        tooltip: {
            trigger: "item",
            formatter: (at: any) =>
                `<b>${escape(heat.title(at.value[1]))}</b>, ` +
                `${start(at.value[0])} to ${start(at.value[0] + 1)}<br>${heat.show(at.value[2])}`,
        },
        xAxis: axis(look, {
            type: "category",
            data: Array.from({ length: bins }, (_, bin) => bin),
            splitLine: { show: false },
            axisTick: { show: false },
            axisLabel: {
                interval: (bin: number) => tick(bin * width, width, step) !== null,
                formatter: (bin: string) => seconds(tick(Number(bin) * width, width, step) ?? 0),
            },
        }),
        yAxis: axis(look, {
            type: "category",
            inverse: true,
            name: heat.axis.name,
            nameLocation: "middle",
            nameGap: 30,
            data: heat.rows,
            splitLine: { show: false },
        }),
        visualMap: {
            min: 0,
            max: heat.most || 1,
            calculable: !isNarrow(),
            orient: "horizontal",
            left: "center",
            bottom: 0,
            itemWidth: 12,
            itemHeight: 120,
            inRange: { color: look.ramp.slice(1) }, // nothing at all looks different from very little
            textStyle: { color: look.quiet },
            formatter: heat.short,
            text: isNarrow() ? [heat.short(heat.most || 1), "0"] : undefined, // there are no handles with texts
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

function heatOfSms(look: Look, scope: Scope, metric: Metric, span: number, most: number): Option {
    const bins = columns(),
        grids = metric.grids(scope, span, bins),
        scale = metric.scale(scope, span / bins);
    return heatOption(look, {
        rows: grids.map((_, sm) => String(sm)),
        values: grids.map((grid) => grid.values.map((value) => value / scale)),
        time: toSeconds(scope, span),
        end: toSeconds(scope, cycles(scope)),
        most,
        axis: { name: "SM", left: 46 },
        title: (sm) => `SM ${sm}`,
        show: metric.show,
        short: metric.key === "occupancy" ? percent : trim,
    });
}

// That many seconds in cycles of the run.
const toCycles = (scope: Scope, seconds: number): number => seconds / toSeconds(scope, 1);

// The largest value of all runs: their colours then mean the same.
function largest(scopes: Scope[], metric: Metric, time: number): number {
    const bins = columns();
    let most = 0;
    for (const scope of scopes) {
        const span = toCycles(scope, time),
            scale = metric.scale(scope, span / bins);
        for (const grid of metric.grids(scope, span, bins))
            for (const value of grid.values) most = Math.max(most, value / scale);
    }
    return most;
}

export function heatSection(scopes: Scope[], changed: () => void): HTMLElement {
    const made = section(
        "occupancy",
        "SMs over time",
        "Each row is an SM, each column a part of the time; the same colour is the same value in all runs.",
    );
    const there = metrics.filter((metric) => scopes.some(metric.there));
    if (!there.length) {
        made.append(
            element(
                "p",
                { class: "missing" },
                "The runs recorded neither blocks (--blocks) nor samples " + "(--set sample_interval=N).",
            ),
        );
        return made;
    }
    const metric =
        there.find((one) => one.key === wanted) ?? there.find((one) => scopes.every(one.there)) ?? there[0];
    made.append(
        choice(
            "Colour shows",
            there.map((one) => ({ value: one.key, text: one.name })),
            metric.key,
            (value) => {
                wanted = value;
                changed();
            },
        ),
    );
    const time = Math.max(1e-9, ...scopes.map((scope) => toSeconds(scope, cycles(scope))));
    const most = { value: largest(scopes.filter(metric.there), metric, time) };
    if (metric.key === "occupancy") {
        const scales = [
            { value: "whole", text: "100%" },
            { value: "largest", text: `the largest, ${percent(most.value)}` },
        ];
        made.append(
            choice("Last colour is", scales, wantedScale, (value) => {
                wantedScale = value;
                changed();
            }),
        );
        if (wantedScale === "whole") most.value = 1;
    }
    for (const scope of scopes) {
        made.append(element("h3", {}, scope.run.label));
        if (!metric.there(scope)) {
            const other = there.find((one) => one.there(scope));
            made.append(
                element(
                    "p",
                    { class: "missing" },
                    "It has no records of all its blocks; --blocks keeps them" +
                        (other ? `. “${other.name}” is there.` : "."),
                ),
            );
            continue;
        }
        if (
            metric.key === "occupancy" &&
            hasBlocks(scope) &&
            blocksOf(scope).some(({ weight }) => weight > 1)
        )
            made.append(element("p", { class: "note" }, "Estimated from some of the blocks."));
        const rows = config(scope, "sm_count");
        const height = 84 + Math.min(560, Math.max(60, rows * (rows > 60 ? 4 : 12)));
        addChart(made, "heat", height, (look) =>
            heatOfSms(look, scope, metric, toCycles(scope, time), most.value),
        );
    }
    made.append(element("p", { class: "about" }, `One column is ${seconds(time / columns())}.`));
    return made;
}
