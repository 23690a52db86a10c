// Plants one fault after the other in a copy of the working tree, and asks whether the tests find it.
//
//   node --import warpsmith/register test/tools/planted.ts --list
//   node --import warpsmith/register test/tools/planted.ts [--only NAME …] [--part 2/5] [--jobs 1] [--out FILE.json] [--timeout 1800]
//     [--command "npm test -- --bail 1"] [--near] [--rebuild "npm run build"] [--no-baseline] [--keep]
//
// `--only` takes the beginning of a name, too. `--command` looks for faults: it finds one where its exit status is not 0, or where it
// takes longer than `--timeout` seconds; it is told the fault's file below src by PLANTED_FILE. A copy is no
// repository: ROTATION says which sixth a command takes. `--rebuild` runs before it; a build that fails has found the fault, too; "" for none. First the command runs once in a
// copy without a fault, and where it fails there, nothing follows. `--near` runs the command for the tests of the fault's room first, and for all
// where none of these fails by its name: the answers are the same, sooner. Their folder is put behind the command, which is one of Vitest then.
// A run with the same `--out` and the same tree goes on where the last one ended.
// Exit status 0 where all was answered, whatever was found.
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Answer, Answers, type By } from "./planted/answers.ts";
import { chosen, table } from "./planted/choose.ts";
import { type Copy, checkFault, digestOf, makeCopy, plant } from "./planted/copy.ts";
import { type Fault, faults } from "./planted/faults.ts";
import { testsNear } from "./planted/near.ts";
import { failingTests, runCommand, stopAll } from "./planted/run-command.ts";

const { values: options } = parseArgs({
  options: {
    list: { type: "boolean", default: false },
    only: { type: "string", multiple: true, default: [] },
    part: { type: "string", default: "1/1" },
    command: { type: "string", default: "npm test -- --bail 1" },
    rebuild: { type: "string", default: "npm run build" },
    jobs: { type: "string", default: "1" },
    out: { type: "string" },
    timeout: { type: "string", default: "1800" },
    near: { type: "boolean", default: false },
    "no-baseline": { type: "boolean", default: false },
    keep: { type: "boolean", default: false },
  },
});

const tree = join(import.meta.dirname, "../..");

function wholeNumber(name: "jobs" | "timeout"): number {
  const value = Number(options[name]);
  if (!Number.isInteger(value) || value < 1) throw new Error(`--${name} takes a whole number from 1 on, not ${options[name]}`);
  return value;
}

const copies = new Set<Copy>();

async function inCopy<T>(work: (copy: Copy) => Promise<T>): Promise<T> {
  const copy = makeCopy(tree);
  copies.add(copy);
  try {
    return await work(copy);
  } finally {
    leave(copy);
  }
}

function leave(copy: Copy): void {
  copies.delete(copy);
  if (options.keep) console.log(`kept ${copy.root}`);
  else copy.remove();
}

/** Commands have processes of their own, which the end of this one would leave behind. */
function stopEarly(): never {
  stopAll();
  for (const copy of copies) leave(copy);
  process.exit(130);
}

interface Found {
  readonly by: By | undefined;
  readonly output: string;
}

/** Builds a copy and looks for a fault in it. */
async function look({ root, cache }: Copy, seconds: number, file?: string): Promise<Found> {
  const where = { root, cache, seconds, file };
  const built = options.rebuild === "" ? undefined : await runCommand(options.rebuild, where);
  if (built && (built.late || built.status !== 0)) return { by: "build", output: built.output };
  const near = options.near && file !== undefined ? testsNear(root, file) : undefined;
  if (near !== undefined) {
    const { output } = await runCommand(`${options.command} --passWithNoTests ${near}`, where);
    if (failingTests(output).length > 0) return { by: "tests", output };
  }
  const { status, late, output } = await runCommand(options.command, where);
  if (!late && (status === null || status > 125))
    throw new Error(`the command has not been run: status ${status}\n${output.slice(-2000)}`);
  return { by: late ? "time" : status === 0 ? undefined : "tests", output };
}

const secondsSince = (begin: number): number => Math.round((performance.now() - begin) / 100) / 10;

async function answer(copy: Copy, fault: Fault, seconds: number): Promise<Answer> {
  const { name, file, find, replace } = fault;
  const takeOut = plant(copy, fault);
  try {
    const begin = performance.now();
    const { by, output } = await look(copy, seconds, file);
    const took = { seconds: secondsSince(begin), failing: by === "tests" ? failingTests(output) : [] };
    return { name, file, find, replace, found: by !== undefined, ...(by === undefined ? {} : { by }), ...took };
  } finally {
    takeOut();
  }
}

const howFound = { tests: "found", build: "found by the build", time: "found: no end" } as const;

function lineOf({ name, by, seconds, failing }: Answer): string {
  const [first, ...more] = failing;
  const names = first === undefined ? "" : `  ${first}${more.length > 0 ? ` and ${more.length} more` : ""}`;
  return `${by === undefined ? "NOT FOUND" : howFound[by]}  ${name}  ${seconds} s${names}`;
}

/** The command in a copy without a fault. */
async function checkBaseline(seconds: number): Promise<boolean> {
  const begin = performance.now();
  const { by, output } = await inCopy((copy) => look(copy, seconds));
  if (by === undefined) console.log(`without a fault: nothing found, ${secondsSince(begin)} s`);
  else {
    console.error(output.slice(-4000));
    console.error(
      `without a fault the ${by === "build" ? "build" : "command"} fails already: ${failingTests(output).join(", ")}`,
    );
  }
  return by === undefined;
}

/** Works through a list, so many at a time, each in a copy of its own. */
async function each<T>(list: readonly T[], jobs: number, work: (copy: Copy, item: T) => Promise<void>): Promise<void> {
  const rest = list.values();
  await Promise.all(
    Array.from({ length: Math.min(jobs, list.length) }, () =>
      inCopy(async (copy) => {
        for (const item of rest) await work(copy, item);
      }),
    ),
  );
}

async function run(): Promise<number> {
  const selected = chosen(faults, options.only, options.part);
  if (options.list) {
    console.log(table(selected));
    return 0;
  }
  const [jobs, seconds] = [wholeNumber("jobs"), wholeNumber("timeout")];
  for (const fault of selected) checkFault(tree, fault);
  const answers = new Answers(options.out, { command: options.command, rebuild: options.rebuild, tree: digestOf(tree) });
  const open = selected.filter((fault) => !answers.of(fault));
  if (open.length < selected.length) console.log(`${selected.length - open.length} answered before`);
  if (open.length > 0 && !options["no-baseline"] && !(await checkBaseline(seconds))) return 1;
  await each(open, jobs, async (copy, fault) => {
    const found = await answer(copy, fault, seconds);
    answers.add(found);
    console.log(lineOf(found));
  });
  const all = selected.flatMap((fault) => answers.of(fault) ?? []);
  console.log(`found ${all.filter(({ found }) => found).length} of ${selected.length}`);
  return 0;
}

process.on("SIGINT", stopEarly);
process.on("SIGTERM", stopEarly);
process.exitCode = await run().catch((error: unknown) => {
  stopAll();
  console.error(error instanceof Error ? error.message : String(error));
  return 1;
});
