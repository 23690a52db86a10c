import { type DeviceKind, registerDeviceKind } from "../runtime/device-registry.ts";
import { EmulatorDevice } from "./device.ts";
import type { EmulatorOptions } from "./options.ts";

export { EmulatorDevice } from "./device.ts";
export { type Choice, type ChoiceName, choiceMeanings, type Schedule, type Trace } from "./machine/choices.ts";
export type { EmulatorOptions } from "./options.ts";
export type { LaunchProgress } from "./run/launch-progress.ts";
export type { WorkerThread, WorkerThreads } from "./run/spread/team.ts";
export { createWorker } from "./worker.ts";

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
