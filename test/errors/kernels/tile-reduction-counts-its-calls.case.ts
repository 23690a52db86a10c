// A function that combines two elements counts how often it is called.
import { BlockedLayout, kernel, type Tensor, tensorSpec, tile } from "warpsmith";

const row = new BlockedLayout({ perThread: [2], threads: [32], warps: [4] });

const wrong = kernel({ block: 128, grid: 1 }, function wrong(x: Tensor<"f32", 1>) {
  const seen = { calls: 0 };
  const t = x.loadTile([0], [256], row);
  const sum = tile.reduce(t, 0, (a, b) => { // error: W6521
    seen.calls = seen.calls + 1;
    return a + b;
  });
  x[0] = sum + seen.calls;
});

export const run = () => wrong.compile(tensorSpec("f32", [256]));
