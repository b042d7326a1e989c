// The report: puts the parts of the page together and draws them again when something else is selected.
import { drawCharts, followWindow, isDark } from "./chart";
import { choice, element } from "./dom";
import { flowSection } from "./flow";
import { ganttSection } from "./gantt";
import { heatSection } from "./heatmap";
import { memorySection } from "./memory";
import { paperSection } from "./paper";
import { rooflineSection } from "./roofline";
import { select } from "./scope";
import { sourceSection } from "./source";
import { stallSection } from "./stalls";
import { configSection, summarySection } from "./summary";
import type { PageData, Run } from "./types";
import { unpack } from "./unpack";

const mostLaunches = 500;
const state = { selection: "all", run: 0 };
let data: PageData;
const bar = element("div", { class: "bar" });
const content = element("main");

function selections(run: Run): { value: string; text: string }[] {
    const kernels = run.report.kernels,
        names = new Map<string, number>();
    for (const kernel of kernels) names.set(kernel.name, (names.get(kernel.name) ?? 0) + 1);
    const made = [
        { value: "all", text: kernels.length === 1 ? kernels[0].name : `all ${kernels.length} kernels` },
    ];
    if (names.size > 1)
        for (const [name, count] of names)
            made.push({ value: `name:${name}`, text: count > 1 ? `${name} (${count}×)` : name });
    if (kernels.length > 1)
        for (const kernel of kernels.slice(0, mostLaunches))
            made.push({ value: `number:${kernel.number}`, text: `#${kernel.number} ${kernel.name}` });
    return made;
}

function drawBar(): void {
    const run = data.runs[state.run];
    bar.replaceChildren();
    if (data.runs.length > 1)
        bar.append(
            choice(
                "Run",
                data.runs.map((one, i) => ({ value: String(i), text: one.label })),
                String(state.run),
                (value) => {
                    state.run = Number(value);
                    state.selection = "all";
                    draw();
                },
            ),
        );
    if (run)
        bar.append(
            choice("Kernels", selections(run), state.selection, (value) => {
                state.selection = value;
                draw();
            }),
        );
    const links = element("nav");
    for (const section of content.querySelectorAll("section"))
        links.append(element("a", { href: `#${section.id}` }, section.querySelector("h2")!.textContent!));
    bar.append(links);
}

// Every part anew; the place where the reader is stays.
function draw(): void {
    const place = scrollY,
        sections: HTMLElement[] = [];
    if (data.runs.length) {
        const scopes = data.runs.map((run) => select(run, state.selection)),
            main = scopes[state.run],
            flow = flowSection(scopes, main);
        sections.push(
            summarySection(scopes, main),
            stallSection(scopes, main, draw),
            heatSection(scopes, draw),
            ganttSection(main),
            ...(flow ? [flow] : []),
            rooflineSection(scopes),
            memorySection(scopes),
            sourceSection(main, draw),
            configSection(scopes, data.recording ?? []),
        );
    }
    sections.push(...data.papers.map(paperSection));
    content.replaceChildren(...sections);
    drawBar();
    drawCharts();
    scrollTo(0, place);
}

function themeButton(): HTMLElement {
    const button = element("button", { type: "button", id: "theme" });
    const name = (): void => {
        button.textContent = isDark() ? "Light" : "Dark";
        button.title = `Show the page in ${isDark() ? "light" : "dark"} colours`;
    };
    button.addEventListener("click", () => {
        document.documentElement.dataset.theme = isDark() ? "light" : "dark";
        name();
        drawCharts(true);
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", name);
    name();
    return button;
}

function title(): string {
    const labels = [...data.runs.map((run) => run.label), ...data.papers.map((paper) => paper.label)];
    return labels.length > 3 ? `${labels.length} runs` : labels.join(", ");
}

function start(): void {
    data = unpack(JSON.parse(document.getElementById("data")!.textContent!) as PageData);
    document.title = `${title()} – Warpbeam`;
    document.body.append(
        element("header", {}, element("h1", {}, "Warpbeam report"), element("p", {}, title()), themeButton()),
        bar,
        content,
        element(
            "footer",
            {},
            "Made by ",
            element("code", {}, "warpbeam report"),
            ". This page needs no network.",
            element(
                "details",
                {},
                element("summary", {}, "Licences of what is in it"),
                element("pre", {}, document.getElementById("licences")!.textContent!),
            ),
        ),
    );
    followWindow();
    draw();
    document.documentElement.dataset.ready = "yes";
}

start();
