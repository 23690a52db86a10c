import type { Device } from "../../../src/index.ts";
import { launchPtx } from "../../../src/tools/launch-ptx/index.ts";
import { loadPtx } from "../../../src/tools/load-ptx/index.ts";
import { type Fact, moduleOf } from "./fact.ts";

/** The words that the kernel leaves in its output. */
export async function runFact(device: Device, fact: Fact): Promise<Uint32Array> {
  const [result] = await launchPtx(device, loadPtx(moduleOf([fact])), fact.launch, (path) =>
    path === "in" ? fact.input : fact.before,
  );
  if (!result) throw new Error("the launch has no output");
  return new Uint32Array(result.bytes.slice().buffer);
}
