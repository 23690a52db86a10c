import type { Operand } from "../../../ptx/parse/index.ts";
import { type DataType, f32 } from "../../../ptx/parse/index.ts";
import type { Warp } from "../../machine/warp.ts";
import { storageOf } from "../codegen/layout.ts";
import { type Operating, readWord } from "../operands.ts";

/** The bytes of one lane's operand of 32 or 64 bits, lowest first: of any kind of register, or an immediate. */
export function valueBytes(c: Operating, o: Operand | undefined, type: DataType): (warp: Warp, lane: number) => Uint8Array {
  const words = type.bits === 64 ? 2 : 1;
  if (o?.kind === "int" || o?.kind === "float") {
    const bits = o.kind === "int" ? o.value : o.type === type.name || type.kind === "bits" ? o.bits : numberBits(o.value, type);
    const fixed = new Int32Array([Number(BigInt.asIntN(32, bits)), Number(BigInt.asIntN(32, bits >> 32n))].slice(0, words));
    return () => new Uint8Array(fixed.buffer);
  }
  const storage = o?.kind === "register" ? storageOf(o.type) : undefined;
  if (o?.kind !== "register" || (storage !== "long" && storage !== "double")) {
    const read = readWord(c, o);
    return (warp, lane) => new Uint8Array(Int32Array.from({ length: words }, (_, w) => (w === 0 ? read(warp, lane) : 0)).buffer);
  }
  const base = c.layout.place(o);
  return (warp, lane) => new Uint8Array(warp.i32.slice(base + 2 * lane, base + 2 * lane + words).buffer);
}

/** A float that is written in the other precision. */
function numberBits(x: number, type: DataType): bigint {
  const view = new DataView(new ArrayBuffer(8));
  if (type === f32) view.setFloat32(0, x, true);
  else view.setFloat64(0, x, true);
  return view.getBigUint64(0, true);
}
