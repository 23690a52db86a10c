import type { NamedMemory } from "../../../runtime/index.ts";
import type { Program } from "../../program/program.ts";
import type { Reports, Tolerance } from "../../run/reports.ts";

/** Said of what the manual does not promise and practice tolerates. */
export const inPractice = "working code does this, and the hardware lets it";

/** What every check gets. */
export interface CheckContext {
  readonly program: Program;
  /** What becomes of what practice tolerates. Only where something is said is it looked for. */
  readonly tolerance: Tolerance;
  readonly reports: Reports;
  /** Memory that the host gave names. */
  readonly memories?: readonly NamedMemory[] | undefined;
}
