/**
 * Texture instructions (PTX ISA 9.7.10) in unified mode, lane by lane. A texture has one level, so that `.level` and `.grad` read it,
 * whatever they say.
 */

import { isCube } from "../../../base/texture.ts";
import type { Instruction, Operand, Scalar } from "../../../ptx/parse/index.ts";
import { KernelFault } from "../../machine/fault.ts";
import { forEachLane } from "../../machine/lanes.ts";
import { encodeF16 } from "../../machine/units/floats.ts";
import { type TextureObject, type TexturePoint, TextureReader, type Touch } from "../../machine/units/index.ts";
import type { Warp } from "../../machine/warp.ts";
import { Unsupported } from "../codegen/unsupported.ts";
import { itemsOf, type Operating, type Read, readLong, readWord, type Write, writeWord } from "../operands.ts";
import { tell } from "./locate.ts";
import type { OperationRule, OperationRules } from "./rule.ts";
import { bytesOf, geometryName, objectOf, readFloat, readHandle } from "./texel-memory.ts";

const readers = new WeakMap<TextureObject, TextureReader>();
function readerOf(object: TextureObject): TextureReader {
  const known = readers.get(object) ?? new TextureReader(object);
  readers.set(object, known);
  return known;
}

/** Sets a point to what one lane asks for. */
type ReadPoint = (warp: Warp, lane: number, point: TexturePoint) => void;

/** The layer comes first; what follows the last coordinate pads. */
function pointReader(c: Operating, i: Instruction, offsets: readonly Scalar[]): ReadPoint {
  const { geometry = "", coordinate } = i.opcode.modifiers;
  const tensor = i.operands[1];
  if (tensor?.kind !== "tensor") throw new Unsupported("a texture without coordinates");
  const layered = geometry.startsWith("a");
  const count = geometry.endsWith("1d") ? 1 : geometry.endsWith("2d") ? 2 : 3;
  const first = layered ? 1 : 0;
  const layer = layered ? readWord(c, tensor.coords[0]) : () => 0;
  const read = coordinate === "f32" ? readFloat : readWord;
  const [x, y, z] = tensor.coords.slice(first, first + count).map((scalar) => read(c, scalar));
  const [dx, dy, dz] = offsets.slice(0, count).map((scalar) => readWord(c, scalar));
  return (warp, lane, point) => {
    point.layer = layer(warp, lane) >>> 0;
    point.x = x?.(warp, lane) ?? 0;
    point.y = y?.(warp, lane) ?? 0;
    point.z = z?.(warp, lane) ?? 0;
    point.offsets[0] = dx?.(warp, lane) ?? 0;
    point.offsets[1] = dy?.(warp, lane) ?? 0;
    point.offsets[2] = dz?.(warp, lane) ?? 0;
  };
}

/** Writes the four words of a texel to the registers of a lane; f16 are rounded, two in a word where they are packed. */
function resultWriter(c: Operating, o: Operand | undefined, type: string): (warp: Warp, lane: number, words: Int32Array) => void {
  const writes = itemsOf(o?.kind === "pair" ? o.first : o).map((item) => writeWord(c, item));
  const resident: Write = o?.kind === "pair" ? writeWord(c, o.second) : () => {};
  const half = (words: Int32Array, n: number): number => encodeF16(new Float32Array(words.buffer, words.byteOffset, 4)[n] ?? 0);
  const wordOf =
    type === "f16"
      ? half
      : type === "f16x2"
        ? (words: Int32Array, n: number) => half(words, 2 * n) | (half(words, 2 * n + 1) << 16)
        : (words: Int32Array, n: number) => words[n] ?? 0;
  return (warp, lane, words) => {
    for (let n = 0; n < writes.length; n += 1) writes[n]?.(warp, lane, wordOf(words, n));
    resident(warp, lane, 1);
  };
}

/** Refuses what an object is not made for. */
function checkUse(object: TextureObject, i: Instruction): void {
  const { geometry, coordinate, channel, type } = i.opcode.modifiers;
  const { texels, linear, gather, sampling } = object;
  const refuse = (what: string): never => {
    throw new KernelFault(`it used ${i.opcode.text} on a texture object ${what}`);
  };
  if (texels.geometry !== geometry) refuse(`of a ${geometryName(texels.geometry)} texture`);
  if (linear && coordinate === "f32") refuse("of memory, which is read by whole numbers alone");
  if (channel && !gather) refuse("of an array that is not made for gathers");
  const floats = texels.format.type.startsWith("f") || sampling.normalizedFloat;
  if (type?.startsWith("f16") && !floats) refuse("that gives integers");
}

const channels = ["r", "g", "b", "a"];

/** How many operands come between the coordinates and the offsets. */
const fetch =
  (between: number): OperationRule =>
  (c, i) => {
    const { geometry = "", coordinate, channel, type = "" } = i.opcode.modifiers;
    const [offsets, depth] = i.operands.slice(2 + between);
    if (geometry.endsWith("ms")) throw new Unsupported("a texture of several samples");
    if (depth) throw new Unsupported("a texture of depths");
    if (isCube(geometry as "cube") && offsets) throw new Unsupported("a cube with offsets");
    const handle = readHandle(c, i.operands[1]);
    const place = pointReader(c, i, itemsOf(offsets));
    const write = resultWriter(c, i.operands[0], type);
    const gathered = channels.indexOf(channel ?? "");
    const point: TexturePoint = { x: 0, y: 0, z: 0, layer: 0, offsets: [0, 0, 0] };
    const words = new Int32Array(4);
    return (warp, mask) => {
      const watched = warp.block.launch.monitor !== undefined;
      forEachLane(mask, (lane) => {
        const object = objectOf(warp, handle(warp, lane), "texture");
        checkUse(object, i);
        const { view, region, start } = bytesOf(warp, object.texels);
        const touch: Touch | undefined = watched
          ? (offset, bytes) => tell(warp, lane, "read", { region, offset: start + offset }, bytes)
          : undefined;
        const reader = readerOf(object);
        place(warp, lane, point);
        if (gathered >= 0) reader.gather(view, point, gathered, words, touch);
        else if (coordinate === "f32") reader.sample(view, point, words, touch);
        else reader.load(view, point, words, touch);
        write(warp, lane, words);
      });
      return "next";
    };
  };

/** `enum { wrap, mirror, clamp_ogl, clamp_to_edge, clamp_to_border }` (9.7.10.5). */
const modeNumbers = { wrap: 0, mirror: 1, clamp: 3, border: 4 } as const;

type Query = (object: TextureObject) => number;

const dimensionsOf = (geometry: string): number => (geometry.endsWith("1d") ? 1 : geometry === "3d" ? 3 : 2);

function extent(which: 0 | 1 | 2): Query {
  return ({ texels }) => {
    const { geometry, width, height, depth } = texels;
    if (which >= dimensionsOf(geometry))
      throw new KernelFault(`it asked for the ${which === 1 ? "height" : "depth"} of a ${geometryName(geometry)} texture`);
    return [width, height, depth][which] ?? 0;
  };
}

export const layersOf = ({ geometry, depth }: TextureObject["texels"]): number =>
  geometry === "acube" ? depth / 6 : geometry.startsWith("a") ? depth : 0;

const mode =
  (axis: 0 | 1 | 2): Query =>
  ({ sampling }) =>
    modeNumbers[sampling.addressModes[axis]];

const queries: Readonly<Partial<Record<string, Query>>> = {
  width: extent(0),
  height: extent(1),
  depth: extent(2),
  array_size: ({ texels }) => layersOf(texels),
  num_mipmap_levels: () => 0,
  num_samples: () => 0,
  normalized_coords: ({ sampling }) => (sampling.normalizedCoordinates ? 1 : 0),
  filter_mode: ({ sampling }) => (sampling.filter === "linear" ? 1 : 0),
  addr_mode_0: mode(0),
  addr_mode_1: mode(1),
  addr_mode_2: mode(2),
};

/** Of a texture. What the numbers of channels mean is a matter of the source language, and CUDA has none. */
const query: OperationRule = (c, i) => {
  const ask = queries[i.opcode.modifiers.query ?? ""];
  if (!ask) throw new Unsupported(i.opcode.text);
  const handle = readHandle(c, i.operands[1]);
  const write = writeWord(c, i.operands[0]);
  return (warp, mask) => {
    forEachLane(mask, (lane) => void write(warp, lane, ask(objectOf(warp, handle(warp, lane), "texture"))));
    return "next";
  };
};

const kinds: Readonly<Partial<Record<string, "texture" | "surface">>> = { texref: "texture", surfref: "surface" };

const isType: OperationRule = (c, i) => {
  const kind = kinds[i.opcode.modifiers.type ?? ""];
  if (!kind) throw new Unsupported("a sampler apart from its texture");
  const [write, handle]: [Write, Read] = [writeWord(c, i.operands[0]), readLong(c, i.operands[1])];
  return (warp, mask) => {
    forEachLane(mask, (lane) => {
      const is = warp.block.launch.textures.get(handle(warp, lane))?.kind === kind;
      write(warp, lane, is ? 1 : 0);
    });
    return "next";
  };
};

export const textureRules: OperationRules = {
  tex: fetch(0),
  "tex.level": fetch(1),
  "tex.grad": fetch(2),
  tld4: fetch(0),
  txq: query,
  "txq.level": query,
  istypep: isType,
};
