// Keeps a loop's counter in a function, and changes the counter in the body.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  const values: (() => number)[] = [];
  for (let i = 0; i < 4; i++) { // error: W1017
    values.push(() => i);
    if (i === 2) i++;
  }
  x[threadIdx.x] = values[0]();
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
