import { probeDevices } from "../../index.ts";
import { json } from "./output.ts";

/** `warpsmith devices` */
export async function devices(options: { readonly json?: true }): Promise<void> {
  const probes = await probeDevices();
  if (options.json) return console.log(json(probes));
  for (const { kind, devices: found, reason } of probes) {
    if (found.length === 0) console.log(`${kind}: none (${reason ?? "none found"})`);
    for (const device of found) {
      const [major, minor] = device.computeCapability;
      const unusable = device.reason ? ` (cannot be used: ${device.reason})` : "";
      console.log(`${kind}:${device.index}  ${device.name}, compute capability ${major}.${minor}${unusable}`);
    }
  }
}
