// What the tested pages show: two real runs of a small kernel, a third that has every optional field, and a
// folder as `warpbeam paper --out` makes it.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const kernel = ["workloads/demo/demo.ptx", "--kernel", "saxpy", "--grid", "96", "--block", "128"];
const memory = [
    "--arg",
    "u32:12288",
    "--arg",
    "f32:2",
    "--arg",
    "buffer:64KiB:iota",
    "--arg",
    "buffer:64KiB",
];

function run(warpbeam, path, ...settings) {
    const all = settings.flatMap((setting) => ["--set", setting]);
    execFileSync(
        warpbeam,
        ["run", ...kernel, ...memory, "--gpu", "gtx480", "--set", "sample_interval=50", ...all].concat([
            "--stats",
            path,
            "--blocks",
            "--detail",
        ]),
        { stdio: ["ignore", "ignore", "inherit"] },
    );
}

// Names that would end the page's scripts, or become elements, if they were not escaped.
export const nasty = "</script><b>bold</b>";

function addOptional(report) {
    const kernel = report.kernels[0];
    const count = kernel.blocks.length;
    kernel.name = kernel.plain_name = `kernel ${nasty}`;
    kernel.graph = {
        ...kernel.graph,
        grid: 0,
        first: 0,
        levels: Array.from({ length: count }, (_, block) => Math.floor(block / 8)),
        edges: Array.from({ length: count - 8 }, (_, block) => [block, block + 8]),
    };
    kernel.launches = [
        {
            number: 1,
            parent: 0,
            name: "child",
            grid: [4, 1, 1],
            block: [32, 1, 1],
            launched: kernel.launched + 100,
            started: kernel.launched + 200,
            ended: kernel.ended - 50,
            parent_block: 3,
            kind: "kernel",
        },
    ];
    const first = kernel.blocks[0];
    kernel.waits = [
        {
            launch: 0,
            block: 0,
            sm: first.sm,
            left: first.started + 20,
            resumed: first.ended - 40,
            returned: first.ended - 20,
            returned_sm: first.sm,
        },
    ];
    kernel.lines = [1, 3, 4].map((line) => ({
        file: "src/example.cu",
        line,
        issued: 1000 * line,
        waited: 5000 * line,
        waits: { memory: 4000 * line },
        thread_instructions: 32000 * line,
    }));
    report.sources = { "src/example.cu": `a[i] = 1; // ${nasty}\n\nfloat x = a[i];\nb[i] = x * x;\n` };
    return report;
}

function makePaper(folder) {
    mkdirSync(folder);
    writeFileSync(
        join(folder, "claims.csv"),
        "id,published,measured,unit,verdict\nW1,6.87,11.01,%,agrees\n" +
            "W18,7 to 2 / 6 to 2,-,levels,not measured\n",
    );
    writeFileSync(
        join(folder, "figure9.csv"),
        "benchmark,CDP,LVL,LVL ratio,published\nsor,-4.25,59.98,9000,\n" +
            'average,11.01,63.30,9000,"CDP 6.87, LVL ratio 1/1.25"\n',
    );
    const figure = {
        name: "figure9",
        title: "Figure 9. Speedup & ratio",
        units: ["", "%", "%", "times", ""],
    };
    writeFileSync(
        join(folder, "paper.json"),
        JSON.stringify({ title: "A paper <b>1</b>", figures: [figure] }),
    );
}

// The page of one run, with all that the run itself can tell.
export function makeOwnPage(
    warpbeam,
    folder,
    mode,
    workload = "wireframe/sor",
    settings = ["--gpu", "gtx480"],
) {
    const page = join(folder, `${mode}.html`);
    const run = ["run", workload, "--mode", mode, "--size", "tiny", ...settings];
    execFileSync(warpbeam, [...run, "--report", page], { stdio: ["ignore", "ignore", "inherit"] });
    return page;
}

// The same of blocks that wait for each other and have two SMs, with so few places that some are sent away.
export function makeSyncPage(warpbeam, folder, workload, mode, places) {
    const knobs = ["sm_count=2", `max_blocks_per_sm=${places}`].flatMap((knob) => ["--set", knob]);
    return makeOwnPage(warpbeam, folder, mode, workload, ["--gpu", "gtx970", ...knobs]);
}

// A port that is busier and busier while the kernel runs, and what it sends.
function makeLinks({ launched, cycles }) {
    const interval = Math.ceil(cycles / 8),
        samples = Array.from({ length: 8 }, (_, i) => i);
    const begins = samples.map((i) => launched + i * interval);
    const port = { from: "GPU 0", to: "switch", kind: "switch", rate: 1000, busy_cycles: 1 };
    return {
        interval,
        begins,
        ports: [{ ...port, busy_by_sample: samples.map((i) => Math.round((interval * i) / 8)) }],
        paths: [{ from: "GPU 0", to: "GPU 1", bytes: 1, bytes_by_sample: samples.map((i) => 100 * i) }],
    };
}

// A report as one of two GPUs: the second has half the clock, and ran the same a little later.
function asSystem({
    format,
    run,
    gpu,
    config,
    structures,
    kernels,
    time,
    limited_by,
    totals,
    host,
    ...rest
}) {
    const own = { gpu, config, structures, kernels, time, limited_by, totals };
    const slow = structuredClone(own),
        half = config.clock_khz / 2,
        { graph_violation_count, graph_violations, ...shared } = rest;
    slow.config.clock_khz = half;
    for (const kernel of slow.kernels) {
        for (const key of ["launched", "started", "ended"]) kernel[key] += 300;
        for (const block of kernel.blocks)
            for (const key of ["dispatched", "started", "ended"]) block[key] += 300;
    }
    const violations = { graph_violation_count, graph_violations };
    return {
        format: "warpbeam-system-1",
        run,
        system: { gpu_count: 2, title: "2 GPUs", clock_khz: config.clock_khz },
        time: { ...time, kernels_cycles: 2 * (kernels[0].ended + 300) },
        limited_by,
        totals,
        links: makeLinks(kernels[0]),
        gpus: [own, slow].map((one, index) => ({ index, ...one, ...violations })),
        ...shared,
        host,
    };
}

// The page of a run on two GPUs beside one on one.
export function makeSystemPage(warpbeam, folder) {
    const [one, two, page] = ["alone.json", "both.json", "system.html"].map((name) => join(folder, name));
    run(warpbeam, one);
    writeFileSync(two, JSON.stringify(asSystem(JSON.parse(readFileSync(one, "utf8")))));
    execFileSync(warpbeam, ["report", `both=${two}`, `alone=${one}`, "-o", page], {
        stdio: ["ignore", "ignore", "inherit"],
    });
    return page;
}

// The page of a flow graph.
export function makeFlowPage(warpbeam, folder) {
    const page = join(folder, "flow.html");
    const run = ["run", "channels/fib", "--size", "tiny", "--gpu", "apu8", "--set", "channel_width=64"];
    execFileSync(warpbeam, [...run, "--report", page], { stdio: ["ignore", "ignore", "inherit"] });
    return page;
}

// The page of a study: 3 x 2 x 2 runs.
export function makeStudyPage(warpbeam, folder) {
    const [study, page] = ["study.yaml", "study.html"].map((name) => join(folder, name));
    writeFileSync(
        study,
        "gpus: gtx480\nworkloads: {name: sync/stencil2d, modes: [rekl, gsync], sizes: tiny}\n" +
            "knobs:\n  sm_count: [1, 2, 4]\n  max_blocks_per_sm: [4, 8]\n",
    );
    const quiet = { stdio: ["ignore", "ignore", "pipe"] };
    execFileSync(warpbeam, ["sweep", study], quiet);
    execFileSync(warpbeam, ["sweep", study, "--plot", page, "--x", "sm_count", "--by", "mode"], quiet);
    return page;
}

// The page of `bench/fidelity --html` with made-up rows: 17 classes of four, whose cycles are off by -20%, +4%, +8%
// and +50%; every second one is unseen. Bytes are counted of the first class alone, and one of them is none.
export function makeFidelityPage(folder) {
    const page = join(folder, "fidelity.html"),
        errors = [-0.2, 0.04, 0.08, 0.5];
    const counter = (name, unit, is_difference, least) => {
        return { name, unit, is_difference, least, theirs: "a + b", ours: "c.d", differs: "<i>much</i>" };
    };
    const rows = Array.from({ length: 68 }, (_, i) => {
        const cycles = 1000 * 1.1 ** i,
            hits = (i * 37) % 90;
        return {
            set: i < 64 ? "suite" : "other",
            name: i ? `kernel${i}` : `kernel ${nasty}`,
            class: i < 64 ? `class${Math.floor(i / 4)}` : null,
            half: i < 64 ? ["seen", "unseen"][i % 2] : null,
            theirs: [cycles, hits, i < 4 ? 1000 * i : null, null],
            ours: [cycles * (1 + errors[i % 4]), hits + 5, i < 4 ? 500 : null, 1],
        };
    });
    const counters = [
        counter("cycles", "cycles", false, 0),
        counter("hits", "%", true, 0),
        counter("bytes", "bytes", false, 1000),
        counter("unknown", "bytes", false, 0),
    ];
    const data = { runs: [], papers: [], fidelity: { gpu: "h200", knobs: ["a=1"], counters, rows } };
    const text = JSON.stringify(data).replaceAll("<", "\\u003c");
    const template = readFileSync(new URL("../dist/report.html", import.meta.url), "utf8");
    writeFileSync(
        page,
        template.replace("/*DATA*/", () => text),
    );
    return page;
}

// The page of a run whose kernel hangs, and says so by its exit status: as many blocks as wait for each other
// do not fit, and the last ones never get a place.
export function makeHungPage(warpbeam, folder) {
    const [ptx, page] = ["hang.ptx", "hang.html"].map((name) => join(folder, name));
    writeFileSync(
        ptx,
        ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry meet(.param .u64 at) {\n" +
            ".reg .u64 %a; .reg .u32 %v; .reg .pred %p; ld.param.u64 %a, [at];\n" +
            "red.global.add.u32 [%a], 1;\n" +
            "LOOP: ld.volatile.global.u32 %v, [%a]; setp.lt.u32 %p, %v, 1280; @%p bra LOOP; ret; }\n",
    );
    const knobs = ["sm_count=2", "max_blocks_per_sm=8", "watchdog_cycles=2000"];
    const settings = knobs.flatMap((knob) => ["--set", knob]);
    const grid = ["--grid", "20", "--block", "64", "--arg", "buffer:4096"];
    try {
        execFileSync(warpbeam, ["run", ptx, ...grid, ...settings, "--report", page], { stdio: "ignore" });
    } catch (error) {
        if (error.status === 1) return page;
    }
    throw new Error("a kernel that hangs did not fail");
}

// Returns the path of the page.
export function makePage(warpbeam, folder) {
    const [one, two, three, paper] = ["one.json", "two.json", "three.json", "paper"].map((name) =>
        join(folder, name),
    );
    run(warpbeam, one);
    run(warpbeam, two, "warp_scheduler=lrr", "dram_channels=2");
    writeFileSync(three, JSON.stringify(addOptional(JSON.parse(readFileSync(one, "utf8")))));
    makePaper(paper);
    const page = join(folder, "page.html");
    execFileSync(warpbeam, ["report", one, `lrr, 2 channels=${two}`, three, paper, "-o", page], {
        stdio: ["ignore", "ignore", "inherit"],
    });
    return page;
}
