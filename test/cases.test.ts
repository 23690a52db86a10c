import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Device, openDevice } from "warpsmith";
import { type EmulatorOptions, registerEmulator, type Schedule } from "../src/emulator/index.ts";
import { allCases, type Case } from "./cases/index.ts";
import { extent, few, some } from "./support/amount.ts";
import { noPtxas } from "./support/ptxas.ts";
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

const asked = allCases.filter((c) => c.name.startsWith(wanted));

/** Types that are converted alike. */
const alikeTypes = {
  narrow: ["i8", "u8", "i16", "u16"],
  word: ["i32", "u32"],
  wide: ["i64", "u64"],
  half: ["f16", "bf16"],
  eighth: ["e4m3", "e5m2"],
};
const classOf = (type: string): string => Object.entries(alikeTypes).find(([, types]) => types.includes(type))?.[0] ?? type;

/** What a case is about, whatever types and sizes it has; of conversions, from which kind of type to which. */
const kindOf = ({ name }: Case): string =>
  name.startsWith("conversions/")
    ? name.replace(/\b[a-z]+\d\w*\b/g, classOf)
    : name.replace(/\b(?:bf16|tf32|e[45]m[23]|bool|[iuf]\d+)(?:x\d+)?\b|\d+/g, "");

const byKind = new Map<string, Case[]>();
for (const c of asked) byKind.set(kindOf(c), [...(byKind.get(kindOf(c)) ?? []), c]);

/** Of each kind one case, each time of another type; of functions of numbers those in f32, which try few numbers. */
const kinds = [...byKind.values()].flatMap(
  (alike, i) => alike.find(({ name }) => name.startsWith("math/f32-")) ?? alike[i % alike.length] ?? [],
);

const familyOf = ({ name }: Case): string => name.slice(0, name.indexOf("/"));

/** How many kinds of a family every run asks, if not a third: of functions and operators all, of what takes long a few. */
const asMany: Readonly<Record<string, number>> = {
  ...{ scalars: 99, math: 99, fast: 99, conversions: 99, pipeline: 99 },
  ...{ schedules: 3, "mma-gemm": 1, kernels: 1, "integer-edges": 2, large: 0, control: 10, wgmma: 8 },
};
const families = [...new Set(kinds.map(familyOf))].map((family) => kinds.filter((c) => familyOf(c) === family));
const always = families.flatMap((family) => {
  const name = family[0] ? familyOf(family[0]) : "";
  return few(family, asMany[name] ?? Math.ceil(family.length / 3));
});
const ofAlways = new Set(always);
const others = asked.filter((c) => !ofAlways.has(c));
const chosen = [...always, ...some(others, 0)];

it("cases have names of their own", () => {
  const names = allCases.map((c) => c.name);
  expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
});

/** Without ptxas, the emulator below is asked alone. */
describe.skipIf(extent === "quick" || noPtxas !== undefined)("cases compile and assemble", () => {
  const assembled = inBatches(chosen, (c) => c.compile().ptx);
  it.each(chosen.map((c) => [c.name, c] as const))("%s", (_, c) => {
    const made = assembled(c);
    expect(made?.ok, made?.log).toBe(true);
    expect(made?.warnings).toEqual([]);
    expect(made?.spills, made?.log).toBe(0);
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
  it.each(here.map((c) => [c.name, c] as const))("%s", async (_, c) => {
    await c.run(device);
  });
});
