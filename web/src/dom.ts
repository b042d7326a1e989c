// Elements of the page, made without a framework.

type Child = Node | string | null | undefined;

export function element<K extends keyof HTMLElementTagNameMap>(
    tag: K,
    attributes: Record<string, string> = {},
    ...children: Child[]
): HTMLElementTagNameMap[K] {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    for (const child of children) if (child !== null && child !== undefined) made.append(child);
    return made;
}

// A part of the page with a heading; `about` says how to read it.
export function section(id: string, title: string, about: string): HTMLElement {
    return element("section", { id }, element("h2", {}, title), element("p", { class: "about" }, about));
}

export type Cell = Child | { text: string; class?: string; title?: string };

function fill(cell: HTMLElement, content: Cell): HTMLElement {
    if (content && typeof content === "object" && "text" in content && !(content instanceof Node)) {
        cell.append(content.text);
        if (content.class) cell.className = content.class;
        if (content.title) cell.title = content.title;
    } else if (content !== null && content !== undefined) {
        cell.append(content as Node | string);
    }
    return cell;
}

// Numbers stand right: a column is one of numbers if its head begins with ">".
export function table(heads: string[], rows: Cell[][], name = ""): HTMLElement {
    const right = heads.map((head) => head.startsWith(">"));
    const head = element("tr");
    heads.forEach((text, i) =>
        head.append(element("th", { class: right[i] ? "number" : "", scope: "col" }, text.replace(/^>/, ""))),
    );
    const body = element("tbody");
    for (const row of rows) {
        const line = element("tr");
        row.forEach((cell, i) => {
            const made = fill(element(i === 0 ? "th" : "td", i === 0 ? { scope: "row" } : {}), cell);
            if (right[i]) made.classList.add("number");
            line.append(made);
        });
        body.append(line);
    }
    const made = element("table", name ? { "data-table": name } : {}, element("thead", {}, head), body);
    return element("div", { class: "scroll", tabindex: "0" }, made);
}

export function choice(
    label: string,
    options: { value: string; text: string }[],
    value: string,
    chosen: (value: string) => void,
): HTMLElement {
    const select = element("select", { "aria-label": label });
    for (const option of options) select.append(element("option", { value: option.value }, option.text));
    select.value = value;
    select.addEventListener("change", () => chosen(select.value));
    return element("label", { class: "choice" }, element("span", {}, label), select);
}
