// Runs on several GPUs: each GPU as a run of its own, and all of them as one large GPU.
import { makeScope, select, toSeconds, type Scope } from "./scope";
import type { GpuReport, Kernel, Report, Run } from "./types";

// Kernels of all GPUs become the report's, where they are not yet.
export function joinKernels(report: Report): void {
    if (report.kernels || !report.gpus) return;
    report.kernels = report.gpus.flatMap((gpu) => {
        for (const kernel of gpu.kernels ?? []) kernel.gpu = gpu.index;
        return gpu.kernels ?? [];
    });
}

// A GPU as if it were alone.
function viewOf(run: Run, gpu: GpuReport): Run {
    const { report, label, file } = run;
    const kernels = report.kernels.filter((kernel) => kernel.gpu === gpu.index);
    return {
        label: `${label}, GPU ${gpu.index}`,
        file,
        notes: [],
        gpu: gpu.index,
        report: { ...report, ...gpu, kernels, gpus: undefined, system: undefined },
    };
}

// Times of a kernel in cycles of the system; of its blocks and samples they stay what they are.
function inSystem(kernel: Kernel, scale: number): Kernel {
    const [launched, started, ended] = [kernel.launched, kernel.started, kernel.ended].map(
        (cycle) => cycle * scale,
    );
    return { ...kernel, launched, started, ended, cycles: ended - launched };
}

// Units that all GPUs together have as many of.
const added = ["sm_count", "dram_channels", "l2_slices"];

function joinConfigs(report: Report): Report["config"] {
    const gpus = report.gpus!,
        config = { ...gpus[0].config, clock_khz: report.system!.clock_khz };
    const sums = added.map((knob) => [knob, gpus.reduce((sum, gpu) => sum + Number(gpu.config[knob]), 0)]);
    return { ...config, ...Object.fromEntries(sums) };
}

// The run becomes one of a GPU that is as large as all together; what each one did is in its `gpus`.
export function splitGpus(run: Run): void {
    const report = run.report,
        system = report.system!;
    run.gpus = report.gpus!.map((gpu) => viewOf(run, gpu));
    const scales = new Map(
        report.gpus!.map((gpu) => [gpu.index, system.clock_khz / Number(gpu.config.clock_khz)]),
    );
    run.report = {
        ...report,
        gpu: system.title,
        config: joinConfigs(report),
        kernels: report.kernels.map((kernel) => inSystem(kernel, scales.get(kernel.gpu!)!)),
    };
}

// All of them from the first launch to the last end on any of them.
function align(scopes: Scope[]): Scope[] {
    const used = scopes.filter((scope) => scope.kernels.length);
    const begin = Math.min(...used.map((scope) => toSeconds(scope, scope.begin))),
        end = Math.max(...used.map((scope) => toSeconds(scope, scope.end)));
    if (!used.length) return scopes;
    return scopes.map((scope) => {
        const second = 1 / toSeconds(scope, 1);
        return { ...scope, begin: begin * second, end: end * second };
    });
}

// The GPUs of a run that were chosen ("all", or an index), or the run itself where it has one GPU.
export function partsOf(run: Run, gpu: string, selection: string): Scope[] {
    if (!run.gpus) return [select(run, selection)];
    const chosen = run.gpus.map((one) => select(one, selection));
    const aligned = align(chosen.some(({ kernels }) => kernels.length) ? chosen : run.gpus.map(whole));
    const wanted = aligned.filter((scope) => String(scope.run.gpu) === gpu);
    return wanted.length ? wanted : aligned;
}

const whole = (run: Run): Scope => makeScope(run, run.report.kernels);

// The run as one: all GPUs, or the one that was chosen.
export function wholeOf(run: Run, gpu: string, selection: string): Scope {
    const parts = partsOf(run, gpu, selection);
    return parts.length === 1 ? parts[0] : select(run, selection);
}
