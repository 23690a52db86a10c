import { fail } from "../diag/index.ts";
import type { DeviceKind } from "../runtime/device-registry.ts";
import { openCudaDevice } from "./cuda-device.ts";
import { type LibraryResult, loadLibrary } from "./library.ts";
import { probeCuda } from "./probe.ts";

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
