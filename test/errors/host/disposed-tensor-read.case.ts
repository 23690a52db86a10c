// Reads a tensor after its `using` scope.
import { openDevice } from "warpsmith";

export const run = async () => {
  await using gpu = await openDevice();
  const x = gpu.zeros("f32", [128]);
  x.dispose();
  await x.read(); // error: W7006
};
