import { createCudaKind } from "../../../src/cuda/index.ts";
import { RuntimeDevice } from "../../../src/runtime/device.ts";
import { backendOf, type DeviceBackend, type ModuleOptions } from "../../../src/runtime/index.ts";
import { FakeDriver, type FakeOptions } from "./fake-driver.ts";

export const noEnvironment = {
  device: undefined,
  cache: undefined,
  ptxas: undefined,
  verify: undefined,
  check: undefined,
  schedule: undefined,
  replay: undefined,
  record: undefined,
  profile: undefined,
  stages: undefined,
  watch: undefined,
  autotune: undefined,
};
export const ptx = ".version 8.4 .target sm_90a";

export interface Opened {
  readonly fake: FakeDriver;
  readonly device: RuntimeDevice;
  readonly backend: DeviceBackend;
  /** The handle of the device's own stream. */
  readonly stream: bigint;
}

/** A device over a fake driver. */
export async function openFake(options: FakeOptions = {}, environment: { cache?: string; ptxas?: string } = {}): Promise<Opened> {
  const fake = new FakeDriver(options);
  const kind = createCudaKind(async () => ({ library: fake.library }));
  const device = new RuntimeDevice(await kind.open(0, { ...noEnvironment, watch: options.coreDumps && "on", ...environment }));
  const backend = backendOf(device);
  return { fake, device, backend, stream: (backend.defaultStream as unknown as { handle: bigint }).handle };
}

export const moduleOptions = (entry: string, parameterBytes: readonly number[] = [], dynamicSharedBytes = 0): ModuleOptions => ({
  entry,
  kernel: entry,
  parameterBytes,
  dynamicSharedBytes,
});
