// Studies of `warpbeam sweep`: any statistic over any knob, as lines, bars, a heat map, or the runs that no
// other beats in two of them at once.
import { addChart, axis, isNarrow, legend, type Look, type Option } from "./chart";
import { choice, element, section, table } from "./dom";
import { escape, trim } from "./format";
import { better, grouped, frontOf, select, valuesOf, type Row } from "./study_model";
import type { Study, StudyColumn, StudyValue } from "./types";

interface State {
    kind: string;
    x: string;
    y: string;
    by: string; // "": all in one colour
    xLess: boolean; // of the front: whether less is better
    yLess: boolean;
    where: Record<string, string>; // axis: value as text; "": any
}

const kinds = [
    { value: "lines", text: "lines" },
    { value: "bars", text: "bars" },
    { value: "heat", text: "heat map" },
    { value: "pareto", text: "Pareto front" },
];
const states = new Map<string, State>();
const text = (value: StudyValue): string => (value === null ? "–" : String(value));
const isNumeric = (column: StudyColumn): boolean =>
    column.values.some((value) => typeof value === "number") &&
    column.values.every((value) => value === null || typeof value === "number");

function columnOf(study: Study, name: string): StudyColumn | undefined {
    return study.columns.find((column) => column.name === name);
}

// What differs between runs and is an input of theirs comes first.
function usualAxis(study: Study, not: string[]): string {
    const free = study.axes.filter((name) => !not.includes(name) && columnOf(study, name));
    return free.find((name) => isNumeric(columnOf(study, name)!)) ?? free[0] ?? "";
}

function stateOf(study: Study): State {
    let state = states.get(study.name);
    if (state) return state;
    const first = study.first ?? {},
        numbers = study.columns.filter(isNumeric),
        statistics = numbers.filter((column) => column.kind === "statistic");
    const y = first.y ?? (columnOf(study, "kernels_cycles") ?? statistics[0] ?? numbers[0])?.name ?? "",
        kind = first.kind ?? "lines";
    const x =
        first.x ??
        (kind === "pareto"
            ? (statistics.find((column) => column.name !== y)?.name ?? y)
            : usualAxis(study, [first.by ?? ""]) || "position");
    state = {
        kind,
        x,
        y,
        by: first.by ?? usualAxis(study, [x]),
        xLess: true,
        yLess: true,
        where: {},
    };
    states.set(study.name, state);
    return state;
}

// -- charts --

function tip(rows: Row[], study: Study): string {
    const names = study.axes.filter((name) => columnOf(study, name));
    const lines = rows
        .slice(0, 6)
        .map((row) =>
            names
                .map((name) => `${escape(name)} ${escape(text(columnOf(study, name)!.values[row.index]))}`)
                .join(", "),
        );
    return lines.join("<br>") + (rows.length > 6 ? `<br>and ${rows.length - 6} more` : "");
}

function numberAxis(look: Look, name: string, values: number[]): Option {
    const least = Math.min(...values),
        isWide = least > 0 && Math.max(...values) >= 16 * least;
    return axis(look, {
        type: isWide ? "log" : "value",
        logBase: 2,
        name,
        nameLocation: "middle",
        nameGap: 28,
        scale: true,
    });
}

const grid = { left: 14, right: 22, top: 44, bottom: 26, containLabel: true };

function lineChart(look: Look, study: Study, state: State, rows: Row[]): Option {
    const isNumber = isNumeric(columnOf(study, state.x)!),
        across = valuesOf(rows, (row) => row.x);
    const series = grouped(rows, (row) => text(row.by)).map(([name, some]) => {
        const at = across.map((value) => some.filter((row) => row.x === value));
        return {
            name,
            type: state.kind === "bars" ? "bar" : "line",
            barMaxWidth: 24,
            symbolSize: 7,
            connectNulls: true,
            data: at
                .map((here, i) => ({
                    value: [
                        isNumber && state.kind === "lines" ? across[i] : text(across[i]),
                        here.length ? here.reduce((sum, row) => sum + row.y, 0) / here.length : null,
                    ],
                    rows: here,
                }))
                .filter((point) => point.value[1] !== null),
        };
    });
    return {
        grid,
        legend: legend(look, { show: series.length > 1 || series[0]?.name !== "–" }),
        tooltip: {
            trigger: "item",
            formatter: (at: any) =>
                `${escape(state.x)} <b>${escape(text(at.value[0]))}</b>: ${escape(state.y)} <b>${trim(at.value[1])}</b>` +
                (at.data.rows.length > 1 ? `, mean of ${at.data.rows.length} runs` : "") +
                `<br>${tip(at.data.rows, study)}`,
        },
        xAxis:
            isNumber && state.kind === "lines"
                ? numberAxis(look, state.x, across as number[])
                : axis(look, {
                      type: "category",
                      data: across.map(text),
                      axisLabel: { rotate: isNarrow() || across.length > 8 ? 40 : 0 },
                  }),
        yAxis: axis(look, { type: "value", name: state.y, nameTextStyle: { align: "left" } }),
        series,
    };
}

function heatChart(look: Look, study: Study, state: State, rows: Row[]): Option {
    const across = valuesOf(rows, (row) => row.x),
        up = valuesOf(rows, (row) => row.by);
    const data = across.flatMap((x, i) =>
        up.flatMap((by, k) => {
            const here = rows.filter((row) => row.x === x && row.by === by);
            const mean = here.reduce((sum, row) => sum + row.y, 0) / here.length;
            return here.length ? [{ value: [i, k, mean], rows: here }] : [];
        }),
    );
    const values = data.map((cell) => cell.value[2]);
    return {
        grid: { ...grid, bottom: 64 },
        tooltip: {
            formatter: (at: any) =>
                `${escape(state.y)} <b>${trim(at.value[2])}</b><br>${tip(at.data.rows, study)}`,
        },
        xAxis: axis(look, {
            type: "category",
            data: across.map(text),
            name: state.x,
            nameLocation: "middle",
            nameGap: 26,
        }),
        yAxis: axis(look, {
            type: "category",
            data: up.map(text),
            name: state.by,
            nameTextStyle: { align: "left" },
        }),
        visualMap: {
            min: Math.min(...values),
            max: Math.max(...values),
            orient: "horizontal",
            left: "center",
            bottom: 0,
            itemHeight: 160,
            itemWidth: 12,
            calculable: true,
            inRange: { color: look.ramp },
            textStyle: { color: look.quiet, fontSize: 11 },
            formatter: (value: number) => trim(value),
        },
        series: [
            {
                type: "heatmap",
                data,
                label: { show: data.length <= 60, formatter: (at: any) => trim(at.value[2]) },
                itemStyle: { borderColor: look.back, borderWidth: 1 },
            },
        ],
    };
}

function paretoChart(look: Look, study: Study, state: State, rows: Row[]): Option {
    const front = frontOf(rows, state.xLess, state.yLess),
        numbers = rows.map((row) => row.x as number);
    return {
        grid,
        legend: legend(look),
        tooltip: {
            trigger: "item",
            formatter: (at: any) =>
                `${escape(state.x)} <b>${trim(at.value[0])}</b>, ${escape(state.y)} <b>${trim(at.value[1])}</b>` +
                `<br>${tip(at.data.rows, study)}`,
        },
        xAxis: numberAxis(look, state.x, numbers),
        yAxis: axis(look, { type: "value", scale: true, name: state.y, nameTextStyle: { align: "left" } }),
        series: [
            ...grouped(rows, (row) => text(row.by)).map(([name, some]) => ({
                name,
                type: "scatter",
                symbolSize: 9,
                data: some.map((row) => ({ value: [row.x, row.y], rows: [row] })),
            })),
            {
                name: "front",
                type: "line",
                step: "end",
                symbolSize: 5,
                color: look.accent,
                data: front.map((row) => ({ value: [row.x, row.y], rows: [row] })),
            },
        ],
    };
}

// -- choices --

type Names = { value: string; text: string }[];

function named(columns: StudyColumn[]): Names {
    return columns.map((column) => ({ value: column.name, text: column.name }));
}

// Inputs of the runs first: what the study varies, then all else that differs.
function ordered(study: Study): StudyColumn[] {
    const rank = (column: StudyColumn): number =>
        study.axes.includes(column.name) ? 0 : column.kind === "statistic" ? 2 : 1;
    return [...study.columns].sort((a, b) => rank(a) - rank(b));
}

function controls(study: Study, state: State, draw: () => void): HTMLElement {
    const made = element("div", { class: "choices" }),
        all = ordered(study),
        numbers = all.filter(isNumeric);
    const add = (label: string, options: Names, value: string, take: (value: string) => void): void => {
        made.append(
            choice(label, options, value, (chosen) => {
                take(chosen);
                draw();
            }),
        );
    };
    const sides: Names = [
        { value: "less", text: "less is better" },
        { value: "more", text: "more is better" },
    ];
    const isPareto = state.kind === "pareto";
    add("Chart", kinds, state.kind, (value) => {
        state.kind = value;
        if (value === "pareto" && !numbers.some((column) => column.name === state.x))
            state.x = numbers.find((column) => column.name !== state.y)?.name ?? state.y;
    });
    add("Across", named(isPareto ? numbers : all), state.x, (value) => (state.x = value));
    if (isPareto)
        add("Across:", sides, state.xLess ? "less" : "more", (value) => (state.xLess = value === "less"));
    add(
        state.kind === "heat" ? "Colour" : "Upwards",
        named([...numbers].reverse()),
        state.y,
        (value) => (state.y = value),
    );
    if (isPareto)
        add("Upwards:", sides, state.yLess ? "less" : "more", (value) => (state.yLess = value === "less"));
    add(
        state.kind === "heat" ? "Rows" : "By",
        [{ value: "", text: "nothing" }, ...named(all)],
        state.by,
        (value) => (state.by = value),
    );
    for (const name of study.axes) {
        const column = columnOf(study, name);
        if (!column || name === state.x || name === state.by) continue;
        const values = [...new Set(column.values.map(text))];
        add(
            `Only ${name}`,
            [{ value: "", text: "any" }, ...values.map((value) => ({ value, text: value }))],
            state.where[name] ?? "",
            (value) => (state.where[name] = value),
        );
    }
    return made;
}

function frontTable(study: Study, state: State, rows: Row[]): HTMLElement {
    const front = frontOf(rows, state.xLess, state.yLess),
        names = study.axes.filter((name) => columnOf(study, name) && name !== state.x && name !== state.y);
    return table(
        [...names, `>${state.x}`, `>${state.y}`],
        front.map((row) => [
            ...names.map((name) => text(columnOf(study, name)!.values[row.index])),
            trim(row.x as number),
            trim(row.y),
        ]),
        "front",
    );
}

export function studySection(study: Study, index: number, draw: () => void): HTMLElement {
    const made = section(
            `study-${index}`,
            `Study ${study.name}`,
            `${study.runs} runs. Where several have one place in a chart, it shows their mean.`,
        ),
        state = stateOf(study),
        rows = select(study, state);
    made.append(controls(study, state, draw));
    const missing = study.runs - rows.length,
        hidden = Object.values(state.where).some((value) => value !== "");
    if (!rows.length) {
        made.append(element("p", {}, "No run has both values."));
        return made;
    }
    const height = state.kind === "heat" ? 380 : 360;
    addChart(made, `study-${state.kind}`, height, (look) =>
        state.kind === "heat"
            ? heatChart(look, study, state, rows)
            : state.kind === "pareto"
              ? paretoChart(look, study, state, rows)
              : lineChart(look, study, state, rows),
    );
    if (missing && !hidden)
        made.append(element("p", { class: "about" }, `${missing} of ${study.runs} runs have no such value.`));
    if (state.kind === "pareto") {
        const sides = `${better(state.xLess)} ${state.x} or ${better(state.yLess)} ${state.y}`;
        made.append(
            element(
                "p",
                { class: "about" },
                `The front: no other run has ${sides} and is as good in the other.`,
            ),
            frontTable(study, state, rows),
        );
    }
    return made;
}
