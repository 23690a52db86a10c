/** The mended twins of the court on a real GPU: right, as on the emulator. */
import { afterAll, describe, expect, it } from "vitest";
import { type Device, openDevice, probeDevices } from "warpsmith";
import { court } from "../court/index.ts";

const [cuda] = await probeDevices();
if (cuda?.reason) console.warn(`test/gpu/court: skipped, ${cuda.reason}`);
const gpu: Device | undefined = cuda?.reason ? undefined : await openDevice("cuda");
afterAll(() => gpu?.dispose());

describe.skipIf(gpu === undefined)("the court's mended twins", () => {
  it.each(court.map((bug) => [bug.name, bug] as const))("%s", async (_, bug) => {
    const setting = { check: "normal", schedule: "eager" } as const;
    await expect(bug.run(false, { setting, device: gpu as Device, warnings: undefined })).resolves.toBe(undefined);
  });
});
