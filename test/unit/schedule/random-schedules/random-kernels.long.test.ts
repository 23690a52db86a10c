import { expect, test } from "vitest";
import { openDevice } from "warpsmith";
import { createRandom, seedOf } from "../../../fuzz/random.ts";
import { randomOnes } from "../../../support/amount.ts";
import { runKernel } from "./run-kernel.ts";

const { places, seed } = randomOnes(120, 5);

test(`${places.length} random schedules are refused, or compute as kernels what their programs did (SEED=${seed})`, {
  timeout: 3_600_000,
}, async () => {
  await using device = await openDevice("emulator");
  const failures: string[] = [];
  for (const i of places) {
    if (failures.length === 5) break;
    const { wrong } = await runKernel(createRandom(seedOf(seed, `kernel ${i}`)), device);
    if (wrong !== undefined) failures.push(`kernel ${i}: ${wrong}`);
  }
  expect(failures.join("\n\n")).toBe("");
});
