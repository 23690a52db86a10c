// Random kernels against plain JavaScript.
//
//   node --import warpsmith/register test/fuzz/run.ts --count 10000 --seed 1 [--device cuda] [--save folder] [--seconds 30] [--timeline]
//
// `--timeline`: the kernels record their timelines, on an emulator, too. With WARPSMITH_WATCH=on they record where they wait, there, too.
//
// Kernel n of a run has the seed `--seed` + n: `--seed 4711 --count 1 --show` prints that one. They run in child processes of `--batch`
// kernels: one that hangs is ended after its time, one that brings the process down is reported, and the rest goes on.
import { type ChildProcess, fork } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type Device, openDevice } from "warpsmith";
import type * as Inside from "../../src/entries/inside.ts";
import { recordOn } from "../support/watch-records.ts";
import type { Toolchain } from "./execute.ts";
import { randomProgram } from "./generate/program.ts";
import { type Disagreement, judge } from "./judge.ts";
import { kernelText } from "./print.ts";
import { shrink } from "./shrink.ts";

const { values } = parseArgs({
  options: {
    count: { type: "string", default: "100" },
    seed: { type: "string", default: "1" },
    device: { type: "string", default: "emulator" },
    save: { type: "string" },
    seconds: { type: "string", default: "30" },
    batch: { type: "string", default: "500" },
    show: { type: "boolean", default: false },
    child: { type: "boolean", default: false },
    timeline: { type: "boolean", default: false },
  },
});
const shrinkSeconds = 90;

type Report =
  | { readonly kind: "begins" | "shrinks" | "agrees"; readonly seed: number }
  | { readonly kind: "differs"; readonly seed: number; readonly found: Disagreement; readonly text: string };

/** The transform and the hooks of the build. */
async function toolchain(): Promise<Toolchain> {
  const built = (path: string): Promise<unknown> => import(new URL(`../../dist/${path}`, import.meta.url).href);
  const { transformSource, prepare, profileLaunch, partsOf } = (await built("entries/inside.js")) as typeof Inside;
  const hooks = (await built("entries/hooks.js")) as Toolchain["hooks"];
  const tools: Toolchain = { transform: (text, fileName) => transformSource(text, { fileName, emit: "ts" }).code, hooks };
  if (!values.timeline) return tools;
  return {
    ...tools,
    launch: async (kernel, config, args) => {
      const parts = partsOf(kernel);
      if (!parts) throw new TypeError("no kernel");
      await profileLaunch(parts.source, prepare(parts.source, parts.instances, config, args, [], "timeline"), config, undefined);
    },
  };
}

/** Lets an emulator of the build run watched kernels. */
async function watchBuilt(gpu: Device): Promise<void> {
  const { backendOf } = (await import(new URL("../../dist/entries/inside.js", import.meta.url).href)) as typeof Inside;
  recordOn(backendOf(gpu));
}

/** Runs the kernels of some seeds, one after the other. */
async function runHere(from: number, to: number, device: string): Promise<void> {
  const send = (report: Report): Promise<void> => new Promise((done) => process.send?.(report, () => done()));
  // What is tried once is not worth a place on the disk.
  process.env.WARPSMITH_CACHE = "off";
  const tools = await toolchain();
  // The checks take the warp that looks at barriers for one that waits.
  const gpu = await openDevice(device as "emulator", values.timeline && device === "emulator" ? { check: "off" } : {});
  if (process.env.WARPSMITH_WATCH && gpu.kind === "emulator") await watchBuilt(gpu);
  for (let seed = from; seed < to; seed++) {
    await send({ kind: "begins", seed });
    const program = randomProgram(seed);
    const found = await judge(program, gpu, tools);
    if (!found) {
      await send({ kind: "agrees", seed });
      continue;
    }
    await send({ kind: "shrinks", seed });
    // After a trap a CUDA device gives one answer to everything.
    const lost = found.kind === "error" && gpu.kind === "cuda";
    const least = lost ? program : await shrink(program, found, (p) => judge(p, gpu, tools), shrinkSeconds);
    const again = lost ? found : await judge(least, gpu, tools);
    await send({ kind: "differs", seed, found: again ?? found, text: kernelText(least) });
    if (lost) process.exit(1);
  }
  await gpu.dispose();
  process.exit(0);
}

interface Run {
  readonly device: string;
  readonly seconds: number;
  readonly save: string | undefined;
}

function tell(seed: number, { kind, lines }: Disagreement, text: string, { save, device }: Run): void {
  console.log(`\nseed ${seed} on ${device}: ${kind}\n${lines.map((l) => `  ${l}`).join("\n")}\n\n${text}`);
  if (save === undefined) return;
  mkdirSync(save, { recursive: true });
  writeFileSync(join(save, `${seed}.ts`), `// seed ${seed}\n${lines.map((l) => `// ${l}\n`).join("")}${text}`);
}

/** Runs as many of the seeds as one process survives; gives the first that is still to be run, and how many disagreed. */
function runInChild(from: number, to: number, run: Run): Promise<{ readonly next: number; readonly wrong: number }> {
  const child: ChildProcess = fork(fileURLToPath(import.meta.url), ["--child", ...(values.timeline ? ["--timeline"] : [])], {
    execArgv: process.execArgv,
  });
  let current: number | undefined;
  let next = from;
  let wrong = 0;
  let timer: NodeJS.Timeout | undefined;
  const fails = (line: string): void => {
    if (current === undefined) return;
    wrong++;
    tell(current, { kind: "error", signature: line, lines: [line] }, kernelText(randomProgram(current)), run);
    current = undefined;
  };
  return new Promise((resolve) => {
    child.on("message", (report: Report) => {
      clearTimeout(timer);
      current = report.seed;
      const limit = report.kind === "shrinks" ? shrinkSeconds + 2 * run.seconds : run.seconds;
      timer = setTimeout(() => {
        fails(`still running after ${limit} s`);
        child.kill("SIGKILL");
      }, limit * 1000);
      next = report.seed + 1;
      if (report.kind === "begins" || report.kind === "shrinks") return;
      clearTimeout(timer);
      current = undefined;
      if (report.kind !== "differs") return;
      wrong++;
      tell(report.seed, report.found, report.text, run);
    });
    child.on("exit", (code, signal) => {
      clearTimeout(timer);
      fails(`the process ended: ${signal ?? `exit ${code}`}`);
      resolve({ next, wrong });
    });
    child.send({ from, to, device: run.device });
  });
}

async function runAll(first: number, count: number, batch: number, run: Run): Promise<void> {
  const start = performance.now();
  let wrong = 0;
  for (let from = first; from < first + count; ) {
    const done = await runInChild(from, Math.min(from + batch, first + count), run);
    if (done.next === from) throw new Error("no process got as far as its first kernel");
    from = done.next;
    wrong += done.wrong;
    const seconds = (performance.now() - start) / 1000;
    const each = (from - first) / seconds;
    console.log(`${from - first} of ${count} kernels, ${wrong} disagree, ${seconds.toFixed(0)} s, ${each.toFixed(1)} kernels/s`);
  }
  process.exitCode = wrong > 0 ? 1 : 0;
}

const [first, count] = [Number(values.seed), Number(values.count)];
if (values.child) {
  process.once("message", ({ from, to, device }: { from: number; to: number; device: string }) => {
    void runHere(from, to, device).catch((error: unknown) => {
      console.error(error);
      process.exit(1);
    });
  });
} else if (values.show) for (let seed = first; seed < first + count; seed++) console.log(kernelText(randomProgram(seed)));
else
  await runAll(first, count, Number(values.batch), { device: values.device, seconds: Number(values.seconds), save: values.save });
