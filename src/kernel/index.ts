/**
 * What `kernel()` returns: joins tracing, compile.ts and the runtime in launch, compile, trace and bench. tune/ is the search for the fastest, with a face of its
 * own. A launch goes this way:
 *
 * - kernel.ts: `launch` of the kernel's value;
 * - launcher.ts: options are checked; ready-launches.ts has the launch that was made for the same arguments before;
 * - launch.ts `prepare`, where there is none: arguments.ts sorts them, instance.ts traces and compiles for their types and static values, load.ts loads the
 *   module, parameters.ts packs what the kernel takes;
 * - launch.ts `start`, or recorded-launch.ts where a timeline is recorded: the launch goes to the stream of the backend (`DeviceBackend` of runtime), which is
 *   cuda/cuda-device.ts and driver-launches.ts, or emulator/device.ts.
 *
 * A launch that hangs: passes/machine-level/watch-waits.ts has made its kernel record where warps wait, cuda/watchdog.ts finds that nothing of it changes, and
 * watch/report.ts makes W7750 of it.
 */

export { type Arguments, alignment, sortArguments } from "./arguments.ts";
export { type Instance, shapeOf } from "./instance.ts";
export { makeKernel } from "./kernel.ts";
export { prepare, start } from "./launch.ts";
export type { KernelParts } from "./launcher.ts";
export { profileLaunch } from "./profile.ts";
export * from "./public.ts";
export type { KernelSource } from "./source.ts";
export { openTimeline, roomFor } from "./timeline.ts";
export { partsOf } from "./value.ts";
