import { expect, test } from "vitest";
import { openDevice } from "warpsmith";
import { seeds } from "../../support/amount.ts";
import { judge } from "./judge.ts";

test("what changes between two launches is seen, or refused", { timeout: 300_000 }, async () => {
  await using device = await openDevice("emulator");
  const taken = seeds(1, 10_000, 12);
  let changed = 0;
  for (const seed of taken) {
    const verdict = await judge(seed, device);
    expect(verdict.kind, `seed ${seed}: ${JSON.stringify(verdict)}`).toMatch(/^(agrees|refused|meaningless)$/);
    if (verdict.kind === "agrees" && verdict.changed) changed++;
  }
  // A kernel that was never launched again would be right, too.
  expect(changed).toBeGreaterThan(taken.length / 5);
});
