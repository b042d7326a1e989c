// The tables of `warpbeam paper`: what was published beside what was measured here.
import { addChart, axis, isNarrow, legend, type Look, type Option } from "./chart";
import { parseCsv, type Table } from "./csv";
import { element, section, table, type Cell } from "./dom";
import { escape, trim } from "./format";
import type { PaperFolder } from "./types";

const numbersIn = (text: string): number[] => (text.match(/-?\d+(\.\d+)?/g) ?? []).map(Number);
const isNumber = (text: string): boolean => text !== "" && Number.isFinite(Number(text));

// -- claims --

interface Claim {
    id: string;
    where: string;
    quantity: string;
    published: string;
    measured: string;
    unit: string;
    verdict: string;
    isInput: boolean; // it configures the simulated machine, which has to give it back
}

const INPUT = /^INPUT, to be checked: /;

function claimsOf(folder: PaperFolder): Claim[] {
    const all = parseCsv(folder.claims);
    const words = new Map(
        all.rows.map((row) => [row[0], Object.fromEntries(all.heads.map((head, i) => [head, row[i]]))]),
    );
    const own = folder.tables.find((one) => one.name === "claims");
    const { heads, rows } = parseCsv(own?.text ?? "");
    return rows.map((row) => {
        const got = Object.fromEntries(heads.map((head, i) => [head, row[i] ?? ""]));
        const known = words.get(got.id) ?? {};
        const quantity = known.quantity ?? "";
        return {
            ...got,
            where: known.where ?? "",
            quantity: quantity.replace(INPUT, ""),
            isInput: INPUT.test(quantity),
        } as Claim;
    });
}

function claimChart(look: Look, claims: Claim[], unit: string): Option {
    const rows = claims.flatMap((claim) => {
        const published = numbersIn(claim.published),
            measured = numbersIn(claim.measured);
        if (!published.length || published.length !== measured.length) return [];
        return published.map((value, i) => ({
            claim,
            published: value,
            measured: measured[i],
            name: published.length > 1 ? `${claim.id}.${i + 1}` : claim.id,
        }));
    });
    return {
        grid: { left: 10, right: 16, top: 36, bottom: 10, containLabel: true },
        legend: legend(look),
        tooltip: {
            trigger: "axis",
            axisPointer: { type: "shadow" },
            formatter: (at: any[]) => {
                const row = rows[at[0].dataIndex];
                return (
                    `<b>${row.name}</b> ${escape(row.claim.where)}<br>` +
                    `<div style="max-width:340px;white-space:normal">` +
                    `${escape(row.claim.quantity)}</div>published <b>${trim(row.published)}</b>, ours ` +
                    `<b>${trim(row.measured)}</b> ${escape(unit)}: ${escape(row.claim.verdict)}`
                );
            },
        },
        xAxis: axis(look, {
            type: "category",
            data: rows.map((row) => row.name),
            axisLabel: { interval: 0, rotate: isNarrow() ? 60 : 0 },
        }),
        yAxis: axis(look, { type: "value" }),
        series: [
            {
                type: "bar",
                name: "published",
                data: rows.map((row) => row.published),
                color: look.quiet,
                barMaxWidth: 26,
            },
            {
                type: "bar",
                name: "ours",
                data: rows.map((row) => row.measured),
                color: look.series[0],
                barMaxWidth: 26,
            },
        ],
    };
}

function addClaims(made: HTMLElement, folder: PaperFolder): void {
    const claims = claimsOf(folder);
    if (!claims.length) return;
    made.append(element("h3", {}, "Claims"));
    const panels = element("div", { class: "panels" });
    for (const unit of new Set(claims.map((claim) => claim.unit))) {
        const some = claims.filter(
            (claim) =>
                claim.unit === unit &&
                !claim.isInput &&
                numbersIn(claim.published).length > 0 &&
                numbersIn(claim.published).length === numbersIn(claim.measured).length,
        );
        if (!some.length) continue;
        const panel = element(
            "figure",
            {},
            element("figcaption", {}, `Published and ours, ${unit || "numbers"}`),
        );
        addChart(panel, "claims", 260, (look) => claimChart(look, some, unit));
        panels.append(panel);
    }
    made.append(
        panels,
        table(
            ["Claim", "Where", "What", ">Published", ">Ours", "Unit", "Verdict"],
            claims.map((claim) => [
                claim.id,
                claim.where,
                claim.isInput ? `${claim.quantity} (an input of ours)` : claim.quantity,
                claim.published,
                claim.measured,
                claim.unit,
                { text: claim.verdict, class: `verdict ${claim.verdict.replace(/ /g, "-")}` },
            ]),
            "claims",
        ),
    );
}

// -- figures --

// Published numbers of a row, by column: "CDP 1/1.16, LVL 31.81" names them.
function publishedIn(text: string, heads: string[]): Map<string, number> {
    const found = new Map<string, number>();
    for (const part of text.split(/[,;]/)) {
        const match = part.trim().match(/^(.*\S)\s+(?:(\d+)\/)?([+-]?\d+(?:\.\d+)?)$/);
        if (match && heads.includes(match[1]))
            found.set(match[1], match[2] ? Number(match[2]) / Number(match[3]) : Number(match[3]));
    }
    return found;
}

interface Column {
    name: string;
    unit: string;
    ours: (number | null)[];
    published: (number | null)[];
}

function columnsOf(sheet: Table, units: string[]): Column[] {
    const last = sheet.heads.indexOf("published");
    const published = sheet.rows.map((row) => publishedIn(row[last] ?? "", sheet.heads));
    return sheet.heads
        .map((name, at) => ({
            name,
            unit: units[at] ?? "",
            ours: sheet.rows.map((row) => (isNumber(row[at] ?? "") ? Number(row[at]) : null)),
            published: published.map((row) => row.get(name) ?? null),
        }))
        .filter(({ ours }, at) => at > 0 && at !== last && ours.some((value) => value !== null));
}

const hasPublished = (column: Column): boolean => column.published.some((value) => value !== null);

// Columns of one unit share a chart; charts with published numbers come first.
function byUnit(columns: Column[]): [string, Column[]][] {
    const groups = [...new Set(columns.map(({ unit }) => unit))].map((unit): [string, Column[]] => [
        unit,
        columns.filter((column) => column.unit === unit),
    ]);
    return groups.sort(
        ([, one], [, other]) => Number(other.some(hasPublished)) - Number(one.some(hasPublished)),
    );
}

function figureChart(look: Look, rows: string[], columns: Column[], unit: string): Option {
    const values = columns
        .flatMap(({ ours, published }) => [...ours, ...published])
        .filter((one) => one !== null);
    const wide = Math.min(...values) > 0 && Math.max(...values) > 1000 * Math.min(...values);
    const bar = { type: "bar", barMaxWidth: 18 };
    return {
        grid: { left: 10, right: 16, top: 50, bottom: 10, containLabel: true },
        legend: legend(look),
        tooltip: { trigger: "axis", axisPointer: { type: "shadow" } },
        xAxis: axis(look, {
            type: "category",
            data: rows,
            axisLabel: { interval: 0, rotate: 40 },
        }),
        yAxis: axis(look, { type: wide ? "log" : "value", name: unit, nameTextStyle: { align: "left" } }),
        series: columns.flatMap((column, i) => {
            const color = look.series[i % look.series.length];
            const itemStyle = {
                color: "transparent",
                borderColor: color,
                borderWidth: 2,
                borderType: "dashed",
            };
            return [
                { ...bar, name: column.name, data: column.ours, color },
                ...(hasPublished(column)
                    ? [
                          {
                              ...bar,
                              name: `${column.name}, published`,
                              data: column.published,
                              color,
                              itemStyle,
                          },
                      ]
                    : []),
            ];
        }),
    };
}

function figureTitle(name: string): string {
    return name
        .replace(/^figure(\d+)_?/, "Figure $1 ")
        .replace(/_/g, " ")
        .trim();
}

function addFigures(made: HTMLElement, folder: PaperFolder): void {
    const number = (name: string): number => Number(name.match(/^figure(\d+)/)?.[1] ?? 1000);
    const figures = folder.tables
        .filter((one) => one.name !== "claims" && one.name !== "runs")
        .sort((a, b) => number(a.name) - number(b.name) || a.name.localeCompare(b.name));
    for (const one of figures) {
        const sheet = parseCsv(one.text);
        const about = folder.about?.figures.find((figure) => figure.name === one.name);
        made.append(element("h3", {}, about?.title ?? figureTitle(one.name)));
        const rows = sheet.rows.map((row) => row[0]);
        for (const [unit, columns] of byUnit(columnsOf(sheet, about?.units ?? [])))
            addChart(made, "figure", 300, (look) => figureChart(look, rows, columns, unit));
        const heads = sheet.heads.map((head, i) => (i > 0 && head !== "published" ? `>${head}` : head));
        const cells: Cell[][] = sheet.rows.map((row) => sheet.heads.map((_, i) => row[i] ?? ""));
        made.append(
            element(
                "details",
                {},
                element("summary", {}, "Numbers, and what was published"),
                table(heads, cells, one.name),
            ),
        );
    }
}

export function paperSection(folder: PaperFolder, index: number): HTMLElement {
    const made = section(
        `paper-${index}`,
        folder.label,
        "What the paper published beside what was measured here. Dashed bars are published values, where " +
            "they are given for single bars; the tables have the paper's words.",
    );
    addClaims(made, folder);
    addFigures(made, folder);
    return made;
}
