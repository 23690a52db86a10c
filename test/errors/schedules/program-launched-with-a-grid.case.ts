// Says how many blocks a program has.
import { openDevice } from "warpsmith";
import { type Buffer, bind, program, programKernel } from "warpsmith/schedule";

const clear = program({ X: [64] }, function clear(X: Buffer<"f32", 1>) {
  for (const i of bind("blockIdx.x", 64)) X[i] = 0;
});

export async function run() {
  await using gpu = await openDevice("emulator");
  using x = gpu.zeros("f32", [64]);
  programKernel(clear).launch({ grid: 2 }, x); // error: W5606
}
