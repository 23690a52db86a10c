// Loads a box that begins five elements into a row.
import { kernel, Mbarriers, sharedMemory, TMA, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 32 }, function wrong(x: TMA<"f32", 2>) {
  const tile = sharedMemory.alloc("f32", [8, 32]);
  const bar = new Mbarriers(1).at(0);
  x.load(tile, bar, [5, 0]); // error: W4518
});

export const run = () => wrong.compile(new TMA(tensorSpec("f32", [64, 64]), { box: [8, 32] }));
