// A cache hint for none of the accesses.
import { kernel, type Tensor, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 32 }, function wrong(x: Tensor<"f32", 1>) {
  x.at(0).store(1, { cacheHint: { primary: "evictLast", fraction: 0 } }); // error: W3025
});

export const run = () => wrong.compile(tensorSpec("f32", [32]));
