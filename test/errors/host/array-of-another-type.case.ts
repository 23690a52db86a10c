// An array has another element type than it was to have.
import { openDevice } from "warpsmith";
import { loadArray } from "warpsmith/arrays";

export async function run(): Promise<void> {
  await using gpu = await openDevice("emulator");
  await loadArray(gpu, "test/unit/tools/arrays/fixtures/f4.npy", { dtype: "f16", rank: 2 }); // error: W7105
}
