import { display, type Spans } from "../base/diag/index.ts";
import type { BackendEvent, DeviceBackend } from "../runtime/index.ts";
import { fail } from "./errors.ts";
import type { BenchConfig, Timing } from "./types.ts";

/** Memory that a flush overwrites: more than any L2 cache holds. */
export const flushFactor = 2;

/** The middle sample; of an even number of them the mean of the middle two. */
export function median(samples: readonly number[]): number {
  const sorted = samples.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

function summarize(samples: readonly number[]): Timing {
  const mean = samples.reduce((sum, t) => sum + t, 0) / samples.length;
  return { median: median(samples), min: samples.reduce((a, b) => Math.min(a, b)), mean, samples };
}

function counts(kernel: string, config: BenchConfig, spans: Spans): { readonly warmup: number; readonly repeat: number } {
  const { warmup = 3, repeat = 20 } = config;
  const good = Number.isInteger(warmup) && warmup >= 0 && Number.isInteger(repeat) && repeat >= 1;
  return good ? { warmup, repeat } : fail("W7516", { kernel, warmup: display(warmup), repeat: display(repeat) }, spans);
}

/** Times launches one by one after at least one that is not timed, each between two events of its own stream, the L2 cache overwritten before each. W7516, W8013. */
export async function benchmark(
  kernel: string,
  backend: DeviceBackend,
  launch: () => Parameters<DeviceBackend["record"]>[1],
  config: BenchConfig,
  spans: Spans,
): Promise<Timing> {
  if (backend.kind === "emulator") fail("W8013", { kernel }, spans);
  const { warmup, repeat } = counts(kernel, config, spans);
  const flushBytes = config.flush === false ? 0 : backend.l2Bytes * flushFactor;
  const scratch = flushBytes > 0 ? backend.allocate(flushBytes) : undefined;
  const events: { readonly from: BackendEvent; readonly to: BackendEvent }[] = [];
  try {
    let stream = launch();
    for (let i = 1; i < warmup; i++) stream = launch();
    await backend.synchronize();
    for (let i = 0; i < repeat; i++) {
      const pair = { from: backend.createEvent(), to: backend.createEvent() };
      events.push(pair);
      if (scratch !== undefined) backend.fill(stream, scratch, new Uint8Array(4), flushBytes / 4);
      backend.record(pair.from, stream);
      stream = launch();
      backend.record(pair.to, stream);
      if (i % 64 === 63) await backend.reached(pair.to);
    }
    await backend.synchronize();
    return summarize(events.map(({ from, to }) => backend.elapsed(from, to)));
  } finally {
    for (const { from, to } of events) {
      backend.destroyEvent(from);
      backend.destroyEvent(to);
    }
    if (scratch !== undefined) backend.free(scratch);
  }
}
