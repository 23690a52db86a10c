import { afterAll, describe, it } from "vitest";
import { type Device, openDevice } from "warpsmith";
import { allCases } from "../cases/index.ts";

/** A device that runs kernels, or why there is none. */
async function findDevice(): Promise<Device | string> {
  try {
    return await openDevice("cuda");
  } catch (error) {
    return error instanceof Error ? (error.message.split("\n")[0] ?? "no CUDA device") : String(error);
  }
}

const gpu = await findDevice();
if (typeof gpu === "string") console.warn(`The cases do not run on a GPU: ${gpu}`);

describe.skipIf(typeof gpu === "string")("cases on the GPU", () => {
  afterAll(async () => {
    if (typeof gpu !== "string") await gpu.dispose();
  });
  it.each(allCases.filter((c) => !c.losesDevice).map((c) => [c.name, c] as const))("%s", async (_, c) => {
    if (typeof gpu !== "string") await c.run(gpu);
  });
});
