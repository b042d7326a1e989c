// Pictures of a report, for docs/: node test/shoot.mjs REPORT.html OUT.png WIDTH light|dark [SECTION]
import { writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { Browser, findBrowser } from "./browser.mjs";

const [report, out, width, scheme, section] = process.argv.slice(2);
const browser = new Browser(findBrowser());
await browser.open();
await browser.show(pathToFileURL(report).href, Number(width), 900, scheme);
const clip = await browser.value(`(() => {
  const box = (${section ? `document.getElementById(${JSON.stringify(section)})` : "document.body"}).getBoundingClientRect();
  return { x: box.x + scrollX, y: box.y + scrollY, width: box.width, height: box.height, scale: 1 };
})()`);
writeFileSync(out, await browser.screenshot(clip));
for (const complaint of browser.complaints()) console.log(complaint);
await browser.close();
