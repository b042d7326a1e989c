// Blocks over time: a row for each SM, and rows for blocks off the SMs and for what blocks launched. Pointing
// at a block shows what it waited for and what waited for it.
import { addChart, axis, isNarrow, legend, type Chart, type Look, type Option } from "./chart";
import { element, section } from "./dom";
import { escape, integer, seconds } from "./format";
import { Focus, rowShare } from "./gantt_focus";
import {
    build,
    graphOfItem,
    launchesBy,
    neighbours,
    since,
    taskOf,
    type Item,
    type Model,
    type Part,
    type Place,
} from "./gantt_model";
import { stateColor, stateName, stateOrder, sumUp } from "./gantt_states";
import { launchStride, type Scope } from "./scope";
import type { Kernel, Launch } from "./types";

// Where in the grid a block is; without a grid, its index.
function coordinates(grid: number[] | undefined, block: number): string {
    if (!grid) return String(block);
    const [x, y, z] = grid;
    const all = [block % x, Math.floor(block / x) % y, Math.floor(block / (x * y))];
    return all.slice(0, z > 1 ? 3 : y > 1 ? 2 : 1).join(", ");
}

function names(blocks: Item[][]): string {
    const shown = blocks
        .slice(0, 4)
        .map(([item]) => `(${coordinates(item.of.grid, item.block!.block)})`)
        .join(" ");
    return blocks.length > 4 ? `${shown} and ${blocks.length - 4} more` : shown;
}

// Who launched it: "block (2) of sor_nested".
function caller(kernel: Kernel, launch: Launch): string {
    const { parent, parent_block } = launch;
    const of = parent ? kernel.launches?.find((one) => one.number === parent) : kernel;
    const name = of ? escape(of.name) : "";
    return (
        `block (${coordinates(of?.grid, parent_block)}) of ` + (parent ? `launch ${parent} ${name}` : name)
    );
}

function launchedLine(launches: Launch[]): string {
    const blocks = launches.reduce((sum, { grid }) => sum + grid[0] * grid[1] * grid[2], 0);
    const what = launches.length === 1 ? `launch ${launches[0].number}` : `${launches.length} launches`;
    return `launched ${what} of ${integer(blocks)} block${blocks === 1 ? "" : "s"}`;
}

function blockTip(scope: Scope, model: Model, item: Item): string {
    const block = item.block!,
        kernel = item.of,
        graph = graphOfItem(model, item),
        { name, grid } = block.by ?? kernel;
    const at = (cycle: number): string => `${integer(cycle)} (${seconds(since(scope, cycle))})`;
    const ended = block.stays[block.stays.length - 1].to;
    const lines = [
        `<b>${escape(name)} (${coordinates(grid, block.block)})</b>`,
        block.by
            ? `launch ${block.by.number} of kernel #${kernel.number}, SM ${item.row}`
            : `kernel #${kernel.number}, SM ${item.row}`,
        ...(block.by ? [`launched by ${caller(kernel, block.by)}, ${at(block.by.launched)}`] : []),
        `dispatched ${at(block.stays[0].from)}`,
        `started ${at(block.started)}`,
        `ended ${at(ended)}: ${integer(ended - block.started)} cycles`,
    ];
    if (graph) {
        const parents = neighbours(graph, graph.parents, taskOf(item));
        const children = neighbours(graph, graph.children, taskOf(item));
        const level = kernel.graph?.levels?.[block.block];
        if (level !== undefined) lines.push(`level ${level}`);
        lines.push(parents.length ? `after ${names(parents)}` : "after no other block");
        if (children.length) lines.push(`before ${names(children)}`);
    }
    const launched = launchesBy(model, block);
    if (launched.length) lines.push(launchedLine(launched));
    lines.push(...sumUp(block, integer).map(escape));
    return lines.join("<br>");
}

// Of a state, and of the block that was in it.
function partTip(scope: Scope, model: Model, part: Part): string {
    const { state, from, to, is_off, at } = part.spent;
    const lines = [
        `<b>${escape(stateName(state))}</b>${is_off ? ", off its SM" : ""}`,
        ...(at ? [`at ${escape(at)}`] : []),
        `${integer(from)} to ${integer(to)}: ${integer(to - from)} cycles`,
        "",
    ];
    return lines.join("<br>") + blockTip(scope, model, part.item);
}

function launchTip(scope: Scope, item: Item): string {
    const launch = item.launch!,
        at = (cycle: number): string => seconds(since(scope, cycle));
    return [
        `<b>${escape(launch.name)}</b>, a ${escape(launch.kind)} of ${launch.grid.join("×")} blocks`,
        `launch ${launch.number} of kernel #${item.of.number}, by ${caller(item.of, launch)}`,
        `launched ${at(launch.launched)}, started ${at(launch.started)}, ended ${at(launch.ended)}`,
    ].join("<br>");
}

function color(look: Look, item: Item): string {
    const launch = item.launch ?? item.block!.by;
    if (launch) {
        // Among those that are kept.
        const place = 1 + Math.floor((launch.number - 1) / launchStride(item.of));
        return look.series[place % look.series.length];
    }
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

const rowHeight = (model: Model): number =>
    Math.min(1100, Math.max(120, model.rows.length * (model.rows.length > 60 ? 9 : 26))) / model.rows.length;

// Every so many rows, where they are less high than a text.
function isLabelled(model: Model, row: number): boolean {
    const every = [1, 2, 5, 10, 20, 50].find((one) => one * rowHeight(model) >= 15) ?? 100;
    return row % every === 0 || ["launches", "off SMs"].includes(model.rows[row]);
}

// Bars of the state's colour, over those of the blocks.
function stateSeries(look: Look, state: string, parts: Part[]): Option {
    const fill = stateColor(look, state);
    return {
        id: `state ${state}`,
        name: stateName(state),
        type: "custom",
        z: 3, // a bar that is pointed at rises, but not over its parts
        clip: true,
        itemStyle: { color: fill },
        data: parts.map((part) => [part.from, part.row, part.to]),
        encode: { x: [0, 2], y: 1 },
        progressive: 0,
        renderItem: (params: any, api: any) => {
            const shape = rectangle(api, params.coordSys, parts[params.dataIndex]);
            const emphasis = { style: { stroke: look.ink, lineWidth: 2 } };
            return shape && { type: "rect", shape, style: { fill }, emphasis };
        },
    };
}

function syncSeries(look: Look, syncs: number[]): Option {
    return {
        id: "syncs",
        name: "global sync is complete",
        type: "custom",
        z: 4,
        clip: true,
        silent: true,
        itemStyle: { color: look.accent },
        data: syncs.map((time) => [time, 0]),
        encode: { x: 0, y: 1 },
        progressive: 0,
        renderItem: (params: any, api: any) => {
            const { x, y, width, height } = params.coordSys,
                [at] = api.coord([syncs[params.dataIndex], 0]);
            if (at < x || at > x + width) return null;
            const shape = { x1: at, y1: y, x2: at, y2: y + height };
            return { type: "line", shape, style: { stroke: look.accent, lineWidth: 1, opacity: 0.6 } };
        },
    };
}

// Waits first, as contexts that move lie over them.
function statesOf(model: Model): Map<string, Part[]> {
    const made = new Map<string, Part[]>();
    for (const part of model.parts)
        if (!made.get(part.spent.state)?.push(part)) made.set(part.spent.state, [part]);
    return new Map([...made].sort(([a], [b]) => stateOrder(a) - stateOrder(b)));
}

const legendHeight = (model: Model): number => (model.parts.length ? 26 : 0);

function option(look: Look, chart: Chart, scope: Scope, model: Model): Option {
    const frame = { left: isNarrow() ? 48 : 66, right: 16, top: 10 + legendHeight(model), bottom: 76 };
    const states = statesOf(model);
    const added = [...states].map(([state, parts]) => stateSeries(look, state, parts));
    if (model.syncs.length) added.push(syncSeries(look, model.syncs));
    // What the mouse is at.
    const pointed = (at: any): { item?: Item; part?: Part } => {
        const part = states.get(String(at.seriesId).replace("state ", ""))?.[at.dataIndex];
        return {
            part,
            item: part?.item ?? (at.seriesId === "blocks" ? model.items[at.dataIndex] : undefined),
        };
    };
    const focus = new Focus(chart, scope, model, look, frame, (item) => color(look, item));
    for (const event of ["mouseover", "globalout", "datazoom"]) chart.off(event);
    chart.on("mouseover", (at: any) => {
        const { item } = pointed(at);
        if (item) focus.show(item);
    });
    chart.on("globalout", () => focus.clear());
    chart.on("datazoom", () => focus.clear());
    return {
        grid: frame,
        tooltip: {
            trigger: "item",
            formatter: (at: any) => {
                const { item, part } = pointed(at);
                if (part) return partTip(scope, model, part);
                if (!item) return "";
                return item.block ? blockTip(scope, model, item) : launchTip(scope, item);
            },
        },
        legend: added.length ? legend(look, { data: added.map(({ name }) => name) }) : undefined,
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
        yAxis: axis(look, {
            type: "category",
            inverse: true,
            data: model.rows,
            splitLine: { show: false },
            axisTick: { show: false },
            axisLabel: { interval: (row: number) => isLabelled(model, row) },
        }),
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
                id: "pale",
                type: "custom",
                clip: true,
                silent: true,
                data: model.pale.map((part) => [part.from, part.row, part.to]),
                encode: { x: [0, 2], y: 1 },
                renderItem: (params: any, api: any) => {
                    const shape = rectangle(api, params.coordSys, model.pale[params.dataIndex]);
                    return shape && { type: "rect", shape, style: { fill: look.back, opacity: 0.65 } };
                },
            },
            ...added,
        ],
    };
}

// What of the run is not in the chart.
function notes(scope: Scope, model: Model): string[] {
    const most = (of: (kernel: Kernel) => number): number =>
        scope.kernels.reduce((least, kernel) => Math.max(least, of(kernel)), 1);
    const blocks = most((kernel) => kernel.blocks_stride ?? 1) * model.left_out,
        launches = most(launchStride),
        drawn = model.byLaunch.size;
    const made: string[] = [];
    if (launches > 1) made.push(`1 of ${launches} launches by blocks is known, with its blocks.`);
    if (blocks > 1) made.push(`1 of ${blocks} blocks is shown.`);
    if (drawn < model.launch_count)
        made.push(
            `Below the SMs there is room for ${integer(drawn)} of ${integer(model.launch_count)} launches.`,
        );
    if (model.off_drawn < model.off_count)
        made.push(
            `Below the SMs there is room for ${integer(model.off_drawn)} of ${integer(model.off_count)} ` +
                "times that blocks were off them.",
        );
    return made;
}

export function ganttSection(scope: Scope): HTMLElement {
    const made = section(
        "blocks",
        "Blocks over time",
        "Each bar is a thread block on its SM, from its dispatch until it ended or left to wait; its " +
            "colour is its launch, or its level in the dependency graph. Point at one: lines lead to the " +
            "blocks it waited for and to those that waited for it, to what launched it and to what it " +
            "launched. Colours of the legend, if there is one, show where a block waited in place and where " +
            "its context was moved. Below the SMs are blocks that were off them, by what they waited for, and " +
            "launches by blocks, pale until their first block ran. Drag the slider, or Ctrl and wheel, to zoom.",
    );
    const model = build(scope);
    if (!model.items.length) {
        made.append(
            element("p", { class: "missing" }, `${scope.run.label} recorded no blocks; --blocks keeps them.`),
        );
        return made;
    }
    made.append(element("h3", {}, scope.run.label));
    for (const note of notes(scope, model)) made.append(element("p", { class: "note" }, note));
    const height = 86 + legendHeight(model) + rowHeight(model) * model.rows.length;
    const place = addChart(made, "gantt", height, (look, chart) => option(look, chart, scope, model));
    place.dataset.items = String(model.items.length);
    place.dataset.states = JSON.stringify(
        Object.fromEntries([...statesOf(model)].map(([state, parts]) => [state, parts.length])),
    );
    place.dataset.syncs = String(model.syncs.length);
    return made;
}
