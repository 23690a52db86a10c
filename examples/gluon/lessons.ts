import type { Device } from "warpsmith";
import { lesson as intro } from "./01-intro/main.ts";
import { lesson as tma } from "./04-tma/main.ts";
import type { Lesson } from "./lesson.ts";

export const lessons: readonly Lesson[] = [intro, tma];

/** Runs every case of every lesson and prints a line for each. True if all are right. */
export async function runLessons(gpu: Device): Promise<boolean> {
  let right = true;
  for (const { name, cases } of lessons) {
    for (const c of cases) {
      const what = `${name.padEnd(10)}${c.kernel.padEnd(26)}${c.parameters.padEnd(28)}`;
      try {
        await c.run(gpu);
        console.log(`${what}right   ${c.tolerance}`);
      } catch (error) {
        right = false;
        console.log(`${what}WRONG   ${c.tolerance}   ${error instanceof Error ? error.message : error}`);
      }
    }
  }
  return right;
}
