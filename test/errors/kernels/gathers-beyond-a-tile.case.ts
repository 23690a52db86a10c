// Gathers the element one past the last one of a row.
import { BlockedLayout, kernel, openDevice, type Tensor, tile } from "warpsmith";

const line = new BlockedLayout({ perThread: [2], threads: [32], warps: [4] });

const wrong = kernel({ block: 128, grid: 1 }, function wrong(x: Tensor<"f32", 1>) {
  const next = tile.arange(256, line) + 1;
  x.storeTile([0], tile.gather(x.loadTile([0], [256], line), next, 0)); // error: W7525
});

export async function run() {
  await using gpu = await openDevice("emulator");
  const x = gpu.zeros("f32", [256]);
  wrong.launch({}, x);
  await x.read();
}
