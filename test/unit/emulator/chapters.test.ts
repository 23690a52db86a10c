import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Device, openDevice } from "warpsmith";
import type { Chapter } from "../../../examples/chapter.ts";
import { type EmulatorOptions, registerEmulator, type Schedule } from "../../../src/emulator/index.ts";
import { rotating } from "../../support/amount.ts";

const names = ["ch0", "ch1", "ch2", "ch3", "ch4", "ch5"];
const chapterOf = async (name: string): Promise<Chapter> =>
  ((await import(join(import.meta.dirname, "../../../examples", name, "main.ts"))) as { chapter: Chapter }).chapter;

/** `SCHEDULES=25`: eager, lazy, torn, and seeds up to so many in all. */
const all = ["eager", "lazy", "torn", ...Array.from({ length: 100 }, (_, i) => i + 1)] as const;
const schedules: readonly Schedule[] = process.env.SCHEDULES ? all.slice(0, Number(process.env.SCHEDULES)) : ["eager", "lazy", 7];

/** `npm test` asks those that are soon done, once: lessons and cases have what the others do. */
const isFirst = (schedule: Schedule, name: string): boolean => schedule === schedules[0] && !["ch4", "ch5"].includes(name);

/** `CHECK=normal`, `strict`: nothing may be found. */
const check = (process.env.CHECK ?? "off") as NonNullable<EmulatorOptions["check"]>;

describe.each(schedules.map((s) => [s] as const))("the chapters of the tutorial on the emulator, schedule %s", (schedule) => {
  let device: Device;
  let takeBack: () => void;
  beforeAll(async () => {
    takeBack = registerEmulator({ schedule, check });
    device = await openDevice("emulator");
  });
  afterAll(async () => {
    await device.dispose();
    takeBack();
  });
  const runs = async (name: string) => {
    const chapter = await chapterOf(name);
    expect(chapter.name).toBe(name);
    await chapter.run(device, 0);
  };
  it.each(names.filter((name) => isFirst(schedule, name)))("%s", runs);
  it.each(names.filter((name) => !isFirst(schedule, name)))("%s", rotating, runs);
});
