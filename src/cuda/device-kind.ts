import { targetOf, targets } from "../base/target.ts";
import type { DeviceKind, DeviceProbe, FoundDevice } from "../runtime/index.ts";
import { deviceAttribute, oldestDriver } from "./constants.ts";
import { openCudaDevice } from "./cuda-device.ts";
import { fail } from "./errors.ts";
import { type LibraryResult, loadLibrary } from "./library.ts";
import { DriverRefusal, orRefuse, take32, textOf } from "./out-values.ts";
import type { Driver } from "./symbols.ts";

/** CUDA devices through the driver that `load` finds. */
export const createCudaKind = (load: () => Promise<LibraryResult>): DeviceKind => ({
  kind: "cuda",
  probe: async () => probeCuda(await load()),
  open: async (index, environment) => {
    const { library, problem } = await load();
    return library ? openCudaDevice(library, index, environment) : fail("W8003", { reason: problem });
  },
});

/** CUDA devices of this machine. */
export const cudaKind: DeviceKind = createCudaKind(loadLibrary);

/** What the driver finds, and why what it finds cannot be used. Never throws. */
function probeCuda({ library, problem }: LibraryResult): DeviceProbe {
  if (!library) return { kind: "cuda", devices: [], reason: problem };
  try {
    const devices = findDevices(library.driver);
    return { kind: "cuda", devices, reason: whyNone(devices) };
  } catch (error) {
    if (!(error instanceof DriverRefusal)) throw error;
    return { kind: "cuda", devices: [], reason: error.message };
  }
}

const needed = targets.map((t) => `${t.computeCapability.join(".")} (${t.architecture})`).join(" or ");

const versionText = (version: number): string => `${Math.floor(version / 1000)}.${Math.floor((version % 1000) / 10)}`;

function findDevices(driver: Driver): FoundDevice[] {
  orRefuse(driver.cuInit(0));
  const version = take32((out) => driver.cuDriverGetVersion(out), orRefuse);
  if (version < oldestDriver)
    throw new DriverRefusal(`the NVIDIA driver is of CUDA ${versionText(version)}, and 12.0 or newer is needed`);
  const count = take32((out) => driver.cuDeviceGetCount(out), orRefuse);
  return Array.from({ length: count }, (_, index) => describeDevice(driver, index));
}

function describeDevice(driver: Driver, index: number): FoundDevice {
  const device = take32((out) => driver.cuDeviceGet(out, index), orRefuse);
  const attribute = (which: number): number => take32((out) => driver.cuDeviceGetAttribute(out, which, device), orRefuse);
  const name = new Uint8Array(256);
  orRefuse(driver.cuDeviceGetName(name, name.length, device));
  const major = attribute(deviceAttribute.computeCapabilityMajor);
  const minor = attribute(deviceAttribute.computeCapabilityMinor);
  const reason = targetOf([major, minor])
    ? undefined
    : `${textOf(name)} has compute capability ${major}.${minor}, and ${needed} is needed`;
  return { index, name: textOf(name), computeCapability: [major, minor], reason };
}

function whyNone(devices: readonly FoundDevice[]): string | undefined {
  if (devices.some((device) => device.reason === undefined)) return undefined;
  if (devices.length === 0) return "the driver finds no NVIDIA GPU";
  return [...new Set(devices.map((device) => device.reason))].join("; ");
}
