// Lays four blocks side by side in clusters of two.
import { kernel, type Tensor, TileScheduler, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 128, cluster: 2 }, function wrong(x: Tensor<"i32", 1>) {
  for (const { m } of new TileScheduler([8, 4], { cluster: [2, 2] })) x[m] = 1; // error: W6603
});

export const run = () => wrong.compile(tensorSpec("i32", [128]));
