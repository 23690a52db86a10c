// Kernels that hang, on a GPU under `watch`: each in a process of its own, which must end by itself within ten seconds with an error that names the author's lines and the
// barrier; directly behind it another process uses the device. Then kernels that end, which must be silent and right. Then what `watch` costs, launches with and without it in turns.
//
//   node --import warpsmith/register test/tools/hangs-on-gpu.ts [part of a name …] [--device cuda] [--watch 2] [--only hangs,healthy,costs] [--rounds 5] [--json out.json]
//
// `--watch 0` launches without it. The emulator needs none; on a GPU each kernel that hangs must then hang until its process is killed, after `--kill` seconds.
// Exit status 1 where something is not as it must be.
import { type ChildProcess, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type Device, type LaunchConfig, openDevice } from "warpsmith";
import { costs } from "../hangs/costs.ts";
import { type Hang, mistaken } from "../hangs/hang.ts";
import { healthy } from "../hangs/healthy.ts";
import { hangs } from "../hangs/index.ts";
import { isChild, type Outcome, runInChildren, serveRuns } from "./child-runs.ts";

const { values: options, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: {
    device: { type: "string", default: "cuda" },
    watch: { type: "string", default: "2" },
    kill: { type: "string", default: "30" },
    only: { type: "string", default: "hangs,healthy,costs" },
    json: { type: "string" },
    rounds: { type: "string", default: "5" },
    /** Of a child: the hanging kernel that it runs. */
    hang: { type: "string" },
    /** Of a child that is given names by its parent: see child-runs.ts. */
    child: { type: "boolean", default: false },
  },
});
const script = fileURLToPath(import.meta.url);
const seconds = Number(options.watch);
const watched: LaunchConfig & { readonly watch?: number } = seconds > 0 ? { watch: seconds } : {};
/** What a wait takes that is slow on purpose: on an H200 about 0.3 s, several tries of a wait. */
const steps = options.device === "emulator" ? 2000 : 40_000_000;
const endings = healthy(steps);
/** Nothing ends a kernel that hangs. */
const unwatched = seconds === 0 && options.device !== "emulator";
/** The longest that a report may take, and that a process may. */
const [reportSeconds, mostSeconds] = [10, Number(options.kill)];
const repeat = 20;
const rounds = Number(options.rounds);

const open = (): Promise<Device> => openDevice(options.device as "cuda");
const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
const since = (begin: number): number => (performance.now() - begin) / 1000;
const byName = <T extends { readonly name: string }>(all: readonly T[], name: string): T => {
  const found = all.find((one) => one.name === name);
  if (!found) throw new Error(`there is no kernel ${name}`);
  return found;
};

/** What a child says of a hanging kernel, as its last line. */
interface Said {
  readonly code?: string;
  /** From the launch to the error. */
  readonly seconds: number;
  readonly problem?: string;
  readonly message: string;
}

/** In a child: one hanging kernel. What it throws ends the process, as it does an author's program. */
async function runHang(hang: Hang): Promise<void> {
  await using gpu = await open();
  const begin = performance.now();
  let error: unknown;
  try {
    await hang.case.run(gpu, watched);
  } catch (thrown) {
    error = thrown;
  }
  const code = error instanceof Error && "code" in error ? String(error.code) : undefined;
  const problem = mistaken(hang, error, gpu.kind)?.split("\n")[0];
  const said: Said = {
    seconds: since(begin),
    message: textOf(error),
    ...(code ? { code } : {}),
    ...(problem ? { problem } : {}),
  };
  console.log(JSON.stringify(said));
  if (error !== undefined) throw error;
}

/** In a child, by a name with what is asked in front of it. */
async function runNamed(gpu: Device, name: string): Promise<unknown> {
  const [, what, which = ""] = /^(\w+) (.*)$/.exec(name) ?? [];
  const begin = performance.now();
  if (what === "healthy") {
    await byName(endings, which).run(gpu, watched);
    return { seconds: since(begin) };
  }
  const bench = byName(costs, which).make(gpu);
  const [without, with_]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    without.push((await bench({ repeat })).median);
    with_.push((await bench({ ...watched, repeat })).median);
  }
  return { without: middle(without), with: middle(with_) };
}

const middle = (all: readonly number[]): number => all.toSorted((a, b) => a - b)[all.length >> 1] ?? Number.NaN;

interface Ended {
  readonly status: number | null;
  readonly signal: string | null;
  readonly seconds: number;
  readonly out: string;
  readonly err: string;
}

/** Processes that hang do not outlive this one. */
const running = new Set<ChildProcess>();
process.on("SIGTERM", () => {
  for (const child of running) child.kill("SIGKILL");
  process.exit(1);
});

/** A process of its own, which is killed when it takes too long. */
function start(name: string): Promise<Ended> {
  const args = [...process.execArgv, script, "--hang", name, "--device", options.device, "--watch", options.watch];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  running.add(child);
  const begin = performance.now();
  let [out, err] = ["", ""];
  child.stdout.on("data", (text) => (out += text));
  child.stderr.on("data", (text) => (err += text));
  const timer = setTimeout(() => child.kill("SIGKILL"), mostSeconds * 1000);
  return new Promise((resolve) =>
    child.on("close", (status, signal) => {
      clearTimeout(timer);
      running.delete(child);
      resolve({ status, signal, seconds: since(begin), out, err });
    }),
  );
}

/** What a process said last; undefined where it said nothing. */
function saidIn(out: string): Said | undefined {
  const line = out.trim().split("\n").at(-1) ?? "";
  return line.startsWith("{") ? (JSON.parse(line) as Said) : undefined;
}

interface HangResult {
  readonly name: string;
  readonly problems: readonly string[];
  readonly code: string | undefined;
  /** From the launch to the error, and of the whole process. */
  readonly seconds: number | undefined;
  readonly processSeconds: number;
  readonly nextSeconds: number;
  readonly message: string;
}

function judgeUnwatched(name: string, { status, signal, seconds, out, err }: Ended): HangResult {
  const message = `${out}${err}`;
  const problems =
    signal === "SIGKILL" ? [] : [`it ends after ${seconds.toFixed(1)} s, status ${status}: ${message.slice(0, 200)}`];
  return { name, problems, code: undefined, seconds: undefined, processSeconds: seconds, nextSeconds: 0, message };
}

async function judgeHang({ name }: Hang): Promise<HangResult> {
  const ended = await start(name);
  if (unwatched) return judgeUnwatched(name, ended);
  const begin = performance.now();
  const next = await runChildren([`healthy ${endings[2]?.name}`]);
  const said = saidIn(ended.out);
  const problems = [
    ...(ended.signal ? [`the process was ended by ${ended.signal} after ${ended.seconds.toFixed(1)} s`] : []),
    ...(!ended.signal && ended.status !== 1 ? [`exit status ${ended.status} instead of 1`] : []),
    ...(!said && !ended.signal ? [`it said nothing: ${ended.err.trim().split("\n").at(-1)}`] : []),
    ...(said?.problem ? [said.problem] : []),
    ...(said && said.seconds > reportSeconds ? [`reported after ${said.seconds.toFixed(1)} s`] : []),
    ...(next[0]?.error === undefined && next.length === 1 ? [] : [`the next process: ${next[0]?.error ?? "nothing ran"}`]),
  ];
  const { code, message = ended.err } = said ?? {};
  return {
    ...{ name, problems, code, seconds: said?.seconds, message },
    ...{ processSeconds: ended.seconds, nextSeconds: since(begin) },
  };
}

const runChildren = (names: readonly string[], done: (outcome: Outcome) => void = () => {}): Promise<readonly Outcome[]> =>
  runInChildren(script, names, 60, done);

const chosen = <T extends { readonly name: string }>(kind: string, all: readonly T[]): readonly T[] =>
  options.only.split(",").includes(kind)
    ? all.filter(({ name }) => wanted.length === 0 || wanted.some((part) => name.includes(part)))
    : [];

async function judgeAll(): Promise<boolean> {
  const results: HangResult[] = [];
  for (const hang of chosen("hangs", hangs)) {
    const result = await judgeHang(hang);
    results.push(result);
    const { problems, code = "-----", seconds = Number.NaN, processSeconds, nextSeconds } = result;
    const times = `${seconds.toFixed(2)} s, process ${processSeconds.toFixed(1)} s, next ${nextSeconds.toFixed(1)} s`;
    console.log(`${problems.length === 0 ? "ok  " : "FAIL"}  ${hang.name.padEnd(28)}${code}  ${times}  ${problems.join("; ")}`);
  }
  // What launches without a configuration goes by the environment.
  if (seconds > 0) process.env.WARPSMITH_WATCH = options.watch;
  const ends = await runChildren(
    chosen("healthy", endings).map(({ name }) => `healthy ${name}`),
    ({ name, error, result }) =>
      console.log(
        `${error === undefined ? "ok  " : "FAIL"}  ${name}  ${error ?? `${(result as { seconds: number }).seconds.toFixed(2)} s`}`,
      ),
  );
  delete process.env.WARPSMITH_WATCH;
  const measured = options.device === "emulator" ? [] : chosen("costs", costs).map(({ name }) => `cost ${name}`);
  const times = await runChildren(measured, ({ name, error, result }) => {
    const { without, with: with_ } = (result ?? {}) as { without: number; with: number };
    console.log(
      `${name.padEnd(40)}${error ?? `${without.toFixed(2)} us without, ${with_.toFixed(2)} us with, x ${(with_ / without).toFixed(4)}`}`,
    );
  });
  const bad = [
    ...results.filter(({ problems }) => problems.length > 0).map(({ name }) => name),
    ...[...ends, ...times].filter(({ error }) => error !== undefined).map(({ name }) => name),
  ];
  if (options.json)
    writeFileSync(options.json, `${JSON.stringify({ watch: seconds, hangs: results, healthy: ends, costs: times }, null, 1)}\n`);
  console.log(`${results.length} hang, ${ends.length} end, ${times.length} timed; wrong: ${bad.join(", ") || "none"}`);
  return bad.length === 0;
}

if (options.hang !== undefined) await runHang(byName(hangs, options.hang));
else if (isChild) {
  process.on("disconnect", () => process.exit(1));
  const gpu = await open();
  serveRuns(
    (name) => runNamed(gpu, name),
    async () => {
      try {
        using probe = gpu.tensor("i32", [4], [1, 2, 3, 4]);
        return (await probe.read()).join() === "1,2,3,4";
      } catch {
        return false;
      }
    },
  );
} else if (!(await judgeAll())) process.exitCode = 1;
