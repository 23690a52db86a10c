// Makes dimensions of a tensor within an object dynamic, where the object of the launch has none of that name.
import { kernel, openDevice, type Tensor, threadIdx } from "warpsmith";

const wrong = kernel(
  { block: 128, grid: 1, dynamic: { "inputs.y": [0] } },
  function wrong(out: Tensor<"f32", 1>, inputs: { readonly x: Tensor<"f32", 1> }) {
    out[threadIdx.x] = inputs.x[threadIdx.x];
  },
);

export async function run() {
  await using gpu = await openDevice("emulator");
  const x = gpu.zeros("f32", [128]);
  wrong.launch({}, x, { x }); // error: W7512
}
