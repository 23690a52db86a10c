import { launchesApart, watchBytes, watchRoomBytes } from "../../src/base/watch-layout.ts";
import type { DeviceBackend } from "../../src/runtime/index.ts";

/** What watched kernels have recorded on a device that runs them as a GPU does. */
export interface Recorded {
  records(): Promise<Uint32Array>;
}

/** Lets a device compile and run watched kernels, as an emulator has no need to. */
export function recordOn(backend: DeviceBackend): Recorded {
  const address = backend.allocate(watchRoomBytes);
  let launches = 0;
  backend.fill(backend.defaultStream, address, new Uint8Array(4), watchRoomBytes / 4);
  backend.watchRecords = () => ({ address, next: () => ++launches * launchesApart });
  return {
    records: async () => {
      const bytes = await backend.download(backend.defaultStream, address, watchBytes);
      return new Uint32Array(bytes.buffer, bytes.byteOffset, watchBytes / 4);
    },
  };
}
