/** Both kinds of device, for all entries. */
import { registerDeviceKind } from "../../runtime/index.ts";

// The one place that joins what knows nothing of each other: kinds of device with openDevice.
// Each is loaded when somebody looks for it: who only compiles, or has a GPU, does not wait for the others.
const cuda = async () => (await import("../../cuda/index.ts")).cudaKind;
registerDeviceKind({
  kind: "cuda",
  probe: async () => (await cuda()).probe(),
  open: async (index, environment, settings) => {
    const backend = await (await cuda()).open(index, environment, settings);
    const { profile } = environment;
    if (profile === undefined) return backend;
    const { profilesAtExit } = await import("./profiles-at-exit.ts");
    return Object.assign(backend, { profiles: true, timelines: profilesAtExit(profile) });
  },
});
registerDeviceKind({
  kind: "emulator",
  probe: async () => ({ kind: "emulator", devices: [{ index: 0, name: "emulator", computeCapability: [9, 0] }] }),
  open: async (...given) => (await import("./open-emulator.ts")).openEmulator(...given),
});
