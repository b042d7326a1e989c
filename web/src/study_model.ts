// Rows of a study's table as charts need them.
import type { Study, StudyValue } from "./types";

export interface Row {
    index: number; // of the run
    x: StudyValue;
    y: number;
    by: StudyValue;
}

interface Wish {
    kind: string;
    x: string;
    y: string;
    by: string;
    where: Record<string, string>;
}

const inOrder = (a: StudyValue, b: StudyValue): number =>
    typeof a === "number" && typeof b === "number" ? a - b : 0;

// Runs that have all values, and that no filter leaves out.
export function select(study: Study, wish: Wish): Row[] {
    const values = (name: string): StudyValue[] | undefined =>
        study.columns.find((column) => column.name === name)?.values;
    const x = values(wish.x),
        y = values(wish.y),
        by = values(wish.by),
        filters = Object.entries(wish.where).filter(
            ([name, value]) => value !== "" && name !== wish.x && name !== wish.by,
        );
    const rows: Row[] = [];
    for (let i = 0; i < study.runs; i++) {
        const height = y?.[i],
            place = x?.[i] ?? null;
        if (typeof height !== "number" || place === null) continue;
        if (wish.kind === "pareto" && typeof place !== "number") continue;
        if (filters.some(([name, value]) => String(values(name)?.[i] ?? "–") !== value)) continue;
        rows.push({ index: i, x: place, y: height, by: by?.[i] ?? null });
    }
    return rows;
}

// Different values: numbers by size, texts as they come.
export function valuesOf(rows: Row[], of: (row: Row) => StudyValue): StudyValue[] {
    return [...new Set(rows.map(of))].sort(inOrder);
}

export function grouped(rows: Row[], of: (row: Row) => string): [string, Row[]][] {
    const groups = new Map<string, Row[]>();
    for (const row of [...rows].sort((a, b) => inOrder(a.by, b.by))) {
        const name = of(row);
        if (!groups.has(name)) groups.set(name, []);
        groups.get(name)!.push(row);
    }
    return [...groups];
}

// Runs that no other beats: sorted by one value, each of them must be better in the other than all before.
export function frontOf(rows: Row[], xLess: boolean, yLess: boolean): Row[] {
    const x = (row: Row): number => (xLess ? 1 : -1) * (row.x as number),
        y = (row: Row): number => (yLess ? 1 : -1) * row.y;
    const front: Row[] = [];
    for (const row of [...rows].sort((a, b) => x(a) - x(b) || y(a) - y(b)))
        if (!front.length || y(row) < y(front[front.length - 1])) front.push(row);
    return front;
}

export function better(less: boolean): string {
    return less ? "less" : "more";
}
