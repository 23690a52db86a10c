import { afterAll, beforeAll, describe, it } from "vitest";
import { type Device, openDevice } from "warpsmith";
import { type EmulatorOptions, registerEmulator, type Schedule } from "../../../src/emulator/index.ts";
import { allCases } from "../../cases/index.ts";
import { some } from "../../support/amount.ts";

/** `CASES=scalars/f32 npx vitest run test/unit/emulator/cases.test.ts` takes those whose names begin so. */
const wanted = process.env.CASES ?? "";

/** `SCHEDULE=lazy`, `torn`, or a seed. */
const { SCHEDULE: given = "eager" } = process.env;
const schedule: Schedule = given === "eager" || given === "lazy" || given === "torn" ? given : Number(given);

/** `CHECK=normal`, `strict`: nothing may be found. */
const check = (process.env.CHECK ?? "off") as NonNullable<EmulatorOptions["check"]>;

/** What a GPU does and the emulator need not, and why. */
const elsewhere: Readonly<Record<string, string>> = {
  "memory/beyond4GiB": "an allocation is one ArrayBuffer, which ends at 4 GiB",
};

describe("cases on the emulator", () => {
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
  const cases = allCases.filter((c) => c.name.startsWith(wanted) && !(c.name in elsewhere));
  it.each(some(cases, 160).map((c) => [c.name, c] as const))("%s", async (_, c) => {
    await c.run(device);
  });
});
