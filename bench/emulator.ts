// What the emulator costs: the tutorial as a whole process, and chapter 4's kernel, without checks and under both modes.
//
//   npm run bench:emulator
//
// Writes bench/results/<cpu name>/emulator.json. Every timed run checks its result.
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { openDevice } from "warpsmith";
import { chapter as chapter4 } from "../examples/ch4/main.ts";

const modes = ["off", "normal", "strict"] as const;
type Mode = (typeof modes)[number];

const round = (ms: number): number => Number((ms / 1000).toPrecision(3));
const median = (samples: readonly number[]): number => samples.toSorted((a, b) => a - b)[samples.length >> 1] ?? Number.NaN;

/** Seconds of a whole process; throws where it does not pass. */
function tutorialSeconds(mode: Mode): number {
  const begin = performance.now();
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--import", "./dist/register.js", "examples/tutorial.ts", "--device", "emulator"],
    { env: { ...process.env, WARPSMITH_CHECK: mode }, encoding: "utf8" },
  );
  if (status !== 0) throw new Error(`the tutorial failed under ${mode}: ${stdout}${stderr}`);
  return round(performance.now() - begin);
}

/** Seconds from the launch of chapter 4 to its checked result, warm. */
async function chapter4Seconds(mode: Mode, runs: number): Promise<{ first: number; median: number }> {
  await using device = await openDevice("emulator", { check: mode });
  const samples: number[] = [];
  for (let seed = 0; seed < runs; seed++) {
    const begin = performance.now();
    await chapter4.run(device, seed);
    samples.push(round(performance.now() - begin));
  }
  return { first: samples[0] ?? Number.NaN, median: median(samples) };
}

const results: Record<string, unknown> = {};
for (const mode of modes) {
  const whole = [1, 2, 3].map(() => tutorialSeconds(mode));
  results[mode] = { tutorialSeconds: median(whole), chapter4Seconds: await chapter4Seconds(mode, 5) };
  console.log(mode.padEnd(8), JSON.stringify(results[mode]));
}
const [cpu] = cpus();
const name = (cpu?.model ?? "unknown").trim().replace(/[^\w.]+/g, "-");
const folder = join(process.env.BENCH_RESULTS ?? join(import.meta.dirname, "results"), name);
mkdirSync(folder, { recursive: true });
const record = { cpu: cpu?.model.trim(), cores: cpus().length, node: process.version, seconds: results };
writeFileSync(join(folder, "emulator.json"), `${JSON.stringify(record, null, 2)}\n`);
