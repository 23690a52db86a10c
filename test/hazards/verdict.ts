/** Whether a run of a pair went as it must. */
import type { Span } from "warpsmith";
import type { Hazard } from "./hazard.ts";
import type { Machine } from "./schedule.ts";

interface Reported {
  readonly code: string;
  readonly message: string;
  readonly spans: readonly (Span & { readonly note?: string | undefined })[];
}

const isReport = (error: unknown): error is Reported =>
  error instanceof Error && "code" in error && "spans" in error && /^W\d{4}$/.test(String(error.code));

/** What a run threw; undefined where it was silent and right. */
async function outcome(hazard: Hazard, broken: boolean, machine: Machine): Promise<unknown> {
  try {
    await hazard.run(broken, machine);
    return undefined;
  } catch (error) {
    return error ?? new Error("something was thrown");
  }
}

/** What `case.ts` and `hazard.ts` say. */
const wrongResult = /^\d+ of \d+ wrong: |^\S+: word \d+ is /;

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Undefined where the report is the one that the marks ask for; else what is wrong with it. */
function mistaken({ marks, eitherSide }: Hazard, found: Reported): string | undefined {
  const [first] = found.spans;
  const second = found.spans.find((span) => span.note !== undefined);
  const { main, instead, other } = marks;
  if (!first?.file.endsWith(marks.file)) return `a report in ${first?.file} instead of ${marks.file}:\n${found.message}`;
  if (instead.some((mark) => mark.line === first.line && mark.codes.includes(found.code))) return undefined;
  if (!main.codes.includes(found.code)) return `${found.code} instead of ${main.codes.join(" or ")}:\n${found.message}`;
  const lines = [first.line, other === undefined ? undefined : second?.line];
  const wanted = [main.line, other];
  const right = (as: readonly (number | undefined)[]) => as.every((line, i) => line === wanted[i]);
  if (right(lines) || (eitherSide && right(lines.toReversed()))) return undefined;
  return `a report at ${lines.join(" and ")} instead of ${wanted.join(" and ")}:\n${found.message}`;
}

/** Whether a broken one is expected to be reported under that setting. */
export const isExpected = ({ marks }: Hazard, { setting }: Machine): boolean =>
  marks.refused || setting.check === "strict" || (setting.check === "normal" && !marks.strictOnly);

export interface Verdict {
  /** The broken one was reported. */
  readonly reported: boolean;
  readonly problem: string | undefined;
}

/** The broken one must be reported as its marks say; whether it must at all under this schedule, the caller knows. */
export async function judgeBroken(hazard: Hazard, machine: Machine): Promise<Verdict> {
  const error = await outcome(hazard, true, machine);
  if (error === undefined) return { reported: false, problem: undefined };
  // Wrong results are what a hazard does; they are no report.
  if (!isReport(error)) return { reported: false, problem: wrongResult.test(textOf(error)) ? undefined : textOf(error) };
  return { reported: true, problem: mistaken(hazard, error) };
}

/** The mended one must be silent, and its results right. */
export async function judgeMended(hazard: Hazard, machine: Machine): Promise<string | undefined> {
  const error = await outcome(hazard, false, machine);
  return error === undefined ? undefined : textOf(error);
}
