// Asks for an order of C++ that PTX has not.
import { kernel, type Tensor, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 32 }, function wrong(x: Tensor<"u32", 1>) {
  x.at(0).atomic("add", 1, { order: "seq_cst" as never }); // error: W3025
});

export const run = () => wrong.compile(tensorSpec("u32", [32]));
