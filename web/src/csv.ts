// Comma-separated values with quotes, as `warpbeam paper --out` writes them.

export interface Table {
    heads: string[];
    rows: string[][];
}

export function parseCsv(text: string): Table {
    const rows: string[][] = [];
    let row: string[] = [],
        field = "",
        quoted = false;
    for (let i = 0; i < text.length; i++) {
        const letter = text[i];
        if (quoted) {
            if (letter !== '"') field += letter;
            else if (text[i + 1] === '"') field += text[i++];
            else quoted = false;
        } else if (letter === '"') {
            quoted = true;
        } else if (letter === ",") {
            row.push(field);
            field = "";
        } else if (letter === "\n") {
            row.push(field);
            rows.push(row);
            row = [];
            field = "";
        } else if (letter !== "\r") {
            field += letter;
        }
    }
    if (field || row.length) rows.push([...row, field]);
    return { heads: rows[0] ?? [], rows: rows.slice(1) };
}
