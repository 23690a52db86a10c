// Compares what has not been read yet.
import { openDevice } from "warpsmith";
import { assertClose } from "warpsmith/testing";

export const run = async () => {
  await using gpu = await openDevice("emulator");
  using x = gpu.zeros("f32", [4]);
  // @ts-expect-error: a list of numbers is wanted
  assertClose(x, [0, 0, 0, 0], { rtol: 0, atol: 0 }); // error: W7901
};
