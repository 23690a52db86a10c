import { type BackendStream, captureOf, type DeviceBackend, onSettled, prepareStream } from "../runtime/index.ts";
import { type Prepared, start } from "./launch.ts";
import type { KernelSource } from "./source.ts";
import { openTimeline } from "./timeline.ts";
import type { LaunchConfig } from "./types.ts";

/** So many launches of a device record at a time: each has memory of its own until the host has read it. */
const most = 16;
const underWay = new WeakMap<DeviceBackend, number>();
const count = (backend: DeviceBackend, by: number): void => void underWay.set(backend, (underWay.get(backend) ?? 0) + by);

/** Enqueues a launch that records its timeline, for who takes those of all launches. What records for nobody does so into memory that is given back. */
export function startRecorded(source: KernelSource, prepared: Prepared, config: LaunchConfig): BackendStream {
  const { backend, device, tensors } = prepared;
  const { timelines } = backend;
  const capture = captureOf(device);
  const stream = prepareStream(device, config.stream, tensors);
  const timeline = openTimeline(source, prepared, stream);
  if (capture) {
    capture.disposed.push(() => timeline.free());
    return start(source, prepared, config);
  }
  const keeps = timelines && timelines.room() > 0 && (underWay.get(backend) ?? 0) < most;
  if (!keeps) {
    const launched = start(source, prepared, config);
    timeline.free();
    return launched;
  }
  const [from, to] = [backend.createEvent(), backend.createEvent()];
  timeline.clear(1);
  backend.record(from, stream);
  start(source, prepared, config);
  backend.record(to, stream);
  const host = timeline.copy();
  const read = backend.createEvent();
  backend.record(read, stream);
  count(backend, 1);
  let pending = true;
  const take = (): void => {
    if (!pending || !backend.passed(read)) return;
    pending = false;
    stop();
    count(backend, -1);
    const recorded = Math.round(backend.elapsed(from, to) * 1000);
    timelines.take({ ...timeline.read(host.bytes, timelines.room()), launches: { recorded } });
    for (const event of [from, to, read]) backend.destroyEvent(event);
    timeline.free();
  };
  const stop = onSettled(device, take);
  backend.reached(read).then(take, () => {});
  return stream;
}
