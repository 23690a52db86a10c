import { type Device, openDevice } from "warpsmith";
import { type EmulatorOptions, registerEmulator, type Schedule } from "../../src/emulator/index.ts";

export type { Schedule };

export interface Setting {
  readonly schedule: Schedule;
  readonly check: "off" | "normal" | "strict";
  /** Steps without an effect; without: the device's own. */
  readonly stepBudget?: number;
}

export const optionsOf = ({ schedule, check, stepBudget }: Setting): EmulatorOptions => ({
  schedule,
  check,
  ...(stepBudget === undefined ? {} : { stepBudget }),
});

/** What a pair runs on. */
export interface Machine {
  readonly setting: Setting;
  readonly device: Device;
}

export async function openMachine(setting: Setting): Promise<Machine> {
  const takeBack = registerEmulator(optionsOf(setting));
  try {
    return { setting, device: await openDevice("emulator") };
  } finally {
    takeBack();
  }
}

export const nameOf = ({ schedule, check }: Setting): string =>
  `${check}, ${typeof schedule === "number" ? `seed ${schedule}` : schedule}`;
