// Figures of bench/fidelity over the rows that are chosen, as bench/fidelity/figures.c has them.
import type { Fidelity, FidelityCounter, FidelityRow } from "./types";

export interface Point {
    row: FidelityRow;
    theirs: number;
    ours: number;
    error: number; // per cent of theirs; of shares and stalls ours less theirs
}

export interface Figures {
    count: number;
    error: number; // mean of absolute values
    within: number; // points whose error is at most 10
    correlation: number; // of counts that of their logarithms
    worst: Point | null;
}

// "": any.
export interface Filter {
    set: string;
    class: string;
    half: string;
}

// What a row is coloured by: rows of sets without classes have their set's name.
export function classOf(row: FidelityRow): string {
    return row.class ?? row.set;
}

export function select(data: Fidelity, filter: Filter): FidelityRow[] {
    return data.rows.filter(
        (row) =>
            (!filter.set || row.set === filter.set) &&
            (!filter.class || classOf(row) === filter.class) &&
            (!filter.half || row.half === filter.half),
    );
}

function errorOf(counter: FidelityCounter, theirs: number, ours: number): number {
    return counter.is_difference ? ours - theirs : (100 * (ours - theirs)) / Math.max(theirs, counter.least);
}

// Rows that have the counter on both sides.
export function pointsOf(data: Fidelity, rows: FidelityRow[], index: number): Point[] {
    const counter = data.counters[index];
    return rows.flatMap((row) => {
        const theirs = row.theirs[index],
            ours = row.ours[index];
        if (theirs === null || ours === null) return [];
        if (!counter.is_difference && Math.max(theirs, counter.least) <= 0) return [];
        return [{ row, theirs, ours, error: errorOf(counter, theirs, ours) }];
    });
}

function correlation(pairs: [number, number][]): number {
    const mean = (of: 0 | 1): number => pairs.reduce((sum, pair) => sum + pair[of], 0) / pairs.length;
    const x = mean(0),
        y = mean(1);
    let xx = 0,
        yy = 0,
        xy = 0;
    for (const [a, b] of pairs) {
        xx += (a - x) ** 2;
        yy += (b - y) ** 2;
        xy += (a - x) * (b - y);
    }
    return pairs.length > 2 ? xy / Math.sqrt(xx * yy) : NaN;
}

export function figuresOf(counter: FidelityCounter, points: Point[]): Figures {
    const pairs = points.map((point): [number, number] => [point.theirs, point.ours]);
    const logarithms = pairs
        .filter(([theirs, ours]) => theirs > 0 && ours > 0)
        .map(([theirs, ours]): [number, number] => [Math.log(theirs), Math.log(ours)]);
    const size = (point: Point): number => Math.abs(point.error);
    return {
        count: points.length,
        error: points.reduce((sum, point) => sum + size(point), 0) / points.length,
        within: points.filter((point) => size(point) <= 10).length,
        correlation: correlation(counter.is_difference ? pairs : logarithms),
        worst: points.reduce<Point | null>((a, b) => (a && size(a) >= size(b) ? a : b), null),
    };
}

export interface Bin {
    from: number;
    to: number;
    points: Point[];
}

// Steps of 1, 2 or 5 and zeros, so that 10 of them reach the value.
function stepTo(value: number): number {
    const unit = 10 ** Math.floor(Math.log10(value / 10));
    return [1, 2, 5, 10].map((one) => one * unit).find((step) => 10 * step >= value) ?? value / 10;
}

// Errors in steps of 5% up to 50%, or of what reaches the largest; the outer bins have all beyond.
export function histogram(counter: FidelityCounter, points: Point[]): Bin[] {
    const most = Math.max(...points.map((point) => Math.abs(point.error)), 1e-6),
        step = counter.is_difference ? stepTo(most) : 5;
    const bins = Array.from({ length: 20 }, (_, i): Bin => {
        return { from: (i - 10) * step, to: (i - 9) * step, points: [] };
    });
    for (const point of points) {
        const at = Math.floor(point.error / step) + 10;
        bins[Math.min(19, Math.max(0, at))].points.push(point);
    }
    return bins;
}
