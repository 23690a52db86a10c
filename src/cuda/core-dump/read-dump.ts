/**
 * What the driver writes when a GPU stops a kernel: a core dump, whose format NVIDIA documents in `cudacoredump.h` of the toolkit. It is an ELF file with a table per
 * section. A table belongs to an entry of another one: `link` and `info` of its section say which. Newer drivers append fields to the entries.
 */

import type { Dim3 } from "../../base/types.ts";
import { type Section, sectionsOf } from "../../inspect/cubin/index.ts";

/** `sh_type` of the sections that are read. */
const sectionType = {
  image: 0x8000_0007,
  multiprocessors: 0x8000_000b,
  blocks: 0x8000_000d,
  warps: 0x8000_000e,
  threads: 0x8000_000f,
} as const;

/** Of sm_90. */
const instructionBytes = 16;

/** A warp that the GPU stopped; or a multiprocessor, where the warps of it that failed are gone. */
export interface StoppedWarp {
  /** `CUDBGException_t`; "trap" where the program itself trapped. */
  readonly exception: number | "trap";
  /** The address of the instruction. */
  readonly at: number | undefined;
  readonly block: Dim3 | undefined;
  /** Those of the warp that were at it. Of an exception the hardware does not know which of them it was. */
  readonly threads: readonly Dim3[];
}

export interface CoreDump {
  readonly stopped: readonly StoppedWarp[];
  /** Each machine program that was loaded, with the addresses that it has on the device. */
  readonly images: readonly Uint8Array[];
}

/** The entries of a table, and the number of each. */
function* entriesOf({ bytes, entryBytes }: Section): Generator<readonly [entry: DataView, index: number]> {
  if (entryBytes === 0) return;
  for (let i = 0; (i + 1) * entryBytes <= bytes.byteLength; i++)
    yield [new DataView(bytes.buffer, bytes.byteOffset + i * entryBytes, entryBytes), i];
}

const u32 = (entry: DataView, at: number): number => (at + 4 <= entry.byteLength ? entry.getUint32(at, true) : 0);
const u64 = (entry: DataView, at: number): number => (at + 8 <= entry.byteLength ? Number(entry.getBigUint64(at, true)) : 0);
const triple = (entry: DataView, at: number): Dim3 => [u32(entry, at), u32(entry, at + 4), u32(entry, at + 8)];

/** The tables of a dump, by their type and the entry that they belong to. */
class Tables {
  readonly #children = new Map<string, Section>();
  readonly #sections: readonly Section[];

  constructor(sections: readonly Section[]) {
    this.#sections = sections;
    for (const table of sections) this.#children.set(`${table.type} ${table.link} ${table.info}`, table);
  }

  ofType(type: number): readonly Section[] {
    return this.#sections.filter((table) => table.type === type);
  }

  /** The entries of the table of an entry, the number of each, and the section that they are in. */
  *below(type: number, parent: number, entry: number): Generator<readonly [entry: DataView, number: number, section: number]> {
    const table = this.#children.get(`${type} ${parent} ${entry}`);
    if (!table) return;
    for (const [one, number] of entriesOf(table)) yield [one, number, table.index];
  }
}

const isIn = (mask: number, thread: DataView): boolean => ((mask >>> u32(thread, 16)) & 1) === 1;

/**
 * `CudbgWarpTableEntry`: address at 0, the lanes that run at 16, whether it has come to a breakpoint at 20, whether the address holds at 24. `CudbgThreadTableEntry`: its own address
 * at 0, lane at 16, thread at 20, exception at 32. `ofAll`: the exception of the multiprocessor. Undefined for a warp that was stopped because of another one.
 */
function readWarp(warp: DataView, threads: readonly DataView[], block: Dim3, ofAll: number): StoppedWarp | undefined {
  const who = (of: readonly DataView[]): readonly Dim3[] => of.map((thread) => triple(thread, 20));
  const failed = threads.filter((thread) => u32(thread, 32) !== 0);
  const running = threads.filter((thread) => isIn(u32(warp, 16), thread));
  const holds = u32(warp, 24) !== 0;
  const [first] = failed;
  if (first ?? holds) {
    const exception = first ? u32(first, 32) : ofAll;
    return { exception, at: holds ? u64(warp, 0) : undefined, block, threads: who(first ? failed : running) };
  }
  const [trapped] = running;
  if (u32(warp, 20) === 0 || !trapped) return undefined;
  // They stand behind it.
  return { exception: "trap", at: u64(trapped, 0) - instructionBytes, block, threads: who(running) };
}

/** `CudbgSmTableEntry`: exception at 8, whether the address holds at 12, address at 16. `CudbgCTATableEntry`: block at 8. */
function* stoppedIn(tables: Tables): Generator<StoppedWarp> {
  for (const table of tables.ofType(sectionType.multiprocessors)) {
    for (const [multiprocessor, number] of entriesOf(table)) {
      const exception = u32(multiprocessor, 8);
      let any = false;
      for (const [block, blockNumber, blocks] of tables.below(sectionType.blocks, table.index, number))
        for (const [warp, warpNumber, warps] of tables.below(sectionType.warps, blocks, blockNumber)) {
          const threads = Array.from(tables.below(sectionType.threads, warps, warpNumber), ([thread]) => thread);
          const read = readWarp(warp, threads, triple(block, 8), exception);
          if (read) yield read;
          any ||= read !== undefined;
        }
      const at = u32(multiprocessor, 12) === 0 ? undefined : u64(multiprocessor, 16);
      if (exception !== 0 && !any) yield { exception, at, block: undefined, threads: [] };
    }
  }
}

const bytesOf = ({ bytes }: Section): Uint8Array => new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);

const wanted: ReadonlySet<number> = new Set(Object.values(sectionType));

/** What a dump says of what failed. Undefined where it says nothing of that, is no dump, or is cut off. */
export function readCoreDump(file: Uint8Array): CoreDump | undefined {
  try {
    const tables = new Tables(sectionsOf(file, (type) => wanted.has(type)));
    const stopped = Array.from(stoppedIn(tables));
    return stopped.length === 0 ? undefined : { stopped, images: tables.ofType(sectionType.image).map(bytesOf) };
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
