/** `threadIdx`, `blockIdx`, `blockDim`, `gridDim` and `cluster.index` in place of one of their numbers. */
import { expect, test } from "vitest";
import { tensorSpec } from "warpsmith";
import { codesOf } from "../../../dsl/codes-of.ts";

const refused = [
  "x[blockIdx][0] = 1;",
  "x[0][threadIdx] = 1;",
  "y[threadIdx] = 1;",
  "y[threadIdx] += 1;",
  "y[0] = y[cluster.index];",
  "y.at(blockIdx).store(1);",
  "x.at(0, threadIdx).value = 1;",
  "y[blockIdx * 4] = 1;",
  "y[4 + gridDim] = 1;",
  "y[i + blockDim] = 1;",
  "y[i % threadIdx] = 1;",
  "y[-threadIdx] = 1;",
  "y[~blockIdx] = 1;",
  "if (threadIdx < 32) y[0] = 1;",
  "if (threadIdx === 0) y[0] = 1;",
  "if (i !== blockIdx) y[0] = 1;",
  "while (blockIdx > i) y[0] = 1;",
  "y[0] = f32(threadIdx);",
  "y[0] = Math.max(threadIdx, 1);",
  "y[i] = threadIdx;",
  "for (const k of range(blockIdx)) y[k] = 1;",
  "for (const k of range(0, gridDim, 2)) y[k] = 1;",
  "for (const k of staticRange(blockDim)) y[k] = 1;",
  "y[0] = warp.shuffle(y[i], threadIdx);",
  "const s = sharedMemory.alloc('f32', [blockDim]); s[0] = 1;",
  "const table = [1, 2]; y[0] = table[threadIdx];",
  "console.log(`block ${blockIdx}`);",
  "console.log('block ' + blockIdx);",
  "y.subview([blockIdx], [4]).at(0).store(1);",
];
const allowed = [
  "y[threadIdx.x + blockIdx.x * blockDim.x] = f32(gridDim.x);",
  "const t = threadIdx; y[t.x] = f32(cluster.index.y);",
  "const at = (ids: typeof threadIdx) => ids.x; y[at(threadIdx)] = 1;",
  "let which = threadIdx; if (which === undefined) which = blockIdx; y[which.x] = 1;",
  "const o = { ids: blockIdx }; y[o.ids.x] = 1;",
];
const given = {
  parameters: `x: Tensor<"f32", 2>, y: Tensor<"f32", 1>`,
  args: [tensorSpec("f32", [32, 32]), tensorSpec("f32", [32])],
};

test("three numbers stand nowhere in place of one", async () => {
  const codes = await codesOf({ ...given, bodies: refused });
  expect(codes.map((code, i) => `${code}: ${refused[i]}`)).toEqual(refused.map((body) => `W2059: ${body}`));
});

test("three numbers may be passed on", async () => {
  const codes = await codesOf({ ...given, bodies: allowed });
  expect(codes.map((code, i) => `${code}: ${allowed[i]}`)).toEqual(allowed.map((body) => `none: ${body}`));
});
