// The tasks of `bench/schedules.ts` in processes of their own: all of them compile at the same time, and then measure one task after the other, while
// the rest wait. A kernel that ruins its process is named and left out of the next try.
import { type ChildProcess, fork } from "node:child_process";
import { availableParallelism } from "node:os";
import { openDevice } from "warpsmith";
import { openSession } from "./arena.ts";
import type { RunHeader } from "./record-head.ts";
import { Entrants, type Task } from "./schedule-entrants.ts";
import { measureTask, type ScheduleCase } from "./schedule-measure.ts";

export interface Run {
  readonly device: "cuda" | "emulator";
  /** For all who take part in a task together. */
  readonly seconds: number;
  /** Seconds without a word while kernels are compiled and launched for the first time. */
  readonly patience: number;
}

interface Job extends Run {
  readonly tasks: readonly Task[];
}

/** What a process says: whose turn it is, that all is compiled, what a task gave. */
type Said =
  | { readonly kind: "turn"; readonly name: string }
  | { readonly kind: "ready"; readonly header: RunHeader }
  | { readonly kind: "cases"; readonly cases: readonly ScheduleCase[] };

/** Milliseconds without a word while a task is measured. */
const patience = 120_000;
const mostTries = 6;

class Worker {
  tasks: readonly Task[];
  readonly #run: Run;
  #child: ChildProcess | undefined;
  #heard: (said: Said | string) => void = () => {};
  #stderr = "";

  constructor(run: Run, tasks: readonly Task[]) {
    this.#run = run;
    this.tasks = tasks;
  }

  /** Compiles and launches everything once; starts again without what ended the process. */
  async prepare(log: (line: string) => void): Promise<RunHeader> {
    for (let tries = 0; ; tries++) {
      this.#start();
      let turn = "";
      for (;;) {
        const said = await this.#next(this.#run.patience * 1000);
        if (typeof said !== "string" && said.kind === "turn") turn = said.name;
        else if (typeof said !== "string" && said.kind === "ready") return said.header;
        else {
          const why = typeof said === "string" ? said : "it said something else";
          if (turn === "" || tries === mostTries) throw new Error(`a process that compiles has ended: ${why}`);
          log(`left out: ${turn}: ${why}`);
          this.tasks = this.tasks.map((task) => ({ ...task, without: [...task.without, turn] }));
          break;
        }
      }
    }
  }

  /** The cases of one task; a clause that says why there are none. */
  async measure(index: number): Promise<readonly ScheduleCase[] | string> {
    if (!this.#child) return "its process has ended";
    this.#child.send({ index });
    const said = await this.#next(patience * (this.#run.device === "emulator" ? 30 : 1));
    return typeof said === "string" ? said : said.kind === "cases" ? said.cases : "it said something else";
  }

  close(): void {
    this.#child?.kill("SIGKILL");
    this.#child = undefined;
  }

  #start(): void {
    this.close();
    this.#stderr = "";
    const job: Job = { ...this.#run, tasks: this.tasks };
    const child = fork(import.meta.filename, [JSON.stringify(job)], { stdio: ["ignore", "inherit", "pipe", "ipc"] });
    child.stderr?.on("data", (text) => {
      this.#stderr += String(text);
    });
    child.on("message", (said) => this.#heard(said as Said));
    child.on("error", (error) => this.#heard(error.message));
    child.on("close", (code, signal) => {
      if (this.#child !== child) return;
      this.#child = undefined;
      const lines = this.#stderr.split("\n").filter((line) => line.trim() !== "");
      this.#heard(lines.find((line) => /error/i.test(line)) ?? lines[0] ?? `ended with ${signal ?? code}`);
    });
    this.#child = child;
    // What a child says before anybody listens is kept.
    const kept: (Said | string)[] = [];
    this.#heard = (said) => void kept.push(said);
    this.#kept = kept;
  }

  #kept: (Said | string)[] = [];

  #next(milliseconds: number): Promise<Said | string> {
    const kept = this.#kept;
    const first = kept.shift();
    if (first !== undefined) return Promise.resolve(first);
    return new Promise((resolve) => {
      const late = setTimeout(() => {
        this.close();
        hear(`nothing for ${milliseconds / 1000} s`);
      }, milliseconds);
      const hear = (said: Said | string): void => {
        clearTimeout(late);
        this.#heard = (more) => void kept.push(more);
        resolve(said);
      };
      this.#heard = hear;
    });
  }
}

interface Told {
  /** After each task. */
  readonly put: (cases: readonly ScheduleCase[], header: RunHeader) => void;
  readonly log: (line: string) => void;
}

/** Measures all tasks, in their order. */
export async function measureAll(run: Run, tasks: readonly Task[], { put, log }: Told): Promise<void> {
  const most = run.device === "emulator" ? 1 : Math.max(1, Math.min(14, availableParallelism() - 2));
  const count = Math.min(most, tasks.length);
  const workers = Array.from(
    { length: count },
    (_, w) =>
      new Worker(
        run,
        tasks.filter((_, i) => i % count === w),
      ),
  );
  try {
    const begin = performance.now();
    const headers = await Promise.all(
      workers.map((worker) => worker.prepare(log).catch((error: Error) => void log(error.message))),
    );
    const header = headers.find((one) => one !== undefined);
    if (!header) throw new Error("no process could be started");
    log(`compiled in ${((performance.now() - begin) / 1000).toFixed(0)} s, ${count} processes`);
    for (const [i, { size, work }] of tasks.entries()) {
      const cases = await workers[i % count].measure(Math.floor(i / count));
      if (typeof cases === "string") log(`${size}³ ${work}: ${cases}`);
      else put(cases, header);
    }
    log(`measured in ${((performance.now() - begin) / 1000).toFixed(0)} s, compiling included`);
  } finally {
    for (const worker of workers) worker.close();
  }
}

async function work({ device: kind, seconds, tasks }: Job): Promise<void> {
  const say = (said: Said): void => void process.send?.(said);
  await using device = await openDevice(kind);
  using session = kind === "cuda" ? openSession(device) : undefined;
  const entrants = tasks.map((task) => new Entrants(task, kind === "cuda"));
  // The emulator keeps no time that a compilation could spoil.
  for (const all of kind === "cuda" ? entrants : []) await all.prepare(device, (name) => say({ kind: "turn", name }));
  say({ kind: "ready", header: session?.header ?? { gpu: device.name } });
  await new Promise<void>((resolve, reject) => {
    process.once("disconnect", resolve);
    process.on("message", async ({ index }: { readonly index: number }) => {
      try {
        say({ kind: "cases", cases: await measureTask(entrants[index], device, session?.arena, seconds) });
      } catch (error) {
        reject(error);
      }
    });
  });
}

if (process.argv[1] === import.meta.filename) {
  await work(JSON.parse(process.argv[2] ?? "") as Job);
  process.exit(0);
}
