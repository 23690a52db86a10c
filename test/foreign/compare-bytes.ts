/** Whether two devices left the same in a buffer. */
import { getFloat16 } from "@petamoriken/float16";
import type { Allowance, ForeignCase } from "./cases.ts";

export interface Declared {
  readonly name: string;
  readonly dtype: string;
  readonly out: boolean;
}

/** The buffers that a launch declares. An argument without a name is no result. */
export function declared(c: ForeignCase): readonly Declared[] {
  const texts = [...(c.buffers ?? []), ...c.args.flatMap((arg) => (arg.startsWith("{") ? arg.slice(1, -1).split(",") : [arg]))];
  return texts.flatMap((text) => {
    const found = /^(\w+)=(\w+)\[[\dx]+\]:/.exec(text.trim());
    return found ? [{ name: found[1] ?? "", dtype: found[2] ?? "", out: text.endsWith(":out") }] : [];
  });
}

export interface Compared {
  readonly kind: "same" | "within" | "differs";
  readonly said: string;
}

interface Format {
  readonly size: number;
  readonly at: (view: DataView, offset: number) => number;
}

function fp8(exponentBits: 4 | 5): Format["at"] {
  const mantissaBits = 7 - exponentBits;
  const bias = 2 ** (exponentBits - 1) - 1;
  return (view, offset) => {
    const bits = view.getUint8(offset);
    const exponent = (bits >> mantissaBits) & (2 ** exponentBits - 1);
    const fraction = (bits & (2 ** mantissaBits - 1)) / 2 ** mantissaBits;
    const magnitude = exponent === 0 ? fraction * 2 ** (1 - bias) : (1 + fraction) * 2 ** (exponent - bias);
    if (exponentBits === 5 && exponent === 31)
      return fraction === 0 ? (bits & 128 ? -1 : 1) * Number.POSITIVE_INFINITY : Number.NaN;
    if (exponentBits === 4 && (bits & 127) === 127) return Number.NaN;
    return bits & 128 ? -magnitude : magnitude;
  };
}

const floats: Readonly<Record<string, Format>> = {
  f64: { size: 8, at: (view, offset) => view.getFloat64(offset, true) },
  f32: { size: 4, at: (view, offset) => view.getFloat32(offset, true) },
  f16: { size: 2, at: (view, offset) => getFloat16(view, offset, true) },
  bf16: {
    size: 2,
    at: (view, offset) => {
      const wide = new DataView(new ArrayBuffer(4));
      wide.setUint16(2, view.getUint16(offset, true), true);
      return wide.getFloat32(0, true);
    },
  },
  e4m3: { size: 1, at: fp8(4) },
  e5m2: { size: 1, at: fp8(5) },
};
const wholeSizes: Readonly<Record<string, number>> = { i64: 8, u64: 8, i32: 4, u32: 4, i16: 2, u16: 2 };

/** Compares what the emulator left, `ours`, with what the GPU left. */
export function compareBytes(buffer: Declared, ours: Uint8Array, theirs: Uint8Array, allowance: Allowance | undefined): Compared {
  const { name, dtype } = buffer;
  if (ours.length !== theirs.length) return { kind: "differs", said: `${name} has ${ours.length} bytes, not ${theirs.length}` };
  const format = floats[dtype];
  const size = format?.size ?? wholeSizes[dtype] ?? 1;
  const views = [ours, theirs].map((bytes) => new DataView(bytes.buffer, bytes.byteOffset, bytes.length));
  const [a, b] = views;
  if (!a || !b) return { kind: "differs", said: `${name} is not there` };
  const off: number[] = [];
  for (let at = 0; at < ours.length; at += size) if (!sameBytes(ours, theirs, at, size)) off.push(at / size);
  const first = off[0];
  if (first === undefined) return { kind: "same", said: "" };
  const shown = (view: DataView, i: number): string => (format ? String(format.at(view, i * size)) : hex(view, i * size, size));
  const example = `${name}[${first}] is ${shown(a, first)}, not ${shown(b, first)}`;
  const count = `${off.length} of ${ours.length / size}`;
  if (!format || !allowance) return { kind: "differs", said: `${count} elements: ${example}` };
  const worst = off.reduce((most, i) => Math.max(most, excess(format.at(a, i * size), format.at(b, i * size), allowance)), 0);
  const said = `${count} of ${name}, at most ${worst.toPrecision(2)} of what is allowed`;
  return worst <= 1 ? { kind: "within", said } : { kind: "differs", said: `${said}: ${example}` };
}

function sameBytes(a: Uint8Array, b: Uint8Array, at: number, size: number): boolean {
  for (let i = at; i < at + size; i++) if (a[i] !== b[i]) return false;
  return true;
}

const hex = (view: DataView, at: number, size: number): string =>
  `0x${Array.from({ length: size }, (_, i) =>
    view
      .getUint8(at + size - 1 - i)
      .toString(16)
      .padStart(2, "0"),
  ).join("")}`;

/** How far off, in units of what is allowed; NaN agrees with NaN alone. */
function excess(ours: number, theirs: number, { rtol, atol }: Allowance): number {
  if (Object.is(ours, theirs) || ours === theirs) return 0;
  const error = Math.abs(ours - theirs);
  return Number.isFinite(error) ? error / (atol + rtol * Math.abs(theirs)) : Number.POSITIVE_INFINITY;
}
