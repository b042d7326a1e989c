// Numbers as people read them.

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

export function integer(value: number): string {
    return whole.format(value);
}

// Three digits that count, with a prefix: 12.3 k.
export function short(value: number): string {
    const prefixes: [number, string][] = [
        [1e12, " T"],
        [1e9, " G"],
        [1e6, " M"],
        [1e3, " k"],
    ];
    for (const [unit, prefix] of prefixes) {
        if (Math.abs(value) >= unit) return trim(value / unit) + prefix;
    }
    return trim(value);
}

export function trim(value: number): string {
    if (!Number.isFinite(value)) return "–";
    const size = Math.abs(value);
    if (size === 0) return "0";
    if (size < 1e-3) return value.toExponential(1);
    return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3);
}

export function percent(share: number | null): string {
    if (share === null || !Number.isFinite(share)) return "–";
    const value = 100 * share;
    return (value >= 9.95 || value === 0 ? value.toFixed(0) : value.toFixed(1)) + "%";
}

export function seconds(value: number): string {
    const units: [number, string][] = [
        [1, " s"],
        [1e-3, " ms"],
        [1e-6, " µs"],
        [1e-9, " ns"],
    ];
    for (const [unit, name] of units) {
        if (value >= unit) return trim(value / unit) + name;
    }
    return value > 0 ? trim(value / 1e-9) + " ns" : "0";
}

export function bytesPerSecond(value: number): string {
    return short(value).replace(/[\d–]$/, "$& ") + "B/s";
}

// Names in so many letters: what is too long loses its middle; one that would look like one before it shows
// where it differs from that.
export function fitNames(names: string[], letters: number): string[] {
    const made: string[] = [];
    const kept = letters - 1;
    for (const name of names) {
        let text =
            name.length > letters
                ? name.slice(0, kept - Math.floor(kept / 3)) + "…" + name.slice(-Math.floor(kept / 3))
                : name;
        const same = names[made.indexOf(text)];
        if (same !== undefined && same !== name) {
            let at = 0;
            while (at < name.length && name[at] === same[at]) at++;
            text = (name.slice(0, Math.floor(letters / 3)) + "…" + name.slice(at)).slice(0, letters);
        }
        made.push(text);
    }
    return made;
}

export function bytes(value: number): string {
    const units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let unit = 0;
    for (; value >= 1024 && unit < units.length - 1; unit++) value /= 1024;
    return `${trim(value)} ${units[unit]}`;
}

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

// For tooltips, which are HTML.
export function escape(text: string): string {
    return text.replace(/[&<>"]/g, (letter) => entities[letter]);
}
