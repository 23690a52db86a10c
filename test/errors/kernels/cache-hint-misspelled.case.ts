// A cache hint with an option that there is not.
import { kernel, type Tensor, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 32 }, function wrong(x: Tensor<"f32", 1>) {
  // @ts-expect-error: no such option
  x.at(0).store(1, { cacheHint: { primary: "evictLast", part: 0.5 } }); // error: W2601
});

export const run = () => wrong.compile(tensorSpec("f32", [32]));
