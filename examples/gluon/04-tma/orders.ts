import { TMA } from "warpsmith";
import { assertClose, randn } from "warpsmith/testing";
import { copyInThenLoad, loadThenCopyIn, N, storeArriveThenCopyOut, storeThenCopyOut } from "./kernel.ts";
import type { Order } from "./order.ts";

const x = randn(2 * N), exact = { rtol: 0, atol: 0 }, box = [N] as const;

const copyOut = (kernel: typeof storeThenCopyOut): Order["run"] => async (gpu, fenced) => {
  using input = gpu.tensor("f32", [N], x.slice(0, N)), output = gpu.zeros("f32", [N]);
  kernel.launch({}, input, new TMA(output, { box }), fenced);
  assertClose(await output.read(), x.slice(0, N), exact);
};

const copyIn = (kernel: typeof loadThenCopyIn, expected: Float32Array): Order["run"] => async (gpu, fenced) => {
  using input = gpu.tensor("f32", [2 * N], x), output = gpu.zeros("f32", [N]);
  kernel.launch({}, new TMA(input, { box }), output, fenced);
  assertClose(await output.read(), expected, exact);
};

export const orders: readonly Order[] = [
  { name: "loadThenCopyIn", run: copyIn(loadThenCopyIn, x.slice(0, N).map((v, i) => v + x[N + i])) },
  { name: "storeThenCopyOut", run: copyOut(storeThenCopyOut) },
  { name: "copyInThenLoad", run: copyIn(copyInThenLoad, x.slice(0, N)) },
  { name: "storeArriveThenCopyOut", run: copyOut(storeArriveThenCopyOut) },
];
