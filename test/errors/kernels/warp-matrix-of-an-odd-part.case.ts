// Launches a kernel that loads matrices of a warp from global memory with a part of a tensor that begins 8 bytes behind its beginning.
import { kernel, openDevice, type Tensor, WMMAMatrix, warp } from "warpsmith";

const load = kernel({ block: 32, grid: 1 }, function load(x: Tensor<"f32", 2>, z: Tensor<"f32", 2>) {
  const a = WMMAMatrix.load("c", x.subview([warp.index * 16, 0], [16, 16]), { shape: [16, 16, 16] }); // error: W6303
  a.store(z);
});

export async function run() {
  await using gpu = await openDevice("emulator");
  load.launch({}, gpu.zeros("f32", [264]).slice([2, 258]).reshape(16, 16), gpu.zeros("f32", [16, 16]));
}
