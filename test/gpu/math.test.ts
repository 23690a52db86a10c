/** Functions of f32 on a real GPU: the bits that their operations give one by one, and that the emulator gives. */
import { afterAll, describe, expect, it } from "vitest";
import { type Device, openDevice, probeDevices } from "warpsmith";
import { differences, names } from "../unit/dsl/math/same-bits.ts";

const [cuda] = await probeDevices();
if (cuda?.reason) console.warn(`test/gpu/math: skipped, ${cuda.reason}`);
const gpu: Device | undefined = cuda?.reason ? undefined : await openDevice("cuda");
afterAll(() => gpu?.dispose());

describe.skipIf(gpu === undefined)("a GPU computes a function of f32 as its operations say, bit for bit", () => {
  const on = gpu as Device;
  it.each(names)("%s", async (name) => expect(await differences(on, name)).toEqual([]));
});
