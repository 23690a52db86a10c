/** What a page would load: the emulator, and kernels to try it with. */
export { EmulatorDevice } from "../../src/emulator/index.ts";
export { chromeTrace } from "../../src/inspect/profile/index.ts";
export { RuntimeDevice } from "../../src/runtime/device.ts";
export { allFacts, runFact } from "../cases/ptx/index.ts";
