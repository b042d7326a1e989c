// Memory roofline: how many instructions a byte of DRAM (or L2) traffic is used for, and what the machine
// would allow at that intensity. Instructions are those of warps, whatever they compute.
import { addChart, axis, isNarrow, legend, type Look, type Option } from "./chart";
import { section } from "./dom";
import { escape, trim } from "./format";
import {
    count,
    cycles,
    dramBytes,
    dramPeak,
    issuePeak,
    l2Bytes,
    l2Peak,
    makeScope,
    runningCycles,
    toSeconds,
    type Scope,
} from "./scope";

interface Point {
    run: number;
    name: string;
    level: "DRAM" | "L2";
    intensity: number; // warp instructions a byte
    rate: number; // 1e9 warp instructions a second
    bound: number; // what the ceilings allow there
    whole: boolean;
}

function pointsOf(scope: Scope, run: number, name: string, whole: boolean): Point[] {
    const instructions = count(scope, "exec.warp_instructions");
    const time = toSeconds(scope, whole ? cycles(scope) : runningCycles(scope));
    const levels: [Point["level"], number, number][] = [
        ["DRAM", dramBytes(scope), dramPeak(scope)],
        ["L2", l2Bytes(scope), l2Peak(scope)],
    ];
    return levels
        .filter(([, bytes]) => bytes > 0 && instructions > 0)
        .map(([level, bytes, peak]) => ({
            run,
            name,
            level,
            whole,
            intensity: instructions / bytes,
            rate: instructions / time / 1e9,
            bound: Math.min(issuePeak(scope), (peak * instructions) / bytes) / 1e9,
        }));
}

function points(scopes: Scope[]): Point[] {
    return scopes.flatMap((scope, run) => {
        const names = [...new Set(scope.kernels.map((kernel) => kernel.name))];
        const parts =
            names.length > 1
                ? names.slice(0, 50).flatMap((name) =>
                      pointsOf(
                          makeScope(
                              scope.run,
                              scope.kernels.filter((kernel) => kernel.name === name),
                          ),
                          run,
                          name,
                          false,
                      ),
                  )
                : [];
        return [...pointsOf(scope, run, scope.run.label, true), ...parts];
    });
}

function ceilings(look: Look, scopes: Scope[], from: number, to: number): Option[] {
    const seen = new Set<string>(),
        made: Option[] = [];
    const several =
        new Set(scopes.map((scope) => [dramPeak(scope), l2Peak(scope), issuePeak(scope)].join())).size > 1;
    for (const scope of scopes) {
        const [dram, l2, issue] = [dramPeak(scope), l2Peak(scope), issuePeak(scope)].map(
            (value) => value / 1e9,
        );
        const key = [dram, l2, issue].join();
        if (seen.has(key) || !Number.isFinite(dram + l2 + issue)) continue;
        seen.add(key);
        const where = several ? ` of ${scope.run.label}` : "";
        const roof = (peak: number): [number, number][] => {
            const ridge = Math.min(Math.max(issue / peak, from), to);
            return [
                [from, Math.min(issue, from * peak)],
                [ridge, Math.min(issue, ridge * peak)],
                [to, Math.min(issue, to * peak)],
            ];
        };
        const line = (peak: number, type: string, texts: Option[]): Option => ({
            type: "line",
            symbol: "circle",
            symbolSize: 0.1,
            silent: true,
            tooltip: { show: false },
            lineStyle: { color: look.quiet, width: 1.5, type },
            itemStyle: { color: look.quiet },
            data: roof(peak).map((value, i) => ({
                value,
                label: texts[i] && {
                    show: true,
                    color: look.quiet,
                    backgroundColor: look.back,
                    padding: [0, 3],
                    ...texts[i],
                },
            })),
        });
        made.push(
            line(dram, "solid", [
                { formatter: "" },
                { formatter: `DRAM ${trim(dram)} GB/s${where}`, position: "right", offset: [4, 12] },
                { formatter: `issue ${trim(issue)} G/s${where}`, position: "left", offset: [0, 12] },
            ]),
            line(l2, "dashed", [
                { formatter: "" },
                {
                    formatter: `L2 ${trim(l2)} GB/s${where}`,
                    ...(issue / l2 > from * (to / from) ** 0.25 // else there is no room left of it
                        ? { position: "left", offset: [-4, -10] }
                        : { position: "right", offset: [4, -10] }),
                },
            ]),
        );
    }
    return made;
}

function roof(look: Look, scopes: Scope[]): Option {
    const all = points(scopes);
    const xs = all.map((point) => point.intensity),
        ys = all.flatMap((point) => [point.rate, point.bound]);
    for (const scope of scopes) xs.push(issuePeak(scope) / dramPeak(scope), issuePeak(scope) / l2Peak(scope));
    const floor = (values: number[]): number =>
        10 ** Math.floor(Math.log10(Math.min(...values.filter((v) => v > 0))));
    const ceiling = (values: number[]): number => 10 ** Math.ceil(Math.log10(Math.max(...values)));
    const from = floor(xs),
        to = ceiling(xs);
    const marks = scopes.map((scope, run) => ({
        type: "scatter",
        name: scope.run.label,
        itemStyle: { color: look.series[run % look.series.length] },
        data: all
            .filter((point) => point.run === run)
            .map((point) => ({
                value: [point.intensity, point.rate],
                point,
                symbol: "circle",
                symbolSize: point.whole ? 14 : 8,
                itemStyle:
                    point.level === "DRAM"
                        ? {}
                        : {
                              color: "transparent",
                              borderColor: look.series[run % look.series.length],
                              borderWidth: 2,
                          },
            })),
    }));
    return {
        grid: { left: 36, right: 20, top: 44, bottom: 44, containLabel: true },
        legend: legend(look, { data: scopes.map((scope) => scope.run.label) }),
        tooltip: {
            trigger: "item",
            formatter: (at: any) => {
                const point: Point = at.data.point;
                return (
                    `<b>${escape(point.name)}</b>, ${point.level} traffic<br>` +
                    `${trim(point.intensity)} warp instructions a byte<br>${trim(point.rate)} G warp ` +
                    `instructions/s, ${trim((100 * point.rate) / point.bound)}% of what ` +
                    `${point.level} and issue allow there`
                );
            },
        },
        xAxis: axis(look, {
            type: "log",
            min: from,
            max: to,
            name: "warp instructions per byte moved",
            nameLocation: "middle",
            nameGap: 28,
            axisLabel: { formatter: (value: number) => trim(value) },
        }),
        yAxis: axis(look, {
            type: "log",
            min: floor(ys),
            max: ceiling([...ys, ...scopes.map((scope) => issuePeak(scope) / 1e9)]),
            name: isNarrow() ? "G warp instr./s" : "10⁹ warp instructions per second",
            nameLocation: "middle",
            nameGap: 46,
            axisLabel: { formatter: (value: number) => trim(value) },
        }),
        series: [...ceilings(look, scopes, from, to), ...marks],
    };
}

export function rooflineSection(scopes: Scope[]): HTMLElement {
    const made = section(
        "roofline",
        "Memory roofline",
        "Filled points: traffic of DRAM, under the solid roof. Hollow points: traffic of L2, under the " +
            "dashed one. A point on the slope is bound by that memory's bandwidth, one on the flat part " +
            "by issue; one far below its roof waits for latency, or has too little work. Small points are " +
            "kernels of a run that has several.",
    );
    addChart(made, "roofline", 420, (look) => roof(look, scopes));
    return made;
}
