// Opens a report in a browser and looks at it, in the root of the repository:
//   node web/test/test.mjs WARPBEAM
// Exit status: 0 all is well, 1 something is not, 77 there is no browser.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Browser, findBrowser } from "./browser.mjs";
import {
    makeFidelityPage,
    makeFlowPage,
    makeHungPage,
    makeOwnPage,
    makePage,
    makeStudyPage,
    makeSyncPage,
    makeSystemPage,
    nasty,
} from "./data.mjs";

let checks = 0;
let failures = 0;

function check(holds, what) {
    checks++;
    if (holds) return;
    failures++;
    console.log(`FAILED: ${what}`);
}

const charts = ["speedup", "stalls", "heat", "gantt", "roofline", "rates", "time-ipc", "claims", "figure"];

// What a canvas shows, read from a copy: reading the canvas itself would make the browser complain.
const pixelsOf = `((canvas) => {
    const copy = new OffscreenCanvas(canvas.width, canvas.height);
    const context = copy.getContext("2d", { willReadFrequently: true });
    context.drawImage(canvas, 0, 0);
    return context.getImageData(0, 0, canvas.width, canvas.height).data;
})`;

// Of each chart: its name, and how many pixels are painted.
const painted = `[...document.querySelectorAll("[data-chart]")].map((chart) => ({
    name: chart.dataset.chart,
    pixels: [...chart.querySelectorAll("canvas")].reduce((sum, canvas) => {
        const data = ${pixelsOf}(canvas);
        let count = 0;
        for (let i = 3; i < data.length; i += 4) count += data[i] > 0;
        return sum + count;
    }, 0),
}))`;

async function checkDrawn(browser, where) {
    const all = await browser.value(painted);
    for (const name of charts)
        check(
            all.some((chart) => chart.name === name),
            `${where}: there is no chart '${name}'`,
        );
    for (const chart of all)
        check(chart.pixels > 500, `${where}: chart '${chart.name}' has ${chart.pixels} pixels`);
}

async function checkWidth(browser, width, where) {
    const wide = await browser.value("document.documentElement.scrollWidth");
    check(wide <= width, `${where}: the page is ${wide} pixels wide`);
    const outside =
        await browser.value(`[...document.querySelectorAll("section, .chart, h2, select")].filter((one) => {
        const box = one.getBoundingClientRect();
        return box.width > 0 && (box.left < -0.5 || box.right > ${width} + 0.5);
    }).map((one) => one.id || one.dataset.chart || one.tagName)`);
    check(outside.length === 0, `${where}: these stand out of the page: ${outside}`);
    const small =
        await browser.value(`[...document.querySelectorAll("p, td, th, select, figcaption")].filter((one) =>
        parseFloat(getComputedStyle(one).fontSize) < 12).length`);
    check(small === 0, `${where}: ${small} texts are too small to read`);
}

// Contrast of the page's text with what it stands on, as WCAG counts it.
const contrast = `(() => {
    const light = (color) => {
        const parts = color.match(/[\\d.]+/g).slice(0, 3).map((part) => {
            const value = Number(part) / 255;
            return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
    };
    const back = light(getComputedStyle(document.querySelector("section")).backgroundColor);
    return ["h2", ".about", "td", ".limit"].map((name) => {
        const ink = light(getComputedStyle(document.querySelector(name)).color);
        return (Math.max(ink, back) + 0.05) / (Math.min(ink, back) + 0.05);
    });
})()`;

// Where a coloured pixel of the chart is, in the window, once the chart is in sight; right of its axis, and
// from a part of its height on.
const findMark = (name, nth, from) => `(() => {
    const chart = document.querySelectorAll('[data-chart="${name}"]')[${nth}];
    chart.scrollIntoView({ block: "center" });
    const box = chart.getBoundingClientRect();
    for (const canvas of chart.querySelectorAll("canvas")) {
        const { width, height } = canvas, scale = width / box.width;
        const data = ${pixelsOf}(canvas);
        const colored = (x, y) => {
            const at = 4 * (y * width + x), part = [...data.slice(at, at + 3)];
            return data[at + 3] > 200 && Math.max(...part) - Math.min(...part) > 70;
        };
        for (let y = Math.round(height * ${from}); y < height * 0.75; y += 3)
            for (let x = Math.round(width * 0.3); x < width * 0.95; x += 3) {
                if (colored(x, y) && colored(x - 2, y - 2) && colored(x + 2, y + 2))
                    return { x: box.x + x / scale, y: box.y + y / scale };
            }
    }
    return null;
})()`;

const tooltip = (name, nth) => `(() => {
    const chart = document.querySelectorAll('[data-chart="${name}"]')[${nth}];
    return [...chart.children].filter((one) => !one.querySelector("canvas")).map((one) => {
        const style = getComputedStyle(one);
        const hidden = style.visibility === "hidden" || style.opacity === "0" || style.display === "none";
        return hidden ? "" : one.innerText;
    }).join("");
})()`;

async function checkHover(browser, name, nth, wanted, from = 0.35) {
    const mark = await browser.value(findMark(name, nth, from));
    check(mark, `nothing coloured is drawn in chart '${name}'`);
    if (!mark) return;
    await checkTip(browser, name, nth, mark, wanted);
}

async function checkTip(browser, name, nth, mark, wanted) {
    await browser.point(mark.x, mark.y);
    let text = "";
    for (let tries = 0; tries < 40 && !wanted.test(text); tries++) {
        text = await browser.value(tooltip(name, nth));
        await browser.settle(1);
    }
    check(wanted.test(text), `the tooltip of '${name}' is '${text}', not ${wanted}`);
}

async function checkWide(browser, page) {
    await browser.show(page, 1280, 900, "light");
    await checkDrawn(browser, "1280, light");
    await checkWidth(browser, 1280, "1280");
    check(
        (await browser.value(contrast)).every((value) => value > 4.5),
        "light: texts are too pale",
    );
    await checkHover(browser, "stalls", 0, /cycles of a scheduler/);
    await checkHover(browser, "heat", 0, /SM \d+/);
    await checkHover(browser, "rates", 0, /%/);
    check(
        (await browser.value(`document.querySelectorAll("#config table")[0].innerText`)).includes(
            "warp_scheduler",
        ),
        "the knobs that differ are not shown",
    );
    check(
        (await browser.value(`document.querySelector(".headlines").innerText`)).match(/Limited by/g)
            ?.length === 3,
        "the summary does not say of each run what limited it",
    );
    check(
        (await browser.value(`document.querySelector('[data-table="claims"]').innerText`)).includes(
            "Global Barriers",
        ),
        "the claims have no words",
    );
    check(
        (await browser.value(`document.querySelector("#paper-0 h2").innerText`)) === "A paper <b>1</b>" &&
            (await browser.value(`document.querySelector("#paper-0").innerText`)).includes("Speedup & ratio"),
        "the paper and its figure are not called by their names",
    );
    check(
        (await browser.value(`document.querySelectorAll('#paper-0 [data-chart="figure"]').length`)) === 2,
        "each unit of a figure does not have a chart",
    );
    // The third run has every optional field, and names that must not become elements.
    await browser.choose("Run", "2");
    check(
        (await browser.value(`document.querySelectorAll("main b, header b").length`)) === 0,
        "names became elements",
    );
    check(
        (await browser.value("document.body.innerText")).includes(nasty),
        "names are not shown as they are",
    );
    check(
        /No speedup of three over \S+: other kernels or grids/.test(
            await browser.value('document.getElementById("summary").innerText'),
        ),
        "runs of other kernels are compared",
    );
    await checkHover(browser, "gantt", 0, /dispatched[^]*(after|before) /);
    check(
        (await browser.value(`document.querySelectorAll('[data-table="source"] .meter').length`)) === 3,
        "the source view does not mark its three lines",
    );
    await browser.choose("Bars show", "share");
    await checkDrawn(browser, "shares");
}

async function checkDark(browser, page) {
    await browser.show(page, 1280, 900, "dark");
    const back = `getComputedStyle(document.body).backgroundColor`;
    const dark = await browser.value(back);
    const parts = dark.match(/\d+/g).map(Number);
    check(Math.max(...parts.slice(0, 3)) < 80, `dark: the page is ${dark}`);
    await checkDrawn(browser, "1280, dark");
    check(
        (await browser.value(contrast)).every((value) => value > 4.5),
        "dark: texts are too pale",
    );
    await checkHover(browser, "roofline", 0, /warp instructions a byte/);
    await browser.value(`document.getElementById("theme").click()`);
    await browser.settle(10);
    check((await browser.value(back)) !== dark, "the button does not change the colours");
    await checkDrawn(browser, "dark, then light");
}

async function checkNarrow(browser, page) {
    for (const scheme of ["light", "dark"]) {
        await browser.show(page, 400, 800, scheme);
        await checkDrawn(browser, `400, ${scheme}`);
        await checkWidth(browser, 400, `400, ${scheme}`);
    }
    await checkHover(browser, "stalls", 0, /cycles of a scheduler/);
}

// Pixels of the chart that have the colour of what stands out.
const accented = (name) => `(() => {
    const wanted = getComputedStyle(document.documentElement).getPropertyValue("--accent").trim();
    const parts = [1, 3, 5].map((at) => parseInt(wanted.slice(at, at + 2), 16));
    let count = 0;
    for (const canvas of document.querySelectorAll('[data-chart="${name}"] canvas')) {
        const data = ${pixelsOf}(canvas);
        for (let i = 0; i < data.length; i += 4)
            count += parts.every((part, k) => Math.abs(part - data[i + k]) < 24) && data[i + 3] > 200;
    }
    return count;
})()`;

// Lines are those of the CUDA source, whose text is there; files can be chosen.
async function checkSource(browser) {
    const listing = `document.querySelector('[data-table="source"]').innerText`;
    const marked = `document.querySelectorAll('[data-table="source"] .meter').length`;
    await browser.choose("File", "sor.cu");
    check((await browser.value(listing)).includes("fmaf(0.25f * OMEGA"), "the CUDA source is not shown");
    check((await browser.value(marked)) >= 6, "its lines are not marked");
    await browser.choose("File", "wavefront.cuh");
    check((await browser.value(marked)) > 20, "lines of the included file are not marked");
    const hottest = await browser.value(`document.querySelector('[data-table="hottest"]').innerText`);
    check(/sor\.cu:\d+/.test(hottest) && !/\.ptx:/.test(hottest), `lines that took most: ${hottest}`);
}

// What `warpbeam run --report` writes: a dependency graph, and kernels that launch kernels.
async function checkOwn(browser, warpbeam, folder) {
    const has = async (expression, what) => check(await browser.value(expression), what);
    await browser.show(pathToFileURL(makeOwnPage(warpbeam, folder, "lvl")).href, 1280, 900, "light");
    await checkSource(browser);
    await checkHover(browser, "gantt", 0, /level \d+[^]*(after|before) /);
    await browser.choose("Last colour is", "largest"); // of so few warps, all colours are pale
    await checkHover(browser, "heat", 0, /% of the warps that fit/);
    await browser.show(pathToFileURL(makeOwnPage(warpbeam, folder, "cdp")).href, 1280, 900, "dark");
    await checkHover(browser, "heat", 0, /% of the warps that fit/);
    // The parent's ten times on SMs, its nine launches and their 25 blocks.
    await has(`document.querySelector('[data-chart="gantt"]').dataset.items == 44`, "blocks are missing");
    await checkHover(browser, "gantt", 0, /launch \d of[^]*launched by block \(0\) of sor_nested/);
    const without = await browser.value(accented("gantt"));
    const own =
        /sor_nested[^]*launched 9 launches of 25 blocks[^]*waits for what it launched: [^]*off its SM/;
    await checkHover(browser, "gantt", 0, own, 0.05);
    check((await browser.value(accented("gantt"))) > without + 500, "no lines lead to what a block launched");
}

// The first place of the chart, right of its axis, that has the colour, in the window.
const findColor = (name, color) => `(() => {
    const chart = document.querySelector('[data-chart="${name}"]');
    chart.scrollIntoView({ block: "center" });
    const box = chart.getBoundingClientRect(), wanted = ${JSON.stringify(color)};
    for (const canvas of chart.querySelectorAll("canvas")) {
        const { width, height } = canvas, scale = width / box.width, data = ${pixelsOf}(canvas);
        const is = (x, y) => wanted.every((part, k) => Math.abs(part - data[4 * (y * width + x) + k]) < 6);
        for (let y = Math.round(40 * scale); y < height - 4; y++)
            for (let x = Math.round(70 * scale); x < width - 4; x++)
                if (is(x, y) && is(x + 3, y) && is(x, y + 2)) return { x: box.x + (x + 1) / scale, y: box.y + (y + 1) / scale };
    }
    return null;
})()`;

async function checkColor(browser, color, wanted) {
    const at = await browser.value(findColor("gantt", color));
    check(at, `nothing has the colour ${color}`);
    if (at) await checkTip(browser, "gantt", 0, at, wanted);
}

// Blocks that wait for each other: in place, off the SMs, and while their contexts move.
async function checkStates(browser, warpbeam, folder) {
    const data = (name) => `document.querySelector('[data-chart="gantt"]').dataset.${name}`;
    const stencil = makeSyncPage(warpbeam, folder, "sync/stencil2d", "gsync", 2);
    await browser.show(pathToFileURL(stencil).href, 1280, 900, "light");
    const states = JSON.parse(await browser.value(data("states")));
    check(states.global_sync > 100, `waits for global syncs: ${states.global_sync}`);
    check(states.save > 50 && states.save === states.restore, "contexts are not saved as often as restored");
    check(states.ready > 20, `blocks that waited for room: ${states.ready}`);
    const syncs = Number(await browser.value(data("syncs")));
    check(syncs > 10 && syncs < states.global_sync / 4, `${syncs} global syncs are marked`);
    await checkColor(browser, [0xf5, 0xa0, 0xa0], /^waits for a global sync\nat barriers[^]*dispatched/);
    await checkColor(browser, [0xd9, 0xdd, 0xe4], /^could go on, waits for room, off its SM/);
    const lud = makeSyncPage(warpbeam, folder, "sync/lud", "ws", 8);
    await browser.show(pathToFileURL(lud).href, 1280, 900, "dark");
    await checkColor(browser, [0xe3, 0xe8, 0xf0], /^context is saved/);
    await checkColor(browser, [0x2c, 0x56, 0x8a], /^waits for signals of an event\nat lud\.cu/);
    await browser.show(pathToFileURL(lud).href, 400, 900, "light");
    await checkWidth(browser, 400, "states, 400");
}

// A flow graph has a part of its own: what was dispatched, and channels over time.
async function checkFlow(browser, warpbeam, folder) {
    const page = pathToFileURL(makeFlowPage(warpbeam, folder)).href;
    for (const width of [1280, 400]) {
        await browser.show(page, width, 900, width === 400 ? "dark" : "light");
        const cells = await browser.value(
            `document.querySelector('[data-table="flow"] tbody')?.textContent ?? ""`,
        );
        check(/Wavefronts of tasks\d+Lanes filled\d+%/.test(cells), `${width}: the table says ${cells}`);
        await checkHover(browser, "channels", 0, /calls\[\d+\], [^]*of [^]*elements in use, \d+ ready/, 0.1);
        const panels = await browser.value(`document.querySelectorAll("#flow .panels figure").length`);
        check(panels >= 4, `${width}: ${panels} charts over time`);
        await checkWidth(browser, width, `flow, ${width}`);
    }
}

// Several GPUs: all of them in one time, each by itself in the other parts, or one that is chosen.
async function checkSystem(browser, warpbeam, folder) {
    const page = pathToFileURL(makeSystemPage(warpbeam, folder)).href;
    const number = (chart) => browser.value(`document.querySelectorAll('[data-chart="${chart}"]').length`);
    const text = (selector) => browser.value(`document.querySelector('${selector}')?.innerText ?? ""`);
    for (const width of [1280, 400]) {
        await browser.show(page, width, 900, width === 400 ? "dark" : "light");
        const rows = await text('[data-table="gpus"] tbody');
        check(/^0: gtx480[^]*\n1: gtx480/.test(rows), `${width}: the table of GPUs says ${rows}`);
        check((await number("heat")) === 3, `${width}: not every GPU has its SMs over time`);
        check((await number("gpu-load")) === 3, `${width}: the GPUs' loads are not shown`);
        for (const chart of await browser.value(painted))
            check(chart.pixels > 500, `${width}, system: chart '${chart.name}' has ${chart.pixels} pixels`);
        await checkWidth(browser, width, `system, ${width}`);
    }
    await browser.show(page, 1280, 900, "light");
    await checkHover(browser, "gpu-kernels", 0, /saxpy, kernel #0 of GPU \d/);
    await checkHover(browser, "gpu-load", 0, /Warp slots in use: \d+%/);
    check((await number("links")) === 2, "links are not shown");
    await checkHover(browser, "links", 0, /GPU 0 → switch, [^]*\d+%/, 0.05);
    check(/2 GPUs/.test(await text(".headlines")), "the summary does not name the system");
    await browser.choose("GPU", "1");
    check((await number("heat")) === 2, "one GPU cannot be looked at by itself");
    check(/both, GPU 1/.test(await text(".headlines")), "the summary is not of the chosen GPU");
    await checkHover(browser, "gantt", 0, /dispatched/);
}

// A kernel that hangs is the first thing on the page: why, and who waits where.
async function checkHang(browser, warpbeam, folder) {
    const page = pathToFileURL(makeHungPage(warpbeam, folder)).href;
    for (const width of [1280, 400]) {
        await browser.show(page, width, 900, width === 400 ? "dark" : "light");
        const text = await browser.value(`document.querySelector("#summary .hang")?.innerText ?? ""`);
        check(/meet spins for ever/.test(text), `${width}: the panel does not say that it spins: ${text}`);
        check(/Likely cause: [^]*fit on the GPU at once \(16\)/.test(text), `${width}: there is no cause`);
        check(/4 have not been dispatched/.test(text), `${width}: blocks without a place are not told`);
        const cells = await browser.value(`document.querySelector('[data-table="hang"] tbody').textContent`);
        const blocks = new Set(cells.match(/\(\d+,\s*0,\s*0\)/g)).size; // whose warps may stand apart
        check(blocks === 16, `${width}: ${blocks} blocks wait, not 16`);
        check(/hang\.ptx:7/.test(cells), `${width}: the table has no places`);
        check(
            (await browser.value(`document.querySelector('[data-chart="gantt"]').dataset.items`)) < 100,
            `${width}: blocks that were on no SM are drawn`,
        );
        await checkWidth(browser, width, `hang, ${width}`);
    }
}

// A study: all kinds of charts, and a list for each axis that is not in them.
async function checkStudy(browser, warpbeam, folder) {
    const page = pathToFileURL(makeStudyPage(warpbeam, folder)).href;
    for (const width of [1280, 400]) {
        await browser.show(page, width, 900, width === 400 ? "dark" : "light");
        const names = await browser.value(
            `[...document.querySelectorAll("#study-0 .choice")].map((one) => one.innerText.split("\\n")[0])`,
        );
        check(names.includes("Only max_blocks_per_sm"), `${width}: the lists are ${names}`);
        for (const kind of ["lines", "bars", "heat", "pareto"]) {
            await browser.choose("Chart", kind);
            if (kind === "heat") await browser.choose("Rows", "max_blocks_per_sm");
            const [chart] = await browser.value(painted);
            check(chart.name === `study-${kind}`, `${width}: '${chart.name}' is drawn, not ${kind}`);
            check(chart.pixels > 500, `${width}: ${kind} have ${chart.pixels} pixels`);
            await checkWidth(browser, width, `study, ${kind}, ${width}`);
        }
        await browser.choose("Chart", "bars");
        await checkHover(browser, "study-bars", 0, /sm_count \d: kernels_cycles \d+/);
    }
}

// Counters beside silicon's: figures of what is chosen, tables that sort.
async function checkFidelity(browser, folder) {
    const page = pathToFileURL(makeFidelityPage(folder)).href;
    const said = async (wanted, where) => {
        const text = await browser.value(
            `document.querySelector('[data-sentence="fidelity"]')?.innerText ?? ""`,
        );
        check(wanted.test(text), `${where}: the page says '${text}'`);
    };
    const first = (column) =>
        browser.value(
            `document.querySelector('[data-table="fidelity-rows"] tbody tr').children[${column}].innerText`,
        );
    const sort = async (column) => {
        await browser.value(
            `document.querySelectorAll('[data-table="fidelity-rows"] .sort')[${column}].click()`,
        );
        await browser.settle(5);
    };
    for (const width of [1280, 400]) {
        await browser.show(page, width, 900, width === 400 ? "dark" : "light");
        await said(/^68 rows: mean absolute error 20\.5%, 34 within 10%, correlation 0\.99\d/, width);
        for (const chart of await browser.value(painted))
            check(chart.pixels > 500, `${width}, fidelity: '${chart.name}' has ${chart.pixels} pixels`);
        await checkHover(browser, "fidelity-scatter", 0, /kernel[^]*silicon [^]*ours [^]*error [+-]\d/, 0.2);
        await checkHover(browser, "fidelity-errors", 0, /\d+ rows\nkernel/, 0.2);
        await checkWidth(browser, width, `fidelity, ${width}`);
    }
    check((await first(5)) === "+50.0%", "the row that is furthest off is not the first");
    await sort(5);
    await sort(5);
    check((await first(5)) === "-20.0%", "a second click does not turn the order");
    await sort(0);
    check((await first(0)) === `kernel ${nasty}`, "rows are not sorted by name, or names become elements");
    await browser.choose("Half", "unseen");
    await said(/^32 rows: mean absolute error 27\.0%, 16 within 10%/, "unseen");
    await browser.choose("Class", "class3");
    await said(/^2 rows: mean absolute error 27\.0%, 1 within 10%/, "unseen, class3");
    await browser.choose("Half", "");
    await browser.choose("Class", "");
    await browser.choose("Set", "other");
    await said(/^4 rows: mean absolute error 20\.5%/, "other");
    await browser.choose("Set", "");
    await browser.choose("Counter", "bytes");
    await said(/^4 rows: mean absolute error 64\.6%, 0 within 10%[^]*1 with a 0 have no place/, "bytes");
    const names = `[...document.querySelectorAll('[data-table="fidelity-counters"] tbody tr')]`;
    check(
        (await browser.value(`${names}.length`)) === 3 &&
            (await browser.value(`document.querySelectorAll("main i").length`)) === 0,
        "the table of counters is not as it should be",
    );
    await browser.value(`${names}[1].querySelector("button").click()`);
    await browser.settle(20);
    await said(/^68 rows: mean absolute error 5\.0 points, 68 within 10 points, correlation 1\.00\./, "hits");
}

async function main(warpbeam) {
    const found = findBrowser();
    if (!found) {
        console.log("no Chromium is installed: the report is not looked at");
        return 77;
    }
    const folder = mkdtempSync(join(tmpdir(), "warpbeam-page-"));
    const browser = new Browser(found);
    try {
        const page = pathToFileURL(makePage(warpbeam, folder)).href;
        await browser.open();
        await checkWide(browser, page);
        await checkDark(browser, page);
        await checkNarrow(browser, page);
        await checkOwn(browser, warpbeam, folder);
        await checkStates(browser, warpbeam, folder);
        await checkFlow(browser, warpbeam, folder);
        await checkHang(browser, warpbeam, folder);
        await checkStudy(browser, warpbeam, folder);
        await checkSystem(browser, warpbeam, folder);
        await checkFidelity(browser, folder);
        for (const complaint of browser.complaints()) check(false, `the browser says: ${complaint}`);
    } finally {
        await browser.close();
        rmSync(folder, { recursive: true, force: true });
    }
    console.log(`${checks - failures} checks passed, ${failures} failed`);
    return failures || !checks ? 1 : 0;
}

process.exit(await main(process.argv[2]));
