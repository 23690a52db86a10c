/** A device that executes PTX text, with checks: docs/emulator.md. Its floors are machine, program, run and watch. */

export { EmulatorDevice } from "./device.ts";
export { createEmulatorKind, registerEmulator } from "./device-kind.ts";
export { type Choice, type ChoiceName, choiceMeanings, type Schedule, type Trace } from "./machine/choices.ts";
export type { EmulatorOptions } from "./options.ts";
export type { LaunchProgress } from "./run/launch-progress.ts";
export type { WorkerThread, WorkerThreads } from "./run/spread/team.ts";
export { createWorker } from "./worker.ts";
