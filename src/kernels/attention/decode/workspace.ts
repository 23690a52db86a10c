import type { Device, DeviceTensor, Stream } from "warpsmith";

/** Memory for parts of a launch of that many blocks, each of two parts of `rows` rows of `dv` elements. */
export interface Workspace {
  readonly output: DeviceTensor<"f32", 3>;
  readonly sums: DeviceTensor<"f32", 3>;
  readonly counters: DeviceTensor<"i32", 1>;
}

/** By device or stream, whose launches come one after the other, and by shape. It stays as long as they do. */
const made = new WeakMap<Device | Stream, Map<string, Workspace>>();

/** The workspace of launches on that stream. Every launch leaves its counters at 0, as it finds them. */
export function workspaceOf(device: Device, stream: Stream | undefined, blocks: number, rows: number, dv: number): Workspace {
  // What is no stream is refused by the launch.
  const owner = typeof stream === "object" && stream !== null ? stream : device;
  const all = made.get(owner) ?? new Map<string, Workspace>();
  made.set(owner, all);
  const key = `${blocks}|${rows}|${dv}`;
  const workspace =
    all.get(key) ??
    Object.freeze({
      output: device.empty("f32", [2 * blocks, rows, dv]),
      sums: device.empty("f32", [2 * blocks, 2, rows]),
      counters: device.zeros("i32", [blocks]),
    });
  all.set(key, workspace);
  return workspace;
}
