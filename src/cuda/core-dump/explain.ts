/** What a core dump says of the kernel that failed, as an error at the author's line. */

import { atLaunch, isLibrary, noSpans, type Span, type Spans, sourceLine, type WarpsmithError } from "../../base/diag/index.ts";
import type { Dim3 } from "../../base/types.ts";
import { type CodePlace, placeAt } from "../../inspect/cubin/index.ts";
import type { Launch, LoadedModule, PtxPlace } from "../../runtime/index.ts";
import { type ErrorCode, makeError } from "../errors.ts";
import type { DumpFile } from "./dump-file.ts";
import { type CoreDump, readCoreDump, type StoppedWarp } from "./read-dump.ts";

/** `CUDBGException_t`, by the error that says it. */
const codes: readonly (readonly [code: FaultCode, exceptions: readonly (number | "trap")[]])[] = [
  ["W7756", [1, 10, 14]],
  ["W7757", [6, 11]],
  ["W7758", [5, 7]],
  ["W7759", [4]],
  ["W7760", ["trap", 12]],
  ["W7761", [17, 18]],
];
type FaultCode = ErrorCode & ("W7756" | "W7757" | "W7758" | "W7759" | "W7760" | "W7761" | "W7762");

const others: Readonly<Record<number, string>> = {
  2: "its stack is full",
  3: "its stack is full",
  8: "it jumped to where no code is",
  9: "its stack is full",
  13: "a call of the system failed",
  19: "its stack was overwritten",
};

const compare = (a: Dim3, b: Dim3): number => a[2] - b[2] || a[1] - b[1] || a[0] - b[0];

/** The first of the grid comes first; what is known of no block last. */
const inOrder = (all: readonly StoppedWarp[]): readonly StoppedWarp[] =>
  all.toSorted((a, b) => {
    if (!a.block || !b.block) return Number(!a.block) - Number(!b.block);
    const [x, y] = [a.threads[0], b.threads[0]];
    return compare(a.block, b.block) || (x && y ? compare(x, y) : 0);
  });

/** A thread as its block counts: by one number where the block has one dimension. */
function threadName([x, y, z]: Dim3, [, ny, nz]: Dim3): string {
  return ny === 1 && nz === 1 ? String(x) : `(${x}, ${y}, ${z})`;
}

/** "thread 33 of block (0, 0, 0)". Of an exception the hardware says only which threads of a warp it may have been. */
function whoOf({ exception, threads, block }: StoppedWarp, shape: Dim3): string | undefined {
  const [first, last] = [threads[0], threads.at(-1)];
  if (!block || !first || !last) return undefined;
  const where = `of block (${block.join(", ")})`;
  if (threads.length === 1) return `thread ${threadName(first, shape)} ${where}`;
  const range = `threads ${threadName(first, shape)} ${threads.length === 2 ? "and" : "to"} ${threadName(last, shape)} ${where}`;
  return exception === "trap" ? range : `one of the ${range}`;
}

/** Of a warp of a block whose shape nobody knows. */
const shapeOf = (threads: readonly Dim3[]): Dim3 => (threads.every(([, y, z]) => y === 0 && z === 0) ? [1, 1, 1] : [1, 2, 1]);

/** A line that is known without its column. */
function wholeLine({ file, line }: { readonly file: string; readonly line: number }): Span {
  const text = sourceLine(file, line) ?? "";
  const column = text.search(/\S/) + 1 || 1;
  return { file, line, column, length: Math.max(1, text.trim().length) };
}

/** Where a launch's kernel was at that place, if it is one of it; other kernels may have an entry of the same name. */
function placedBy(launch: Launch, { line, ptxLine }: CodePlace): PtxPlace | undefined {
  const found = ptxLine === undefined ? undefined : launch.placeOf?.(ptxLine);
  const [span] = found?.spans ?? [];
  return span && line && span.line === line.line && span.file.endsWith(line.file) ? found : undefined;
}

interface Failed {
  /** Launches whose kernel it may have been. */
  readonly launches: readonly Launch[];
  readonly place: CodePlace | undefined;
  readonly known: PtxPlace | undefined;
}

function whoFailed(at: number | undefined, images: readonly Uint8Array[], launches: readonly Launch[]): Failed {
  let place: CodePlace | undefined;
  for (const image of images) place ??= at === undefined ? undefined : placeAt(image, at);
  if (!place) return { launches, place, known: undefined };
  const ofEntry = launches.filter(({ module }) => module.entry === place.entry);
  // Launches of one kernel have one place: it is asked for once.
  const byModule = new Map<LoadedModule, PtxPlace | undefined>();
  for (const launch of ofEntry) if (!byModule.has(launch.module)) byModule.set(launch.module, placedBy(launch, place));
  const known = [...byModule.values()].find((found) => found !== undefined);
  return { launches: known ? ofEntry.filter(({ module }) => byModule.get(module)) : ofEntry, place, known };
}

/** The kernel's place, then where it was launched; those of the library behind the author's. */
const launchedAt = (spans: Spans): Spans => spans.slice(0, 1).map((span) => ({ ...span, note: "launched at" }));

/** Launches that have the same place. */
const samePlace = (launches: readonly Launch[]): boolean =>
  new Set(launches.map(({ spans: [span] }) => span && `${span.file}:${span.line}:${span.column}`)).size === 1;

function describe({ stopped, images }: CoreDump, launches: readonly Launch[]): WarpsmithError | undefined {
  const [first, ...further] = inOrder(stopped);
  if (!first) return undefined;
  const { launches: own, place, known } = whoFailed(first.at, images, launches);
  const [launch] = own;
  const code = codes.find(([, exceptions]) => exceptions.includes(first.exception))?.[0] ?? "W7762";
  const told = {
    kernel: launch?.module.kernel ?? place?.entry ?? "A kernel",
    who: whoOf(first, launch?.block ?? shapeOf(first.threads)),
    instruction: known?.instruction === "trap" ? undefined : known?.instruction,
    more: further.filter(({ block }) => block !== undefined).length,
    reason: others[Number(first.exception)] ?? `of its exception ${first.exception}`,
  };
  const inside = known?.spans ?? (place?.line ? [wholeLine(place.line)] : noSpans);
  const launched = launch && samePlace(own) ? launch.spans : noSpans;
  if (inside.length === 0) return makeError(code, told, launched);
  if (inside.every(isLibrary)) return atLaunch(makeError(code, told, inside), launched);
  return makeError(code, told, [...inside, ...launchedAt(launched)]);
}

/** Nobody wakes who waits for it. */
const sleeping = new Int32Array(new SharedArrayBuffer(4));

/** How often a dump that cannot be read may be found as it was, every 20 ms: somebody may ask while the driver is still at it. Looks are counted, as a busy machine lets both of them wait. */
const looksInVain = 20;

function readWhole(file: DumpFile): CoreDump | undefined {
  let [bytes, inVain] = [-1, 0];
  for (;;) {
    const written = file.read();
    const dump = written && readCoreDump(written);
    if (dump || !written) return dump;
    inVain = written.length === bytes ? inVain + 1 : 0;
    if (inVain === looksInVain) return undefined;
    bytes = written.length;
    Atomics.wait(sleeping, 0, 0, 20);
  }
}

/**
 * The thread stands still while a dump is being written. Whichever driver call comes first after the failure finds it out, through `CudaContext.notice`; many of those give their result at once
 * (a launch, an allocation, a look at an event), and must throw this error. Callers that could await it find it out in the same way, so that there is one state of the device for all.
 * W7756–W7762; undefined where nothing can be read out of the dump. `launches`: those that may be running. */
export function explainDump(file: DumpFile, launches: readonly Launch[]): WarpsmithError | undefined {
  const dump = readWhole(file);
  return dump && describe(dump, launches);
}
