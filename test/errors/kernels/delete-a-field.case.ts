// Deletes a field of an object.
import { kernel, type Tensor, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(n: Tensor<"i32", 1>) {
  const o: { a?: number } = { a: 1 };
  delete o.a; // error: W2043
  n[0] = 1;
});

export const run = () => wrong.compile(tensorSpec("i32", [128]));
