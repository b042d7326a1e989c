// How long it took, what limited it, and how the runs compare.
import { addChart, axis, isNarrow } from "./chart";
import { element, section, table, type Cell } from "./dom";
import { bytesPerSecond, integer, percent, seconds, trim, escape } from "./format";
import { hangPanels } from "./hang";
import {
    config,
    count,
    cycles,
    dramBytes,
    limit,
    ratio,
    runningCycles,
    toSeconds,
    type Scope,
} from "./scope";

function time(scope: Scope): number {
    return toSeconds(scope, cycles(scope));
}

// Of a whole run, what its time is from and to.
function extent(scope: Scope): string {
    const { time: whole, kernels } = scope.run.report;
    if (!whole || scope.kernels.length < kernels.length) return "";
    const all = seconds(whole.all_us / 1e6);
    return `, from first launch to last end${all === seconds(time(scope)) ? "" : `; ${all} in all`}`;
}

function headline(scope: Scope): HTMLElement {
    return element(
        "div",
        { class: "headline" },
        element("div", { class: "label" }, scope.run.label),
        element("div", { class: "big" }, seconds(time(scope))),
        element(
            "div",
            {},
            `${integer(cycles(scope))} cycles at ${trim(config(scope, "clock_khz") / 1e6)} GHz on ` +
                scope.run.report.gpu +
                extent(scope),
        ),
        element("div", { class: "limit" }, `Limited by ${limit(scope)}`.replace(/([^.)])$/, "$1.")),
    );
}

interface Row {
    name: string;
    about: string;
    of: (scope: Scope) => string;
}

const rows: Row[] = [
    { name: "Kernels", about: "Launched by the host", of: (s) => integer(s.kernels.length) },
    { name: "Blocks", about: "Thread blocks that ended", of: (s) => integer(count(s, "sm.blocks")) },
    {
        name: "Warp instructions",
        about: "Of the kernels' blocks",
        of: (s) => integer(s.kernels.reduce((all, kernel) => all + kernel.warp_instructions, 0)),
    },
    {
        name: "Instructions per cycle",
        about: "Warp instructions of the whole GPU, or of all of several",
        of: (s) => trim(count(s, "exec.warp_instructions") / cycles(s)),
    },
    {
        name: "Active lanes",
        about: "Of a warp instruction",
        of: (s) => trim(count(s, "exec.thread_instructions") / count(s, "exec.warp_instructions")),
    },
    {
        name: "SMs with a block",
        about: "On average over the kernels' time",
        of: (s) =>
            percent(
                ratio(
                    count(s, "sm.active_cycles"),
                    count(s, "sm.active_cycles") + count(s, "sm.idle_cycles"),
                ),
            ),
    },
    {
        name: "Occupancy",
        about: "Resident warps of those that fit, on SMs with a block",
        of: (s) =>
            percent(
                ratio(
                    count(s, "sm.resident_warp_cycles"),
                    (count(s, "sm.active_cycles") * config(s, "max_threads_per_sm")) /
                        config(s, "warp_width"),
                ),
            ),
    },
    {
        name: "DRAM",
        about: "Bytes read and written a second",
        of: (s) => bytesPerSecond(dramBytes(s) / time(s)),
    },
    {
        name: "Device launches",
        about: "Kernels and groups that kernels launched",
        of: (s) => integer(count(s, "front_end.device_kernels") + count(s, "front_end.device_groups")),
    },
    {
        name: "No kernel",
        about: "Time between kernels of the host",
        of: (s) => percent(ratio(cycles(s) - runningCycles(s), cycles(s))),
    },
];

function speedupChart(parent: HTMLElement, scopes: Scope[], colors: number[]): void {
    const base = time(scopes[0]);
    addChart(parent, "speedup", 70 + 34 * scopes.length, (look) => ({
        grid: { left: 10, right: 60, top: 10, bottom: 30, containLabel: true },
        tooltip: {
            trigger: "item",
            formatter: (at: any) =>
                `<b>${escape(scopes[at.dataIndex].run.label)}</b><br>` +
                `${seconds(time(scopes[at.dataIndex]))}, ${trim(base / time(scopes[at.dataIndex]))}× of ` +
                escape(scopes[0].run.label),
        },
        xAxis: axis(look, {
            type: "value",
            min: 0,
            name: "times as fast",
            nameLocation: "middle",
            nameGap: 24,
        }),
        yAxis: axis(look, {
            type: "category",
            inverse: true,
            data: scopes.map((scope) => scope.run.label),
            axisLabel: { width: isNarrow() ? 90 : 220, overflow: "truncate", color: look.ink },
        }),
        series: [
            {
                type: "bar",
                barMaxWidth: 22,
                data: scopes.map((scope, i) => ({
                    value: base / time(scope),
                    itemStyle: { color: look.series[colors[i] % look.series.length] },
                })),
                label: {
                    show: true,
                    position: "right",
                    color: look.ink,
                    formatter: (at: any) => `${trim(at.value)}×`,
                },
            },
        ],
    }));
}

function kernelTable(scope: Scope): HTMLElement {
    const most = 200;
    const isOfSeveral = scope.run.gpus !== undefined;
    const byTime = [...scope.kernels].sort((a, b) => b.cycles - a.cycles).slice(0, most);
    const rows: Cell[][] = byTime.map((kernel) => [
        `${isOfSeveral ? `GPU ${kernel.gpu} ` : ""}#${kernel.number} ${kernel.name}`,
        kernel.grid.join("×"),
        kernel.block.join("×"),
        integer(kernel.cycles),
        percent(kernel.cycles / cycles(scope)),
        trim(kernel.warp_instructions / kernel.cycles),
        kernel.interrupted ? (kernel.status ?? "interrupted") : kernel.alone ? "" : "beside others",
    ]);
    const title =
        scope.kernels.length > most
            ? `The ${most} longest of ${integer(scope.kernels.length)} kernels`
            : `Kernels (${scope.kernels.length})`;
    return element(
        "details",
        scope.kernels.length <= 8 ? { open: "" } : {},
        element("summary", {}, title),
        table(["Kernel", ">Grid", ">Block", ">Cycles", ">Of the time", ">IPC", ""], rows, "kernels"),
    );
}

// Kernels that all runs have, by name: what each run needed for them together.
function byName(scopes: Scope[]): HTMLElement | null {
    const sums = scopes.map((scope) => {
        const cycles = new Map<string, number>();
        for (const kernel of scope.kernels)
            cycles.set(kernel.name, (cycles.get(kernel.name) ?? 0) + kernel.cycles);
        return cycles;
    });
    const names = [...sums[0].keys()].filter((name) => sums.every((cycles) => cycles.has(name)));
    if (scopes.length < 2 || names.length < 2) return null;
    const time = (run: number, name: string): number => toSeconds(scopes[run], sums[run].get(name)!);
    names.sort((a, b) => time(0, b) - time(0, a));
    const cells: Cell[][] = names
        .slice(0, 50)
        .map((name) => [
            name,
            seconds(time(0, name)),
            ...scopes
                .slice(1)
                .map(
                    (scope, i) =>
                        seconds(time(i + 1, name)) +
                        (scope.run.no_speedup ? "" : `, ${trim(time(0, name) / time(i + 1, name))}×`),
                ),
        ]);
    const heads = ["Kernel", ...scopes.map((scope) => ">" + scope.run.label)];
    return element(
        "details",
        { open: "" },
        element("summary", {}, "Kernels of all runs, and how much faster they were"),
        table(heads, cells, "speedups"),
    );
}

// Only of runs that did the same to their end.
function addSpeedups(parent: HTMLElement, scopes: Scope[]): void {
    const comparable = scopes.filter((scope) => !scope.run.no_speedup);
    if (scopes.length > 1) parent.append(element("h3", {}, "Speedup"));
    if (comparable.length > 1) {
        const colors = comparable.map((scope) => scopes.indexOf(scope));
        speedupChart(parent, comparable, colors);
    }
    for (const { run } of scopes)
        if (run.no_speedup)
            parent.append(
                element(
                    "p",
                    { class: "note" },
                    `No speedup of ${run.label} over ${scopes[0].run.label}: ${run.no_speedup}.`,
                ),
            );
}

export function summarySection(scopes: Scope[], main: Scope): HTMLElement {
    const made = section(
        "summary",
        "Summary",
        scopes.length > 1
            ? `How long each run took, what limited it, and how it compares with ${scopes[0].run.label}.`
            : "How long it took and what limited it.",
    );
    made.append(...hangPanels(main));
    made.append(element("div", { class: "headlines" }, ...scopes.map(headline)));
    for (const scope of scopes) {
        for (const note of scope.run.notes)
            made.append(element("p", { class: "note" }, `${scope.run.label}: ${note}`));
        if (scope !== main && scope.kernels.some((kernel) => kernel.interrupted))
            made.append(
                element("p", { class: "note" }, `${scope.run.label} was cut off: select it to see why.`),
            );
    }
    addSpeedups(made, scopes);
    const cells: Cell[][] = rows.map((row) => [
        { text: row.name, title: row.about },
        ...scopes.map((scope) => row.of(scope)),
    ]);
    made.append(table(["", ...scopes.map((scope) => ">" + scope.run.label)], cells, "summary"));
    const shared = byName(scopes);
    if (shared) made.append(shared);
    made.append(kernelTable(main));
    return made;
}

// Knobs that differ between the runs; of a single run, all.
export function configSection(scopes: Scope[], recording: string[]): HTMLElement {
    const configs = scopes.map((scope) => scope.run.report.config);
    const knobs = [...new Set(configs.flatMap((values) => Object.keys(values)))];
    const differing = knobs.filter(
        (knob) =>
            !recording.includes(knob) && new Set(configs.map((values) => String(values[knob]))).size > 1,
    );
    const made = section(
        "config",
        "Configuration",
        scopes.length === 1
            ? "Every knob of the run."
            : differing.length
              ? "Knobs that the runs do not share."
              : "All runs have the same configuration.",
    );
    const show = (list: string[]): HTMLElement =>
        table(
            ["Knob", ...scopes.map((scope) => ">" + scope.run.label)],
            list.map((knob) => [
                element("code", {}, knob),
                ...configs.map((values) => String(values[knob] ?? "–")),
            ]),
            "config",
        );
    if (scopes.length > 1 && differing.length) made.append(show(differing));
    made.append(element("details", {}, element("summary", {}, `All ${knobs.length} knobs`), show(knobs)));
    return made;
}
