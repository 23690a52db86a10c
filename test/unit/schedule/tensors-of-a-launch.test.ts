// Kernels of programs are launched with parts of tensors that begin anywhere, and with tensors whose rows lie in other ways: right, or refused before anything runs.
import { describe, expect, it } from "vitest";
import { tensorCorePipeline } from "warpsmith/schedule";
import type { Program } from "../../../src/schedule/ir/types.ts";
import { programOf } from "../../schedule/program-of.ts";
import { rotating } from "../../support/amount.ts";
import { agree, type Lying } from "./agree.ts";
import { products } from "./pipeline/products.ts";

const count = (shape: readonly number[]): number => shape.reduce((n, x) => n * x, 1);
const further =
  (by: number): Lying =>
  (gpu, dtype, shape) =>
    gpu
      .zeros(dtype, [count(shape) + by])
      .slice([by, count(shape) + by])
      .reshape(...shape);
const ways: Readonly<Record<string, Lying>> = {
  "one element further": further(1),
  "two elements further": further(2),
  "eight elements further": further(8),
  "with a row of one element more": (gpu, dtype, [m = 1, n = 1]) => gpu.zeros(dtype, [m, n + 1]).slice([0, m], [0, n]),
  "with a row of eight elements more": (gpu, dtype, [m = 1, n = 1]) => gpu.zeros(dtype, [m, n + 8]).slice([0, m], [0, n]),
  transposed: (gpu, dtype, [m = 1, n = 1]) => gpu.zeros(dtype, [n, m]).transpose(),
};

const head = `import { alloc, annotate, bind, block, type Buffer, effect, grid, intrinsic, program, spatial, vectorized } from "warpsmith/schedule";
export const p = program({ X: [8, 32], Z: [8, 32] }, function p(X: Buffer<"f32", 2>, Z: Buffer<"f32", 2>) {`;
const nest = (body: string): string => `
  for (const i of bind("threadIdx.x", 8)) for (const q of grid(8)) for (const v of vectorized(4)) ${body}`;
const vectors =
  programOf(`${head}${nest(`block("c", { vi: spatial(i), vj: spatial(32, q * 4 + v) }, ({ vi, vj }) => { Z[vi][vj] = X[vi][vj] * 2; });`)}
});`);
const copies = programOf(`${head}
  const S = alloc("f32", [8, 32], "shared");${nest(`block("in", { vi: spatial(i), vj: spatial(32, q * 4 + v) }, ({ vi, vj }) => { annotate({ async: true }); S[vi][vj] = X[vi][vj]; });`)}
  effect("asyncCommit");
  effect("asyncWait", 0);${nest(`block("out", { vi: spatial(i), vj: spatial(32, q * 4 + v) }, ({ vi, vj }) => { Z[vi][vj] = S[vi][vj]; });`)}
});`);

/** What becomes of a launch. */
const outcome = async (program: Program, lying: Lying): Promise<string> => {
  try {
    await agree(program, ["normal"], lying);
    return "right";
  } catch (e) {
    const { code } = e as { readonly code?: string };
    if (code === undefined) throw e;
    return code;
  }
};
const outcomes = async (program: Program): Promise<Readonly<Record<string, string>>> => {
  const all: Record<string, string> = {};
  for (const [way, lying] of Object.entries(ways)) all[way] = await outcome(program, lying);
  return all;
};
const right = Object.fromEntries(Object.keys(ways).map((way) => [way, "right"]));

describe("a tensor that lies in another way", () => {
  it("is right where loops are vectorised", async () => expect(await outcomes(vectors)).toEqual(right));
  it("is right where elements of 4 bytes are copied asynchronously", rotating, async () =>
    expect(await outcomes(copies)).toEqual(right),
  );

  const product = products.adding([32, 32, 64]);
  const options = { tile: [32, 32, 32], workgroup: [64, 2, 1], storeStage: 1 } as const;
  it("is refused where pairs of bytes would be copied asynchronously", rotating, async () => {
    const made = tensorCorePipeline(product, { ...options, depth: 3, instruction: "mma.sync" }).schedule.program;
    expect(await outcomes(made)).toEqual({
      ...right,
      "one element further": "W5579",
      "with a row of one element more": "W5579",
      transposed: "W5579",
    });
  });
  it("is refused where wmma cannot take it", rotating, async () => {
    const made = tensorCorePipeline(product, { ...options, depth: 1, promoteOperands: "global" }).schedule.program;
    expect(await outcomes(made)).toEqual({
      ...right,
      "one element further": "W6303",
      "two elements further": "W6303",
      "eight elements further": "W6303",
      "with a row of one element more": "W6303",
    });
  });
  it("is told how it can be taken, and is taken so", rotating, async () => {
    const registers = tensorCorePipeline(product, { ...options, depth: 1, promoteC: "registers" }).schedule.program;
    const odd = further(1);
    await expect(agree(registers, ["normal"], odd)).rejects.toThrow(/W6303.*`promoteC: "shared"`.*fix:/s);
    const shared = tensorCorePipeline(product, { ...options, depth: 1, promoteC: "shared" }).schedule.program;
    expect(await outcome(shared, odd)).toBe("right");
  });
});
