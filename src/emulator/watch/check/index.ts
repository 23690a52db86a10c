/** The checks that a launch may run under (docs/checks.md). */
import type { NamedMemory } from "../../../runtime/index.ts";
import type { Region } from "../../machine/memory.ts";
import { type Listener, type Monitor, monitorOf } from "../../machine/monitor.ts";
import type { Program } from "../../program/program.ts";
import { Reports } from "../../run/reports.ts";
import type { Apart } from "../../run/watcher.ts";
import { aligned } from "./aligned.ts";
import { apartOf } from "./apart.ts";
import { causes } from "./causes.ts";
import type { CheckContext } from "./context.ts";
import { exits } from "./exits.ts";
import { mbarrierMemory } from "./mbarrier-memory.ts";
import { members } from "./members.ts";
import { orderChecks } from "./order/index.ts";
import { LaunchOrder } from "./order/launch-order.ts";
import { type Earlier, Footprint } from "./order/past-launches.ts";
import { outside } from "./outside.ts";
import { uninitialisedReads } from "./poison.ts";
import { registerCounts } from "./register-counts.ts";
import { rowEnds } from "./row-ends.ts";
import { undefinedRegisters } from "./undefined-registers.ts";
import { wgmmaRegisters } from "./wgmma-registers.ts";

export type { CheckContext } from "./context.ts";
export { earlierOf, Footprint } from "./order/past-launches.ts";

/**
 * `normal` reports what is wrong by the PTX ISA and what practice does not tolerate; `warn` warns of what practice tolerates though the manual
 * does not promise it, and `strict` reports that, too.
 */
export type CheckMode = "off" | "normal" | "warn" | "strict";

const tolerances = { normal: "ignore", warn: "warn", strict: "report" } as const;

export interface Check {
  readonly monitor: Monitor;
  readonly reports: Reports;
  /** For who has watched some of the clusters. */
  apart(regionAt: (base: number) => Region | undefined): Apart;
  /** What the next launch of the stream has to know of this one. */
  readonly footprint: Footprint;
}

const checks: readonly ((c: CheckContext) => Listener)[] = [
  uninitialisedReads,
  undefinedRegisters,
  wgmmaRegisters,
  mbarrierMemory,
  exits,
  registerCounts,
  aligned,
  members,
  rowEnds,
  outside,
  ...causes,
];

/** The checks of one launch. `earlier`: launches that it may overlap. */
export function createCheck(
  program: Program,
  mode: Exclude<CheckMode, "off">,
  earlier?: Earlier,
  memories?: readonly NamedMemory[],
): Check {
  const tolerance = tolerances[mode];
  const reports = new Reports(program, tolerance);
  const context: CheckContext = { program, tolerance, reports, memories };
  const order = new LaunchOrder(earlier);
  const { shadows } = order;
  const footprint = new Footprint(program, shadows, earlier);
  const monitor = monitorOf([...checks.map((make) => make(context)), ...orderChecks(context, order, footprint)]);
  return { monitor, reports, footprint, apart: (regionAt) => apartOf(mode, footprint, regionAt) };
}
