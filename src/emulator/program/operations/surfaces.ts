/** Surface instructions (PTX ISA 9.7.11), lane by lane. */

import { type Geometry, texelBytes } from "../../../base/texture.ts";
import type { Instruction, Operand } from "../../../ptx/parse/index.ts";
import { b32, b64 } from "../../../ptx/parse/index.ts";
import { KernelFault } from "../../machine/fault.ts";
import { forEachLane } from "../../machine/lanes.ts";
import type { MemoryLocation } from "../../machine/memory.ts";
import {
  combiner,
  type ReduceOp,
  type ReduceType,
  type SurfaceClamp,
  type SurfacePoint,
  surfaceOffset,
  type Texels,
  writeTexel,
} from "../../machine/units/index.ts";
import type { Warp } from "../../machine/warp.ts";
import { isWide } from "../codegen/layout.ts";
import { Unsupported } from "../codegen/unsupported.ts";
import { itemsOf, type Operating, type Read, readWord, writeWord } from "../operands.ts";
import { valueBytes } from "./lane-values.ts";
import { tell } from "./locate.ts";
import type { OperationRule, OperationRules } from "./rule.ts";
import { bytesOf, geometryName, objectOf, readHandle } from "./texel-memory.ts";
import { layersOf } from "./textures.ts";

/** Instructions have no geometry of cubes: they are arrays of their faces. */
const asArray = (geometry: Geometry): string => geometry.replace(/^a?cube$/, "a2d");

function pointReader(c: Operating, o: Operand | undefined, geometry: string): (warp: Warp, lane: number) => SurfacePoint {
  if (o?.kind !== "tensor") throw new Unsupported("a surface without coordinates");
  const reads = o.coords.map((scalar) => readWord(c, scalar));
  const layered = geometry.startsWith("a");
  const [x, second, third] = layered ? reads.slice(1) : reads;
  const y = geometry.endsWith("1d") ? undefined : second;
  const z: Read | undefined = layered
    ? (warp, lane) => (reads[0]?.(warp, lane) ?? 0) >>> 0
    : geometry === "3d"
      ? third
      : undefined;
  return (warp, lane) => ({ x: x?.(warp, lane) ?? 0, y: y?.(warp, lane) ?? 0, z: z?.(warp, lane) ?? 0 });
}

/** Where a lane's access lies; undefined: nowhere. */
interface TexelLocation {
  readonly view: DataView;
  /** From the first texel. */
  readonly offset: number;
  readonly location: MemoryLocation;
  readonly texels: Texels;
}

/** `bytes`: of the access, or a texel where coordinates count texels. */
function locationReader(c: Operating, i: Instruction, tensor: Operand | undefined, bytes: number | "texel") {
  const { geometry = "", clamp } = i.opcode.modifiers;
  const handle = readHandle(c, tensor);
  const point = pointReader(c, tensor, geometry);
  return (warp: Warp, lane: number): TexelLocation | undefined => {
    const { texels } = objectOf(warp, handle(warp, lane), "surface");
    if (asArray(texels.geometry) !== geometry)
      throw new KernelFault(`it used ${i.opcode.text} on a surface object of a ${geometryName(texels.geometry)} array`);
    const size = texelBytes(texels.format);
    const at = point(warp, lane);
    const scaled = bytes === "texel" ? { ...at, x: at.x * size } : at;
    const offset = surfaceOffset(texels, scaled, bytes === "texel" ? size : bytes, clamp as SurfaceClamp);
    if (offset === undefined) return undefined;
    const { view, region, start } = bytesOf(warp, texels);
    return { view, offset, location: { region, offset: start + offset }, texels };
  };
}

const sizes: Readonly<Record<string, number>> = { b8: 1, b16: 2, b32: 4, b64: 8, u32: 4, s32: 4, u64: 8, s64: 8 };
const sizeOf = (type: string | undefined): number => sizes[type ?? ""] ?? 4;

/** The bytes of a word that a load or store of that size has. */
function readBytes(view: DataView, offset: number, size: number): number {
  return size === 1 ? view.getUint8(offset) : size === 2 ? view.getUint16(offset, true) : view.getInt32(offset, true);
}

/** Two words of a wide register. */
function writeWide(c: Operating, o: Operand): (warp: Warp, lane: number, low: number, high: number) => void {
  if (o.kind === "sink") return () => {};
  if (o.kind !== "register") throw new Unsupported(`a result of the kind ${o.kind}`);
  if (!isWide(o.type)) {
    const write = writeWord(c, o);
    return (warp, lane, low) => write(warp, lane, low);
  }
  const base = c.layout.place(o);
  return (warp, lane, low, high) => {
    warp.i32[base + 2 * lane] = low;
    warp.i32[base + 2 * lane + 1] = high;
  };
}

const load: OperationRule = (c, i) => {
  const [d, tensor] = i.operands;
  const size = sizeOf(i.opcode.modifiers.type);
  const writes = itemsOf(d).map((item) => writeWide(c, item));
  const bytes = size * writes.length;
  const find = locationReader(c, i, tensor, bytes);
  return (warp, mask) => {
    forEachLane(mask, (lane) => {
      const found = find(warp, lane);
      if (found) tell(warp, lane, "read", found.location, bytes);
      writes.forEach((write, n) => {
        const at = (found?.offset ?? 0) + n * size;
        const low = found ? readBytes(found.view, at, size) : 0;
        write(warp, lane, low, found && size === 8 ? found.view.getInt32(at + 4, true) : 0);
      });
    });
    return "next";
  };
};

const store: OperationRule = (c, i) => {
  const [tensor, value] = i.operands;
  const { type = "b32" } = i.opcode.modifiers;
  const size = sizeOf(type);
  const reads = itemsOf(value).map((item) => valueBytes(c, item, size === 8 ? b64 : b32));
  const bytes = size * reads.length;
  const find = locationReader(c, i, tensor, bytes);
  return (warp, mask) => {
    forEachLane(mask, (lane) => {
      const found = find(warp, lane);
      if (!found) return;
      tell(warp, lane, "write", found.location, bytes);
      const { bytes: memory } = found.location.region;
      reads.forEach((read, n) => void memory.set(read(warp, lane).subarray(0, size), found.location.offset + n * size));
    });
    return "next";
  };
};

const storeTexel: OperationRule = (c, i) => {
  const [tensor, value] = i.operands;
  const reads = itemsOf(value).map((item) => valueBytes(c, item, b32));
  const find = locationReader(c, i, tensor, "texel");
  return (warp, mask) => {
    forEachLane(mask, (lane) => {
      const found = find(warp, lane);
      if (!found) return;
      const { view, offset, texels, location } = found;
      tell(warp, lane, "write", location, texelBytes(texels.format));
      const words = reads.map((read) => new Int32Array(read(warp, lane).slice(0, 4).buffer)[0] ?? 0);
      writeTexel(texels.format, view, offset, words);
    });
    return "next";
  };
};

/** What a formatted reduction combines: by the format of the surface. */
function texelType(i: Instruction, { format }: Texels): ReduceType {
  const { type, op } = i.opcode.modifiers;
  const bits = sizeOf(type) * 8;
  if (op === "and" || op === "or") return `b${bits}` as ReduceType;
  const { type: texel, channels } = format;
  const fits = (texel === "u32" || texel === "i32") && channels === bits / 32;
  if (fits) return `${texel === "u32" ? "u" : "s"}${bits}` as ReduceType;
  throw new KernelFault(`it used ${i.opcode.text} on a surface of ${channels} x ${texel}, which it cannot add up or compare`);
}

const reduce =
  (formatted: boolean): OperationRule =>
  (c, i) => {
    const [tensor, value] = i.operands;
    const { type = "b32", op = "add" } = i.opcode.modifiers;
    const size = sizeOf(type);
    const read = valueBytes(c, value, size === 8 ? b64 : b32);
    const find = locationReader(c, i, tensor, formatted ? "texel" : size);
    return (warp, mask) => {
      forEachLane(mask, (lane) => {
        const found = find(warp, lane);
        if (!found) return;
        const { view, offset, texels, location } = found;
        if (formatted && texelBytes(texels.format) !== size)
          throw new KernelFault(`it used ${i.opcode.text} on a surface of ${texelBytes(texels.format)} bytes per texel`);
        const { monitor } = warp.block.launch;
        monitor?.atomic(warp, lane, location.region, location.offset, size, warp.at);
        const combine = combiner(op as ReduceOp, formatted ? texelType(i, texels) : (type as ReduceType));
        const given = read(warp, lane);
        combine(view, offset, new DataView(given.buffer, given.byteOffset, given.length), 0);
      });
      return "next";
    };
  };

type Query = (texels: Texels) => number;
const dimension =
  (name: "width" | "height" | "depth", from: number): Query =>
  (texels) => {
    const { geometry } = texels;
    if ((geometry.endsWith("1d") ? 1 : geometry === "3d" ? 3 : 2) < from)
      throw new KernelFault(`it asked for the ${name} of a surface of a ${geometryName(geometry)} array`);
    return texels[name];
  };
const queries: Readonly<Partial<Record<string, Query>>> = {
  width: dimension("width", 1),
  height: dimension("height", 2),
  depth: dimension("depth", 3),
  array_size: layersOf,
  memory_layout: () => 0,
};

/** Channels: as for textures. */
const query: OperationRule = (c, i) => {
  const ask = queries[i.opcode.modifiers.query ?? ""];
  if (!ask) throw new Unsupported(i.opcode.text);
  const [handle, write] = [readHandle(c, i.operands[1]), writeWord(c, i.operands[0])];
  return (warp, mask) => {
    forEachLane(mask, (lane) => void write(warp, lane, ask(objectOf(warp, handle(warp, lane), "surface").texels)));
    return "next";
  };
};

export const surfaceRules: OperationRules = {
  "suld.b": load,
  "sust.b": store,
  "sust.p": storeTexel,
  "sured.b": reduce(false),
  "sured.p": reduce(true),
  suq: query,
};
