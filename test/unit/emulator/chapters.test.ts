import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Device, openDevice } from "warpsmith";
import { chapter as ch0 } from "../../../examples/ch0/main.ts";
import { chapter as ch1 } from "../../../examples/ch1/main.ts";
import { chapter as ch2 } from "../../../examples/ch2/main.ts";
import { chapter as ch3 } from "../../../examples/ch3/main.ts";
import { chapter as ch4 } from "../../../examples/ch4/main.ts";
import { chapter as ch5 } from "../../../examples/ch5/main.ts";
import type { Chapter } from "../../../examples/chapter.ts";
import { registerEmulator } from "../../../src/emulator/index.ts";
import type { AsyncPolicy } from "../../../src/emulator/units/index.ts";

const chapters: readonly Chapter[] = [ch0, ch1, ch2, ch3, ch4, ch5];

/** Eager; as late as it can be; any time, by a seed. */
const policies: readonly AsyncPolicy[] = [{ kind: "eager" }, { kind: "lazy" }, { kind: "random", seed: 7 }];

describe.each(policies)("the chapters of the tutorial on the emulator, asynchronous operations $kind", (policy) => {
  let device: Device;
  let takeBack: () => void;
  beforeAll(async () => {
    takeBack = registerEmulator({ policy });
    device = await openDevice("emulator");
  });
  afterAll(async () => {
    await device.dispose();
    takeBack();
  });
  it.each(chapters.map((c) => [c.name, c] as const))("%s", async (_, chapter) => {
    const begin = performance.now();
    await chapter.run(device, 0);
    expect(performance.now() - begin).toBeLessThan(10_000);
  });
});
