// Looks up an id that is no row of the table.
import { openDevice } from "warpsmith";
import { embedding } from "warpsmith/kernels";

export const run = async () => {
  await using gpu = await openDevice("emulator");
  const table = gpu.zeros("f32", [10, 64]);
  const ids = gpu.tensor("i32", [3], [1, 10, 2]);
  const y = embedding(table, ids); // error: W7515
  await y.read();
};
