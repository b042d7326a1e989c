// Simulated counters beside those of silicon: a point a row, how errors are spread, and tables that sort.
import { addChart, axis, isNarrow, legend, type Look, type Option } from "./chart";
import { choice, element, section, table, type Cell } from "./dom";
import { escape, integer, trim } from "./format";
import {
    classOf,
    figuresOf,
    histogram,
    pointsOf,
    select,
    type Bin,
    type Figures,
    type Filter,
    type Point,
} from "./fidelity_model";
import type { Fidelity, FidelityCounter } from "./types";

interface Order {
    column: number; // -1: as the rows come
    down: boolean;
}

const filter: Filter = { set: "", class: "", half: "" };
const orders: Record<string, Order> = {};
let chosen = ""; // name of the counter

const value = (number: number): string => (Math.abs(number) >= 1000 ? integer(number) : trim(number));
const unitOf = (counter: FidelityCounter): string =>
    counter.is_difference ? (counter.unit === "%" ? " points" : ` ${counter.unit}`) : "%";

function errorText(counter: FidelityCounter, error: number): string {
    const digits = counter.is_difference && counter.unit !== "%" ? 2 : 1;
    return `${error > 0 ? "+" : ""}${error.toFixed(digits)}${unitOf(counter)}`;
}

// -- charts --

const symbols = ["circle", "triangle", "rect", "diamond"];

// From the least to the largest value, with room around them.
function rangeOf(counter: FidelityCounter, points: Point[]): [number, number] {
    const values = points.flatMap((point) => [point.theirs, point.ours]),
        least = Math.min(...values),
        most = Math.max(...values);
    if (isLinear(counter)) return [Math.min(0, least), most > 0 ? most * 1.05 : 1];
    return [least / 1.5, most * 1.5];
}

const isLinear = (counter: FidelityCounter): boolean => counter.is_difference;
// What a logarithmic axis has no place for.
const isShown = (counter: FidelityCounter, point: Point): boolean =>
    isLinear(counter) || (point.theirs > 0 && point.ours > 0);

// Whether an error of 10 says anything: it is in per cent, or in points of a percentage.
const hasBand = (counter: FidelityCounter): boolean => !counter.is_difference || counter.unit === "%";

// The band around the diagonal: 10% of the value, or 10 points.
function bandOf(counter: FidelityCounter, at: number): [number, number] {
    return counter.is_difference && counter.unit === "%" ? [at - 10, at + 10] : [at * 0.9, at * 1.1];
}

function bandSeries(look: Look, counter: FidelityCounter, [least, most]: [number, number]): Option {
    const corners = [least, most].map((at) => [at, ...bandOf(counter, at)]);
    return {
        name: "band",
        type: "custom",
        silent: true,
        clip: true,
        z: 0,
        data: [corners.flat()],
        renderItem: (_: unknown, api: any) => ({
            type: "polygon",
            shape: {
                points: [
                    api.coord([corners[0][0], corners[0][1]]),
                    api.coord([corners[1][0], corners[1][1]]),
                    api.coord([corners[1][0], corners[1][2]]),
                    api.coord([corners[0][0], corners[0][2]]),
                ],
            },
            style: { fill: look.line, opacity: 0.6, stroke: look.quiet, lineWidth: 0.5, lineDash: [4, 3] },
        }),
    };
}

function pointTip(counter: FidelityCounter, point: Point): string {
    const { row } = point;
    const about = [row.set, row.class, row.half].filter(Boolean).join(", ");
    return (
        `<b>${escape(row.name)}</b> (${escape(about)})<br>silicon <b>${value(point.theirs)}</b>, ` +
        `ours <b>${value(point.ours)}</b> ${escape(counter.unit)}<br>error <b>${errorText(counter, point.error)}</b>`
    );
}

function scatterChart(look: Look, counter: FidelityCounter, points: Point[], classes: string[]): Option {
    const range = rangeOf(counter, points),
        type = isLinear(counter) ? "value" : "log";
    const side = (name: string): Option =>
        axis(look, {
            type,
            min: range[0],
            max: range[1],
            name,
            nameLocation: "middle",
            axisLabel: {
                showMinLabel: isLinear(counter),
                showMaxLabel: false,
                formatter: (at: number) => (Math.abs(at) >= 1e4 ? at.toExponential(0) : trim(at)),
            },
        });
    const known = classes.filter((name) => points.some((point) => classOf(point.row) === name));
    return {
        grid: { left: 26, right: 22, top: 64, bottom: 30, containLabel: true },
        legend: legend(look, { data: known }),
        tooltip: { trigger: "item", formatter: (at: any) => pointTip(counter, at.data.point) },
        xAxis: { ...side(`silicon, ${counter.unit}`), nameGap: 28 },
        yAxis: { ...side(`ours, ${counter.unit}`), nameGap: isNarrow() ? 40 : 52 },
        series: [
            bandSeries(look, counter, range),
            {
                name: "same",
                type: "line",
                silent: true,
                symbol: "none",
                color: look.quiet,
                lineStyle: { width: 1 },
                data: range.map((at) => [at, at]),
            },
            ...known.map((name) => {
                const place = classes.indexOf(name);
                return {
                    name,
                    type: "scatter",
                    symbol: symbols[Math.floor(place / look.series.length) % symbols.length],
                    symbolSize: 9,
                    color: look.series[place % look.series.length],
                    data: points
                        .filter((point) => classOf(point.row) === name)
                        .map((point) => ({ value: [point.theirs, point.ours], point })),
                };
            }),
        ],
    };
}

function binName(counter: FidelityCounter, bins: Bin[], i: number): string {
    const { from, to } = bins[i],
        unit = unitOf(counter);
    if (i === 0) return `below ${trim(to)}${unit}`;
    return i === bins.length - 1 ? `above ${trim(from)}${unit}` : `${trim(from)} to ${trim(to)}${unit}`;
}

function histogramChart(look: Look, counter: FidelityCounter, points: Point[]): Option {
    const bins = histogram(counter, points);
    return {
        grid: { left: 14, right: 14, top: 28, bottom: 26, containLabel: true },
        tooltip: {
            trigger: "item",
            formatter: (at: any) => {
                const some = bins[at.dataIndex].points;
                const names = some.slice(0, 12).map((point) => escape(point.row.name));
                return (
                    `${escape(binName(counter, bins, at.dataIndex))}: <b>${some.length} rows</b><br>` +
                    `${names.join("<br>")}${some.length > 12 ? `<br>and ${some.length - 12} more` : ""}`
                );
            },
        },
        xAxis: axis(look, {
            type: "category",
            data: bins.map((bin) => String(Number(bin.from.toPrecision(3)))),
            name: `error, in${unitOf(counter) === "%" ? " %" : unitOf(counter)}, from`,
            nameLocation: "middle",
            nameGap: 26,
        }),
        yAxis: axis(look, { type: "value", name: "rows", minInterval: 1, nameTextStyle: { align: "left" } }),
        series: [
            {
                type: "bar",
                barCategoryGap: "10%",
                data: bins.map((bin) => ({
                    value: bin.points.length,
                    itemStyle: {
                        color: look.series[bin.from >= -10 && bin.to <= 10 ? 2 : bin.from < 0 ? 0 : 1],
                    },
                })),
            },
        ],
    };
}

// -- tables that sort --

interface SortCell {
    key: string | number;
    cell: Cell;
}

const words = (text: string): SortCell => ({ key: text, cell: text });
const figure = (key: number, text: string): SortCell => ({
    key: Number.isFinite(key) ? key : -Infinity,
    cell: text,
});

function compare(a: string | number, b: string | number): number {
    return typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));
}

// A click at a head sorts by its column, a second one turns the order.
function sortedTable(
    name: string,
    heads: string[],
    rows: SortCell[][],
    first: Order,
    draw: () => void,
): HTMLElement {
    const order = (orders[name] ??= first);
    const sorted = [...rows];
    if (order.column >= 0)
        sorted.sort((a, b) => (order.down ? -1 : 1) * compare(a[order.column].key, b[order.column].key));
    const made = table(
        heads,
        sorted.map((row) => row.map((one) => one.cell)),
        name,
    );
    made.querySelectorAll("thead th").forEach((head, column) => {
        const isNumber = head.classList.contains("number");
        const button = element("button", { type: "button", class: "sort" }, head.textContent!);
        button.addEventListener("click", () => {
            const again = order.column === column;
            orders[name] = { column, down: again ? !order.down : isNumber };
            draw();
        });
        head.replaceChildren(button);
        if (order.column === column) head.setAttribute("aria-sort", order.down ? "descending" : "ascending");
    });
    return made;
}

function rowTable(counter: FidelityCounter, points: Point[], draw: () => void): HTMLElement {
    const rows = points.map((point) => [
        words(point.row.name),
        words(classOf(point.row)),
        words(point.row.half ?? ""),
        figure(point.theirs, value(point.theirs)),
        figure(point.ours, value(point.ours)),
        figure(point.error, errorText(counter, point.error)),
        figure(Math.abs(point.error), errorText(counter, Math.abs(point.error)).replace("+", "")),
    ]);
    const heads = ["name", "class", "half", ">silicon", ">ours", ">error", ">its size"];
    return sortedTable("fidelity-rows", heads, rows, { column: 6, down: true }, draw);
}

// The counter's name chooses it.
function counterCell(counter: FidelityCounter, draw: () => void): SortCell {
    const button = element("button", { type: "button", class: "link", title: counter.differs }, counter.name);
    button.addEventListener("click", () => {
        chosen = counter.name;
        draw();
    });
    return { key: counter.name, cell: button };
}

function counterTable(data: Fidelity, of: (index: number) => Point[], draw: () => void): HTMLElement {
    const rows = data.counters.flatMap((counter, index) => {
        const points = of(index),
            figures: Figures = figuresOf(counter, points);
        if (!figures.count) return [];
        const worst = figures.worst!;
        return [
            [
                counterCell(counter, draw),
                words(counter.unit),
                figure(figures.count, String(figures.count)),
                figure(figures.error, errorText(counter, figures.error).replace("+", "")),
                figure(
                    figures.within / figures.count,
                    hasBand(counter) ? `${figures.within} of ${figures.count}` : "–",
                ),
                figure(figures.correlation, trim(figures.correlation)),
                words(`${worst.row.name} ${errorText(counter, worst.error)}`),
            ],
        ];
    });
    const heads = ["counter", "unit", ">rows", ">mean error", ">within 10", ">correlation", "furthest off"];
    return sortedTable("fidelity-counters", heads, rows, { column: -1, down: false }, draw);
}

// -- all of it --

function values(all: string[]): { value: string; text: string }[] {
    return [{ value: "", text: "any" }, ...[...new Set(all)].map((one) => ({ value: one, text: one }))];
}

function controls(data: Fidelity, measured: FidelityCounter[], draw: () => void): HTMLElement {
    const made = element("div", { class: "choices" });
    const add = (label: string, options: { value: string; text: string }[], key: keyof Filter): void => {
        if (options.length < 3) return; // any, and the only one
        made.append(
            choice(label, options, filter[key], (picked) => {
                filter[key] = picked;
                draw();
            }),
        );
    };
    const names = measured.map((counter) => ({ value: counter.name, text: counter.name }));
    made.append(
        choice("Counter", names, chosen, (picked) => {
            chosen = picked;
            draw();
        }),
    );
    const inSet = data.rows.filter((row) => !filter.set || row.set === filter.set);
    add("Set", values(data.rows.map((row) => row.set)), "set");
    add("Class", values(inSet.map(classOf)), "class");
    add("Half", values(data.rows.flatMap((row) => row.half ?? [])), "half");
    return made;
}

function sentence(counter: FidelityCounter, points: Point[], shown: number): string {
    const figures = figuresOf(counter, points),
        unit = unitOf(counter);
    return (
        `${figures.count} rows: mean absolute error ${figures.error.toFixed(1)}${unit}, ` +
        `${hasBand(counter) ? `${figures.within} within 10${unit}, ` : ""}correlation ${trim(figures.correlation)}` +
        `${counter.is_difference ? "" : " (of logarithms)"}.` +
        (shown < points.length ? ` ${points.length - shown} with a 0 have no place in the plot.` : "")
    );
}

function definition(counter: FidelityCounter): HTMLElement {
    return element(
        "p",
        { class: "about" },
        "Silicon: ",
        element("code", {}, counter.theirs),
        ". Ours: ",
        element("code", {}, counter.ours),
        counter.differs ? `. What differs: ${counter.differs}.` : ".",
    );
}

// The plot and the histogram, beside each other where there is room.
function charts(counter: FidelityCounter, points: Point[], shown: Point[], classes: string[]): HTMLElement {
    const made = element("div", { class: "panels" }),
        height = isNarrow() ? 380 : 540;
    const add = (title: string, name: string, make: (look: Look) => Option): void => {
        const panel = element("figure", {}, element("figcaption", {}, title));
        addChart(panel, name, height, make);
        made.append(panel);
    };
    if (shown.length)
        add(`${counter.name}, ours over silicon's`, "fidelity-scatter", (look) =>
            scatterChart(look, counter, shown, classes),
        );
    add(`Errors of ${counter.name}`, "fidelity-errors", (look) => histogramChart(look, counter, points));
    return made;
}

export function fidelitySection(data: Fidelity, draw: () => void): HTMLElement {
    const made = section(
        "fidelity",
        `Fidelity of ${data.gpu}`,
        "Each point is a kernel: what silicon counted across, what we count upwards. On the line both are the " +
            "same; the band is 10% to either side, or 10 points of a percentage.",
    );
    const all = data.rows,
        measured = data.counters.filter((_, index) => pointsOf(data, all, index).length);
    if (!measured.length) {
        made.append(element("p", {}, "No row was measured."));
        return made;
    }
    if (!measured.some((counter) => counter.name === chosen)) chosen = measured[0].name;
    const index = data.counters.findIndex((counter) => counter.name === chosen),
        counter = data.counters[index],
        rows = select(data, filter),
        points = pointsOf(data, rows, index),
        shown = points.filter((point) => isShown(counter, point)),
        classes = [...new Set(all.map(classOf))];
    if (data.knobs.length) made.append(element("p", { class: "note" }, `With ${data.knobs.join(", ")}.`));
    made.append(controls(data, measured, draw), definition(counter));
    if (points.length) {
        made.append(element("p", { "data-sentence": "fidelity" }, sentence(counter, points, shown.length)));
        made.append(charts(counter, points, shown, classes));
        made.append(rowTable(counter, points, draw));
    } else made.append(element("p", {}, "No row that is chosen has this counter."));
    made.append(
        element("h3", {}, "All counters"),
        counterTable(data, (at) => pointsOf(data, rows, at), draw),
    );
    return made;
}
