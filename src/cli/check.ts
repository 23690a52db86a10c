/** `warpsmith check`: a program under many schedules; the first that fails, and what is left of it when nothing can be left out. */
import { existsSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { choiceMeanings } from "../open-emulator.ts";
import { firstFailing } from "./first-failing.ts";
import { minimise } from "./minimise.ts";
import { Refusal } from "./refusal.ts";
import { type ProgramRun, type RunFailure, runSchedule } from "./run-schedule.ts";

const options = {
  seeds: { type: "string", default: "100" },
  strict: { type: "boolean", default: false },
  jobs: { type: "string", default: `${availableParallelism()}` },
  seconds: { type: "string", default: "600" },
  attempts: { type: "string", default: "100" },
  replay: { type: "string" },
  out: { type: "string", default: "warpsmith-check.json" },
} as const;

interface Request extends ProgramRun {
  readonly schedules: readonly string[];
  readonly jobs: number;
  readonly attempts: number;
  readonly out: string;
}

function whole(name: string, text: string, least: number): number {
  const n = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(n) || n < least)
    throw new Refusal(`--${name} takes a whole number from ${least} on, not ${text}`);
  return n;
}

function fileOf(what: string, path: string): string {
  if (!existsSync(path)) throw new Refusal(`there is no ${what} ${path}`);
  return resolve(path);
}

function readLine(argv: readonly string[]): { readonly values: ReturnType<typeof parse>["values"]; readonly words: string[] } {
  try {
    const { values, positionals } = parse(argv);
    return { values, words: positionals };
  } catch (error) {
    throw new Refusal(error instanceof Error ? error.message : String(error));
  }
}
const parse = (argv: readonly string[]) => parseArgs({ args: [...argv], options, allowPositionals: true });

/** In the order of how little they disturb. */
const schedulesUpTo = (seeds: number): readonly string[] => [
  "eager",
  "lazy",
  "torn",
  ...Array.from({ length: seeds }, (_, i) => `${i + 1}`),
];

function readRequest(argv: readonly string[]): Request {
  const { values, words } = readLine(argv);
  const [file, ...args] = words;
  if (file === undefined) throw new Refusal("check takes the file of a program; its arguments follow --");
  const schedules = schedulesUpTo(whole("seeds", values.seeds, 0));
  return {
    program: [fileOf("file", file), ...args],
    check: values.strict ? "strict" : "normal",
    seconds: whole("seconds", values.seconds, 1),
    jobs: whole("jobs", values.jobs, 1),
    attempts: whole("attempts", values.attempts, 0),
    out: resolve(values.out),
    schedules: values.replay === undefined ? schedules : [`replay:${fileOf("file", values.replay)}`],
  };
}

const nameOf = (schedule: string): string => (/^\d/.test(schedule) ? `seed ${schedule}` : schedule);

/** What is run now, where somebody may be looking. */
function show(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
}

const quoted = (words: readonly string[]): string =>
  words.map((word) => (/^[\w./:=@-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(" ");

function repeating({ program, check }: Request, schedule: string): string {
  const variables = [`WARPSMITH_DEVICE=emulator`, `WARPSMITH_CHECK=${check}`, `WARPSMITH_SEED=${schedule}`];
  return `${quoted(variables)} npx warpsmith run ${quoted(program)}`;
}

/** Leaves choices out as long as the same goes wrong. */
async function smallest(request: Request, failure: RunFailure): Promise<RunFailure["choices"] | undefined> {
  const { out, attempts } = request;
  if (failure.choices.length === 0 || failure.cut || attempts === 0) return undefined;
  let asked = 0;
  const fails = async (choices: RunFailure["choices"]): Promise<boolean> => {
    asked += 1;
    show(`${choices.length} of ${failure.choices.length} choices, attempt ${asked} of ${attempts}`);
    writeFileSync(out, JSON.stringify({ choices }));
    const { failure: again } = await runSchedule(request, `replay:${out}`, new AbortController().signal);
    return again?.kind === failure.kind;
  };
  if (!(await fails(failure.choices))) return undefined;
  const left = await minimise(failure.choices, fails, attempts);
  writeFileSync(out, `${JSON.stringify({ choices: left })}\n`);
  show("");
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

async function reportFailure(request: Request, schedule: string, failure: RunFailure): Promise<void> {
  show("");
  console.error(`${nameOf(schedule)} fails:\n\n${failure.report}\n\nagain: ${repeating(request, schedule)}`);
  if (schedule.startsWith("replay:")) return;
  const left = await smallest(request, failure);
  if (left === undefined) return;
  console.error(
    `\nof its ${failure.choices.length} choices, ${left.length} ${left.length === 1 ? "is" : "are"} enough:\n${describeChoices(left)}\nagain: ${repeating(request, `replay:${request.out}`)}`,
  );
}

/** Exit status 1 where a schedule fails. */
export async function check(argv: readonly string[]): Promise<void> {
  const request = readRequest(argv);
  const { schedules, jobs } = request;
  let done = 0;
  let used = false;
  const first = await firstFailing(schedules, jobs, async (schedule, givenUp) => {
    show(`${done} of ${schedules.length} schedules, now ${nameOf(schedule)}`);
    const outcome = await runSchedule(request, schedule, givenUp);
    done += 1;
    used ||= outcome.used;
    return outcome.failure;
  });
  show("");
  if (first) {
    process.exitCode = 1;
    return reportFailure(request, schedules[first.index] ?? "", first.failure);
  }
  if (!used) {
    process.exitCode = 1;
    return console.error("nothing was checked: the program opened no device, or not the emulator");
  }
  const seeds = schedules.length - 3;
  const which = seeds < 0 ? schedules.join() : `eager, lazy, torn${seeds > 0 ? `, seeds 1 to ${seeds}` : ""}`;
  console.log(`no report under ${schedules.length} ${schedules.length === 1 ? "schedule" : "schedules"}: ${which}`);
}
