import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Device, openDevice } from "warpsmith";
import { type EmulatorOptions, registerEmulator, type Schedule } from "../src/emulator/index.ts";
import { allCases } from "./cases/index.ts";
import { some } from "./support/amount.ts";
import { inBatches } from "./support/ptxas-batches.ts";
import { verifyAfterEachPass } from "./support/verify-after-each-pass.ts";

verifyAfterEachPass();

/** `CASES=scalars/f32 npx vitest run test/cases.test.ts` takes those whose names begin so. */
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

const chosen = some(
  allCases.filter((c) => c.name.startsWith(wanted)),
  330,
);

it("cases have names of their own", () => {
  const names = allCases.map((c) => c.name);
  expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
});

describe("cases compile and assemble", () => {
  const assembled = inBatches(chosen, (c) => c.compile().ptx);
  it.each(chosen.map((c) => [c.name, c] as const))("%s", (_, c) => {
    const made = assembled(c);
    if (!made) return;
    expect(made.ok, made.log).toBe(true);
    expect(made.warnings).toEqual([]);
    expect(made.spills, made.log).toBe(0);
  });
});

/** Each is launched as it was compiled above. */
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
  const here = chosen.filter((c) => !(c.name in elsewhere));
  it.each(some(here, 160).map((c) => [c.name, c] as const))("%s", async (_, c) => {
    await c.run(device);
  });
});
