// An array without elements is to become a tensor of a device.
import { openDevice } from "warpsmith";
import { loadArrays } from "warpsmith/arrays";

export async function run(): Promise<void> {
  await using gpu = await openDevice("emulator");
  await loadArrays(gpu, "test/unit/tools/arrays/fixtures/no-elements.npy"); // error: W7108
}
