// Loads a vector along the columns of a transposed matrix.
import { kernel, type Tensor, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(y: Tensor<"f32", 2>) {
  const [a] = y.transpose().at(0, 0).load({ vector: 4 }); // error: W3006
  y[0][0] = a;
});

export const run = () => wrong.compile(tensorSpec("f32", [64, 32]));
