/** What tools and tests of the repository look into, of the very build that a program beside them loads. The package exports nothing of it. */
export { EmulatorDevice } from "../emulator/index.ts";
export { openTimeline, partsOf, prepare, profileLaunch, roomFor, start } from "../kernel/index.ts";
export { backendOf } from "../runtime/index.ts";
export { launchPtx, parseArguments } from "../tools/launch-ptx/index.ts";
export { transformSource } from "../transform/index.ts";
export { ownThreads } from "./shared/emulator-threads.ts";
