// Sorts a row of more keys than threads number.
import { openDevice } from "warpsmith";
import { sort } from "warpsmith/kernels";

export const machine = { memoryBytes: 2 ** 40 };

export async function run() {
  await using gpu = await openDevice("cuda");
  sort(gpu.empty("i32", [2 ** 31])); // error: W7710
}
