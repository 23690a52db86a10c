import type { DeviceBackend, Launch, LoadedModule } from "../../../src/runtime/index.ts";

/** A launch of one warp in the device's own stream, written at main.ts:7:3. */
export function launchOf(backend: DeviceBackend, module: LoadedModule, change: Partial<Launch> = {}): Launch {
  return {
    module,
    parameters: backend.parameters(module),
    grid: [1, 1, 1],
    block: [32, 1, 1],
    cluster: [1, 1, 1],
    sharedBytes: 0,
    stream: backend.defaultStream,
    overlapPrevious: false,
    spans: [{ file: "main.ts", line: 7, column: 3, length: 5 }],
    ...change,
  };
}
