// Chromium without a window, driven over a pipe by its own protocol: no package is needed.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const names = ["chromium", "chromium-browser", "google-chrome"];

export function findBrowser() {
    for (const folder of (process.env.PATH ?? "").split(":"))
        for (const name of names) if (existsSync(join(folder, name))) return join(folder, name);
    return null;
}

// One browser with one page. `call` is a command of the protocol; events are kept by name in `events`.
export class Browser {
    constructor(path) {
        this.profile = mkdtempSync(join(tmpdir(), "warpbeam-browser-"));
        this.process = spawn(
            path,
            [
                "--headless=new",
                "--remote-debugging-pipe",
                "--no-sandbox",
                "--disable-gpu",
                "--hide-scrollbars",
                "--disable-dev-shm-usage",
                "--no-first-run",
                "--disable-extensions",
                "--disable-background-networking",
                "--force-color-profile=srgb",
                `--user-data-dir=${this.profile}`,
                "about:blank",
            ],
            { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] },
        );
        this.pending = new Map();
        this.events = [];
        this.next = 1;
        let rest = Buffer.alloc(0);
        this.process.stdio[4].on("data", (part) => {
            rest = Buffer.concat([rest, part]);
            for (let end; (end = rest.indexOf(0)) >= 0; rest = rest.subarray(end + 1))
                this.take(JSON.parse(rest.subarray(0, end).toString()));
        });
        this.ended = new Promise((resolve) =>
            this.process.on("exit", () => {
                for (const { reject } of this.pending.values()) reject(new Error("the browser ended"));
                this.pending.clear();
                resolve();
            }),
        );
    }

    take(message) {
        const waiting = this.pending.get(message.id);
        this.pending.delete(message.id);
        if (!waiting) this.events.push(message);
        else if (message.error) waiting.reject(new Error(message.error.message));
        else waiting.resolve(message.result);
    }

    send(method, params, sessionId) {
        const id = this.next++;
        return new Promise((resolve, reject) => {
            this.pending.set(id, { resolve, reject });
            this.process.stdio[3].write(JSON.stringify({ id, method, params, sessionId }) + "\0");
        });
    }

    call(method, params = {}) {
        return this.send(method, params, this.session);
    }

    async open() {
        const { targetId } = await this.send("Target.createTarget", { url: "about:blank" });
        this.session = (await this.send("Target.attachToTarget", { targetId, flatten: true })).sessionId;
        for (const domain of ["Page", "Runtime", "Log", "Network"]) await this.call(`${domain}.enable`);
    }

    async close() {
        await this.send("Browser.close", {}).catch(() => {});
        await this.ended;
        rmSync(this.profile, { recursive: true, force: true });
    }

    // The value of an expression, which may be a promise, in the page.
    async value(expression) {
        const got = await this.call("Runtime.evaluate", {
            expression,
            awaitPromise: true,
            returnByValue: true,
        });
        if (got.exceptionDetails)
            throw new Error(got.exceptionDetails.exception?.description ?? got.exceptionDetails.text);
        return got.result.value;
    }

    async until(expression, what) {
        for (let tries = 0; tries < 200; tries++) {
            if (await this.value(expression)) return;
            await new Promise((resolve) => setTimeout(resolve, 50));
        }
        throw new Error(`${what} did not come`);
    }

    async show(url, width, height, scheme) {
        await this.call("Emulation.setDeviceMetricsOverride", {
            width,
            height,
            deviceScaleFactor: 1,
            mobile: width < 640,
        });
        await this.call("Emulation.setEmulatedMedia", {
            features: [{ name: "prefers-color-scheme", value: scheme }],
        });
        await this.call("Page.navigate", { url });
        await this.until(
            `location.href === ${JSON.stringify(url)} && document.documentElement?.dataset.ready === "yes"`,
            "the page",
        );
        await this.settle(20);
    }

    // Charts with many marks are drawn over several frames.
    async settle(frames) {
        await this.value(`new Promise((done) => {
            let left = ${frames};
            const next = () => (left-- > 0 ? requestAnimationFrame(next) : done());
            next();
        })`);
    }

    // Chooses a value of the select element with that label.
    async choose(label, value) {
        await this.value(`(() => {
            const select = document.querySelector('select[aria-label="${label}"]');
            select.value = ${JSON.stringify(value)};
            select.dispatchEvent(new Event("change"));
        })()`);
        await this.settle(20);
    }

    async point(x, y) {
        await this.call("Input.dispatchMouseEvent", { type: "mouseMoved", x: x - 2, y });
        await this.call("Input.dispatchMouseEvent", { type: "mouseMoved", x, y });
    }

    // Of the whole page, or of what is in sight: only then the mouse stays where it is.
    async screenshot(clip, whole) {
        const got = await this.call("Page.captureScreenshot", {
            format: "png",
            clip,
            captureBeyondViewport: whole,
        });
        return Buffer.from(got.data, "base64");
    }

    // What the page complained about: errors, and requests to anything but itself.
    complaints() {
        return this.events.flatMap(({ method, params }) => {
            if (method === "Runtime.exceptionThrown")
                return [params.exceptionDetails.exception?.description ?? params.exceptionDetails.text];
            if (method === "Runtime.consoleAPICalled" && ["error", "warning", "assert"].includes(params.type))
                return params.args.map((one) => `console.${params.type}: ${one.value ?? one.description}`);
            if (method === "Log.entryAdded" && ["error", "warning"].includes(params.entry.level))
                return [params.entry.text];
            if (method === "Network.requestWillBeSent" && /^(https?|wss?):/.test(params.request.url))
                return [`a request to ${params.request.url}`];
            return [];
        });
    }
}
