// Makes dist/report.html, one file with everything but the data, and dist/LICENSES.txt of what is in it.
import { readFileSync, writeFileSync, mkdirSync, existsSync } from "node:fs";
import { build } from "esbuild";

const here = (path) => new URL(path, import.meta.url);
const options = { bundle: true, minify: true, write: false, target: ["es2020"], legalComments: "none" };
const script = await build({
    ...options,
    entryPoints: ["src/main.ts"],
    absWorkingDir: here(".").pathname,
    format: "iife",
    define: { "process.env.NODE_ENV": '"production"' },
    metafile: true,
});
const style = await build({ ...options, entryPoints: ["src/style.css"], absWorkingDir: here(".").pathname });

// Who wrote what went in.
const packages = new Set(
    Object.keys(script.metafile.inputs)
        .map((path) => path.match(/node_modules\/((?:@[^/]+\/)?[^/]+)\//)?.[1])
        .filter(Boolean),
);
const texts = [...packages].sort().map((name) => {
    const folder = `node_modules/${name}`;
    const about = JSON.parse(readFileSync(here(`${folder}/package.json`), "utf8"));
    const files = ["LICENSE", "LICENSE.txt", "NOTICE", "licenses/LICENSE-d3"]
        .filter((file) => existsSync(here(`${folder}/${file}`)))
        .map((file) => readFileSync(here(`${folder}/${file}`), "utf8").trim());
    const rule = "=".repeat(78);
    return `${rule}\n${name} ${about.version}, ${about.license}\n${rule}\n\n${files.join("\n\n")}\n`;
});
const licences = `report.html contains parts of the following packages.\n\n${texts.join("\n")}`;

// "</script" must not end the element early. Replacing by a function keeps "$" as it is.
const inline = (text) => () => text.trim().replace(/<\/(script|style)/gi, "<\\/$1");
const page = readFileSync(here("src/page.html"), "utf8")
    .replace("/*LICENCES*/", inline(licences))
    .replace("/*STYLE*/", inline(style.outputFiles[0].text))
    .replace("/*SCRIPT*/", inline(script.outputFiles[0].text));

mkdirSync(here("dist"), { recursive: true });
writeFileSync(here("dist/report.html"), page);
writeFileSync(here("dist/LICENSES.txt"), licences);
console.log(
    `dist/report.html: ${Math.round(page.length / 1024)} KiB, with ${[...packages].sort().join(", ")}`,
);
