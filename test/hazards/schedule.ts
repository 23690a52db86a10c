import { type Device, openDevice, type Warning } from "warpsmith";
import { warningOf } from "../../src/base/diag/index.ts";
import { type Schedule as AnySchedule, createEmulatorKind, type EmulatorOptions, type Trace } from "../../src/emulator/index.ts";
import { registerDeviceKind } from "../../src/runtime/index.ts";

export type Schedule = Exclude<AnySchedule, Trace>;

export interface Setting {
  readonly schedule: Schedule;
  readonly check: "off" | "normal" | "strict";
}

/** What a pair runs on. */
export interface Machine {
  readonly setting: Setting;
  readonly device: Device;
  /** What its checks have warned of; undefined where they do not warn. */
  readonly warnings: Warning[] | undefined;
}

/** An emulator like it, for PTX. */
export const optionsOf = ({ setting, warnings }: Machine): EmulatorOptions => ({
  ...setting,
  ...(warnings && { warned: (warning) => void warnings.push(warningOf(warning)), warnsOfForeign: true }),
});

/** `warnings`: gets what it warns of; `ofForeign`: of PTX that is not the language's, too. */
export async function openMachine(setting: Setting, warnings?: Warning[], ofForeign = false): Promise<Machine> {
  if (!warnings) return { setting, device: await openDevice("emulator", { ...setting, warnings: false }), warnings };
  const takeBack = registerDeviceKind(createEmulatorKind({ warned: (warning) => void warnings.push(warningOf(warning)) }));
  try {
    return {
      setting,
      device: await openDevice("emulator", { ...setting, ...(ofForeign && setting.check !== "strict" && { warnings: true }) }),
      warnings,
    };
  } finally {
    takeBack();
  }
}

export const nameOf = ({ schedule, check }: Setting): string =>
  `${check}, ${typeof schedule === "number" ? `seed ${schedule}` : schedule}`;
