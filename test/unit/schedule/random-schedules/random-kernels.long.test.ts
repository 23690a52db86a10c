import { expect, test } from "vitest";
import { openDevice } from "warpsmith";
import { createRandom, seedOf } from "../../../fuzz/random.ts";
import { runKernel } from "./run-kernel.ts";

const runs = Number(process.env.RUNS ?? 30);
const seed = Number(process.env.SEED ?? 1);

test(`${runs} random schedules are refused, or compute as kernels what their programs did (SEED=${seed})`, {
  timeout: 3_600_000,
}, async () => {
  await using device = await openDevice("emulator");
  const failures: string[] = [];
  for (let i = 0; i < runs && failures.length < 5; i++) {
    const { wrong } = await runKernel(createRandom(seedOf(seed, `kernel ${i}`)), device);
    if (wrong !== undefined) failures.push(`kernel ${i}: ${wrong}`);
  }
  expect(failures.join("\n\n")).toBe("");
});
