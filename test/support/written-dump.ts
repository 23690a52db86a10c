/** Core dumps as the driver writes them, for tests: tables, and one image whose lines say where a kernel failed. */
import type { Dim3 } from "../../src/base/types.ts";

interface Part {
  readonly type: number;
  readonly bytes: Uint8Array;
  readonly name?: string;
  readonly address?: number;
  readonly link?: number;
  readonly info?: number;
  readonly entryBytes?: number;
}

const texts = new TextEncoder();

const joined = (parts: readonly Uint8Array[]): Uint8Array => {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
};

/** An ELF file: its first section is empty, the others are numbered from 1, the names come last. */
export function writeElf(parts: readonly Part[]): Uint8Array {
  const names = texts.encode(["", ...parts.map(({ name = "" }) => name)].join("\0"));
  const all = [...parts, { type: 3, bytes: names }];
  const contents = joined(all.map(({ bytes }) => bytes));
  const file = new Uint8Array(64 + contents.length + 64 * (all.length + 1));
  const view = new DataView(file.buffer);
  file.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  file.set(contents, 64);
  const first = 64 + contents.length;
  view.setBigUint64(0x28, BigInt(first), true);
  view.setUint16(0x3c, all.length + 1, true);
  view.setUint16(0x3e, all.length, true);
  let [offset, name] = [64, 1];
  all.forEach((part: Part, i) => {
    const at = first + 64 * (i + 1);
    view.setUint32(at, i < parts.length ? name : 0, true);
    view.setUint32(at + 4, part.type, true);
    view.setBigUint64(at + 16, BigInt(part.address ?? 0), true);
    view.setBigUint64(at + 24, BigInt(offset), true);
    view.setBigUint64(at + 32, BigInt(part.bytes.length), true);
    view.setUint32(at + 40, part.link ?? 0, true);
    view.setUint32(at + 44, part.info ?? 0, true);
    view.setBigUint64(at + 56, BigInt(part.entryBytes ?? 0), true);
    offset += part.bytes.length;
    name += texts.encode(part.name ?? "").length + 1;
  });
  return file;
}

/** The line table (DWARF 2) of code at an address: all of it is of one line. */
function lineTable(address: number, line: number, file?: string): Uint8Array {
  const operands = [0, 1, 1, 1, 1, 0, 0, 0, 1];
  const files = file === undefined ? [0] : [...texts.encode(file), 0, 0, 0, 0, 0];
  const header = [1, 1, 0xfb, 14, 10, ...operands, 0, ...files];
  const where = new Uint8Array(8);
  new DataView(where.buffer).setBigUint64(0, BigInt(address), true);
  const advance = [0x80 | (line & 0x7f), 0x80 | ((line >> 7) & 0x7f), (line >> 14) & 0x7f];
  // From line 1 on: the line, a row, and the end.
  const program = [0, 9, 2, ...where, 3, ...advance, 3, 0x7f, 1, 2, 0x40, 0, 1, 1];
  const body = [2, 0, header.length, 0, 0, 0, ...header, ...program];
  return Uint8Array.of(body.length & 0xff, body.length >> 8, 0, 0, ...body);
}

/** A warp that was stopped. */
export interface WrittenWarp {
  readonly block: Dim3;
  /** `CUDBGException_t`; 0 and `trapped` for a trap. */
  readonly exception: number;
  readonly trapped?: boolean;
  readonly threads: readonly Dim3[];
}

export interface WrittenDump {
  readonly entry: string;
  readonly warps: readonly WrittenWarp[];
  readonly ptxLine?: number;
  readonly line?: { readonly file: string; readonly line: number };
  /** Of the multiprocessor, where no warp is left that failed. */
  readonly exceptionOfAll?: number;
}

const codeAt = 0x7f00_1000;
const failedAt = codeAt + 0x20;

const words = (...values: readonly number[]): Uint8Array => new Uint8Array(Uint32Array.from(values).buffer);
const [imageType, multiprocessorType, blockType, warpType, threadType] = [
  0x8000_0007, 0x8000_000b, 0x8000_000d, 0x8000_000e, 0x8000_000f,
];

/** One block after the other, each with one warp. */
export function writeDump({ entry, warps, ptxLine, line, exceptionOfAll = 0 }: WrittenDump): Uint8Array {
  const image = writeElf([
    { type: 1, name: `.text.${entry}`, address: codeAt, bytes: new Uint8Array(0x80) },
    ...(line ? [{ type: 1, name: ".debug_line", bytes: lineTable(codeAt, line.line, line.file) }] : []),
    ...(ptxLine === undefined ? [] : [{ type: 1, name: ".nv_debug_line_sass", bytes: lineTable(codeAt, ptxLine) }]),
  ]);
  const parts: Part[] = [
    { type: imageType, bytes: image },
    { type: multiprocessorType, bytes: words(0, 0, exceptionOfAll, 0, 0, 0), entryBytes: 24 },
    { type: blockType, link: 2, entryBytes: 24, bytes: joined(warps.map(({ block }) => words(0, 0, ...block, 0))) },
  ];
  warps.forEach(({ exception, trapped = false, threads }, i) => {
    const lanes = (1 << threads.length) - 1;
    const holds = trapped ? 0 : 1;
    const warp = words(holds * failedAt, 0, 0, lanes, lanes, trapped ? 1 : 0, holds, 0);
    // A warp that trapped stands behind the instruction.
    const at = trapped ? failedAt + 16 : failedAt;
    const lane = (thread: Dim3, ln: number): Uint8Array => words(at, 0, at - codeAt, 0, ln, ...thread, exception, 0, 0, 0);
    parts.push({ type: warpType, link: 3, info: i, entryBytes: 32, bytes: warp });
    parts.push({ type: threadType, link: parts.length, info: 0, entryBytes: 48, bytes: joined(threads.map(lane)) });
  });
  return writeElf(parts);
}

/** The dump of a kernel, of that PTX, that failed at the first line of it which matches. */
export function dumpAt(ptx: string, instruction: RegExp, warp: WrittenWarp): Uint8Array {
  const lines = ptx.split("\n");
  const found = lines.findIndex((line) => instruction.test(line));
  const [, line] = /\.loc \d+ (\d+)/.exec(lines.slice(0, found).findLast((text) => text.includes(".loc ")) ?? "") ?? [];
  const [, file = ""] = /\.file 1 "(.*)"/.exec(ptx) ?? [];
  const [, entry = ""] = /\.entry (\w+)/.exec(ptx) ?? [];
  if (found < 0 || line === undefined) throw new Error(`nothing of the PTX matches ${instruction.source}`);
  return writeDump({ entry, warps: [warp], ptxLine: found + 1, line: { file, line: Number(line) } });
}
