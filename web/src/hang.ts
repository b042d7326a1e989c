// Kernels that did not end: why, and which blocks wait where for what.
import { element, table, type Cell } from "./dom";
import { integer } from "./format";
import type { Scope } from "./scope";
import type { Hang, HangBlock, HangWait, Kernel } from "./types";

const titles: Record<string, string> = {
    deadlock: "is deadlocked",
    spins: "spins for ever",
    limit: "reached the limit of cycles",
    failed: "failed",
    interrupted: "was interrupted",
};

// Panels on a page; of a graph, hundreds of kernels may wait for one.
const mostKernels = 4;
// Blocks whose table does not push all else off the screen.
const mostOpen = 8;

function blockRows(block: HangBlock, kernel: Kernel): Cell[][] {
    const name = block.kernel === kernel.name ? "" : ` of ${block.kernel}`;
    return block.warps.map((warps, i) => [
        i === 0 ? `(${block.block.join(",")})${name}` : "",
        i === 0 ? integer(block.sm) : "",
        i === 0 ? block.state : "",
        warps.first_warp === warps.last_warp
            ? integer(warps.first_warp)
            : `${warps.first_warp}–${warps.last_warp}`,
        element("code", {}, warps.lanes),
        element("code", {}, warps.place),
        warps.waits_for,
    ]);
}

function blockTable(hang: Hang, kernel: Kernel): HTMLElement | null {
    if (!hang.blocks.length) return null;
    const left = hang.blocks_left_out ? `, the first of ${integer(hang.blocks_on_sms)}` : "";
    return element(
        "details",
        hang.blocks.length <= mostOpen ? { open: "" } : {},
        element("summary", {}, `Waiting blocks (${hang.blocks.length}${left})`),
        table(
            ["Block", ">SM", "State", ">Warps", "Lanes", "At", "Waits"],
            hang.blocks.flatMap((block) => blockRows(block, kernel)),
            "hang",
        ),
    );
}

// What blocks wait for, on SMs and off them.
const waitText = (wait: HangWait): string =>
    (wait.in_place ? `, ${integer(wait.in_place)} wait in place for ${wait.text}` : "") +
    (wait.away ? `, ${integer(wait.away)} wait off the SMs for ${wait.text}` : "");

function panel(kernel: Kernel): HTMLElement {
    const hang = kernel.hang;
    const counts = hang
        ? `${integer(hang.blocks_ended)} blocks have ended, ${integer(hang.blocks_on_sms)} are on SMs, ` +
          `${integer(hang.blocks_undispatched)} have not been dispatched${hang.waits.map(waitText).join("")}.`
        : "";
    const texts = hang
        ? [
              hang.cause ? `Likely cause: ${hang.cause}` : kernel.failure,
              counts,
              hang.undispatched,
              hang.graph,
              hang.units,
          ]
        : [kernel.failure];
    return element(
        "div",
        { class: "hang", "data-status": kernel.status ?? "" },
        element("h3", {}, `#${kernel.number} ${kernel.name} ${titles[kernel.status ?? ""] ?? "did not end"}`),
        ...texts.filter((text) => text).map((text) => element("p", {}, text)),
        hang ? blockTable(hang, kernel) : null,
        element("p", { class: "about" }, "What follows is what it did until then."),
    );
}

// Those with something to say first: a kernel that was cut off because of another one says little.
export function hangPanels(scope: Scope): HTMLElement[] {
    const cut = scope.kernels.filter((kernel) => kernel.interrupted);
    const weight = (kernel: Kernel): number =>
        kernel.hang?.blocks.length ? 0 : kernel.status === "failed" ? 1 : kernel.hang ? 2 : 3;
    const shown = [...cut].sort((a, b) => weight(a) - weight(b)).slice(0, mostKernels);
    const panels: HTMLElement[] = shown.map(panel);
    if (cut.length > shown.length)
        panels.push(
            element("p", { class: "note" }, `${integer(cut.length - shown.length)} more did not end.`),
        );
    return panels;
}
