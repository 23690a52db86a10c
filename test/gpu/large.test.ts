/** Tensors of 5 GiB, which no emulator holds: offsets past 2^32. */
import { afterAll, describe, it } from "vitest";
import { type Device, openDevice } from "warpsmith";
import { largeCases } from "../cases/large-tensors.ts";

async function findDevice(): Promise<Device | string> {
  try {
    return await openDevice("cuda");
  } catch (error) {
    return error instanceof Error ? (error.message.split("\n")[0] ?? "no CUDA device") : String(error);
  }
}

const gpu = await findDevice();
if (typeof gpu === "string") console.warn(`Tensors of 5 GiB are not tried on a GPU: ${gpu}`);

describe.skipIf(typeof gpu === "string")("tensors of 5 GiB", () => {
  afterAll(async () => {
    if (typeof gpu !== "string") await gpu.dispose();
  });
  it.each(largeCases(5).map((c) => [c.name, c] as const))("%s", { timeout: 120_000 }, async (_, c) => {
    if (typeof gpu !== "string") await c.run(gpu);
  });
});
