// Gives a thread index to an ordinary class.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

class Cell {
  constructor(readonly value: number) {}
}

const wrong = kernel({ block: 128 }, function wrong(n: Tensor<"i32", 1>) {
  n[threadIdx.x] = new Cell(threadIdx.x).value; // error: W2034
});

export const run = () => wrong.compile(tensorSpec("i32", [128]));
