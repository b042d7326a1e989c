// What blocks did besides running: they wait in place, their contexts are saved and restored, and they are
// off the SMs. A state has a name, a colour, and parts of the chart in which blocks were in it.
import type { Look } from "./chart";
import type { ScopeBlock } from "./scope";
import type { Wait } from "./types";

// What a block waited for, behind "waits for"; other reasons are called as the report calls them.
const reasons: Record<string, string> = {
    global_sync: "a global sync",
    signals: "signals of an event",
    launched: "what it launched",
};
const otherStates: Record<string, string> = {
    dispatcher: "sent away by the dispatcher",
    paused: "paused by a policy",
    ready: "could go on, waits for room",
    save: "context is saved",
    restore: "context is restored",
};

// Reports had no reasons while there was only one.
export const reasonOf = (wait: Wait): string => wait.reason ?? "launched";

export const stateName = (state: string): string =>
    otherStates[state] ?? `waits for ${reasons[state] ?? state.replace(/_/g, " ")}`;

// Paler than the colours of blocks: nothing runs. Contexts that move are grey.
const light = ["#f5a0a0", "#9cc3f5", "#f2cf7e", "#c4b0f2", "#a5dbb8"],
    dark = ["#8c3a40", "#2c568a", "#76571c", "#56458f", "#2f6a49"];
const grey: Record<string, [string, string]> = {
    ready: ["#d9dde4", "#39424f"],
    save: ["#343c48", "#e3e8f0"],
    restore: ["#7f8998", "#98a3b3"],
};

// Among the colours of waits.
function placeOf(state: string): number {
    const known = [...Object.keys(reasons), "dispatcher"].indexOf(state);
    return known >= 0 ? known : light.length - 1;
}

export function stateColor(look: Look, state: string): string {
    if (grey[state]) return grey[state][look.dark ? 1 : 0];
    return (look.dark ? dark : light)[placeOf(state)];
}

// In the legend: waits by their reasons, then the rest.
export const stateOrder = (state: string): number =>
    state in grey ? 9 + Object.keys(grey).indexOf(state) : placeOf(state);

// A time, in cycles, that a block spent in a state: in its stay of that number, or off the SMs behind it.
export interface Spent {
    state: string;
    from: number;
    to: number;
    stay: number;
    is_off: boolean;
    at?: string; // where in the source it waited
}

// A block that leaves from a wait waits on until its context is saved.
function inPlace(block: ScopeBlock, stay: number): Spent[] {
    const { from, to } = block.stays[stay],
        next = block.waits[stay] as Wait | undefined;
    const made = block.holds
        .filter(({ begun, ended }) => begun >= from && ended <= to)
        .map(({ reason, begun, ended, at }) => {
            return { state: reason, from: begun, to: ended, stay, is_off: false, at };
        });
    const last = made[made.length - 1] as Spent | undefined;
    if (last && next?.save_begun && last.state === reasonOf(next)) last.to = next.save_begun;
    return made;
}

function away({ left, resumed, returned, ...wait }: Wait, stay: number): Spent[] {
    const spend = (state: string, is_off: boolean, from?: number, to?: number): Spent[] =>
        from !== undefined && to !== undefined && from < to ? [{ state, from, to, stay, is_off }] : [];
    const moved = (state: string, from?: number, to?: number): Spent[] => spend(state, false, from, to);
    return [
        ...moved("save", wait.save_begun, left),
        ...spend(reasonOf(wait as Wait), true, left, Math.max(left, resumed)),
        ...spend("ready", true, Math.max(left, resumed), returned),
        ...moved("restore", wait.restore_begun, wait.restored).map((one) => ({ ...one, stay: stay + 1 })),
    ];
}

export function spentBy(block: ScopeBlock): Spent[] {
    return [
        ...block.stays.flatMap((_, stay) => inPlace(block, stay)),
        ...block.waits.flatMap((wait, stay) => away(wait, stay)),
    ];
}

// When global syncs were complete: blocks that were away could go on then, and those in place did. A wait in
// place that the block left from ended otherwise, as did one of a kernel that was cut off.
export function syncsOf(block: ScopeBlock): number[] {
    const left = new Set([...block.waits.map(({ save_begun }) => save_begun), block.of.ended]);
    return spentBy(block)
        .filter(({ state, to, is_off }) => state === "global_sync" && (is_off || !left.has(to)))
        .map(({ to }) => to);
}

// "1,234 cycles in which it waits for a global sync, 800 of them off its SM", for each state.
export function sumUp(block: ScopeBlock, number: (value: number) => string): string[] {
    const sums = new Map<string, { all: number; off: number }>();
    for (const { state, from, to, is_off } of spentBy(block)) {
        const sum = sums.get(state) ?? { all: 0, off: 0 };
        sum.all += to - from;
        sum.off += is_off ? to - from : 0;
        sums.set(state, sum);
    }
    return [...sums].map(([state, { all, off }]) => {
        const where = !off ? "" : off === all ? ", off its SM" : `, ${number(off)} of them off its SM`;
        return `${stateName(state)}: ${number(all)} cycles${where}`;
    });
}
