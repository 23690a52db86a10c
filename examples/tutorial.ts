// Runs the chapters: all of them, or those named. One line for each: PASS or FAIL, the worst error, the time, the device.
//
//   npm run tutorial [-- ch4] [--device cuda:1] [--seeds 20]
//   npm run tutorial -- gluon        the lessons of examples/gluon, one line for each of their cases
//   npm run tutorial -- schedule     those of examples/schedule, one line for each program on the way
//
// Where there is no device to run on, every chapter is compiled to PTX, and the lines say so.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Device, openDevice, WarpsmithError } from "warpsmith";
import type { Chapter } from "./chapter.ts";
import { type Lesson, runLessons } from "./lesson.ts";

function commandLine() {
  try {
    return parseArgs({ allowPositionals: true, options: { device: { type: "string" }, seeds: { type: "string", default: "1" } } });
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
}

const { values: options, positionals } = commandLine();

const available = readdirSync(import.meta.dirname).filter((name) => /^ch\d+$/.test(name)).sort();

async function chapters(): Promise<Chapter[]> {
  const unknown = positionals.filter((name) => !available.includes(name));
  if (unknown.length > 0) throw new Error(`there is no chapter ${unknown.join(", ")}: there are ${available.join(", ")}`);
  const names = positionals.length > 0 ? positionals : available;
  return Promise.all(names.map(async (name) => ((await import(`./${name}/main.ts`)) as { chapter: Chapter }).chapter));
}

function seeds(): number {
  const count = Number(options.seeds);
  if (!Number.isInteger(count) || count < 1) throw new Error(`--seeds takes a whole number from 1 on, not ${options.seeds}`);
  return count;
}

/** The device to run on, or why there is none. A device that was asked for by name must be there. */
async function device(): Promise<Device | string> {
  const wanted = options.device ?? process.env.WARPSMITH_DEVICE;
  try {
    return await openDevice(options.device as Parameters<typeof openDevice>[0]);
  } catch (error) {
    if (wanted || !(error instanceof WarpsmithError)) throw error;
    return error.message;
  }
}

const line = (name: string, verdict: string, detail: string) => console.log(`${name.padEnd(5)}${verdict.padEnd(10)}${detail}`);

async function runChapter(chapter: Chapter, gpu: Device, count: number): Promise<boolean> {
  const begin = performance.now();
  let worst = 0;
  for (let seed = 0; seed < count; seed++) {
    try {
      worst = Math.max(worst, (await chapter.run(gpu, seed)).maxAbs);
    } catch (error) {
      line(chapter.name, "FAIL", `seed ${seed} on ${gpu.name}: ${error instanceof Error ? error.message : error}`);
      return false;
    }
  }
  const time = `${(performance.now() - begin).toFixed(0)} ms`;
  line(chapter.name, "PASS", `worst error ${worst.toExponential(2)}   ${count} seed${count === 1 ? "" : "s"} in ${time}   ${gpu.name}   ${chapter.title}`);
  return true;
}

function compileChapter(chapter: Chapter): boolean {
  const begin = performance.now();
  try {
    const { ptx } = chapter.compile();
    line(chapter.name, "COMPILED", `${ptx.split("\n").length} lines of PTX in ${(performance.now() - begin).toFixed(0)} ms, not run   ${chapter.title}`);
    return true;
  } catch (error) {
    line(chapter.name, "FAIL", error instanceof Error ? error.message : `${error}`);
    return false;
  }
}

async function runFolder(folder: string): Promise<boolean> {
  if (!existsSync(join(import.meta.dirname, folder))) throw new Error(`the lessons of ${folder} are not here: the repository has them`);
  const { lessons } = (await import(`./${folder}/lessons.ts`)) as { lessons: readonly Lesson[] };
  const gpu = await device();
  if (typeof gpu === "string") throw new Error(`The lessons need a device: ${gpu}`);
  await using _ = gpu;
  return await runLessons(lessons, gpu);
}

async function main(): Promise<boolean> {
  const [folder] = positionals;
  if (positionals.length === 1 && (folder === "gluon" || folder === "schedule")) return runFolder(folder);
  const [all, count] = [await chapters(), seeds()];
  const gpu = await device();
  if (typeof gpu === "string") {
    const results = all.map(compileChapter);
    console.log(`\nNothing was run: ${gpu}`);
    return results.every(Boolean);
  }
  await using _ = gpu;
  const results: boolean[] = [];
  for (const chapter of all) results.push(await runChapter(chapter, gpu, count));
  return results.every(Boolean);
}

try {
  if (!(await main())) process.exitCode = 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
