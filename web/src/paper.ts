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
}

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
        return { ...got, where: known.where ?? "", quantity: known.quantity ?? "" } as Claim;
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
                claim.quantity,
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

// Published numbers of a row, by column: "CDP 6.87, LVL 31.81" names them.
function publishedIn(text: string, heads: string[]): Map<string, number> {
    const found = new Map<string, number>();
    for (const part of text.split(/[,;]/)) {
        const match = part.trim().match(/^(.*\S)\s+([+-]?\d+(?:\.\d+)?)$/);
        if (match && heads.includes(match[1])) found.set(match[1], Number(match[2]));
    }
    return found;
}

function figureChart(look: Look, sheet: Table): Option {
    const last = sheet.heads.indexOf("published");
    const columns = sheet.heads
        .map((name, at) => ({ name, at }))
        .filter(({ at }) => at > 0 && at !== last && sheet.rows.some((row) => isNumber(row[at] ?? "")));
    const values = columns.flatMap(({ at }) =>
        sheet.rows.map((row) => Number(row[at])).filter((value) => value > 0),
    );
    const wide =
        values.length > 0 &&
        Math.max(...values) > 1000 * Math.min(...values) &&
        sheet.rows.every((row) => columns.every(({ at }) => !(Number(row[at]) <= 0) || row[at] === ""));
    const bars: Option[] = columns.map(({ name, at }) => ({
        type: "bar",
        name,
        barMaxWidth: 18,
        data: sheet.rows.map((row) => (isNumber(row[at] ?? "") ? Number(row[at]) : null)),
    }));
    const marks =
        last < 0
            ? []
            : columns
                  .map(({ name }, i) => ({
                      name,
                      i,
                      found: sheet.rows.map(
                          (row) => publishedIn(row[last] ?? "", sheet.heads).get(name) ?? null,
                      ),
                  }))
                  .filter(({ found }) => found.some((v) => v !== null));
    // A published number is a dash of the same width behind its bar, as a bar of its own column.
    const published = marks.map(({ name, i, found }) => ({
        type: "bar",
        name: `${name}, published`,
        barMaxWidth: 18,
        data: found,
        itemStyle: {
            color: "transparent",
            borderColor: look.series[i % look.series.length],
            borderWidth: 2,
            borderType: "dashed",
        },
    }));
    return {
        grid: { left: 10, right: 16, top: 36, bottom: 10, containLabel: true },
        legend: legend(look),
        tooltip: { trigger: "axis", axisPointer: { type: "shadow" } },
        xAxis: axis(look, {
            type: "category",
            data: sheet.rows.map((row) => row[0]),
            axisLabel: { interval: 0, rotate: 40 },
        }),
        yAxis: axis(look, wide ? { type: "log" } : { type: "value" }),
        series: bars.flatMap((bar, i) => [bar, ...published.filter((_, at) => marks[at].i === i)]),
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
        made.append(element("h3", {}, figureTitle(one.name)));
        addChart(made, "figure", 300, (look) => figureChart(look, sheet));
        const heads = sheet.heads.map((head, i) => (i > 0 && head !== "published" ? `>${head}` : head));
        const rows: Cell[][] = sheet.rows.map((row) => sheet.heads.map((_, i) => row[i] ?? ""));
        made.append(
            element(
                "details",
                {},
                element("summary", {}, "Numbers, and what was published"),
                table(heads, rows, one.name),
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
