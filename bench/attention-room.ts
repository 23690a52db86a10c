// What benchmarks of attention share: both sides timed in turns, and a record written case by case.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Device, openDevice } from "warpsmith";
import { openSession } from "./arena.ts";
import type { AttentionShape, Sides } from "./attention-case.ts";
import type { Arena } from "./contenders.ts";
import { flushed } from "./measure.ts";
import type { Method } from "./methods.ts";
import { type AttentionPeer, openAttentionPeer } from "./peers/attention.ts";
import { type Entry, writeRecord } from "./record.ts";
import { headOf } from "./record-head.ts";
import { resultsFolder } from "./results.ts";
import { geometricMean, median, round } from "./stats.ts";
import { writeDrawing } from "./write-drawing.ts";

/** How often both sides are timed, in turns. */
const TURNS = 3;

/** Who is measured, and for how long. */
export interface Run {
  readonly device: Device;
  readonly arena: Arena;
  readonly peer: AttentionPeer;
  readonly seconds: number;
}

/** Times our launch and theirs in turns; `asked` is what they are asked, or why they are not. */
export async function timeSides({ arena, peer, seconds }: Run, launch: () => void, asked: object | string): Promise<Sides> {
  const mine: number[] = [];
  const theirs: Record<string, number[]> = {};
  let skipped: Readonly<Record<string, string>> = typeof asked === "string" ? { cuDNN: asked } : {};
  const each = seconds / TURNS / 2;
  for (let turn = 0; turn < TURNS; turn++) {
    mine.push(flushed(arena.timer, [{ name: "ours", launch }], each).ours?.median ?? Number.NaN);
    if (typeof asked === "string") continue;
    const answer = await peer.measure(asked, each);
    skipped = answer.skipped;
    for (const [name, us] of Object.entries(answer.us)) theirs[name] = [...(theirs[name] ?? []), us];
  }
  const us = round(median(mine), 5);
  const peers = Object.fromEntries(Object.entries(theirs).map(([name, all]) => [name, round(median(all), 5)]));
  const fastest = Math.min(...Object.values(peers));
  return { us, peers, skipped, ratio: Number.isFinite(fastest) ? round(fastest / us) : null };
}

/** A benchmark: its cases, and what is made of them. */
export interface Benchmark<C extends AttentionShape, R extends C & Sides> {
  /** Of the record and of its drawing, without an ending. */
  readonly file: string;
  readonly method: Method;
  readonly cases: readonly C[];
  /** For each case, where `--seconds` says nothing. */
  readonly seconds: number;
  readonly measure: (run: Run, one: C) => Promise<R>;
  readonly entry: (record: R) => Entry;
  readonly print: (records: readonly R[]) => void;
  /** Whether a case counts in the geometric mean. */
  readonly counts: (record: R) => boolean;
  readonly draw: (records: readonly R[], header: { readonly gpu: string; readonly date: string }) => string;
}

/** Runs the cases that the command line names, or all; the record is written after each, so that what there is is not lost. */
export async function runBenchmark<C extends AttentionShape, R extends C & Sides>(of: Benchmark<C, R>): Promise<void> {
  const { values: options, positionals } = parseArgs({
    allowPositionals: true,
    options: { seconds: { type: "string", default: String(of.seconds) }, out: { type: "string" } },
  });
  await using device = await openDevice("cuda");
  using session = openSession(device);
  const peer = await openAttentionPeer();
  const run: Run = { device, arena: session.arena, peer, seconds: Number(options.seconds) };
  const records: R[] = [];
  const folder = options.out ?? resultsFolder(device);
  mkdirSync(folder, { recursive: true });
  const { torch, cudnn } = peer;
  try {
    for (const one of of.cases.filter(({ name }) => positionals.length === 0 || positionals.includes(name))) {
      const record = await of.measure(run, one);
      records.push(record);
      of.print([record]);
      const counted = records.filter(of.counts).flatMap(({ ratio }) => ratio ?? []);
      const mean = counted.length > 0 ? round(geometricMean(counted)) : null;
      const head = headOf(session.header, of.method, { torch, cudnn }, { mean });
      writeRecord(join(folder, `${of.file}.json`), { ...head, entries: records.map(of.entry) });
    }
  } finally {
    peer.close();
  }
  of.print(records);
  console.log(await writeDrawing(of.draw(records, session.header), folder, of.file));
}
