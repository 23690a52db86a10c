import { afterAll, describe, expect, it } from "vitest";
import { openDevice } from "warpsmith";
import { differences, names } from "./same-bits.ts";

const gpu = await openDevice("emulator");
afterAll(() => gpu.dispose());

describe("the emulator computes a function of f32 as its operations say, bit for bit", () => {
  it.each(names)("%s", async (name) => expect(await differences(gpu, name)).toEqual([]));
});
