import type { Device } from "warpsmith";
import { lesson as intro } from "./01-intro/main.ts";
import { lesson as layouts } from "./02-layouts/main.ts";
import { lesson as asyncCopy } from "./03-async-copy/main.ts";
import { lesson as tma } from "./04-tma/main.ts";
import { lesson as wgmma } from "./05-wgmma/main.ts";
import { lesson as persistence } from "./07-persistence/main.ts";
import { lesson as specialization } from "./08-warp-specialization/main.ts";
import { lesson as im2col } from "./13-im2col/main.ts";
import { lesson as multiCta } from "./14-multi-cta/main.ts";
import { type Lesson, runOn } from "./lesson.ts";

export const lessons: readonly Lesson[] = [intro, layouts, asyncCopy, tma, wgmma, persistence, specialization, im2col, multiCta];

/** Runs every case of every lesson and prints a line for each. True if all are right. */
export async function runLessons(gpu: Device): Promise<boolean> {
  let right = true;
  for (const { name, cases } of lessons) {
    for (const c of cases) {
      const { parameters, run } = runOn(gpu, c);
      const what = `${name.padEnd(24)}${c.kernel.padEnd(26)}`;
      try {
        await run(gpu);
        console.log(`${what}right   ${c.tolerance.padEnd(24)}${parameters}`);
      } catch (error) {
        right = false;
        console.log(`${what}WRONG   ${c.tolerance.padEnd(24)}${parameters}   ${error instanceof Error ? error.message : error}`);
      }
    }
  }
  return right;
}
