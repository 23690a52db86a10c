/** Tensors in memory of other libraries on a real GPU: the same program as on the emulator, the same results. */
import { afterAll, describe, expect, it } from "vitest";
import { type Device, openDevice, probeDevices } from "warpsmith";
import { borrow, borrowExpected } from "../unit/runtime/tensor-at-scenario.ts";

const [cuda] = await probeDevices();
if (cuda?.reason) console.warn(`test/gpu/tensor-at: skipped, ${cuda.reason}`);
const gpu: Device | undefined = cuda?.reason ? undefined : await openDevice("cuda");
afterAll(() => gpu?.dispose());

describe.skipIf(gpu === undefined)("memory of other libraries", () => {
  const on = gpu as Device;
  it("is a tensor by its address, and what is not there is refused", async () =>
    expect(await borrow(on)).toEqual(borrowExpected));
});
