// Calls a helper that calls a helper …, 600 deep: none of them calls itself.
import { helper, kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

type Step = (x: number) => number;

const next = (step: Step): Step => helper((x: number) => step(x) + 1); // error: W2067
let chain: Step = helper((x: number) => x);
for (let i = 0; i < 600; i++) chain = next(chain);
const deep = chain;

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  x[threadIdx.x] = deep(x[threadIdx.x]);
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
