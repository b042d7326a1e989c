// The source with the cycles that warps waited at each of its lines.
import { choice, element, section, table } from "./dom";
import { integer, percent } from "./format";
import type { SourceLine } from "./types";
import type { Scope } from "./scope";

function linesOf(scope: Scope): SourceLine[] {
    const files = scope.run.report.line_files ?? [];
    const sums = new Map<string, SourceLine>();
    for (const kernel of scope.kernels) {
        for (const [file, line, issued, waited, thread_instructions, waits] of kernel.lines ?? []) {
            const key = `${file}:${line}`;
            const sum = sums.get(key) ?? {
                file: files[file],
                line,
                issued: 0,
                waited: 0,
                thread_instructions: 0,
                waits: {},
            };
            sum.issued += issued;
            sum.waited += waited;
            sum.thread_instructions += thread_instructions;
            for (const [reason, cycles] of Object.entries(waits ?? {}))
                sum.waits[reason] = (sum.waits[reason] ?? 0) + cycles;
            sums.set(key, sum);
        }
    }
    return [...sums.values()];
}

const cost = (line: SourceLine): number => line.issued + line.waited;
const fileName = (path: string): string => path.replace(/^.*\//, "") || path;

// What warps waited for most: "memory 92%".
function reason(line: SourceLine): string {
    const [name, most] = Object.entries(line.waits).reduce((a, b) => (b[1] > a[1] ? b : a), ["", 0]);
    return most > 0 ? `${name} ${percent(most / line.waited)}` : "";
}

// Its length compares lines with the one that took most.
function bar(share: number, most: number): HTMLElement {
    return element(
        "span",
        { class: "meter", title: percent(share) },
        element("span", { style: `width:${Math.max(share > 0 ? 1 : 0, (100 * share) / most)}%` }),
    );
}

function listing(file: string, lines: SourceLine[], text: string | undefined, total: number): HTMLElement {
    const most = Math.max(...lines.map(cost));
    const byNumber = new Map(lines.map((line) => [line.line, line]));
    const rows =
        text === undefined
            ? [...lines].sort((a, b) => a.line - b.line).map((line) => line.line)
            : text.split("\n").map((_, i) => i + 1);
    const texts = text?.split("\n") ?? [];
    const body = element("tbody");
    for (const number of rows) {
        const line = byNumber.get(number);
        body.append(
            element(
                "tr",
                { "data-line": String(number), class: line ? "" : "unused" },
                element("td", { class: "number" }, String(number)),
                element("td", {}, line ? bar(cost(line) / total, most / total) : null),
                element(
                    "td",
                    { class: "number", title: line ? reason(line) : "" },
                    line ? integer(line.waited) : "",
                ),
                element("td", { class: "number" }, line ? integer(line.issued) : ""),
                element("td", {}, element("code", {}, texts[number - 1] ?? "")),
            ),
        );
    }
    const head = element(
        "tr",
        {},
        ...["Line", "Share", "Waited", "Issued", fileName(file)].map((name, i) =>
            element("th", { scope: "col", class: i === 0 || i === 2 || i === 3 ? "number" : "" }, name),
        ),
    );
    return element(
        "div",
        { class: "scroll source", tabindex: "0" },
        element("table", { "data-table": "source" }, element("thead", {}, head), body),
    );
}

let wanted = "", // the file to be shown,
    wantedLine = 0; // and the line of it; 0: that which took most

// Brings a line of the listing into sight, once it is in the page.
function scrollToLine(listing: HTMLElement, line: number): void {
    requestAnimationFrame(() => {
        const row = listing.querySelector<HTMLElement>(`[data-line="${line}"]`);
        if (row) listing.scrollTop = row.offsetTop - listing.clientHeight / 2;
    });
}

// Each line leads to where it is in the listing.
function hottestTable(
    scope: Scope,
    hottest: SourceLine[],
    total: number,
    go: (line: SourceLine) => void,
): HTMLElement {
    const place = (line: SourceLine): HTMLElement => {
        const text = `${fileName(line.file)}:${line.line}`;
        const button = element("button", { type: "button", class: "link" }, text);
        button.addEventListener("click", () => go(line));
        return button;
    };
    const textOf = (line: SourceLine): string =>
        scope.run.report.sources?.[line.file]?.split("\n")[line.line - 1]?.trim() ?? "";
    return table(
        ["Where", ">Share", ">Waited", "Mostly for", ">Issued", ">Active lanes", "Text"],
        hottest.map((line) => [
            place(line),
            percent(cost(line) / total),
            integer(line.waited),
            reason(line),
            integer(line.issued),
            line.issued ? (line.thread_instructions / line.issued).toFixed(1) : "–",
            element("code", {}, textOf(line)),
        ]),
        "hottest",
    );
}

export function sourceSection(scope: Scope, changed: () => void): HTMLElement {
    const made = section(
        "source",
        "Source",
        "Cycles that warps waited before they issued an instruction of the line, and the instructions " +
            "issued; bars compare lines with the one that took most.",
    );
    const lines = linesOf(scope);
    if (!lines.length) {
        made.append(
            element(
                "p",
                { class: "missing" },
                `${scope.run.label} has no counts of lines; --profile-lines keeps them.`,
            ),
        );
        return made;
    }
    const total = lines.reduce((all, line) => all + cost(line), 0);
    const costs = new Map<string, number>();
    for (const line of lines) costs.set(line.file, (costs.get(line.file) ?? 0) + cost(line));
    const files = [...costs].sort((a, b) => b[1] - a[1]).map(([file]) => file);
    const file = files.includes(wanted) ? wanted : files[0];
    const shown = listing(
        file,
        lines.filter((line) => line.file === file),
        scope.run.report.sources?.[file],
        total,
    );
    const hottest = [...lines].sort((a, b) => cost(b) - cost(a));
    const first = hottest.find((line) => line.file === file && (!wantedLine || line.line === wantedLine))!;
    wantedLine = 0;
    made.append(element("h3", {}, `Lines that took most: ${scope.run.label}`));
    const go = (line: SourceLine): void => {
        if (line.file === file) {
            scrollToLine(shown, line.line);
            return;
        }
        [wanted, wantedLine] = [line.file, line.line];
        changed();
    };
    made.append(hottestTable(scope, hottest.slice(0, 10), total, go));
    made.append(
        choice(
            "File",
            files.map((name) => ({
                value: name,
                text: `${fileName(name)} (${percent(costs.get(name)! / total)})`,
            })),
            file,
            (value) => {
                wanted = value;
                changed();
            },
        ),
    );
    made.append(shown);
    scrollToLine(shown, first.line);
    return made;
}
