/** PTX of another compiler on a real GPU: the same program as on the emulator, the same results. */
import { afterAll, describe, expect, it } from "vitest";
import { type Device, openDevice, probeDevices } from "warpsmith";
import {
  clustered,
  clusteredExpected,
  mapExpected,
  mapInVariable,
  saxpy,
  saxpyExpected,
  variables,
  variablesExpected,
} from "../unit/tools/load-ptx/scenario.ts";

const [cuda] = await probeDevices();
if (cuda?.reason) console.warn(`test/gpu/ptx: skipped, ${cuda.reason}`);
const gpu: Device | undefined = cuda?.reason ? undefined : await openDevice("cuda");
afterAll(() => gpu?.dispose());

describe.skipIf(gpu === undefined)("warpsmith/ptx", () => {
  const on = gpu as Device;
  it("numbers, tensors and addresses are arguments", async () => expect(await saxpy(on)).toEqual(saxpyExpected));
  it("launches share the variables of their module", async () => expect(await variables(on)).toEqual(variablesExpected));
  it("small arguments, clusters, dynamic shared memory", async () => expect(await clustered(on)).toEqual(clusteredExpected));
  it("tensor maps lie in variables", async () => expect(await mapInVariable(on)).toEqual(mapExpected));
});
