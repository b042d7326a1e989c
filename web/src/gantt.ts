// Blocks over time: a row for each SM, and rows for what blocks launched. Pointing at a block shows what it
// waited for and what waited for it.
import { addChart, axis, isNarrow, type Chart, type Look, type Option } from "./chart";
import { element, section } from "./dom";
import { escape, integer, seconds } from "./format";
import { Focus, rowShare } from "./gantt_focus";
import { build, graphOf, neighbours, since, taskOf, type Item, type Model, type Place } from "./gantt_model";
import type { Scope } from "./scope";
import type { Kernel } from "./types";

function coordinates(kernel: Kernel, block: number): string {
    const [x, y] = kernel.grid;
    const all = [block % x, Math.floor(block / x) % y, Math.floor(block / (x * y))];
    return all.slice(0, kernel.grid[2] > 1 ? 3 : y > 1 ? 2 : 1).join(", ");
}

function names(items: Item[]): string {
    const shown = items
        .slice(0, 4)
        .map((item) => `(${coordinates(item.of, item.block!.block)})`)
        .join(" ");
    return items.length > 4 ? `${shown} and ${items.length - 4} more` : shown;
}

function blockTip(scope: Scope, model: Model, item: Item): string {
    const block = item.block!,
        kernel = item.of,
        graph = model.graphs.get(graphOf(kernel));
    const at = (cycle: number): string => `${integer(cycle)} (${seconds(since(scope, cycle))})`;
    const lines = [
        `<b>${escape(kernel.name)} (${coordinates(kernel, block.block)})</b>`,
        `launch #${kernel.number}, SM ${block.sm}`,
        `dispatched ${at(block.dispatched)}`,
        `started ${at(block.started)}`,
        `ended ${at(block.ended)}: ${integer(block.ended - block.started)} cycles`,
    ];
    if (graph) {
        const parents = neighbours(graph, graph.parents, taskOf(item));
        const children = neighbours(graph, graph.children, taskOf(item));
        const level = kernel.graph?.levels?.[block.block];
        if (level !== undefined) lines.push(`level ${level}`);
        lines.push(parents.length ? `after ${names(parents)}` : "after no other block");
        if (children.length) lines.push(`before ${names(children)}`);
    }
    const launched = (kernel.launches ?? []).filter(
        (launch) => launch.parent === 0 && launch.parent_block === block.block,
    ).length;
    if (launched) lines.push(`launched ${launched} times`);
    const off = (kernel.waits ?? [])
        .filter((wait) => wait.launch === 0 && wait.block === block.block)
        .reduce((sum, wait) => sum + wait.returned - wait.left, 0);
    if (off) lines.push(`${integer(off)} cycles off its SM, waiting for what it had launched`);
    return lines.join("<br>");
}

function launchTip(scope: Scope, item: Item): string {
    const launch = item.launch!,
        at = (cycle: number): string => seconds(since(scope, cycle));
    const grid = Array.isArray(launch.grid) ? launch.grid.join("×") : String(launch.grid);
    return [
        `<b>${escape(launch.name)}</b>, a ${escape(launch.kind)} of ${grid} blocks`,
        `launched by block ${launch.parent_block} of ` +
            (launch.parent ? `launch ${launch.parent}` : `kernel #${item.of.number}`),
        `launched ${at(launch.launched)}, started ${at(launch.started)}, ended ${at(launch.ended)}`,
    ].join("<br>");
}

function color(look: Look, item: Item): string {
    if (item.launch) return look.series[item.launch.number % look.series.length];
    const level = item.of.graph?.levels?.[item.block!.block];
    return look.series[(level ?? item.of.number) % look.series.length];
}

// The rectangle on the canvas, cut to the grid; null outside of it.
function rectangle(api: any, box: any, place: Place): Option | null {
    const [left, middle] = api.coord([place.from, place.row]),
        [right] = api.coord([place.to, place.row]);
    const band = api.size([0, 1])[1] * rowShare,
        height = band / place.slots;
    const from = Math.max(left, box.x),
        to = Math.min(right, box.x + box.width);
    if (to < box.x || from > box.x + box.width) return null;
    return {
        x: from,
        y: middle - band / 2 + place.slot * height,
        width: Math.max(to - from, 0.7),
        height: Math.max(height - (height > 4 ? 1 : 0), 0.7),
    };
}

function option(look: Look, chart: Chart, scope: Scope, model: Model): Option {
    const frame = { left: isNarrow() ? 48 : 66, right: 16, top: 10, bottom: 76 };
    const focus = new Focus(chart, model, look, frame, (item) => color(look, item));
    for (const event of ["mouseover", "globalout", "datazoom"]) chart.off(event);
    chart.on("mouseover", (at: any) => {
        if (at.seriesId === "blocks") focus.show(model.items[at.dataIndex]);
    });
    chart.on("globalout", () => focus.clear());
    chart.on("datazoom", () => focus.clear());
    return {
        grid: frame,
        tooltip: {
            trigger: "item",
            formatter: (at: any) =>
                at.seriesId === "blocks"
                    ? model.items[at.dataIndex].block
                        ? blockTip(scope, model, model.items[at.dataIndex])
                        : launchTip(scope, model.items[at.dataIndex])
                    : "",
        },
        dataZoom: [
            {
                type: "slider",
                filterMode: "none",
                bottom: 8,
                height: 24,
                borderColor: look.line,
                textStyle: { color: look.quiet },
                labelFormatter: (value: number) => seconds(value),
            },
            {
                type: "inside",
                filterMode: "none",
                zoomOnMouseWheel: "ctrl",
                moveOnMouseMove: true,
                moveOnMouseWheel: false,
            },
        ],
        xAxis: axis(look, {
            type: "value",
            min: 0,
            max: since(scope, scope.end),
            axisLabel: { formatter: (value: number) => seconds(value), showMaxLabel: false },
        }),
        yAxis: axis(look, { type: "category", inverse: true, data: model.rows, splitLine: { show: false } }),
        series: [
            {
                id: "blocks",
                type: "custom",
                clip: true,
                data: model.items.map((item) => [item.from, item.row, item.to]),
                encode: { x: [0, 2], y: 1 },
                progressive: 0,
                renderItem: (params: any, api: any) => {
                    const item = model.items[params.dataIndex],
                        shape = rectangle(api, params.coordSys, item);
                    return (
                        shape && {
                            type: "rect",
                            shape,
                            style: { fill: color(look, item), opacity: 0.9 },
                            emphasis: { style: { stroke: look.ink, lineWidth: 2, opacity: 1 } },
                        }
                    );
                },
            },
            {
                id: "waits",
                type: "custom",
                clip: true,
                silent: true,
                data: model.waits.map((wait) => [wait.from, wait.row, wait.to]),
                encode: { x: [0, 2], y: 1 },
                renderItem: (params: any, api: any) => {
                    const shape = rectangle(api, params.coordSys, model.waits[params.dataIndex]);
                    return shape && { type: "rect", shape, style: { fill: look.back, opacity: 0.65 } };
                },
            },
        ],
    };
}

export function ganttSection(scope: Scope): HTMLElement {
    const made = section(
        "blocks",
        "Blocks over time",
        "Each bar is a thread block on its SM, from its dispatch to its end; its colour is its launch, or " +
            "its level in the dependency graph. Point at one: lines lead to the blocks it waited for and " +
            "to those that waited for it, or to what it launched. Pale parts: it had left its SM to wait, " +
            "or had not yet begun. Drag the slider, or Ctrl and wheel, to zoom.",
    );
    const model = build(scope);
    if (!model.items.length) {
        made.append(
            element("p", { class: "missing" }, `${scope.run.label} recorded no blocks; --blocks keeps them.`),
        );
        return made;
    }
    made.append(element("h3", {}, scope.run.label));
    const strides = scope.kernels.map((kernel) => kernel.blocks_stride ?? 1);
    const stride = Math.max(...strides) * model.left_out;
    const kept = Math.max(1, ...scope.kernels.map((kernel) => kernel.sampled?.launches ?? 1));
    if (kept > 1) made.append(element("p", { class: "note" }, `1 of ${kept} launches is shown.`));
    if (stride > 1) made.append(element("p", { class: "note" }, `1 of ${stride} blocks is shown.`));
    const height = 96 + Math.min(1100, Math.max(120, model.rows.length * (model.rows.length > 60 ? 9 : 26)));
    const place = addChart(made, "gantt", height, (look, chart) => option(look, chart, scope, model));
    place.dataset.items = String(model.items.length);
    return made;
}
