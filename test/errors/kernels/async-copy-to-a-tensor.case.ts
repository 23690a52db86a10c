// Copies from shared memory to a tensor.
import { asyncCopy, kernel, sharedMemory, type Tensor, tensorSpec } from "warpsmith";

// biome-ignore lint/suspicious/noExplicitAny: what TypeScript would refuse
type Any = any;

const wrong = kernel({ block: 32 }, function wrong(x: Tensor<"f32", 1>) {
  const tile = sharedMemory.alloc("f32", [32]);
  asyncCopy.load(x as Any, tile as Any); // error: W3030
});

export const run = () => wrong.compile(tensorSpec("f32", [32]));
