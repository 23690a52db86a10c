import { afterAll, beforeAll, describe, it } from "vitest";
import { openDevice } from "warpsmith";
import { allCases } from "../../../cases/index.ts";
import { some } from "../../../support/amount.ts";
import { verifyAfterEachPass } from "../../../support/verify-after-each-pass.ts";
import { watchOn } from "../../../support/watched.ts";

verifyAfterEachPass();

// A watched kernel reads the bits of its mbarriers, which the checks of a launch report.
const gpu = await openDevice("emulator", { check: "off" });
watchOn(gpu);

beforeAll(() => {
  process.env.WARPSMITH_WATCH = "on";
});
afterAll(async () => {
  delete process.env.WARPSMITH_WATCH;
  await gpu.dispose();
});

describe("watched kernels give what kernels give", () => {
  it.each(
    some(
      // The records are beside what the largest tensors leave of the emulator's memory.
      allCases.filter((c) => !c.losesDevice && !/^large|4GiB/.test(c.name)),
      200,
    ).map((c) => [c.name, c] as const),
  )("%s", (_, c) => c.run(gpu));
});
