/** Which line each machine instruction comes from: the line table of DWARF 2 that `ptxas -lineinfo` writes (DWARF 2.0, 6.2). */
import { textAt } from "./elf.ts";

/** From this address on, code of that line. */
export interface LineRow {
  readonly address: number;
  readonly file: string;
  readonly line: number;
}

/** Reads numbers of a section one after the other. */
class Reader {
  readonly view: DataView;
  at: number;
  constructor(view: DataView, at = 0) {
    this.view = view;
    this.at = at;
  }
  get isThere(): boolean {
    return this.at < this.view.byteLength;
  }
  u8(): number {
    return this.view.getUint8(this.at++);
  }
  i8(): number {
    return this.view.getInt8(this.at++);
  }
  u16(): number {
    this.at += 2;
    return this.view.getUint16(this.at - 2, true);
  }
  u32(): number {
    this.at += 4;
    return this.view.getUint32(this.at - 4, true);
  }
  u64(): number {
    this.at += 8;
    return Number(this.view.getBigUint64(this.at - 8, true));
  }
  text(): string {
    const { text, end } = textAt(this.view, this.at);
    this.at = end;
    return text;
  }
  /** LEB128: seven bits of each byte, the lowest first. */
  leb(signed: boolean): number {
    let [value, shift, byte] = [0, 0, 0];
    do {
      byte = this.u8();
      value += (byte & 0x7f) * 2 ** shift;
      shift += 7;
    } while (byte & 0x80);
    return signed && byte & 0x40 ? value - 2 ** shift : value;
  }
}

interface Unit {
  readonly step: number;
  readonly base: number;
  readonly range: number;
  readonly operands: readonly number[];
  readonly files: readonly string[];
}

/** The header of a unit; the reader stands at its statements then. */
function readUnit(r: Reader): Unit {
  const statements = r.u32() + r.at;
  const step = r.u8();
  r.u8();
  const [base, range, opcodes] = [r.i8(), r.u8(), r.u8()];
  const operands = [0, ...Array.from({ length: opcodes - 1 }, () => r.u8())];
  const folders: string[] = [""];
  for (let folder = r.text(); folder !== ""; folder = r.text()) folders.push(folder);
  const files: string[] = [""];
  for (let file = r.text(); file !== ""; file = r.text()) {
    const folder = folders[r.leb(false)] ?? "";
    r.leb(false);
    r.leb(false);
    files.push(folder === "" || file.startsWith("/") ? file : `${folder}/${file}`);
  }
  r.at = statements;
  return { step, base, range, operands, files };
}

/** The state that statements change. */
interface State {
  address: number;
  file: number;
  line: number;
}

const start = (): State => ({ address: 0, file: 1, line: 1 });

/** A statement with a length of its own; whether it ends a sequence. */
function extended(r: Reader, state: State): boolean {
  const end = r.leb(false) + r.at;
  const opcode = r.u8();
  if (opcode === 2) state.address = r.u64();
  r.at = end;
  return opcode === 1;
}

/** Runs one statement; whether it gives a row. */
function standard(opcode: number, r: Reader, state: State, unit: Unit): boolean {
  switch (opcode) {
    case 1:
      return true;
    case 2:
      state.address += r.leb(false) * unit.step;
      return false;
    case 3:
      state.line += r.leb(true);
      return false;
    case 4:
      state.file = r.leb(false);
      return false;
    case 8:
      state.address += Math.floor((255 - unit.operands.length) / unit.range) * unit.step;
      return false;
    case 9:
      state.address += r.u16();
      return false;
    default:
      for (let i = 0; i < (unit.operands[opcode] ?? 0); i++) r.leb(false);
      return false;
  }
}

/** The rows of one sequence each, in the order of addresses: one function of the file is one sequence. */
export function lineTable(section: DataView): readonly (readonly LineRow[])[] {
  const sequences: LineRow[][] = [];
  const r = new Reader(section);
  while (r.isThere) {
    const end = r.u32() + r.at;
    if (r.u16() > 3) {
      r.at = end;
      continue;
    }
    const unit = readUnit(r);
    let state = start();
    let rows: LineRow[] = [];
    const row = (): void => void rows.push({ address: state.address, file: unit.files[state.file] ?? "", line: state.line });
    while (r.at < end) {
      const opcode = r.u8();
      if (opcode === 0) {
        if (!extended(r, state)) continue;
        sequences.push(rows);
        [rows, state] = [[], start()];
      } else if (opcode < unit.operands.length) {
        if (standard(opcode, r, state, unit)) row();
      } else {
        const special = opcode - unit.operands.length;
        state.address += Math.floor(special / unit.range) * unit.step;
        state.line += unit.base + (special % unit.range);
        row();
      }
    }
  }
  return sequences;
}

/** The line that the code at an address is of. */
export const rowAt = (rows: readonly LineRow[], address: number): LineRow | undefined =>
  rows.findLast((row) => row.address <= address);
