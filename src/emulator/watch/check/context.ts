import type { NamedMemory } from "../../../runtime/backend.ts";
import type { Program } from "../../program/program.ts";
import type { Reports } from "../../run/reports.ts";

/** Said where `strict` reports what `normal` lets pass. */
export const inPractice = "working code does this, and the hardware lets it";

/** What every check gets. */
export interface CheckContext {
  readonly program: Program;
  /** Report also what practice tolerates though the manual does not promise it. */
  readonly strict: boolean;
  readonly reports: Reports;
  /** Memory that the host gave names. */
  readonly memories?: readonly NamedMemory[] | undefined;
}
