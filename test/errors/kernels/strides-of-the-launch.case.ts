// A part with strides of a tensor whose strides the launch gives.
import { kernel, openDevice, type Tensor, threadIdx } from "warpsmith";

const every = kernel({ block: 32, grid: 1, dynamic: { x: [1] } }, function every(x: Tensor<"f32", 2>) {
  const part = x.subview([0, 0], [4, 4], [2, 2]); // error: W3038
  part.at(threadIdx.x % 4, 0).store(1);
});

export async function run() {
  await using device = await openDevice("emulator");
  every.launch({}, device.zeros("f32", [8, 8]));
}
