/** Whether a run of a pair went as it must. */
import type { Span, Warning } from "warpsmith";
import type { Pair } from "./hazard.ts";
import { nameOf, openMachine, type Setting } from "./schedule.ts";

export interface Reported {
  readonly code: string;
  readonly message: string;
  readonly spans: readonly (Span & { readonly note?: string | undefined })[];
}

export const isReport = (error: unknown): error is Reported =>
  error instanceof Error && "code" in error && "spans" in error && /^W\d{4}$/.test(String(error.code));

/** Kernels of a few thousand instructions: what runs longer does not end. */
const milliseconds = 10_000;

/** What a run on a machine of its own threw; undefined where it was silent and right. `warnings`: gets what it has warned of, see `openMachine`. */
export async function outcome(
  pair: Pair,
  broken: boolean,
  setting: Setting,
  warnings?: Warning[],
  ofForeign = false,
): Promise<unknown> {
  const machine = await openMachine(setting, warnings, ofForeign);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it does not end within ${milliseconds / 1000} s`)), milliseconds);
  });
  try {
    await Promise.race([pair.run(broken, machine), late]);
    return undefined;
  } catch (error) {
    return error ?? new Error("something was thrown");
  } finally {
    clearTimeout(timer);
    await machine.device.dispose();
  }
}

/** What `case.ts` and `hazard.ts` say. */
const wrongResult = /^\d+ of \d+ wrong: |^\S+: word \d+ is /;

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Undefined where the report is the one that the marks ask for; else what is wrong with it. */
export function mistaken({ marks, eitherSide }: Pair, found: Reported): string | undefined {
  const [first] = found.spans;
  const second = found.spans.find((span) => span.note !== undefined);
  const { main, instead, other } = marks;
  if (!first?.file.endsWith(marks.file)) return `a report in ${first?.file} instead of ${marks.file}:\n${found.message}`;
  if (instead.some((mark) => mark.line === first.line && mark.codes.includes(found.code))) return undefined;
  if (!main.codes.includes(found.code)) return `${found.code} instead of ${main.codes.join(" or ")}:\n${found.message}`;
  // A deadlock names all who wait: it has no other side.
  const side = found.code === "W9001" ? undefined : other;
  const lines = [first.line, side === undefined ? undefined : second?.line];
  const wanted = [main.line, side];
  const right = (as: readonly (number | undefined)[]) => as.every((line, i) => line === wanted[i]);
  if (right(lines) || (eitherSide && right(lines.toReversed()))) return undefined;
  return `a report at ${lines.join(" and ")} instead of ${wanted.join(" and ")}:\n${found.message}`;
}

/** Whether a broken one is expected to be reported under that setting. */
const isExpected = ({ marks }: Pair, { check }: Setting): boolean =>
  marks.refused || check === "strict" || (check === "normal" && !marks.strictOnly);

interface Verdict {
  /** The broken one was reported. */
  readonly reported: boolean;
  readonly problem: string | undefined;
}

/** The broken one must be reported as its marks say; whether it must at all under this schedule, the caller knows. */
async function judgeBroken(hazard: Pair, setting: Setting): Promise<Verdict> {
  const error = await outcome(hazard, true, setting);
  if (error === undefined) return { reported: false, problem: undefined };
  // Wrong results are what a hazard does; they are no report.
  if (!isReport(error)) return { reported: false, problem: wrongResult.test(textOf(error)) ? undefined : textOf(error) };
  return { reported: true, problem: mistaken(hazard, error) };
}

/** The mended one must be silent, and its results right; what practice does is reported in `strict`, with an excuse. */
async function judgeMended(hazard: Pair, setting: Setting): Promise<string | undefined> {
  const error = await outcome(hazard, false, setting);
  const { practice } = hazard;
  if (practice === undefined || setting.check !== "strict") return error === undefined ? undefined : textOf(error);
  const excused = isReport(error) && error.code === practice && error.message.includes("working code does this");
  return excused ? undefined : `not reported as ${practice} with an excuse: ${error === undefined ? "silent" : textOf(error)}`;
}

/** What is refused before it runs does not depend on the schedule. */
const settingsOf = (hazard: Pair, settings: readonly Setting[]): readonly Setting[] =>
  hazard.marks.refused ? settings.slice(0, 1) : settings;

/** What is wrong with the broken one under those settings. With checks, at least one of them must find it. */
export async function brokenProblems(hazard: Pair, settings: readonly Setting[]): Promise<readonly string[]> {
  const problems: string[] = [];
  let seen = false;
  for (const setting of settingsOf(hazard, settings)) {
    const { reported, problem } = await judgeBroken(hazard, setting);
    const expected = isExpected(hazard, setting);
    seen ||= reported;
    if (problem !== undefined) problems.push(`${nameOf(setting)}: ${problem}`);
    else if (reported && !expected && setting.check !== "off") problems.push(`${nameOf(setting)}: reported, and it is tolerated`);
    else if (!reported && expected && hazard.always) problems.push(`${nameOf(setting)}: not reported`);
  }
  if (!seen && settings.some((setting) => isExpected(hazard, setting))) problems.push("no schedule shows it");
  return problems;
}

export async function mendedProblems(hazard: Pair, settings: readonly Setting[]): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const setting of settingsOf(hazard, settings)) {
    const problem = await judgeMended(hazard, setting);
    if (problem !== undefined) problems.push(`${nameOf(setting)}, mended: ${problem}`);
  }
  return problems;
}

export const judgePair = async (hazard: Pair, settings: readonly Setting[]): Promise<readonly string[]> => [
  ...(await brokenProblems(hazard, settings)),
  ...(await mendedProblems(hazard, settings)),
];
