/** ex2, rcp and rsqrt of every f32 on a real GPU: the bits of the tables by which the emulator computes them. */
import { afterAll, describe, expect, it } from "vitest";
import { type Device, openDevice, probeDevices } from "warpsmith";
import { differing, instructions } from "../unit/dsl/math/special-functions.ts";

const [cuda] = await probeDevices();
if (cuda?.reason) console.warn(`test/gpu/special-functions: skipped, ${cuda.reason}`);
const gpu: Device | undefined = cuda?.reason ? undefined : await openDevice("cuda");
afterAll(() => gpu?.dispose());

describe.skipIf(gpu === undefined)("a GPU gives of every number what the emulator's tables say", () => {
  const on = gpu as Device;
  it.each(instructions)("%s", async (name) => {
    for (const half of [0, 2 ** 31]) expect(await differing(on, name, half, 1, 2 ** 31)).toEqual({ some: 0 });
  });
});
