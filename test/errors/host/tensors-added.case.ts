// Adds two tensors on the host.
import { openDevice } from "warpsmith";

export const run = async () => {
  await using gpu = await openDevice("emulator");
  using x = gpu.zeros("f32", [4]);
  using y = gpu.zeros("f32", [4]);
  console.assert(`${x}` === "DeviceTensor<f32> [4]");
  // @ts-expect-error: tensors are no numbers
  return x + y; // error: W7059
};
