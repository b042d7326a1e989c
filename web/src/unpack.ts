// Statistics stand in the page as a run wrote them, or packed by src/cli/page_run.c: here both become one.
import { joinKernels, splitGpus } from "./system";
import type { Kernel, PackedBlock, PackedLine, PageData, Report, SourceLine } from "./types";

interface BlockRow {
    launch?: number;
    block: number;
    sm: number;
    dispatched: number;
    started: number;
    ended: number;
}

function unpackKernel(kernel: Kernel, fileNumber: (file: string) => number): void {
    const blocks = kernel.blocks as (PackedBlock | BlockRow)[] | undefined,
        lines = kernel.lines as (PackedLine | SourceLine)[] | undefined;
    kernel.name = kernel.plain_name ?? kernel.name;
    kernel.blocks = blocks?.map((row) =>
        Array.isArray(row)
            ? row
            : [row.launch ?? 0, row.block, row.sm, row.dispatched, row.started, row.ended],
    );
    kernel.lines = lines?.map((row) =>
        Array.isArray(row)
            ? row
            : [fileNumber(row.file), row.line, row.issued, row.waited, row.thread_instructions, row.waits],
    );
}

function unpackReport(report: Report): void {
    const files = (report.line_files ??= []),
        numbers = new Map(files.map((file, number) => [file, number]));
    const fileNumber = (file: string): number => {
        if (!numbers.has(file)) numbers.set(file, files.push(file) - 1);
        return numbers.get(file)!;
    };
    for (const kernel of report.kernels) unpackKernel(kernel, fileNumber);
}

export function unpack(data: PageData): PageData {
    for (const run of data.runs) {
        run.label ||= run.report.run?.title ?? "run";
        joinKernels(run.report);
        unpackReport(run.report);
        if (run.report.gpus) splitGpus(run);
    }
    return data;
}
