// Charts: the parts of the library that are used, one look for all of them in light and dark, and a register
// so that they follow the theme and the width of the window.
import * as echarts from "echarts/core";
import { BarChart, CustomChart, HeatmapChart, LineChart, ScatterChart } from "echarts/charts";
import {
    AriaComponent,
    DataZoomComponent,
    GridComponent,
    LegendComponent,
    MarkLineComponent,
    TooltipComponent,
    VisualMapComponent,
} from "echarts/components";
import { CanvasRenderer } from "echarts/renderers";
import { element } from "./dom";

echarts.use([
    BarChart,
    CustomChart,
    HeatmapChart,
    LineChart,
    ScatterChart,
    AriaComponent,
    DataZoomComponent,
    GridComponent,
    LegendComponent,
    MarkLineComponent,
    TooltipComponent,
    VisualMapComponent,
    CanvasRenderer,
]);

export const graphic = echarts.graphic;
export type Option = Record<string, any>;
export type Chart = echarts.ECharts;

export interface Look {
    dark: boolean;
    ink: string;
    quiet: string;
    line: string;
    back: string;
    accent: string;
    ramp: string[]; // of heat maps: from nothing to most
    series: string[];
}

const light: Look = {
    dark: false,
    ink: "#1c2430",
    quiet: "#5b6676",
    line: "#dde2ea",
    back: "#ffffff",
    accent: "#c2410c",
    ramp: ["#f3f5f9", "#c6dbef", "#6baed6", "#2171b5", "#08306b"],
    series: ["#2563a8", "#d97706", "#2f8f5b", "#b4378a", "#6d54c9", "#0e8a9c", "#8f6b1f", "#c53030"],
};
const dark: Look = {
    dark: true,
    ink: "#e6eaf1",
    quiet: "#9aa6b8",
    line: "#2f3947",
    back: "#161c26",
    accent: "#fb923c",
    ramp: ["#1d2532", "#1f4e79", "#2f86c1", "#79c3ea", "#f4fbff"],
    series: ["#5aa2e8", "#f0a541", "#57c48a", "#e07cc0", "#a48df2", "#45c3d4", "#cfae5b", "#f07272"],
};

export function isDark(): boolean {
    const wish = document.documentElement.dataset.theme;
    return wish ? wish === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

export function look(): Look {
    return isDark() ? dark : light;
}

export function isNarrow(): boolean {
    return innerWidth < 640;
}

interface Entry {
    place: HTMLElement;
    make: (look: Look, chart: Chart) => Option;
    chart: Chart;
}

let entries: Entry[] = [];

function common(look: Look, option: Option): Option {
    return {
        backgroundColor: "transparent",
        color: look.series,
        textStyle: { fontFamily: "system-ui, sans-serif", color: look.ink },
        animation: false,
        aria: { enabled: true },
        ...option,
        tooltip: {
            confine: true,
            backgroundColor: look.back,
            borderColor: look.line,
            textStyle: { color: look.ink, fontSize: 12 },
            ...option.tooltip,
        },
    };
}

export function axis(look: Look, option: Option): Option {
    return {
        axisLine: { lineStyle: { color: look.quiet } },
        axisLabel: { color: look.quiet, fontSize: 11, hideOverlap: true, ...option.axisLabel },
        nameTextStyle: { color: look.quiet, fontSize: 11, ...option.nameTextStyle },
        splitLine: { lineStyle: { color: look.line }, ...option.splitLine },
        ...Object.fromEntries(
            Object.entries(option).filter(
                ([key]) => !["axisLabel", "nameTextStyle", "splitLine"].includes(key),
            ),
        ),
    };
}

export function legend(look: Look, option: Option = {}): Option {
    return {
        type: "scroll",
        top: 0,
        left: 0,
        right: 0,
        textStyle: { color: look.ink, fontSize: 11 },
        pageTextStyle: { color: look.ink },
        pageIconColor: look.ink,
        pageIconInactiveColor: look.line,
        itemWidth: 14,
        itemHeight: 10,
        ...option,
    };
}

// Puts a chart into the parent; it is drawn once the parent is in the page (`drawCharts`).
export function addChart(
    parent: HTMLElement,
    name: string,
    height: number,
    make: (look: Look, chart: Chart) => Option,
): HTMLElement {
    const place = element("div", { class: "chart", "data-chart": name, style: `height:${height}px` });
    parent.append(place);
    entries.push({ place, make, chart: undefined as unknown as Chart });
    return place;
}

// Draws what is new, and again what has a new look.
export function drawCharts(again = false): void {
    entries = entries.filter((entry) => {
        if (entry.place.isConnected) return true;
        entry.chart?.dispose();
        return false;
    });
    for (const entry of entries) {
        if (entry.chart && !again) continue;
        entry.chart ??= echarts.init(entry.place, null, { renderer: "canvas" });
        entry.chart.setOption(common(look(), entry.make(look(), entry.chart)), { notMerge: true });
    }
}

export function followWindow(): void {
    let narrow = isNarrow(),
        timer = 0;
    addEventListener("resize", () => {
        clearTimeout(timer);
        timer = window.setTimeout(() => {
            for (const entry of entries) entry.chart?.resize();
            if (isNarrow() !== narrow) {
                narrow = isNarrow();
                drawCharts(true);
            }
        }, 60);
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => drawCharts(true));
}
