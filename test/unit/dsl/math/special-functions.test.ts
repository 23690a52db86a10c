import { afterAll, describe, expect, it } from "vitest";
import { openDevice } from "warpsmith";
import { amount } from "../../../support/amount.ts";
import { differing, instructions } from "./special-functions.ts";

const gpu = await openDevice("emulator");
afterAll(() => gpu.dispose());

describe("the emulator's ex2, rcp and rsqrt are what their tables say", () => {
  const count = amount(40_000, 1_000);
  it.each(instructions)("%s", async (name) => {
    expect(await differing(gpu, name, 0, Math.floor(2 ** 32 / count), count)).toEqual({ some: 0 });
    expect(await differing(gpu, name, 0x3f800000, 4093, 2_000)).toEqual({ some: 0 });
  });
});
