/** What a page would load: the emulator, and kernels to try it with. */
export { EmulatorDevice, joinTraces } from "../../src/emulator/index.ts";
export { RuntimeDevice } from "../../src/runtime/device.ts";
export { allFacts, runFact } from "../cases/ptx/index.ts";
