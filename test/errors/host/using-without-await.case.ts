// Forgets the `await` before the `using` of a device.
import { openDevice } from "warpsmith";

export const run = async () => {
  await using opened = await openDevice("emulator");
  const open = async () => opened;
  using gpu = (await open()) as never; // error: W7536
  void gpu;
};
