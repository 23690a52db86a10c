import { bind, take32, take64, takeText } from "./native/bind.ts";
import { mean, round } from "./stats.ts";

/** NVIDIA Management Library (NVML API reference, 12.x). Each gives an nvmlReturn_t: 0 is success. */
const symbols = {
  nvmlInit_v2: [],
  nvmlSystemGetDriverVersion: ["pointer", "u32"],
  nvmlDeviceGetHandleByPciBusId_v2: ["text", "pointer"],
  nvmlDeviceGetClockInfo: ["u64", "i32", "pointer"],
  nvmlDeviceGetPowerUsage: ["u64", "pointer"],
  nvmlDeviceGetEnforcedPowerLimit: ["u64", "pointer"],
  nvmlDeviceGetTemperature: ["u64", "i32", "pointer"],
  nvmlDeviceGetTotalEnergyConsumption: ["u64", "pointer"],
  nvmlDeviceGetCurrentClocksThrottleReasons: ["u64", "pointer"],
} as const;

const smClock = 1,
  gpuTemperature = 0;

/** What held the clock down (nvmlClocksThrottleReason*), idleness aside. */
const reasons: readonly (readonly [bit: bigint, name: string])[] = [
  [0x2n, "application clocks"],
  [0x4n, "power cap"],
  [0x8n, "hardware slowdown"],
  [0x10n, "sync boost"],
  [0x20n, "thermal"],
  [0x40n, "hardware thermal"],
  [0x80n, "power brake"],
];

/** What was seen while the device worked. What NVML does not tell is missing. */
export interface Reading {
  /** Mean clock of the multiprocessors. */
  readonly clockMHz: number;
  /** Mean power, by the energy used where the device counts it. */
  readonly watts: number;
  readonly celsius: number;
  /** What held the clock down, in any sample. */
  readonly limits: readonly string[];
}

/** Follows one contender's runs. */
export interface Monitor {
  start(): void;
  sample(): void;
  stop(): void;
  reading(): Partial<Reading>;
}

export const noMonitor: Monitor = { start() {}, sample() {}, stop() {}, reading: () => ({}) };

/** What a device tells about itself, now; undefined where it does not. */
export interface Gauges {
  clockMHz(): number | undefined;
  watts(): number | undefined;
  celsius(): number | undefined;
  /** Since the driver was loaded. */
  millijoules(): number | undefined;
  limits(): readonly string[];
}

export const limitsOf = (mask: bigint): readonly string[] =>
  reasons.filter(([bit]) => (mask & bit) !== 0n).map(([, name]) => name);

/** Samples are kept at most this often, in milliseconds. */
const interval = 10;

/** Samples of the first `settle` milliseconds of each run are left out: clock and power follow the load slowly. */
export function monitor(gauges: Gauges, now: () => number = () => performance.now(), settle = 150): Monitor {
  const clocks: number[] = [],
    watts: number[] = [],
    celsius: number[] = [];
  const limits = new Set<string>();
  let [began, last, energyAt] = [0, 0, 0];
  let energy: number | undefined;
  let [joules, seconds] = [0, 0];
  const keep = (list: number[], value: number | undefined): void => {
    if (value !== undefined) list.push(value);
  };
  return {
    start() {
      began = now();
      last = Number.NEGATIVE_INFINITY;
      energy = undefined;
    },
    sample() {
      const time = now();
      if (time - began < settle || time - last < interval) return;
      last = time;
      if (energy === undefined) [energy, energyAt] = [gauges.millijoules(), now()];
      keep(clocks, gauges.clockMHz());
      keep(watts, gauges.watts());
      keep(celsius, gauges.celsius());
      for (const limit of gauges.limits()) limits.add(limit);
    },
    stop() {
      const end = energy === undefined ? undefined : gauges.millijoules();
      if (end === undefined || energy === undefined || now() - energyAt < 100) return;
      joules += (end - energy) / 1000;
      seconds += (now() - energyAt) / 1000;
    },
    reading() {
      const some = <K extends keyof Reading>(key: K, list: readonly number[]) =>
        list.length > 0 ? { [key]: round(mean(list), 4) } : {};
      const power = seconds > 0 ? { watts: round(joules / seconds, 4) } : some("watts", watts);
      return { ...some("clockMHz", clocks), ...power, ...some("celsius", celsius), limits: [...limits] };
    },
  };
}

export interface Management extends Gauges {
  readonly driver: string;
  readonly powerLimitWatts: number | undefined;
}

/** The gauges of the device with that PCI bus id; a clause that says why not where there is no NVML. */
export function openManagement(busId: string): Management | string {
  try {
    const nvml = bind(process.platform === "win32" ? "nvml.dll" : "libnvidia-ml.so.1", symbols);
    const ok = (code: number, what: string): void => {
      if (code !== 0) throw new Error(`NVML answered ${code} to ${what}`);
    };
    ok(nvml.nvmlInit_v2(), "nvmlInit");
    const device = take64((out) => ok(nvml.nvmlDeviceGetHandleByPciBusId_v2(busId, out), `the question for device ${busId}`));
    const number = (call: (out: Int32Array) => number, scale: number): number | undefined => {
      let code = 0;
      const value = take32((out) => {
        code = call(out);
      });
      return code === 0 ? value * scale : undefined;
    };
    const wide = (call: (out: BigUint64Array) => number): bigint | undefined => {
      let code = 0;
      const value = take64((out) => {
        code = call(out);
      });
      return code === 0 ? value : undefined;
    };
    const millijoules = (): number | undefined => {
      const value = wide((out) => nvml.nvmlDeviceGetTotalEnergyConsumption(device, out));
      return value === undefined ? undefined : Number(value);
    };
    return {
      driver: takeText(80, (out) => ok(nvml.nvmlSystemGetDriverVersion(out, out.length), "the driver's version")),
      powerLimitWatts: number((out) => nvml.nvmlDeviceGetEnforcedPowerLimit(device, out), 1e-3),
      clockMHz: () => number((out) => nvml.nvmlDeviceGetClockInfo(device, smClock, out), 1),
      watts: () => number((out) => nvml.nvmlDeviceGetPowerUsage(device, out), 1e-3),
      celsius: () => number((out) => nvml.nvmlDeviceGetTemperature(device, gpuTemperature, out), 1),
      millijoules,
      limits: () => limitsOf(wide((out) => nvml.nvmlDeviceGetCurrentClocksThrottleReasons(device, out)) ?? 0n),
    };
  } catch (error) {
    return error instanceof Error ? error.message.split("\n")[0] : String(error);
  }
}
