// Rows in a list, where one list of all elements is wanted.
import { openDevice } from "warpsmith";

export const run = async () => {
  await using gpu = await openDevice("emulator");
  const rows = [
    [1, 2],
    [3, 4],
  ];
  // @ts-expect-error: numbers are wanted
  gpu.tensor("f32", [2, 2], rows); // error: W7004
};
