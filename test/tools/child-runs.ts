/**
 * Many small runs on a device that one of them may lose or hang: they go on in a child process, which is replaced by a fresh one
 * whenever it ends. The script is its own child: it calls `serveRuns` where `isChild`, `runInChildren` elsewhere.
 */
import { fork } from "node:child_process";

/** What the child says of a run. */
type Report =
  | { readonly kind: "begins"; readonly name: string }
  | { readonly kind: "ends"; readonly name: string; readonly error?: string; readonly result?: unknown };

/** What came of a run; `result` as JSON carries it. */
export interface Outcome {
  readonly name: string;
  readonly error?: string | undefined;
  readonly result?: unknown;
}

const mark = "--child";

/** Whether this process is a child of `runInChildren`. */
export const isChild = process.argv.includes(mark);

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** In the child: runs what the parent names, one after the other. `works`: whether the device can still be used. */
export function serveRuns(run: (name: string) => Promise<unknown>, works: () => Promise<boolean>): void {
  const send = (report: Report): Promise<void> => new Promise((done) => process.send?.(report, () => done()));
  process.on("message", (names: readonly string[]) => {
    void (async () => {
      for (const name of names) {
        await send({ kind: "begins", name });
        let error: string | undefined;
        let result: unknown;
        try {
          result = await run(name);
        } catch (thrown) {
          error = textOf(thrown);
        }
        const lost = error !== undefined && !(await works());
        await send({ kind: "ends", name, ...(error === undefined ? { result } : { error }) });
        if (lost) process.exit(1);
      }
      process.exit(0);
    })();
  });
}

/** Runs as many as one process survives. */
function runInChild(script: string, names: readonly string[], seconds: number, done: (outcome: Outcome) => void): Promise<void> {
  const child = fork(script, [...process.argv.slice(2), mark], { execArgv: process.execArgv });
  let current: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  const finish = (rest: Omit<Outcome, "name">): void => {
    clearTimeout(timer);
    if (current !== undefined) done({ name: current, ...rest });
    current = undefined;
  };
  return new Promise((resolve) => {
    child.on("message", (report: Report) => {
      if (report.kind === "ends") return finish({ error: report.error, result: report.result });
      current = report.name;
      timer = setTimeout(() => {
        finish({ error: `still running after ${seconds} s` });
        child.kill("SIGKILL");
      }, seconds * 1000);
    });
    child.on("exit", (code, signal) => {
      finish({ error: `the process ended: ${signal ?? `exit ${code}`}` });
      resolve();
    });
    child.send(names);
  });
}

/** Runs all of them by as many processes as it takes; those that no process got to are left out. */
export async function runInChildren(
  script: string,
  names: readonly string[],
  seconds: number,
  done: (outcome: Outcome) => void,
): Promise<readonly Outcome[]> {
  const outcomes = new Map<string, Outcome>();
  for (let before = -1; outcomes.size > before; ) {
    before = outcomes.size;
    const rest = names.filter((name) => !outcomes.has(name));
    if (rest.length === 0) break;
    await runInChild(script, rest, seconds, (outcome) => {
      outcomes.set(outcome.name, outcome);
      done(outcome);
    });
  }
  return [...outcomes.values()];
}
