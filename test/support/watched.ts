import type { Device } from "warpsmith";
import { backendOf } from "../../src/runtime/index.ts";
import { watchBytes } from "../../src/watch-layout.ts";

/** What watched kernels have recorded on an emulator that runs them as a GPU does. */
export interface WatchedEmulator {
  records(): Promise<Uint32Array>;
}

/** Lets an emulator compile and run watched kernels, which it has no need of, as a GPU does. */
export function watchOn(device: Device): WatchedEmulator {
  const backend = backendOf(device);
  const address = backend.allocate(watchBytes);
  let launches = 0;
  backend.fill(backend.defaultStream, address, new Uint8Array(4), watchBytes / 4);
  backend.watchRecords = () => ({ address, next: () => ++launches });
  return {
    records: async () => {
      const bytes = await backend.download(backend.defaultStream, address, watchBytes);
      return new Uint32Array(bytes.buffer, bytes.byteOffset, watchBytes / 4);
    },
  };
}
