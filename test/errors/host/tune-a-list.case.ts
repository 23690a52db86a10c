// Gives tune a list of configurations, where a space has a list for each knob.
import { openDevice } from "warpsmith";
import { tune } from "warpsmith/schedule";

export const run = async () => {
  await using device = await openDevice("emulator");
  await tune([{ depth: 2 }, { depth: 3 }] as never, () => undefined as never, { device, args: [] }); // error: W7543
};
