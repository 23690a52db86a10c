// Gives the name of a function where the function is meant.
import { kernel, openDevice, type Tensor } from "warpsmith";

const show = kernel({ block: 1, grid: 1 }, function show(x: Tensor<"f32", 1>) {
  console.log(x[0]);
});

export const run = async () => {
  await using gpu = await openDevice("emulator");
  using x = gpu.zeros("f32", [1]);
  show.launch({ onLog: "print" as never }, x); // error: W7046
};
