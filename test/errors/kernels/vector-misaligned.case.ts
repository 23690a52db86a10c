// Loads a vector of four from an odd index.
import { kernel, type Tensor, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  const [a] = x.at(3).load({ vector: 4 }); // error: W3005
  x[0] = a;
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
