// Pictures of a report, for docs/images:
//   node test/shoot.mjs REPORT.html OUT.png WIDTH light|dark [SECTION [RUN [CHART X Y]]]
// SECTION is the id of a part of the page, RUN the number of the run to select or LABEL=VALUE of another
// list, X and Y (0 to 1) where in the first chart of that name to point at.
import { writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { Browser, findBrowser } from "./browser.mjs";

const [report, out, width, scheme, section, run, chart, x, y] = process.argv.slice(2);
const browser = new Browser(findBrowser());
await browser.open();
await browser.show(pathToFileURL(report).href, Number(width), 1000, scheme);
if (run) await browser.choose(...(run.includes("=") ? run.split("=") : ["Run", run]));
if (chart) {
    const box = await browser.value(`(() => {
        const chart = document.querySelector('[data-chart="${chart}"]');
        chart.scrollIntoView({ block: "center" });
        const { x, y, width, height } = chart.getBoundingClientRect();
        return { x, y, width, height };
    })()`);
    await browser.point(box.x + box.width * Number(x), box.y + box.height * Number(y));
    await new Promise((resolve) => setTimeout(resolve, 600)); // the tooltip moves to its place
}
const clip = await browser.value(`(() => {
    const part = ${section ? `document.getElementById(${JSON.stringify(section)})` : "document.body"};
    const box = part.getBoundingClientRect();
    return { x: box.x + scrollX, y: box.y + scrollY, width: box.width, height: box.height, scale: 1 };
})()`);
writeFileSync(out, await browser.screenshot(clip, !chart));
for (const complaint of browser.complaints()) console.log(complaint);
await browser.close();
