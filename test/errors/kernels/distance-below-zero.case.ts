// Goes back in a pipeline, by a number that only the GPU knows.
import { type i32, kernel, openDevice, Pipeline, type Tensor, threadIdx } from "warpsmith";

const back = kernel({ block: 32 }, function back(x: Tensor<"i32", 1>, by: i32) {
  const pipe = new Pipeline({ stages: 3 }).consumer();
  x[threadIdx.x] = pipe.next(by).index; // error: W7527
});

export async function run() {
  await using gpu = await openDevice("emulator");
  const x = gpu.zeros("i32", [32]);
  back.launch({ grid: 1 }, x, -1);
  await x.read();
}
