// Runs the cases of test/cases on the default device.
//
//   node --import warpsmith/register test/tools/run-cases.ts [part of a name …] [--list] [--seconds 60]
//
// One line per case, then "N passed, M failed". The cases run in a child process: one that hangs is ended after its time, one that
// loses the device is followed by a fresh process, and the rest goes on.
import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type Device, openDevice } from "warpsmith";
import { allCases, type Case } from "../cases/index.ts";

/** What the child says of a case. `lost`: the device cannot be used any more. */
type Report =
  | { readonly kind: "begins"; readonly name: string }
  | { readonly kind: "ends"; readonly name: string; readonly error?: string; readonly measured?: string; readonly lost: boolean };

const { values, positionals } = parseArgs({
  options: {
    child: { type: "boolean", default: false },
    list: { type: "boolean", default: false },
    seconds: { type: "string", default: "60" },
  },
  allowPositionals: true,
});

async function works(gpu: Device): Promise<boolean> {
  try {
    using probe = gpu.tensor("i32", [4], [1, 2, 3, 4]);
    return (await probe.read()).join() === "1,2,3,4";
  } catch {
    return false;
  }
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Runs the cases that the parent names, one after the other. */
async function runHere(cases: readonly Case[]): Promise<void> {
  const send = (report: Report): Promise<void> => new Promise((done) => process.send?.(report, () => done()));
  const gpu = await openDevice();
  for (const one of cases) {
    await send({ kind: "begins", name: one.name });
    try {
      await one.run(gpu);
      await send({ kind: "ends", name: one.name, measured: one.measured?.() ?? "", lost: one.losesDevice ?? false });
      if (one.losesDevice) process.exit(0);
    } catch (error) {
      const lost = !(await works(gpu));
      await send({ kind: "ends", name: one.name, error: textOf(error), lost });
      if (lost) process.exit(1);
    }
  }
  await gpu.dispose();
  process.exit(0);
}

interface Outcome {
  readonly name: string;
  readonly error: string | undefined;
  readonly measured?: string | undefined;
}

/** Runs as many of the cases as one process survives. */
function runInChild(names: readonly string[], seconds: number, done: (outcome: Outcome) => void): Promise<void> {
  const child: ChildProcess = fork(fileURLToPath(import.meta.url), ["--child"], { execArgv: process.execArgv });
  let current: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  const finish = (error: string | undefined, measured?: string): void => {
    if (current !== undefined) done({ name: current, error, measured });
    current = undefined;
  };
  return new Promise((resolve) => {
    child.on("message", (report: Report) => {
      clearTimeout(timer);
      if (report.kind === "ends") return finish(report.error, report.measured);
      current = report.name;
      timer = setTimeout(() => {
        finish(`still running after ${seconds} s`);
        child.kill("SIGKILL");
      }, seconds * 1000);
    });
    child.on("exit", (code, signal) => {
      clearTimeout(timer);
      finish(`the process ended: ${signal ?? `exit ${code}`}`);
      resolve();
    });
    child.send(names);
  });
}

async function runAll(cases: readonly Case[], seconds: number): Promise<void> {
  const outcomes = new Map<string, Outcome>();
  const note = (outcome: Outcome): void => {
    outcomes.set(outcome.name, outcome);
    console.log(
      outcome.error === undefined
        ? `ok    ${outcome.name}${outcome.measured ? `  ${outcome.measured}` : ""}`
        : `FAIL  ${outcome.name}: ${outcome.error}`,
    );
  };
  for (let before = -1; outcomes.size > before; ) {
    before = outcomes.size;
    const rest = cases.map((c) => c.name).filter((name) => !outcomes.has(name));
    if (rest.length > 0) await runInChild(rest, seconds, note);
  }
  const failed = [...outcomes.values()].filter((o) => o.error !== undefined);
  const never = cases.length - outcomes.size;
  if (never > 0) console.log(`${never} cases did not run: no process got as far as its first case`);
  for (const { name } of failed) console.log(`failed: ${name}`);
  console.log(`${outcomes.size - failed.length} passed, ${failed.length + never} failed`);
  process.exitCode = failed.length + never > 0 ? 1 : 0;
}

const wanted = allCases.filter((c) => positionals.length === 0 || positionals.some((part) => c.name.includes(part)));
if (values.child) {
  process.once("message", (names: readonly string[]) => {
    void runHere(names.flatMap((name) => allCases.find((c) => c.name === name) ?? [])).catch((error: unknown) => {
      console.error(textOf(error));
      process.exit(1);
    });
  });
} else if (values.list) for (const { name } of wanted) console.log(name);
else await runAll(wanted, Number(values.seconds));
