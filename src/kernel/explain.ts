/** `warpsmith explain`: launches are told of in place of being run. */
import { appendFileSync } from "node:fs";
import type { StagesChoice } from "../base/env.ts";
import type { Dim3 } from "../base/types.ts";
import { isGpuName } from "../inspect/report/index.ts";
import type { Instance } from "./instance.ts";
import { type ReportSubject, reportOf } from "./report.ts";
import { assemble } from "./toolkit.ts";

type Asked = NonNullable<StagesChoice["explain"]>;

/** The grids that each kernel has been told of with. */
const told = new WeakMap<Instance, Set<string>>();

/** Writes what a launch costs, once for each kernel and grid: a line of JSON, the report and its text. */
export function explainLaunch(subject: Omit<ReportSubject, "assembled"> & { readonly grid: Dim3 }, { gpu, file }: Asked): void {
  const { instance, grid } = subject;
  const grids = told.get(instance) ?? new Set<string>();
  told.set(instance, grids);
  if (grids.has(grid.join())) return;
  grids.add(grid.join());
  const assembled = () => assemble(instance.ptx, instance.options.target);
  const report = reportOf({ ...subject, assembled }, isGpuName(gpu) ? { gpu } : {});
  appendFileSync(file, `${JSON.stringify({ report, text: String(report) })}\n`);
}
