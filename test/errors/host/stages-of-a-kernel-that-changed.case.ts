// The function of a kernel reads an object that has changed since it was compiled, and its stages are asked for.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const settings = { factor: 2 };
const scale = kernel({ block: 32 }, function scale(x: Tensor<"f32", 1>) { // error: W7529
  x[threadIdx.x] = x[threadIdx.x] * settings.factor;
});

export function run(): void {
  const compiled = scale.compile(tensorSpec("f32", [32]));
  settings.factor = 3;
  compiled.stages;
}
