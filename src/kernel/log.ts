import { format } from "node:util";
import { authorsCall, display, noSpans, type Spans, textAt, type WarpsmithError } from "../base/diag/index.ts";
import { logLayout } from "../base/log-layout.ts";
import { warpSize } from "../base/target.ts";
import type { Dim3 } from "../base/types.ts";
import type { MarkRecord } from "../inspect/profile/index.ts";
import { bitsOf, type LogForm, type LogSite, type ScalarType } from "../ir/index.ts";
import {
  type BackendStream,
  type Device,
  type DeviceBackend,
  decodeElements,
  failLater,
  type LaunchTurn,
  onSettled,
} from "../runtime/index.ts";
import { makeError } from "./errors.ts";
import { logRecords } from "./log-records.ts";
import type { LogLine } from "./types.ts";

/** Where a record's parts begin, in words. */
const record = { site: 0, block: 1, thread: 4 } as const;

/** What one launch logs. */
export interface LogBuffer {
  /** What the kernel takes. */
  readonly address: bigint;
  /** What an assertion that failed left to say. */
  explain(): WarpsmithError | undefined;
  /** What the launch has to be told of. */
  readonly turn: LaunchTurn | undefined;
  /** What marks of a profile have recorded so far. */
  marks(): readonly MarkRecord[];
  /** The launch has been enqueued: its lines are printed once it is done. */
  launched(stream: BackendStream): void;
}

/** A value as JavaScript has it. */
function decode(words: Uint32Array, at: number, type: ScalarType): number | bigint | boolean {
  const pair = new Uint32Array([words[at] ?? 0, words[at + 1] ?? 0]);
  if (type === "pred") return pair[0] !== 0;
  const [value] = decodeElements(type, new Uint8Array(pair.buffer, 0, bitsOf(type) / 8));
  return value ?? 0;
}

function triple(words: Uint32Array, at: number): Dim3 {
  return [words[at] ?? 0, words[at + 1] ?? 0, words[at + 2] ?? 0];
}

/** As Node prints a value, a bigint with its n and -0 with its sign, or by a specifier; in a text as JavaScript makes text of it. */
function asText(value: number | bigint | boolean, form: LogForm | undefined): string {
  if (form === "text") return String(value);
  if (form) return format(`%${form}`, value);
  return Object.is(value, -0) ? "-0" : format(value);
}

/** One record, decoded. */
interface LogRecord {
  readonly site: LogSite;
  readonly block: Dim3;
  readonly thread: Dim3;
  readonly values: readonly (number | bigint | boolean)[];
}

/** Every record in the record area, in the order in which the threads took their places. */
function* recordsIn(words: Uint32Array, sites: readonly LogSite[]): Generator<LogRecord> {
  let at: number = logLayout.firstRecord;
  for (;;) {
    const site = sites[(words[at + record.site] ?? 0) - 1];
    if (!site) return;
    let next = at + logLayout.prefix;
    const values = site.types.map((type) => {
      const value = decode(words, next, type);
      next += bitsOf(type) === 64 ? 2 : 1;
      return value;
    });
    yield { site, block: triple(words, at + record.block), thread: triple(words, at + record.thread), values };
    at = next;
  }
}

/** The line a record stands for. */
function lineOf({ site, block, thread, values }: LogRecord): LogLine | undefined {
  const [span] = site.spans;
  if (site.kind !== "log" || !span) return undefined;
  const text = values.reduce<string>(
    (before, value, i) => before + asText(value, site.forms?.[i]) + (site.parts[i + 1] ?? ""),
    site.parts[0] ?? "",
  );
  return { text, block, thread, span };
}

/** Every line in the record area. */
export const readLog = (words: Uint32Array, sites: readonly LogSite[]): readonly LogLine[] =>
  Array.from(recordsIn(words, sites)).flatMap((found) => lineOf(found) ?? []);

/** Every mark of a profile in the record area of a launch with blocks of that shape. */
export function readMarkRecords(words: Uint32Array, sites: readonly LogSite[], [nx, ny]: Dim3): readonly MarkRecord[] {
  return Array.from(recordsIn(words, sites)).flatMap(({ site, block, thread: [x, y, z], values }) => {
    if (!site.mark) return [];
    const [time, multiprocessor, ...rest] = values;
    const warp = Math.floor((x + nx * (y + ny * z)) / warpSize);
    const [place] = site.spans;
    const told = { kind: site.mark, name: site.parts[0] ?? "", time: BigInt(time ?? 0), multiprocessor: Number(multiprocessor) };
    return [{ ...told, block, warp, values: rest.map(Number), place }];
  });
}

/** What kernel left a record, and on what. */
export interface LoggingKernel {
  readonly name: string;
  readonly block: Dim3;
}

/** "thread 63 of block (0, 0, 0)"; in a block of more than one dimension "thread (3, 1, 0) of block (0, 0, 0)". */
function whoOf(words: Uint32Array, [, y, z]: Dim3): string {
  const thread = triple(words, record.thread);
  return `thread ${y === 1 && z === 1 ? thread[0] : `(${thread.join(", ")})`} of block (${triple(words, record.block).join(", ")})`;
}

function assertError(
  { name: kernel, block }: LoggingKernel,
  { kind }: DeviceBackend,
  words: Uint32Array,
  sites: readonly LogSite[],
): WarpsmithError | undefined {
  const site = sites[(words[record.site] ?? 0) - 1];
  if (!site) return undefined;
  const values = site.types.map((type, i) => decode(words, logLayout.assertValues + 2 * i, type));
  const message = site.parts.map((part, i) => part + (i < values.length ? String(values[i]) : "")).join("");
  const trapped = { message: message || "assertion failed", who: whoOf(words, block), lost: kind === "cuda" };
  const { spans, check } = site;
  if (!check) return makeError("W7515", { kernel, ...trapped }, spans);
  if (check.about === "index")
    return makeError("W7525", { ...trapped, ...guardOf(site, values[0]), several: check.several }, spans);
  if (check.about === "range") return makeError("W7527", trapped, spans);
  return makeError("W7526", { ...trapped, operator: check.operator ?? "", type: site.types[0] ?? "i32" }, spans);
}

/** What an author can paste: the index as they wrote it, and its limit. */
function guardOf({ spans: [span], check }: LogSite, value: number | bigint | boolean | undefined) {
  const index = span && textAt(span);
  const negative = value !== undefined && Number(value) < 0;
  if (index === undefined || check?.limit === undefined) return {};
  return { index, limit: check.limit, negative };
}

const print = (found: LogLine): void => {
  process.stdout.write(`${found.text}\n`);
};

/** Room for what an assertion leaves to say, in any launch of a graph, until the graph is disposed. Nothing is printed. */
export function keepLog(
  kernel: LoggingKernel,
  backend: DeviceBackend,
  sites: readonly LogSite[],
): Pick<LogBuffer, "address" | "explain" | "turn"> & { free(): void } {
  const { address, words, turn, free } = logRecords(backend, sites);
  return { address, explain: () => assertError(kernel, backend, words(), sites), turn, free };
}

/** Who takes the lines of a launch, and where it was written. */
interface LogTaker {
  readonly onLog: ((found: LogLine) => void) | undefined;
  /** Gets what marks of a profile have recorded, and whether some had no room. */
  readonly onMarks?: ((records: readonly MarkRecord[], lost: boolean) => void) | undefined;
  readonly spans: Spans;
}

/** What a listener of the author's threw, at its line and then at the launch. What comes behind it is given all the same. */
export function takerError(
  of: { readonly kernel: string; readonly listener: "onLog" | "onWarning" },
  error: unknown,
  spans: Spans,
): WarpsmithError {
  const told = error instanceof Error ? `${error.name}: ${error.message.split("\n")[0]}` : display(error);
  const thrown = error instanceof Error ? authorsCall(error.stack ?? "") : noSpans;
  const launched = spans.map((span) => (thrown.length > 0 ? { ...span, note: "launched at" } : span));
  return makeError("W7047", { ...of, error: told }, [...thrown, ...launched], { cause: error });
}

/** Makes room for what a launch logs. Its lines are printed when the launch is done, at the latest when `read` or `sync` has waited for it. */
export function openLog(
  kernel: LoggingKernel,
  device: Device,
  backend: DeviceBackend,
  sites: readonly LogSite[],
  { onLog, onMarks, spans }: LogTaker,
): LogBuffer {
  const records = logRecords(backend, sites);
  const marks = (): readonly MarkRecord[] => readMarkRecords(records.words(), sites, kernel.block);
  let pending = true;
  const drain = (): void => {
    if (!pending) return;
    pending = false;
    stop();
    backend.destroyEvent(event);
    const words = records.words();
    const lines = readLog(words, sites);
    const dropped = words[logLayout.dropped] === 1;
    onMarks?.(marks(), dropped);
    records.free();
    for (const found of lines) {
      try {
        (onLog ?? print)(found);
      } catch (error) {
        failLater(device, takerError({ kernel: kernel.name, listener: "onLog" }, error, spans));
      }
    }
    if (dropped) process.stderr.write(`${kernel.name}: the log was full, some lines are missing\n`);
  };
  const event = backend.createEvent();
  const stop = onSettled(device, () => {
    if (backend.passed(event)) drain();
  });
  return {
    address: records.address,
    explain: () => assertError(kernel, backend, records.words(), sites),
    turn: records.turn,
    marks,
    launched(stream) {
      backend.record(event, stream);
      backend.reached(event).then(drain, drain);
    },
  };
}
