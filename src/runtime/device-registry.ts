import { checkOptions, display, optionsOf, placeOnStack, refuseMore, WarpsmithError } from "../base/diag/index.ts";
import { type DeviceChoice, deviceChoicePattern, type Environment, readEnvironment } from "../base/env.ts";
import { openingOf } from "./awaited.ts";
import type { DeviceBackend } from "./backend.ts";
import { RuntimeDevice } from "./device.ts";
import { fail } from "./errors/index.ts";
import type { Device, EmulatorSettings } from "./types.ts";

export type DeviceKindName = "cuda" | "emulator";

/** One device that was looked at. */
export interface FoundDevice {
  /** Its number: `openDevice("cuda:1")` opens number 1. */
  readonly index: number;
  /** What the driver calls it. */
  readonly name: string;
  /** Warpsmith runs on [9, 0]. */
  readonly computeCapability: readonly [major: number, minor: number];
  /** Why it cannot run kernels, as a clause; undefined where it can. */
  readonly reason?: string | undefined;
}

/** What there is of one kind of device. */
export interface DeviceProbe {
  /** Which kind was looked for. */
  readonly kind: DeviceKindName;
  /** Those that were found, able or not, in the order of their numbers. */
  readonly devices: readonly FoundDevice[];
  /** Why none of them can run kernels, as a clause; undefined where one can. */
  readonly reason?: string | undefined;
}

export interface DeviceKind {
  readonly kind: DeviceKindName;
  /** Looks without opening; never throws. */
  probe(): Promise<DeviceProbe>;
  /** `index` of a device that the probe found able. */
  open(index: number, environment: Environment, settings?: EmulatorSettings): Promise<DeviceBackend>;
}

const kinds = new Map<DeviceKindName, DeviceKind>();

/** Makes a kind of device known to `openDevice`; the last one of a name counts. Gives what takes it back. */
export function registerDeviceKind(kind: DeviceKind): () => void {
  const before = kinds.get(kind.kind);
  kinds.set(kind.kind, kind);
  return () => {
    if (kinds.get(kind.kind) !== kind) return;
    if (before) kinds.set(kind.kind, before);
    else kinds.delete(kind.kind);
  };
}

const absent: Readonly<Record<DeviceKindName, string>> = {
  cuda: "CUDA is not part of this build",
  emulator: "the emulator is not part of this version",
};

async function probeKind(name: DeviceKindName): Promise<DeviceProbe> {
  const kind = kinds.get(name);
  return kind ? kind.probe() : { kind: name, devices: [], reason: absent[name] };
}

/** What there is on this machine, and why what is missing cannot be used. Never throws. */
export async function probeDevices(): Promise<readonly DeviceProbe[]> {
  refuseMore(probeDevices, arguments);
  return [await probeKind("cuda"), await probeKind("emulator")];
}

/**
 * The first CUDA device of compute capability 9.0, else the emulator; the argument, then `WARPSMITH_DEVICE`, choose.
 * `settings` are for the emulator alone, and come before `WARPSMITH_CHECK` and `WARPSMITH_SEED`.
 * W7001 wrong environment, W2601, W2602, W7022, W7025 wrong argument, W7026 wrong file of choices, W8001–W8004 no such device.
 *
 * @example
 * ```ts
 * await using gpu = await openDevice(); // a CUDA device where there is one, else the emulator
 * await using strict = await openDevice("emulator", { check: "strict" });
 * console.log(strict.kind); // emulator
 * ```
 */
export function openDevice(which?: DeviceChoice, settings?: EmulatorSettings): Promise<Device> {
  return opening(opened(which, settings, arguments));
}

const opening = openingOf(Object.getOwnPropertyNames(RuntimeDevice.prototype));

async function opened(
  which: DeviceChoice | undefined,
  settings: EmulatorSettings | undefined,
  given: IArguments,
): Promise<Device> {
  refuseMore(openDevice, given);
  const spans = placeOnStack();
  try {
    checkSettings(settings);
    return await openChosen(which, settings);
  } catch (error) {
    throw error instanceof WarpsmithError ? error.at(spans) : error;
  }
}

/** Worker threads that an emulator may have. */
const mostThreads = 256;

const isSeed = (x: unknown): boolean => Number.isInteger(x) && Number(x) >= 0 && Number(x) < 2 ** 32;

const emulatorSettings = optionsOf<EmulatorSettings>("openDevice()", {
  schedule: true,
  check: true,
  warnings: true,
  threads: true,
});

/** W2601, W2602, W7025. */
function checkSettings(settings: EmulatorSettings = {}): void {
  checkOptions(settings, emulatorSettings);
  const { schedule, check, warnings, threads } = settings;
  if (schedule !== undefined && !["eager", "lazy", "torn"].includes(schedule as string) && !isSeed(schedule))
    fail("W7025", {
      setting: "schedule",
      given: display(schedule),
      expected: '"eager", "lazy", "torn" or a whole number below 2 ** 32',
    });
  if (check !== undefined && !["off", "normal", "strict"].includes(check))
    fail("W7025", { setting: "check", given: display(check), expected: '"off", "normal" or "strict"' });
  if (warnings !== undefined && typeof warnings !== "boolean")
    fail("W7025", { setting: "warnings", given: display(warnings), expected: "true or false" });
  // `strict` makes errors of them, and `off` looks for nothing.
  if (warnings && check !== undefined && check !== "normal")
    fail("W7025", {
      setting: "warnings",
      given: `true beside check: ${display(check)}`,
      expected: 'beside check: "normal" alone',
    });
  if (threads !== undefined && !(Number.isInteger(threads) && threads >= 1 && threads <= mostThreads))
    fail("W7025", { setting: "threads", given: display(threads), expected: `a whole number from 1 to ${mostThreads}` });
}

async function openChosen(which: DeviceChoice | undefined, settings: EmulatorSettings | undefined): Promise<Device> {
  if (which !== undefined && !(typeof which === "string" && deviceChoicePattern.test(which)))
    fail("W7022", { given: display(which) });
  const { values, problem } = readEnvironment();
  if (problem) fail("W7001", problem);
  const choice = which ?? values.device;
  if (choice === undefined) return openAny(values, settings);
  if (choice === "cuda" || choice === "emulator") return openFirst(choice, values, settings);
  return openNumbered(choice, values);
}

async function open(name: DeviceKindName, index: number, environment: Environment, settings?: EmulatorSettings): Promise<Device> {
  const kind = kinds.get(name);
  if (!kind) fail(name === "cuda" ? "W8003" : "W8002", { reason: absent[name] });
  return new RuntimeDevice(await kind.open(index, environment, settings));
}

const firstAble = (probe: DeviceProbe): FoundDevice | undefined => probe.devices.find((device) => device.reason === undefined);

async function openAny(environment: Environment, settings: EmulatorSettings | undefined): Promise<Device> {
  const probes = await probeDevices();
  for (const probe of probes) {
    const device = firstAble(probe);
    if (device) return open(probe.kind, device.index, environment, settings);
  }
  const [cuda, emulator] = probes.map((probe) => probe.reason ?? "it has no device");
  return fail("W8001", { cuda: cuda ?? absent.cuda, emulator: emulator ?? absent.emulator });
}

async function openFirst(
  name: DeviceKindName,
  environment: Environment,
  settings: EmulatorSettings | undefined,
): Promise<Device> {
  const probe = await probeKind(name);
  const device = firstAble(probe);
  if (device) return open(name, device.index, environment, settings);
  return fail(name === "cuda" ? "W8003" : "W8002", { reason: probe.reason ?? "it has no device" });
}

async function openNumbered(choice: DeviceChoice, environment: Environment): Promise<Device> {
  const index = Number(choice.slice("cuda:".length));
  const probe = await probeKind("cuda");
  if (probe.devices.length === 0) fail("W8003", { reason: probe.reason ?? "there is none" });
  const device = probe.devices.find((found) => found.index === index);
  if (!device) fail("W8004", { which: choice, reason: `there are ${probe.devices.length}, numbered from 0` });
  if (device.reason !== undefined) fail("W8004", { which: choice, reason: device.reason });
  return open("cuda", index, environment);
}
