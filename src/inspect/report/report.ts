/** What a kernel costs: occupancy, what a launch moves and calculates, how that stands under the roof of a GPU, what the assembler says. */

import { exactMembers, type Remark, type Span } from "../../base/diag/index.ts";
import type { Dim3 } from "../../base/types.ts";
import { type Graph, walkOps } from "../../ir/index.ts";
import { type LocalAccess, localAccesses } from "../cubin/index.ts";
import type { AssemblerLog } from "./assembler-log.ts";
import type { ParameterFacts } from "./count/index.ts";
import type { GpuName } from "./gpus.ts";
import { occupancyOf } from "./occupancy.ts";
import { reportPicture } from "./picture.ts";
import { printReport } from "./print.ts";
import { assemblerRemarks } from "./remarks.ts";
import { rooflineOf } from "./roofline.ts";
import type { AssembledFacts, KernelReport, RegisterChange } from "./types.ts";
import { workOf } from "./work.ts";

/** What ptxas, or the device, says of a kernel. */
export interface AssembledKernel {
  readonly by: AssembledFacts["by"];
  readonly log: AssemblerLog;
  readonly cubin?: Uint8Array | undefined;
}

/** All that a report is made of. */
export interface ReportInput {
  readonly title: string;
  readonly place: Span | undefined;
  readonly graph: Graph;
  readonly entry: string;
  readonly parameters: readonly ParameterFacts[];
  readonly sharedBytes: number;
  readonly grid: Dim3 | undefined;
  readonly assembled: AssembledKernel | undefined;
  /** Of the compiler. */
  readonly remarks: readonly Remark[];
  readonly gpu: GpuName;
  /** Microseconds of a launch that was measured. */
  readonly us: number | undefined;
}

function changesOf(graph: Graph): readonly RegisterChange[] {
  const changes: RegisterChange[] = [];
  walkOps(graph.body, (op) => {
    if (op.name !== "setmaxnreg") return;
    changes.push({ count: Number((op.attrs as { readonly count?: number }).count), span: op.spans[0] });
  });
  return changes;
}

function factsOf({ by, log }: AssembledKernel, lines: readonly LocalAccess[]): AssembledFacts {
  const { registers = 0, barriers, staticSharedBytes = 0, stackBytes, spillStoreBytes, spillLoadBytes } = log;
  return {
    by,
    registers,
    barriers,
    staticSharedBytes,
    localBytes: stackBytes ?? 0,
    spillStoreBytes,
    spillLoadBytes,
    spillLines: lines.map(({ file, line, storeBytes, loadBytes }) => ({
      span: { file, line, column: 1, length: 1 },
      storeBytes,
      loadBytes,
    })),
  };
}

const volume = ([x, y, z]: Dim3): number => x * y * z;

/** Makes the report. */
export function makeReport(input: ReportInput): KernelReport {
  const { title, place, graph, entry, parameters, sharedBytes, grid, assembled, gpu, us } = input;
  const { block, cluster } = graph.launch;
  const threads = volume(block);
  const lines = assembled?.cubin ? localAccesses(assembled.cubin, entry) : [];
  const facts = assembled && factsOf(assembled, lines);
  const work = grid && workOf(graph, parameters, grid, place);
  const needs = {
    threads,
    registers: facts?.registers,
    sharedBytes: sharedBytes + (facts?.staticSharedBytes ?? 0),
    barriers: facts?.barriers,
  };
  const report: KernelReport = exactMembers<KernelReport>({
    title,
    place,
    target: graph.target.name,
    grid,
    block,
    cluster,
    threads,
    warps: Math.ceil(threads / 32),
    dynamicSharedBytes: sharedBytes,
    assembled: facts,
    registerChanges: changesOf(graph),
    occupancy: occupancyOf(needs, graph.target.limits),
    work,
    roofline: work && grid && rooflineOf(work, volume(grid), gpu, us),
    remarks: [...input.remarks, ...(assembled ? assemblerRemarks(assembled.log, lines, graph) : [])],
    toString: () => printReport(report),
    toPicture: () => reportPicture(report),
  });
  return report;
}
