// The block that is pointed at: what it waited for, what waited for it and what it launched stand out of the
// rest. Drawn above the chart, which need not be drawn again.
import { graphic, type Chart, type Look } from "./chart";
import {
    edgesOf,
    togetherWith,
    type Edge,
    type Item,
    type Model,
    type Part,
    type Place,
} from "./gantt_model";
import { stateColor } from "./gantt_states";
import type { Scope } from "./scope";

export interface Frame {
    left: number;
    right: number;
    top: number;
    bottom: number;
}

const above = { z: 40, silent: true };
export const rowShare = 0.86; // of a row's height that bars fill

export class Focus {
    private drawn: InstanceType<typeof graphic.Group> | null = null;
    private item: Item | null = null;

    constructor(
        private readonly chart: Chart,
        private readonly scope: Scope,
        private readonly model: Model,
        private readonly look: Look,
        private readonly frame: Frame,
        private readonly color: (item: Item) => string,
    ) {}

    clear(): void {
        if (this.drawn) this.chart.getZr().remove(this.drawn);
        this.drawn = this.item = null;
    }

    show(item: Item): void {
        if (this.item === item) return;
        this.clear();
        const edges = edgesOf(this.scope, this.model, item),
            own = togetherWith(this.model, item);
        if (!edges.length && own.length < 2) return;
        this.item = item;
        const inside = this.inside();
        const group = new graphic.Group({ silent: true });
        group.setClipPath(new graphic.Rect({ shape: inside }));
        group.add(
            new graphic.Rect({ shape: inside, style: { fill: this.look.back, opacity: 0.72 }, ...above }),
        );
        for (const one of new Set([...own, ...edges.flatMap(({ from, to }) => [from, to])])) {
            const lineWidth = own.includes(one) ? 2 : 0;
            const style = { fill: this.color(one), stroke: this.look.ink, lineWidth };
            group.add(new graphic.Rect({ shape: this.rectangle(one), style, ...above }));
        }
        for (const part of this.model.parts) if (own.includes(part.item)) group.add(this.part(part));
        for (const edge of edges)
            group.add(
                new graphic.Line({
                    shape: this.line(edge),
                    style: { stroke: this.look.accent, lineWidth: 2 },
                    ...above,
                }),
            );
        this.chart.getZr().add(group);
        this.drawn = group;
    }

    private inside(): { x: number; y: number; width: number; height: number } {
        const { left, right, top, bottom } = this.frame;
        const [width, height] = [this.chart.getWidth(), this.chart.getHeight()];
        return { x: left, y: top, width: width - left - right, height: height - top - bottom };
    }

    private x(time: number): number {
        return this.chart.convertToPixel({ xAxisIndex: 0 }, time);
    }

    private slot(place: Place): { y: number; height: number } {
        const row = this.inside().height / this.model.rows.length;
        const height = (row * rowShare) / place.slots;
        const top = this.frame.top + (place.row + (1 - rowShare) / 2) * row;
        return { y: top + place.slot * height, height: Math.max(height, 2) };
    }

    private rectangle(place: Place): { x: number; y: number; width: number; height: number } {
        const [from, to] = [this.x(place.from), this.x(place.to)];
        return { x: from, width: Math.max(to - from, 2), ...this.slot(place) };
    }

    private part(part: Part): InstanceType<typeof graphic.Rect> {
        const style = { fill: stateColor(this.look, part.spent.state) };
        return new graphic.Rect({ shape: this.rectangle(part), style, ...above });
    }

    private line({ from, to, at }: Edge): { x1: number; y1: number; x2: number; y2: number } {
        const middle = (place: Place): number => this.slot(place).y + this.slot(place).height / 2;
        return {
            x1: this.x(at),
            y1: middle(from),
            x2: this.x(to.from),
            y2: middle(to),
        };
    }
}
