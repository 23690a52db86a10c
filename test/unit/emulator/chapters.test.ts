import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Device, openDevice } from "warpsmith";
import type { Chapter } from "../../../examples/chapter.ts";
import { registerEmulator } from "../../../src/emulator/index.ts";
import type { AsyncPolicy } from "../../../src/emulator/units/index.ts";

const names = ["ch0", "ch1", "ch2", "ch3", "ch4", "ch5"];
const chapterOf = async (name: string): Promise<Chapter> =>
  ((await import(join(import.meta.dirname, "../../../examples", name, "main.ts"))) as { chapter: Chapter }).chapter;

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
  it.each(names)("%s", async (name) => {
    const chapter = await chapterOf(name);
    expect(chapter.name).toBe(name);
    await chapter.run(device, 0);
  });
});
