// Looks at a timeline with the viewer of chrome://tracing, and takes a picture of it, for docs/images:
//   node web/test/shoot_timeline.mjs TIMELINE.json OUT.png [NAME=VALUE ...]
// viewer=FOLDER   with trace_viewer_full.html and webcomponents.min.js; Debian's golang-*-src has them
// from=US to=US   the time that is shown
// hide=GROUP,...  groups of tracks that are left out
// select=NAME     what is selected: the first of the slices with that name, of those in sight
// details=PIXELS  height of the part that tells about it
// arrows=KIND,... launches, waits, dependencies: those that are drawn
// title=TEXT      above all
// width=, height= of the picture
// It fails if the viewer warns, or if it has not found as many slices, values and arrows as the file holds.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { Browser, findBrowser } from "./browser.mjs";

const page = `<!doctype html><html><head><meta charset="utf-8">
<style>
html, body { height: 100%; margin: 0; overflow: hidden }
#all, #all > * { height: 100%; width: 100% }
</style>
<script src="webcomponents.min.js"></script>
<link rel="import" href="trace_viewer_full.html">
</head><body><div id="all"></div></body></html>`;

// -- what runs in the page --

// Makes the view and gives it the file. It is kept from saying that Chrome has other web components today.
async function load() {
    const view = document.createElement("tr-ui-timeline-view");
    const tracks = document.createElement("track-view-container");
    tracks.id = "track_view_container";
    view.track_view_container = tracks;
    view.polyfillWarnedOnce_ = true;
    Polymer.dom(view).appendChild(tracks);
    Polymer.dom(document.getElementById("all")).appendChild(view);
    const model = new tr.Model();
    const options = new tr.importer.ImportOptions();
    options.shiftWorldToZero = false;
    const text = await (await fetch("trace.json")).text();
    await new tr.importer.Import(model, options).importTracesWithProgressDialog([text]);
    view.globalMode = true;
    view.model = model;
    window.view = view;
}

function count() {
    const sum = (list, of) => list.reduce((all, one) => all + of(one), 0);
    const { model } = window.view;
    return {
        warnings: model.importWarnings.map((one) => one.message),
        slices: sum(model.getAllThreads(), (thread) => thread.sliceGroup.slices.length),
        values: sum(model.getAllProcesses(), (one) =>
            sum(Object.values(one.counters), (counter) => counter.timestamps.length),
        ),
        arrows: model.flowEvents.length,
    };
}

// Puts in sight what the options ask for; times are milliseconds here.
function arrange({ from, to, hide, select, details, arrows, title }) {
    const { view } = window;
    const { model, trackView } = view;
    const { bounds } = model;
    const [first, last] = [from ? from / 1000 : bounds.min, to ? to / 1000 : bounds.max];
    for (const process of trackView.processViews)
        if ((hide ?? "").split(",").includes(process.processBase.name)) process.visible = false;
    for (const name of (arrows ?? "").split(",")) view.selectedFlowEvents.add(name);
    trackView.viewport.selectedFlowEvents = view.selectedFlowEvents;
    const transform = trackView.viewport.currentDisplayTransform.clone();
    const margin = (last - first) / 100;
    transform.xSetWorldBounds(first - margin, last + margin, trackView.viewWidth_);
    trackView.viewport.setDisplayTransformImmediately(transform);
    trackView.mouseModeSelector_.style.display = "none";
    view.analysisEl_.style.height = `${details ?? (select ? 200 : 0)}px`;
    view.viewTitle = title ?? "";
    const found = model
        .getAllThreads()
        .flatMap((thread) => [...thread.sliceGroup.slices])
        .filter((one) => one.title === select && one.start >= first && one.end <= last);
    if (select && !found.length) throw new Error(`no slice ${select} is in sight`);
    if (select) view.brushingStateController.changeSelectionFromTimeline(new tr.model.EventSet(found[0]));
}

// -- here --

function findViewer() {
    const share = "/usr/share";
    const folders = readdirSync(share).filter((name) => name.startsWith("go-"));
    return folders
        .map((name) => join(share, name, "src/cmd/trace/static"))
        .find((path) => existsSync(join(path, "trace_viewer_full.html")));
}

// The page, the viewer and the file, on a port of this machine.
async function serve(viewer, text) {
    const files = { "/": page, "/trace.json": text };
    for (const name of ["trace_viewer_full.html", "webcomponents.min.js"])
        files[`/${name}`] = readFileSync(join(viewer, name));
    const server = createServer(({ url }, response) => {
        const type = url.endsWith(".js") ? "text/javascript" : "text/html";
        response.writeHead(files[url] ? 200 : 404, { "content-type": type });
        response.end(files[url] ?? "");
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    return server;
}

function check(found, text) {
    const events = JSON.parse(text).traceEvents;
    const phases = (which) => events.filter(({ ph }) => which.includes(ph)).length;
    const wanted = { slices: phases("X"), values: phases("C"), arrows: phases("tf") };
    for (const warning of found.warnings) throw new Error(`the viewer warns: ${warning}`);
    for (const [what, number] of Object.entries(wanted)) {
        if (found[what] !== number)
            throw new Error(`the viewer has ${found[what]} ${what}, and the file ${number}`);
        console.log(`${number} ${what}`);
    }
}

async function shoot(browser, url, text, out, options) {
    const [width, height] = [Number(options.width ?? 1280), Number(options.height ?? 720)];
    await browser.call("Emulation.setDeviceMetricsOverride", {
        width,
        height,
        deviceScaleFactor: 1,
        mobile: false,
    });
    await browser.call("Page.navigate", { url });
    await browser.until("window.Polymer && window.tr?.importer", "the viewer");
    await browser.value(`(${load})()`);
    await browser.settle(20);
    check(await browser.value(`(${count})()`), text);
    await browser.value(`(${arrange})(${JSON.stringify(options)})`);
    await browser.settle(60);
    writeFileSync(out, await browser.screenshot({ x: 0, y: 0, width, height, scale: 1 }, false));
}

const [file, out, ...settings] = process.argv.slice(2);
const options = Object.fromEntries(settings.map((one) => one.split("=", 2)));
const viewer = options.viewer ?? findViewer();
function need(what, sentence) {
    if (what) return;
    console.error(sentence);
    process.exit(2);
}
need(out, "Say which file to show and where to put the picture: shoot_timeline.mjs TIMELINE.json OUT.png");
need(viewer, "There is no viewer: install golang-1.19-src, or say viewer=FOLDER.");
need(findBrowser(), "There is no browser: install chromium.");
const text = readFileSync(file, "utf8");
const server = await serve(viewer, text);
const browser = new Browser(findBrowser());
try {
    await browser.open();
    await shoot(browser, `http://127.0.0.1:${server.address().port}/`, text, out, options);
} catch (error) {
    console.error(error.message);
    process.exitCode = 1;
}
await browser.close();
server.close();
