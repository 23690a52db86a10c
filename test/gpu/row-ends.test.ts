/** What a TMA store writes behind the ends of rows on a real GPU: what the emulator says (docs/hardware.md). */
import { afterAll, describe, expect, it } from "vitest";
import { type Device, openDevice, probeDevices } from "warpsmith";
import { storedEnds, storeEnds } from "../unit/kernel/row-ends-scenario.ts";

const [cuda] = await probeDevices();
if (cuda?.reason) console.warn(`test/gpu/row-ends: skipped, ${cuda.reason}`);
const gpu: Device | undefined = cuda?.reason ? undefined : await openDevice("cuda");
afterAll(() => gpu?.dispose());

describe.skipIf(gpu === undefined)("a TMA store to rows that end inside 16 bytes", () => {
  const on = gpu as Device;
  it("writes these whole", async () => expect(await storeEnds(on)).toEqual(storedEnds));
});
