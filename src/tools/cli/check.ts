/** `warpsmith check`: a program under many schedules; the first that fails, and what is left of it when nothing can be left out. */
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { counted, type Warning } from "../../base/diag/index.ts";
import { Progress } from "../../base/progress.ts";
import { choiceMeanings } from "../../entries/shared/open-emulator.ts";
import { firstFailing, minimise } from "./find-failure.ts";
import { existingFile, programFile } from "./input-file.ts";
import type { CheckOptions } from "./options.ts";
import { json, styled, styledError } from "./output.ts";
import { wholeNumber } from "./refusal.ts";
import { type ProgramRun, type RunFailure, runSchedule } from "./run-schedule.ts";

interface Request extends ProgramRun {
  readonly schedules: readonly string[];
  readonly jobs: number;
  readonly attempts: number;
  readonly out: string;
  readonly json: boolean;
  readonly progress: Progress;
}

/** Seeds are numbers below 2 ** 32; what one call goes through ends sooner. */
const most = { seeds: 1_000_000, jobs: 1024, seconds: 1_000_000, attempts: 1_000_000 };

/** In the order of how little they disturb. */
const schedulesUpTo = (seeds: number): readonly string[] => [
  "eager",
  "lazy",
  "torn",
  ...Array.from({ length: seeds }, (_, i) => `${i + 1}`),
];

function readRequest([file = "", ...args]: readonly string[], options: CheckOptions): Request {
  const program = [programFile(file), ...args];
  const schedules = schedulesUpTo(wholeNumber("seeds", options.seeds, 0, most.seeds));
  return {
    program,
    check: options.strict ? "strict" : "normal",
    seconds: wholeNumber("seconds", options.seconds, 1, most.seconds),
    jobs: wholeNumber("jobs", options.jobs, 1, most.jobs),
    attempts: wholeNumber("attempts", options.attempts, 0, most.attempts),
    out: resolve(options.out),
    schedules: options.replay === undefined ? schedules : [`replay:${existingFile(options.replay)}`],
    json: options.json === true,
    progress: new Progress(),
  };
}

const nameOf = (schedule: string): string => (/^\d/.test(schedule) ? `seed ${schedule}` : schedule);

const quoted = (words: readonly string[]): string =>
  words.map((word) => (/^[\w./:=@-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(" ");

function repeating({ program, check }: Request, schedule: string): string {
  const variables = [`WARPSMITH_DEVICE=emulator`, `WARPSMITH_CHECK=${check}`, `WARPSMITH_SEED=${schedule}`];
  return `${quoted(variables)} npx warpsmith run ${quoted(program)}`;
}

/** Leaves choices out as long as the same goes wrong. */
async function smallest(request: Request, failure: RunFailure): Promise<RunFailure["choices"] | undefined> {
  const { out, attempts, progress } = request;
  if (failure.choices.length === 0 || failure.cut || attempts === 0) return undefined;
  let asked = 0;
  const fails = async (choices: RunFailure["choices"]): Promise<boolean> => {
    asked += 1;
    progress.show(`${choices.length} of ${failure.choices.length} choices, attempt ${asked} of ${attempts}`);
    writeFileSync(out, JSON.stringify({ choices }));
    const { failure: again } = await runSchedule(request, `replay:${out}`, new AbortController().signal);
    return again?.kind === failure.kind;
  };
  const left = (await fails(failure.choices)) ? await minimise(failure.choices, fails, attempts) : undefined;
  if (left !== undefined) writeFileSync(out, `${JSON.stringify({ choices: left })}\n`);
  progress.clear();
  return left;
}

type MeantName = keyof typeof choiceMeanings;

function describeChoices(choices: RunFailure["choices"]): string {
  const lines = choices
    .slice(0, 10)
    .map(
      ([launch, what, nth, picked]) =>
        `  launch ${launch + 1}, ${what} ${nth + 1}, answer ${picked}: ${choiceMeanings[what as MeantName] ?? what}`,
    );
  return [...lines, ...(choices.length > 10 ? [`  and ${choices.length - 10} more`] : [])].join("\n");
}

/** What came of it, as `--json` has it. */
interface Verdict {
  readonly schedules: readonly string[];
  /** How many have run, the one that failed among them. */
  readonly done: number;
  readonly failure?: {
    readonly schedule: string;
    readonly kind: string;
    readonly report: string;
    /** A command line that does it again; with as few choices as were found, where some could be left out. */
    readonly again: string;
    readonly choices?: RunFailure["choices"];
    readonly smallest?: { readonly again: string; readonly choices: RunFailure["choices"] };
  };
  /** What the checks have warned of under any of the schedules, each once. */
  readonly warnings: readonly Warning[];
  readonly nothingChecked?: true;
}

async function failureOf(request: Request, schedule: string, failure: RunFailure): Promise<NonNullable<Verdict["failure"]>> {
  const { kind, report, choices } = failure;
  const found = { schedule, kind, report, again: repeating(request, schedule), choices };
  if (!request.json) {
    const { stderr } = process;
    const fails = styled(stderr, "red", `${nameOf(schedule)} fails:`);
    console.error(`${fails}\n\n${styledError(stderr, report)}\n\nagain: ${found.again}`);
  }
  const left = schedule.startsWith("replay:") ? undefined : await smallest(request, failure);
  if (left === undefined) return found;
  const again = repeating(request, `replay:${request.out}`);
  if (!request.json) {
    const enough = `of its ${counted(choices.length, "choice")}, ${left.length} ${left.length === 1 ? "is" : "are"} enough`;
    console.error(`\n${enough}:\n${describeChoices(left)}\nagain: ${again}`);
  }
  return { ...found, smallest: { again, choices: left } };
}

/** Those that differ in code or places: what runs say of threads and addresses may differ by the schedule. */
const eachOnce = (warnings: readonly Warning[]): readonly Warning[] => [
  ...new Map(warnings.map((warning) => [JSON.stringify([warning.code, warning.spans]), warning])).values(),
];

function tellWarnings(warnings: readonly Warning[]): void {
  if (warnings.length === 0) return;
  const { stderr } = process;
  for (const { message } of warnings) console.error(`\n${styledError(stderr, `warning ${message}`)}`);
  console.error(
    `\n${styled(stderr, "yellow", counted(warnings.length, "warning"))}: not promised by the PTX ISA, and let pass by today's hardware`,
  );
}

function tellWell(schedules: readonly string[]): void {
  const seeds = schedules.length - 3;
  const which = seeds < 0 ? schedules.join() : `eager, lazy, torn${seeds > 0 ? `, seeds 1 to ${seeds}` : ""}`;
  console.log(`${styled(process.stdout, "green", `no report under ${counted(schedules.length, "schedule")}`)}: ${which}`);
}

/** Exit status 1 where a schedule fails, or none has checked anything. Throws a `Refusal` for a wrong command line. */
export async function check(words: readonly string[], options: CheckOptions): Promise<void> {
  const request = readRequest(words, options);
  const { schedules, jobs, progress } = request;
  let done = 0;
  let used = false;
  const warned: Warning[] = [];
  const first = await firstFailing(schedules, jobs, async (schedule, givenUp) => {
    progress.show(`${done} of ${schedules.length} schedules, now ${nameOf(schedule)}`);
    const outcome = await runSchedule(request, schedule, givenUp);
    done += 1;
    used ||= outcome.used;
    for (const warning of outcome.warnings) warned.push(warning);
    return outcome.failure;
  });
  progress.clear();
  const verdict: Verdict = {
    schedules,
    done,
    ...(first && { failure: await failureOf(request, schedules[first.index] ?? "", first.failure) }),
    warnings: eachOnce(warned),
    ...(!first && !used && { nothingChecked: true }),
  };
  if (first || !used) process.exitCode = 1;
  if (request.json) return console.log(json(verdict));
  if (verdict.nothingChecked) console.error("nothing was checked: the program opened no device, or not the emulator");
  else if (!first) tellWell(schedules);
  tellWarnings(verdict.warnings);
}
