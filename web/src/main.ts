// The report: puts the parts of the page together and draws them again when something else is selected.
import { drawCharts, followWindow, isDark } from "./chart";
import { choice, element } from "./dom";
import { fidelitySection } from "./fidelity";
import { flowSection } from "./flow";
import { ganttSection } from "./gantt";
import { heatSection } from "./heatmap";
import { memorySection } from "./memory";
import { paperSection } from "./paper";
import { rooflineSection } from "./roofline";
import { gpusSection } from "./gpus";
import { sourceSection } from "./source";
import { stallSection } from "./stalls";
import { studySection } from "./study";
import { configSection, summarySection } from "./summary";
import { partsOf, wholeOf } from "./system";
import type { PageData, Run } from "./types";
import { unpack } from "./unpack";

const mostLaunches = 500;
const state = { selection: "all", run: 0, gpu: "all" };
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
    // Each GPU of several counts its own kernels.
    if (kernels.length > 1 && !run.gpus)
        for (const kernel of kernels.slice(0, mostLaunches))
            made.push({ value: `number:${kernel.number}`, text: `#${kernel.number} ${kernel.name}` });
    return made;
}

// The GPU of the run that was chosen; the run itself where it is all of them.
const shown = (run: Run): Run => run.gpus?.find((one) => String(one.gpu) === state.gpu) ?? run;

function gpuChoice(run: Run): HTMLElement {
    const all = { value: "all", text: `all ${run.gpus!.length}` };
    const each = run.gpus!.map((one) => ({ value: String(one.gpu), text: `${one.gpu}: ${one.report.gpu}` }));
    return choice("GPU", [all, ...each], shown(run) === run ? "all" : state.gpu, (value) => {
        state.gpu = value;
        state.selection = "all";
        draw();
    });
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
    if (run?.gpus) bar.append(gpuChoice(run));
    if (run)
        bar.append(
            choice("Kernels", selections(shown(run)), state.selection, (value) => {
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
        const { gpu, selection, run } = state,
            wholes = data.runs.map((one) => wholeOf(one, gpu, selection)),
            parts = data.runs.map((one) => partsOf(one, gpu, selection)),
            scopes = parts.flat(),
            main = wholes[run],
            first = parts[run].find((part) => part.kernels.length) ?? parts[run][0],
            flow = flowSection(scopes, first);
        sections.push(
            summarySection(wholes, main),
            ...(data.runs[run].gpus ? [gpusSection(data.runs[run], selection)] : []),
            stallSection(scopes, main, draw),
            heatSection(scopes, draw),
            ganttSection(first),
            ...(flow ? [flow] : []),
            rooflineSection(scopes),
            memorySection(scopes),
            sourceSection(main, draw),
            configSection(scopes, data.recording ?? []),
        );
    }
    sections.push(...data.papers.map(paperSection));
    sections.push(...(data.studies ?? []).map((study, i) => studySection(study, i, draw)));
    if (data.fidelity) sections.push(fidelitySection(data.fidelity, draw));
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
    const labels = [
        ...data.runs.map((run) => run.label),
        ...data.papers.map((paper) => paper.label),
        ...(data.studies ?? []).map((study) => study.name),
        ...(data.fidelity ? [`Fidelity of ${data.fidelity.gpu}`] : []),
    ];
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
            element("code", {}, data.fidelity ? "bench/fidelity" : "warpbeam report"),
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
