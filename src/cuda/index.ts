import { fail } from "../diag/index.ts";
import { type DeviceKind, registerDeviceKind } from "../runtime/device-registry.ts";
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

/** Makes CUDA devices known to `openDevice`. */
export const registerCuda = (): (() => void) => registerDeviceKind(createCudaKind(loadLibrary));
