/** The device of `build((gpu) => …)`: its tensors have addresses and no memory, so that library kernels can be prepared for them. */

import { defaultTarget } from "../../base/target.ts";
import { type DeviceBackend, RuntimeDevice } from "../../runtime/index.ts";
import { fail } from "./errors.ts";

/** Of an H100 or H200 with NVLink, which plans are chosen for. */
const multiprocessors = 132;
const l2Bytes = 50 * 2 ** 20;
const firstAddress = 0x7f00_0000_0000n;
const alignment = 256n;

const refuse = (what: string) => (): never => fail("W7728", { what });

type Optional<T> = { [K in keyof T]-?: undefined extends T[K] ? K : never }[keyof T];

/** What a device may have and this one has not: all of it is named here, so that the refusal below never answers for it. */
const absent: Record<Optional<DeviceBackend>, undefined> = {
  oneByOne: undefined,
  profiles: undefined,
  timelines: undefined,
  watchRecords: undefined,
  failedBehind: undefined,
  untold: undefined,
};

function paperBackend(): DeviceBackend {
  let next = firstAddress;
  const stream = { role: "stream" } as const;
  const nothing = async (): Promise<void> => {};
  const known: Partial<DeviceBackend> = {
    kind: "cuda",
    name: "a device on paper",
    multiprocessors,
    target: defaultTarget,
    l2Bytes,
    defaultStream: stream,
    allocate(bytes) {
      const address = next;
      next += ((BigInt(bytes) + alignment - 1n) / alignment) * alignment;
      return address;
    },
    free: () => {},
    memoryAt: () => ({ problem: "this device has none" }),
    orderAfter: () => {},
    passed: () => true,
    synchronize: nothing,
    dispose: nothing,
    download: refuse("Reading a tensor"),
    upload: refuse("Writing a tensor"),
    fill: refuse("Writing a tensor"),
    copy: refuse("Copying a tensor"),
    launch: refuse("A launch"),
    loadModule: refuse("A launch"),
    encodeTensorMap: refuse("A launch"),
  };
  return new Proxy(known as DeviceBackend, {
    get: (target, key, receiver) =>
      key in absent ? undefined : (Reflect.get(target, key, receiver) ?? refuse(`What was asked for (${String(key)})`)),
  });
}

/** A new one. */
export const paperDevice = (): RuntimeDevice => new RuntimeDevice(paperBackend());
