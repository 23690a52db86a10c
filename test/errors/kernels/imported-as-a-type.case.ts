// Converts with a name that is imported as a type.
import { type f32, kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

// The type checker says TS1361 of it; a program runs without one.
const convert = (x: number): number => {
  "use kernel";
  // @ts-expect-error: what this case is about
  return f32(x); // error: W2077
};
const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  x[threadIdx.x] = convert(threadIdx.x);
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
