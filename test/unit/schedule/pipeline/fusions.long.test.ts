import { describe, expect, it } from "vitest";
import { type TensorCorePipelineOptions, tensorCorePipeline } from "warpsmith/schedule";
import { touchedBuffers } from "../../../../src/schedule/facts/depends.ts";
import type { Program } from "../../../../src/schedule/ir/types.ts";
import { programKernel } from "../../../../src/schedule/lower/index.ts";
import { specsOf } from "../../../../src/schedule/lower/tensors/specs.ts";
import { agree } from "../agree.ts";
import { expectSame, inOrder } from "../in-order.ts";
import { products } from "./products.ts";

const options: TensorCorePipelineOptions = { tile: [32, 16, 16], workgroup: [32, 2, 1], depth: 2, storeStage: 1 };

const allocatesGlobal = ({ params, body }: Program): boolean =>
  touchedBuffers(body).some((b) => b.scope === "global" && !params.includes(b));

describe.each(["relu", "constant", "matrix", "matrix and relu", "relu on an input"])("%s", (fusion) => {
  const program = products.fused([32, 16, 48], fusion);
  const wanted = inOrder(program);
  const { passes } = tensorCorePipeline(program, options);
  const changed = passes.filter((pass, n) => n === 0 || passes[n - 1]?.program !== pass.program);
  it.each(changed.map((p) => [p.name, p.program] as const))("%s computes the same", async (_, after) => {
    expectSame(inOrder(after), wanted);
    // Until what stands beside the product is fused with it, a matrix between the two lies in global memory, which no kernel allocates.
    if (!allocatesGlobal(after)) await agree(after, ["strict"]);
    else expect(() => programKernel(after).compile(...specsOf(after))).toThrow("W5608");
  });
  it("fuses before copies are distributed", () => {
    expect(changed.filter((p) => allocatesGlobal(p.program)).map((p) => p.name)).toEqual(["verify", "tile-and-distribute"]);
  });
});
