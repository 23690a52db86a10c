// Groups tiles by a number that only the GPU knows.
import { kernel, type Tensor, TileScheduler, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"i32", 1>) {
  for (const { m } of new TileScheduler([8, 4], { group: x[0]! })) x[m] = 1; // error: W6601
});

export const run = () => wrong.compile(tensorSpec("i32", [128]));
