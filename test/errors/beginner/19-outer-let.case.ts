// Reads a variable of the module that is assigned again.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

let scale = 1;
export const setScale = (value: number) => {
  scale = value;
};

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  x[threadIdx.x] = scale; // error: W1009
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
