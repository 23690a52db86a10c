// Says twice how the caches keep an element.
import { kernel, type Tensor, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 32 }, function wrong(x: Tensor<"f32", 1>) {
  x[0] = x.at(1).load({ cache: "cs", evict: "first" }); // error: W3036
});

export const run = () => wrong.compile(tensorSpec("f32", [32]));
