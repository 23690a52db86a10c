// Names a cache hint as PTX does.
import { kernel, sharedMemory, type Tensor, tensorSpec, tma } from "warpsmith";

const wrong = kernel({ block: 32 }, function wrong(x: Tensor<"f32", 1>) {
  const tile = sharedMemory.alloc("f32", [32]);
  // @ts-expect-error: no such hint
  tma.bulkStore(x, tile, { cacheHint: "evict_first" }); // error: W3025
});

export const run = () => wrong.compile(tensorSpec("f32", [32]));
