/** In which banks a warp's access of shared memory lies, as a drawing. */

import { checkOptions, counted, optionsOf, refuseMore } from "../../base/diag/index.ts";
import { digitsOf } from "../../base/digits.ts";
import { elementBytes } from "../../base/element-types.ts";
import { rect, text } from "../../base/svg.ts";
import { warpSize } from "../../base/target.ts";
import { banks, served, wordBytes } from "../../layout/index.ts";
import type { Access } from "../facts/accesses.ts";
import { isThreadTag } from "../facts/launch.ts";
import type { Buffer, For, Program } from "../ir/types.ts";
import { addressesIn } from "./banks.ts";
import { bufferOf, type LaidOut, laidOut, refuse, shapeOf } from "./laid-out.ts";
import { colourOf, drawing, type Key, legend, paragraph } from "./svg.ts";
import { accessesTo, eachTouch, type Touch } from "./touches.ts";

/** What `drawBanks` takes. */
export interface BanksPictureOptions {
  /** Whether a warp reads the buffer or writes it. Default: `"read"`. */
  readonly access?: "read" | "write";
  /** The sizes that only a launch knows, by name. */
  readonly sizes?: Readonly<Record<string, number>>;
}

const known = optionsOf<BanksPictureOptions>("drawBanks()", { access: true, sizes: true });

const lineBytes = banks * wordBytes;
const unitBytes = 16;
/** Pixels of a bank and of a line of memory, and lines that are drawn. */
const [bankWidth, lineHeight, mostLines] = [18, 24, 16];

/** What the lanes want at one time. */
interface Instruction {
  readonly addresses: readonly number[];
  readonly bytes: number;
  /** What each of them is called: the row, or the thread. */
  readonly names: readonly string[];
}

/** What warp 0 of block 0 does first, with each loop in its first iteration. */
function firstTouches(laid: LaidOut, buffer: Buffer, access: Access, kind: "read" | "write"): readonly Touch[] {
  const found: Touch[] = [];
  const free = (l: For): boolean => isThreadTag(l.loop) || l.loop === "vectorize";
  const asked = {
    buffer,
    access: kind,
    accesses: [access],
    loops: () => false,
    only: (l: For) => (free(l) ? undefined : 0),
    inTurn: true,
  };
  eachTouch(laid, asked, (touch) => {
    if (touch.block <= 0 && touch.thread < warpSize) found.push(touch);
  });
  return found;
}

const product = (all: readonly number[]): number => all.reduce((n, x) => n * x, 1);

/** A matrix that a warp takes as one is read in eights of rows, 16 bytes of each, as ldmatrix does (PTX ISA 9.7.14.5.15). */
function ofMatrix(buffer: Buffer, { mins, extents }: Touch): readonly Instruction[] {
  const address = addressesIn(buffer);
  const size = elementBytes[buffer.dtype];
  const columns = extents.at(-1) ?? 1;
  const rows = product(extents.slice(0, -1));
  const [rowMin, columnMin] = [mins.at(-2) ?? 0, mins.at(-1) ?? 0];
  const bytes = Math.min(unitBytes, columns * size);
  const out: Instruction[] = [];
  for (let c = 0; c < columns * size; c += bytes)
    for (let r = 0; r < rows; r += 8) {
      const own = Array.from({ length: Math.min(8, rows - r) }, (_, i) => rowMin + r + i);
      const at = (row: number): readonly number[] => [
        ...mins.slice(0, -2),
        ...(mins.length > 1 ? [row] : []),
        columnMin + c / size,
      ];
      out.push({ addresses: own.map((row) => address(at(row))), bytes, names: own.map((row) => `row ${row}`) });
    }
  return out;
}

function instructionsOf(buffer: Buffer, touches: readonly Touch[]): readonly Instruction[] {
  const [one] = touches;
  if (!one) return [];
  if (one.together > 1) return ofMatrix(buffer, one);
  const address = addressesIn(buffer);
  const bytes = product(one.extents) * elementBytes[buffer.dtype];
  return [{ addresses: touches.map((t) => address(t.mins)), bytes, names: touches.map((t) => `t${t.thread}`) }];
}

/** The row of the buffer that each 16 bytes of memory are of, by the number of the 16 bytes; what is missing is put in between rows. */
function rowsOf(buffer: Buffer, units: number): ReadonlyMap<number, string> {
  const address = addressesIn(buffer);
  const shape = shapeOf(buffer);
  const found = new Map<number, string>();
  const per = Math.max(1, unitBytes / elementBytes[buffer.dtype]);
  const columns = shape.at(-1) ?? 1;
  const outer = shape.slice(0, -1);
  for (let row = 0; row < product(outer) && row < 64 * mostLines; row++) {
    const lead = digitsOf(outer, row);
    for (let c = 0; c < columns; c += per) {
      const unit = Math.floor(address([...lead, c]) / unitBytes);
      if (unit < units) found.set(unit, `row ${lead.at(-1) ?? 0}`);
    }
  }
  return found;
}

const xOf = (left: number, byte: number): number => left + ((byte % lineBytes) / wordBytes) * bankWidth;

function memory(
  buffer: Buffer,
  { addresses, bytes, names }: Instruction,
  lines: number,
  at: { x: number; y: number },
): readonly string[] {
  const { wavefront } = served(addresses, bytes);
  const rows = rowsOf(buffer, (lines * lineBytes) / unitBytes);
  const out: string[] = [];
  const unitWidth = (unitBytes / wordBytes) * bankWidth;
  const yOf = (byte: number): number => at.y + Math.floor(byte / lineBytes) * lineHeight;
  for (let line = 0; line < lines; line++) {
    out.push(text(at.x - 6, at.y + line * lineHeight + 16, `byte ${line * lineBytes}`, "dim e", 10));
    for (let u = 0; u < lineBytes / unitBytes; u++) {
      const byte = line * lineBytes + u * unitBytes;
      const name = rows.get(byte / unitBytes);
      const [x, y] = [xOf(at.x, byte), yOf(byte)];
      out.push(rect(x, y, unitWidth, lineHeight, name === undefined ? "bg" : "none", ' stroke="#888" stroke-width="0.5"'));
      out.push(text(x + unitWidth / 2, y + 16, name ?? "padding", "dim m", 9));
    }
  }
  addresses.forEach((address, lane) => {
    if (address >= lines * lineBytes) return;
    const [x, y, width] = [xOf(at.x, address), yOf(address), (Math.max(bytes, wordBytes) / wordBytes) * bankWidth];
    out.push(rect(x, y, width, lineHeight, `c${colourOf(wavefront[lane] ?? 0)}`, ' stroke="#111"'));
    const name = names[lane] ?? "";
    out.push(`<g class="cells">${text(x + width / 2, y + 16, name, "", Math.min(11, (width - 2) / (0.62 * name.length)))}</g>`);
  });
  return out;
}

/** Below the memory, how many words each bank is asked for. */
function counts(wanted: readonly number[], at: { x: number; y: number }): readonly string[] {
  const out = [text(at.x - 6, at.y + 12, "bank", "dim e", 10), text(at.x - 6, at.y + 28, "words wanted of it", "dim e", 10)];
  wanted.forEach((n, bank) => {
    const x = at.x + (bank + 0.5) * bankWidth;
    out.push(text(x, at.y + 12, String(bank), "dim m", 9));
    out.push(text(x, at.y + 28, String(n), n > 1 ? "m b" : "dim m", 11));
  });
  return out;
}

/**
 * A drawing as SVG of where a buffer of shared memory lies in its 32 banks, and of the first access of a warp: what has one colour is served at one time, in
 * one wavefront. What lies in one bank and is not the same word comes one after the other. A matrix that a tensor intrinsic takes is
 * looked at as ldmatrix reads it, eight rows of 16 bytes at a time. W2601, W5520, W5545.
 */
export function drawBanks(program: Program, buffer: string, options: BanksPictureOptions = {}): string {
  refuseMore(drawBanks, arguments);
  checkOptions(options, known);
  const { access = "read" } = options;
  const laid = laidOut(program, buffer, options.sizes ?? {});
  const drawn = bufferOf(laid.program, buffer);
  if (drawn.scope !== "shared") refuse(`'${buffer}'`, `it lives in ${drawn.scope}, and banks are of shared memory`);
  const [whose] = accessesTo(laid, drawn, access);
  if (!whose) return refuse(`'${buffer}'`, `nothing ${access === "read" ? "reads" : "writes"} it`);
  const all = instructionsOf(drawn, firstTouches(laid, drawn, whose, access));
  const [shown] = all;
  if (!shown) return refuse(`'${buffer}'`, "warp 0 does not touch it");
  return draw(drawn, access, all, shown, whose.by.kind === "intrinsic" ? whose.by.name : undefined);
}

function draw(
  buffer: Buffer,
  access: "read" | "write",
  all: readonly Instruction[],
  shown: Instruction,
  intrinsic: string | undefined,
): string {
  const { addresses, bytes } = shown;
  const { wavefronts, wanted } = served(addresses, bytes);
  const total = all.reduce((n, i) => n + served(i.addresses, i.bytes).wavefronts, 0);
  const least = all.reduce((n, i) => n + Math.max(1, (i.addresses.length * i.bytes) / lineBytes), 0);
  const end = Math.max(...addresses) + bytes;
  const lines = Math.min(mostLines, Math.ceil(end / lineBytes));
  const left = 116;
  const width = left + banks * bankWidth + 16;
  const { padding = 0, swizzle } = buffer;
  const how = padding > 0 ? `, ${padding} elements put in after each row` : swizzle ? `, swizzle "${swizzle}"` : "";
  const about = `[${shapeOf(buffer).join(", ")}] of ${buffer.dtype}${how}`;
  const title = `Banks of ${buffer.name}`;
  const what = intrinsic
    ? `A warp ${access}s ${counted(addresses.length, "row")} of ${bytes} bytes at a time, as ${intrinsic} takes them`
    : `${counted(addresses.length, "thread")} of a warp ${access} ${bytes} bytes each`;
  const told = `${what}: ${counted(wavefronts, "wavefront")}, ${Math.max(1, (addresses.length * bytes) / lineBytes)} without conflicts.`;
  const whole = all.length > 1 ? ` The whole matrix: ${total}, ${least} without conflicts.` : "";
  const out = [text(12, 22, title, "b", 14), text(12, 39, about, "dim")];
  const words = paragraph(told + whole, { x: 12, y: 39 }, width - 24);
  out.push(words.svg);
  const keys = Array.from(
    { length: Math.min(wavefronts, 8) },
    (_, i): Key => ({ classes: `c${colourOf(i)}`, words: `wavefront ${i}` }),
  );
  const legends = legend([...keys, { classes: "none", words: "not touched now" }], 12, words.end + 10, width - 24);
  out.push(legends.svg);
  let y = words.end + 18 + legends.height;
  for (const part of memory(buffer, shown, lines, { x: left, y })) out.push(part);
  y += lines * lineHeight;
  if (end > lines * lineBytes) {
    y += 16;
    out.push(text(left, y, `… and ${Math.ceil(end / lineBytes) - lines} more lines of ${lineBytes} bytes`, "dim"));
  }
  for (const part of counts(wanted, { x: left, y: y + 4 })) out.push(part);
  return drawing(width, y + 44, `${title}, ${about}. ${told}`, out);
}
