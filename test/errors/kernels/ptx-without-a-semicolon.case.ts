// Leaves out a semicolon, in a text of several lines.
import { kernel, ptx, type Tensor, threadIdx, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 32, grid: 1 }, function wrong(x: Tensor<"u32", 1>) {
  const t = threadIdx.x;
  x[t] = ptx(
    `{ .reg .u32 a;
       add.u32 a, $1, 1 // error: W9800
       mul.lo.u32 $0, a, a; }`,
    { out: "u32" },
    x[t]!,
  );
});

export const run = () => wrong.compile(tensorSpec("u32", [32]));
