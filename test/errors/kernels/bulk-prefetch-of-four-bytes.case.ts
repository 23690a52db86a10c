// Prefetches one f32.
import { kernel, type Tensor, tensorSpec, tma } from "warpsmith";

const wrong = kernel({ block: 32 }, function wrong(x: Tensor<"f32", 1>) {
  tma.bulkPrefetch(x.subview([0], [1])); // error: W4511
});

export const run = () => wrong.compile(tensorSpec("f32", [32]));
