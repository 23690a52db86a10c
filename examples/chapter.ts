import { pathToFileURL } from "node:url";
import { type Compiled, type Device, openDevice, WarpsmithError } from "warpsmith";
import type { Closeness } from "warpsmith/testing";

/** One chapter of the tutorial. */
export interface Chapter {
  /** "ch4". */
  readonly name: string;
  readonly title: string;
  /** Compiles the chapter's kernel for its sizes; needs no GPU. */
  compile(): Compiled;
  /** Runs it on fresh random inputs and checks every element of the result. Throws where it is wrong. */
  run(gpu: Device, seed: number): Promise<Closeness>;
}

/** Runs a chapter whose `main.ts` was started by itself. */
export async function runIfMain(moduleUrl: string, chapter: Chapter): Promise<void> {
  if (!process.argv[1] || pathToFileURL(process.argv[1]).href !== moduleUrl) return;
  try {
    await using gpu = await openDevice();
    const { maxAbs } = await chapter.run(gpu, 0);
    console.log(`${chapter.name}: PASS on ${gpu.name}, worst error ${maxAbs.toExponential(2)}`);
  } catch (error) {
    console.error(error instanceof WarpsmithError ? error.message : error);
    process.exitCode = 1;
  }
}
