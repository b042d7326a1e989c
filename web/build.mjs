// Makes dist/report.html, one file with everything but the data, and dist/LICENSES.txt of what is in it.
import { readFileSync, writeFileSync, mkdirSync, existsSync } from "node:fs";
import { build } from "esbuild";

const here = (path) => new URL(path, import.meta.url);
const options = { bundle: true, minify: true, write: false, target: ["es2020"], legalComments: "none" };
const script = await build({
  ...options, entryPoints: ["src/main.ts"], absWorkingDir: here(".").pathname, format: "iife",
  define: { "process.env.NODE_ENV": '"production"' }, metafile: true,
});
const style = await build({ ...options, entryPoints: ["src/style.css"], absWorkingDir: here(".").pathname });

// "</script" must not end the element early. Replacing by a function keeps "$" as it is.
const inline = (text) => () => text.trim().replace(/<\/(script|style)/gi, "<\\/$1");
const page = readFileSync(here("src/page.html"), "utf8")
  .replace("/*STYLE*/", inline(style.outputFiles[0].text))
  .replace("/*SCRIPT*/", inline(script.outputFiles[0].text));

// Who wrote what went in.
const packages = new Set(Object.keys(script.metafile.inputs)
  .map((path) => path.match(/node_modules\/((?:@[^/]+\/)?[^/]+)\//)?.[1]).filter(Boolean));
const licences = [...packages].sort().map((name) => {
  const folder = `node_modules/${name}`;
  const about = JSON.parse(readFileSync(here(`${folder}/package.json`), "utf8"));
  const texts = ["LICENSE", "LICENSE.txt", "NOTICE", "licenses/LICENSE-d3"]
    .filter((file) => existsSync(here(`${folder}/${file}`)))
    .map((file) => readFileSync(here(`${folder}/${file}`), "utf8").trim());
  return `${"=".repeat(78)}\n${name} ${about.version}, ${about.license}\n${"=".repeat(78)}\n\n${texts.join("\n\n")}\n`;
});

mkdirSync(here("dist"), { recursive: true });
writeFileSync(here("dist/report.html"), page);
writeFileSync(here("dist/LICENSES.txt"),
  `report.html contains parts of the following packages.\n\n${licences.join("\n")}`);
console.log(`dist/report.html: ${Math.round(page.length / 1024)} KiB, with ${[...packages].sort().join(", ")}`);
