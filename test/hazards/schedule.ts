import { type Device, openDevice } from "warpsmith";
import type { Schedule as AnySchedule, EmulatorOptions, Trace } from "../../src/emulator/index.ts";

export type Schedule = Exclude<AnySchedule, Trace>;

export interface Setting {
  readonly schedule: Schedule;
  readonly check: "off" | "normal" | "strict";
}

export const optionsOf = (setting: Setting): EmulatorOptions => setting;

/** What a pair runs on. */
export interface Machine {
  readonly setting: Setting;
  readonly device: Device;
}

export const openMachine = async (setting: Setting): Promise<Machine> => ({
  setting,
  device: await openDevice("emulator", setting),
});

export const nameOf = ({ schedule, check }: Setting): string =>
  `${check}, ${typeof schedule === "number" ? `seed ${schedule}` : schedule}`;
