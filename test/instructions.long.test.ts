import { afterAll, describe, expect, it } from "vitest";
import { type Device, openDevice } from "../src/index.ts";
import { differenceOf, settled } from "./instructions/compare.ts";
import { readRecord } from "./instructions/recorded.ts";
import { digestOf, runInstructions } from "./instructions/run-instructions.ts";
import { allStated, statedFor } from "./instructions/stated.ts";
import { fewTuples } from "./instructions/tuples.ts";

const { device: recordedOn, answers } = readRecord();
const device: Device = await openDevice("emulator");

/** Words of 64 bits for each tuple: the results, and nothing. */
const results = (...values: readonly bigint[]): BigUint64Array => BigUint64Array.from(values.flatMap((x) => [x, 0n]));

describe("instructions on the emulator", () => {
  afterAll(() => device.dispose());

  it(`give what an ${recordedOn} gave, or differ by a stated rule`, { timeout: 120_000 }, async () => {
    const refused: string[] = [];
    const wrong: string[] = [];
    const differing: string[] = [];
    for await (const { instruction, results, refused: why } of runInstructions(device, Object.keys(answers), fewTuples)) {
      if (!results) refused.push(`${instruction}: ${why}`);
      else if (digestOf(settled(instruction, results)) !== answers[instruction]?.[0])
        (statedFor(instruction) ? differing : wrong).push(instruction);
    }
    expect(refused).toEqual([]);
    expect(wrong).toEqual([]);
    const idle = allStated.filter((rule) => !differing.some((instruction) => statedFor(instruction) === rule));
    expect(idle).toEqual([]);
  });

  it("differ as the rules say: the device answered as to another instruction", () => {
    const pairs = Object.keys(answers).flatMap((instruction) => {
      const other = statedFor(instruction)?.like?.(instruction);
      return other === undefined ? [] : [{ instruction, other }];
    });
    expect(pairs.length).toBe(17);
    for (const { instruction, other } of pairs) {
      expect(statedFor(other)).toBeUndefined();
      expect(answers[other], other).toBeDefined();
      expect(answers[instruction], instruction).toEqual(answers[other]);
    }
  });
});

describe("what is compared", () => {
  it("finds a result that differs, and by how much", () => {
    const [a, b] = [results(0x3f800000n, 0x7fc00000n), results(0x3f800002n, 0x7fffffffn)];
    expect(differenceOf("add.f32 %f0, %f1, %f2", a, b)).toMatchObject({ count: 2, nan: 1, ulps: 2 });
    expect(differenceOf("add.f32 %f0, %f1, %f2", a, a)).toBeUndefined();
  });

  it("knows how far approximations may be off", () => {
    const [exact, near, far] = [results(0x3f800000n), results(0x3f800002n), results(0x3f800009n)];
    expect(differenceOf("ex2.approx.f32 %f0, %f1", exact, near)).toMatchObject({ ulps: 2, beyond: 0 });
    expect(differenceOf("ex2.approx.f32 %f0, %f1", exact, far)).toMatchObject({ ulps: 9, beyond: 1 });
    expect(differenceOf("ex2.approx.f16x2 %r0, %r1", results(0x3c003c00n), results(0x3c013c00n))).toMatchObject({ beyond: 0 });
    expect(differenceOf("ex2.approx.f16x2 %r0, %r1", results(0x3c003c00n), results(0x3c403c00n))).toMatchObject({ beyond: 1 });
  });

  it("knows logarithms near zero, infinite halves and subnormal ones", () => {
    // All are answers of the device, beside those of the emulator.
    const near = { beyond: 0 };
    expect(differenceOf("lg2.approx.f32 %f0, %f1", results(0x3d41b7cbn), results(0x3d41b7b9n))).toMatchObject(near);
    expect(differenceOf("ex2.approx.ftz.bf16x2 %r0, %r1", results(0x40027f80n), results(0x40037f80n))).toMatchObject(near);
    expect(differenceOf("ex2.approx.f16x2 %r0, %r1", results(0x20080n), results(0x30080n))).toMatchObject(near);
    expect(differenceOf("ex2.approx.f16x2 %r0, %r1", results(0x10080n), results(0x30080n))).toMatchObject({ beyond: 1 });
    expect(differenceOf("lg2.approx.f32 %f0, %f1", results(0x3d41bfcbn), results(0x3d41b7b9n))).toMatchObject({ beyond: 1 });
    expect(differenceOf("ex2.approx.ftz.bf16x2 %r0, %r1", results(0x40027f80n), results(0x40027f00n))).toMatchObject({
      beyond: 1,
    });
  });

  it("measures across zero, and each half of a packed result", () => {
    expect(differenceOf("neg.f32 %f0, %f1", results(0x80000001n), results(1n))).toMatchObject({ ulps: 2 });
    const halves = differenceOf("add.f16x2 %r0, %r1, %r2", results(0x3c003c00n), results(0x3c033c01n));
    expect(halves).toMatchObject({ count: 1, nan: 0, ulps: 3 });
  });

  it("leaves out which NaN arithmetic gives, but not what moves", () => {
    const [a, b] = [results(0x7fc00000n), results(0xffc00001n)];
    const digest = (instruction: string, x: BigUint64Array) => digestOf(settled(instruction, x));
    expect(digest("add.f32 %f0, %f1, %f2", a)).toBe(digest("add.f32 %f0, %f1, %f2", b));
    expect(digest("mov.f32 %f0, %f1", a)).not.toBe(digest("mov.f32 %f0, %f1", b));
    expect(digest("add.u32 %r0, %r1, %r2", a)).not.toBe(digest("add.u32 %r0, %r1, %r2", b));
  });
});
