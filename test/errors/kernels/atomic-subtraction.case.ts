// Asks for an atomic operation that there is not.
import { type AtomicOp, kernel, type Tensor, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 32 }, function wrong(x: Tensor<"i32", 1>) {
  x.at(0).atomic("sub" as AtomicOp, 1); // error: W3020
});

export const run = () => wrong.compile(tensorSpec("i32", [32]));
