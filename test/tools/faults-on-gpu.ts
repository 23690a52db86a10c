// Kernels that a GPU stops, each in a process of its own, which must end by itself with an error that names the author's line, block and thread. Then what it costs that failures are dumped:
// the same launches in processes with and without, in turns.
//
//   node --import warpsmith/register test/tools/faults-on-gpu.ts [part of a name …] [--device cuda] [--only faults,costs] [--json out.json]
//
// Exit status 1 where something is not as it must be.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type Device, openDevice } from "warpsmith";
import { matmulKernel } from "warpsmith/kernels";
import { randn } from "warpsmith/testing";
import { mistaken, thrownBy } from "../faults/fault.ts";
import { faults } from "../faults/index.ts";
import { nothing } from "../faults/kernels.ts";

const { values: options, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: {
    device: { type: "string", default: "cuda" },
    only: { type: "string", default: "faults,costs" },
    json: { type: "string" },
    /** Of a child: what it does. */
    fault: { type: "string" },
    cost: { type: "boolean", default: false },
  },
});
const script = fileURLToPath(import.meta.url);
const mostSeconds = 60;
const rounds = 3;

const begun = performance.now();
const milliseconds = (since: number): number => Math.round(performance.now() - since);

/** In a child: what came of one fault, as its last line. */
async function runFault(name: string): Promise<void> {
  const fault = faults.find((one) => one.name === name);
  if (!fault) throw new Error(`there is no kernel ${name}`);
  const gpu = await openDevice(options.device as "cuda");
  const begin = performance.now();
  const error = await thrownBy(fault, gpu);
  const took = milliseconds(begin);
  const problem = mistaken(fault, error, gpu.kind)?.split("\n")[0];
  await gpu.dispose();
  console.log(JSON.stringify({ took, problem, message: error instanceof Error ? error.message : String(error) }));
}

/** In a child: microseconds of launches. */
async function runCosts(): Promise<void> {
  const gpu: Device = await openDevice(options.device as "cuda");
  const opened = milliseconds(begun);
  const n = 4096;
  const half = (seed: number) => gpu.tensor("f16", [n, n], randn(n * n, seed));
  const { kernel, args } = matmulKernel(half(1), half(2));
  const matmul = (await kernel.bench({ repeat: 40, watch: false }, ...args)).median;
  const x = gpu.zeros("i32", [1024]);
  const at = gpu.zeros("i32", [1]);
  const address = at.address();
  const small = (await nothing.bench({ repeat: 40, watch: false }, x, address)).median;
  const launches = 20_000;
  nothing.launch({ watch: false }, x, address);
  await gpu.sync();
  const begin = performance.now();
  for (let i = 0; i < launches; i++) nothing.launch({ watch: false }, x, address);
  await gpu.sync();
  console.log(JSON.stringify({ opened, matmul, small, launch: (1000 * (performance.now() - begin)) / launches }));
  await gpu.dispose();
}

interface Ended {
  readonly status: number | null;
  readonly said: Readonly<Record<string, unknown>>;
  readonly took: number;
  readonly err: string;
}

const underWatch = (watch: "on" | "off"): NodeJS.ProcessEnv => ({ ...process.env, WARPSMITH_WATCH: watch });

function run(args: readonly string[], env: NodeJS.ProcessEnv): Ended {
  const begin = performance.now();
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [...process.execArgv, script, "--device", options.device, ...args],
    {
      encoding: "utf8",
      timeout: mostSeconds * 1000,
      killSignal: "SIGKILL",
      env,
    },
  );
  const line = stdout.trim().split("\n").at(-1) ?? "";
  const said = line.startsWith("{") ? (JSON.parse(line) as Record<string, unknown>) : {};
  return { status, said, took: milliseconds(begin), err: stderr.trim() };
}

function judgeFaults(): readonly unknown[] {
  return faults
    .filter(({ name }) => wanted.length === 0 || wanted.some((part) => name.includes(part)))
    .map(({ name }) => {
      const { status, said, took, err } = run(["--fault", name], underWatch("on"));
      const problem = status !== 0 ? `exit status ${status}: ${err.split("\n").at(-1)}` : said.problem;
      console.log(
        `${problem === undefined ? "ok  " : "FAIL"}  ${name.padEnd(12)}${said.took} ms, process ${took} ms  ${problem ?? ""}`,
      );
      return { name, problem, took: said.took, process: took, message: said.message };
    });
}

function measureCosts(): readonly unknown[] {
  const all = Array.from({ length: 2 * rounds }, (_, i) => {
    const dumps = i % 2 === 0;
    const { said } = run(["--cost"], underWatch(dumps ? "on" : "off"));
    return { dumps, ...said };
  });
  for (const one of all) console.log(JSON.stringify(one));
  return all;
}

if (options.fault !== undefined) await runFault(options.fault);
else if (options.cost) await runCosts();
else {
  const only = options.only.split(",");
  const judged = only.includes("faults") ? judgeFaults() : [];
  const costs = only.includes("costs") && options.device !== "emulator" ? measureCosts() : [];
  if (options.json) writeFileSync(options.json, `${JSON.stringify({ faults: judged, costs }, null, 1)}\n`);
  const bad = (judged as readonly { readonly name: string; readonly problem?: unknown }[]).filter(
    ({ problem }) => problem !== undefined,
  );
  console.log(`${judged.length} faults; wrong: ${bad.map(({ name }) => name).join(", ") || "none"}`);
  if (bad.length > 0) process.exitCode = 1;
}
