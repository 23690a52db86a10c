import { type DeviceKind, registerDeviceKind } from "../runtime/index.ts";
import { EmulatorDevice } from "./device.ts";
import type { EmulatorOptions } from "./options.ts";

/** The emulator as a kind of device: it is always there. */
export const createEmulatorKind = (options: EmulatorOptions = {}): DeviceKind => ({
  kind: "emulator",
  probe: async () => ({ kind: "emulator", devices: [{ index: 0, name: "emulator", computeCapability: [9, 0] }] }),
  open: async (_, { check, schedule }, { warnings, ...settings } = {}) => {
    const { warned } = warnings === false ? {} : options;
    const asked = { ...(check && { check }), ...(schedule !== undefined && { schedule }), ...options, ...settings };
    return new EmulatorDevice({ ...asked, warned, warnsOfForeign: warnings === true });
  },
});

/** Makes the emulator known to `openDevice`; gives what takes it back. */
export const registerEmulator = (options: EmulatorOptions = {}): (() => void) => registerDeviceKind(createEmulatorKind(options));
