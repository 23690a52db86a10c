// Throws where the lines of a kernel are taken.
import { kernel, openDevice, type Tensor } from "warpsmith";

const show = kernel({ block: 1, grid: 1 }, function show(x: Tensor<"f32", 1>) {
  console.log(x[0]);
});

export const run = async () => {
  await using gpu = await openDevice("emulator");
  using x = gpu.zeros("f32", [1]);
  const parse = (text: string): unknown => JSON.parse(`{${text}`); // error: W7047
  show.launch({ onLog: (line) => parse(line.text) }, x);
  await gpu.sync();
};
