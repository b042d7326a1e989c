// Where the schedulers' cycles went, as stacked bars: of each run, and of the kernels of one.
import { addChart, axis, isNarrow, legend, type Look, type Option } from "./chart";
import { choice, element, section } from "./dom";
import { escape, fitNames, percent, short } from "./format";
import { makeScope, reasons, stallCycles, type Scope } from "./scope";

interface Bar {
    name: string;
    cycles: Record<string, number>;
}

function bars(look: Look, rows: Bar[], share: boolean): Option {
    const totals = rows.map((row) => reasons.reduce((all, reason) => all + row.cycles[reason.key], 0));
    const seen = reasons.filter((reason) => rows.some((row, i) => row.cycles[reason.key] > 1e-4 * totals[i]));
    return {
        grid: { left: 10, right: 24, top: isNarrow() ? 36 : 56, bottom: 36, containLabel: true },
        legend: legend(look, isNarrow() ? {} : { type: "plain" }),
        tooltip: {
            trigger: "item",
            formatter: (at: any) => {
                const reason = seen[at.seriesIndex],
                    value = rows[at.dataIndex].cycles[reason.key];
                return (
                    `<b>${escape(rows[at.dataIndex].name)}</b><br>${reason.name}: ` +
                    `${percent(value / totals[at.dataIndex])}, ${short(value)} cycles of a scheduler<br>` +
                    `<i>${reason.about}</i>`
                );
            },
        },
        xAxis: axis(look, {
            type: "value",
            max: share ? 100 : undefined,
            nameLocation: "middle",
            nameGap: 26,
            name: share ? "% of the schedulers' cycles" : "cycles, average of all schedulers",
            axisLabel: { formatter: (value: number) => (share ? `${value}` : short(value)) },
        }),
        yAxis: axis(look, {
            type: "category",
            inverse: true,
            data: fitNames(
                rows.map((row) => row.name),
                isNarrow() ? 15 : 38,
            ),
            axisLabel: { width: isNarrow() ? 110 : 260, overflow: "truncate", color: look.ink },
        }),
        series: seen.map((reason) => ({
            type: "bar",
            stack: "all",
            name: reason.name,
            barMaxWidth: 30,
            itemStyle: { color: reason.colors[look.dark ? 1 : 0] },
            data: rows.map((row, i) =>
                share ? (100 * row.cycles[reason.key]) / totals[i] : row.cycles[reason.key],
            ),
        })),
    };
}

// Kernels of the same name together, the longest first.
function byName(scope: Scope): Bar[] {
    const names = new Map<string, Scope["kernels"]>();
    for (const kernel of scope.kernels) {
        if (!names.has(kernel.name)) names.set(kernel.name, []);
        names.get(kernel.name)!.push(kernel);
    }
    const total = (kernels: Scope["kernels"]): number =>
        kernels.reduce((all, kernel) => all + kernel.cycles, 0);
    return [...names]
        .sort((a, b) => total(b[1]) - total(a[1]))
        .slice(0, 20)
        .map(([name, kernels]) => ({
            name: kernels.length > 1 ? `${name} (${kernels.length}×)` : name,
            // The time between launches of one name belongs to others, too.
            cycles: { ...stallCycles(makeScope(scope.run, kernels)), gap: 0 },
        }));
}

function longest(scope: Scope): Bar[] {
    return [...scope.kernels]
        .sort((a, b) => b.cycles - a.cycles)
        .slice(0, 20)
        .map((kernel) => ({
            name: `#${kernel.number} ${kernel.name}`,
            cycles: stallCycles(makeScope(scope.run, [kernel])),
        }));
}

let unit = "cycles";

export function stallSection(scopes: Scope[], main: Scope, changed: () => void): HTMLElement {
    const made = section(
        "stalls",
        "Where the cycles went",
        "Every cycle of every warp scheduler has one reason: it issued, or the reason nearest to issuing " +
            "that any of its warps had, or its SM had no block, or there was no kernel.",
    );
    made.append(
        choice(
            "Bars show",
            [
                { value: "cycles", text: "cycles" },
                { value: "share", text: "shares" },
            ],
            unit,
            (value) => {
                unit = value;
                changed();
            },
        ),
    );
    const rows = scopes.map((scope) => ({ name: scope.run.label, cycles: stallCycles(scope) }));
    addChart(made, "stalls", 130 + 40 * rows.length, (look) => bars(look, rows, unit === "share"));
    const kernels = byName(main);
    if (kernels.length > 1) {
        made.append(element("h3", {}, `By kernel: ${main.run.label}`));
        addChart(made, "stalls-kernels", 130 + 30 * kernels.length, (look) =>
            bars(look, kernels, unit === "share"),
        );
    } else if (main.kernels.length > 1) {
        const rows = longest(main);
        made.append(element("h3", {}, `The longest launches: ${main.run.label}`));
        addChart(made, "stalls-kernels", 130 + 30 * rows.length, (look) =>
            bars(look, rows, unit === "share"),
        );
    }
    return made;
}
