// Prints where an element is, and not what it is.
import { kernel, openDevice, type Tensor, threadIdx } from "warpsmith";

const look = kernel({ block: 64, grid: 1 }, function look(x: Tensor<"f32", 1>) {
  console.log("x is", x.at(threadIdx.x)); // error: W2010
});

export async function run() {
  await using gpu = await openDevice("emulator");
  const x = gpu.zeros("f32", [64]);
  look.launch({}, x);
  await x.read();
}
