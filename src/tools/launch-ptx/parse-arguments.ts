/**
 * The text form of arguments. One argument is one of
 *
 *     i32:7  u64:0xff  f32:1.5  f16:-inf          a scalar
 *     bytes:00ff10                                bytes of a structure, in hexadecimal
 *     f32[64x128]:randn:1                         a new buffer, and its address
 *     x=f32[64x128]:zeros:out                     the same with a name; `out`: its contents are a result
 *     @x  @x+256                                  the address of a named buffer, and bytes beyond
 *     {@x, i32:7, f64:1}                          a structure by value, laid out as C does
 *     tma:@x:f16[64x128]:box=64x64:swizzle=128B   a tensor map
 *     tex:@x:f32x4[64x128]:linear  surf:@x:…      a texture or surface object: parse-texture.ts
 *
 * A buffer begins with `zeros`, `ones`, `value=7`, `arange`, `randn[:seed]`, `uniform[:seed]` (0 up to 1), `below=9[:seed]` (whole
 * numbers), `bits[:seed]`, `file=path`, `npy=path`, `npz=path:name`, `safetensors=path:name`, or for u64 with `addresses=@x,@y+256`. Shapes are outermost first. A map further takes `strides=` (in elements), `l2=`,
 * `interleave=`, `oob=`, `steps=`; instead of `box=`, im2col takes `lower=`, `upper=`, `channels=` and `pixels=`.
 */

import { elementBytes } from "../../base/element-types.ts";
import { im2colMap, type MapOptions, tiledMap } from "../../base/tensor-map.ts";
import type { DType, Shape } from "../../base/types.ts";
import { countElements, encodeElements } from "../../runtime/index.ts";
import { fail } from "./errors.ts";
import { coveredBytes, texturesIn } from "./make-textures.ts";
import { parseTexture } from "./parse-texture.ts";
import type { Fill, PtxAddress, PtxArgument, PtxBuffer } from "./types.ts";

export interface ParsedArguments {
  readonly buffers: readonly PtxBuffer[];
  readonly args: readonly PtxArgument[];
}

/** Parses buffers that no argument makes, and the arguments. W7801, W7802, and what a wrong tensor map is told. */
export function parseArguments(buffers: readonly string[], args: readonly string[]): ParsedArguments {
  const made: PtxBuffer[] = [];
  const add = (buffer: PtxBuffer): PtxAddress => {
    if (made.some((b) => b.name === buffer.name)) fail("W7802", { name: buffer.name, reason: "is declared twice" });
    made.push(buffer);
    return { kind: "address", buffer: buffer.name, offset: 0 };
  };
  for (const text of buffers) add(parseBuffer(text) ?? refuse(text, "a buffer is name=f32[64x128]:zeros"));
  const parsed = args.map((text) => parseArgument(text.trim(), add, () => `arg${made.length}`));
  checkNames([...parsed, ...made.flatMap(({ fill }) => (fill.kind === "addresses" ? fill.of : []))], made);
  checkSurfaces(parsed);
  return { buffers: made, args: parsed };
}

const refuse = (text: string, reason: string): never => fail("W7801", { text, reason });

function checkNames(args: readonly PtxArgument[], buffers: readonly PtxBuffer[]): void {
  for (const arg of args) {
    if (arg.kind === "structure") checkNames(arg.members, buffers);
    const address = "address" in arg ? arg.address : arg.kind === "address" ? arg : undefined;
    const buffer = buffers.find((b) => b.name === address?.buffer);
    const needed = (address?.offset ?? 0) + bytesUsed(arg);
    if (!address || (buffer && needed <= countElements(buffer.shape) * elementBytes[buffer.dtype])) continue;
    fail("W7802", { name: address.buffer, reason: buffer ? `ends before byte ${needed}` : "is declared nowhere" });
  }
}

const bytesUsed = (arg: PtxArgument): number =>
  arg.kind === "texture" ? coveredBytes(arg.source) : arg.kind === "surface" ? coveredBytes(arg.array) : 0;

/** Surfaces go back to their buffers: one would undo the other. */
function checkSurfaces(args: readonly PtxArgument[]): void {
  const names = texturesIn(args).flatMap((arg) => (arg.kind === "surface" ? [arg.address.buffer] : []));
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice !== undefined) fail("W7802", { name: twice, reason: "is in two surfaces" });
}

type Add = (buffer: PtxBuffer) => PtxAddress;

function parseArgument(text: string, add: Add, freshName: () => string): PtxArgument {
  if (text.startsWith("{")) return parseStructure(text, add, freshName);
  if (text.startsWith("@")) return parseAddress(text);
  if (text.startsWith("tma:")) return parseMap(text);
  if (/^(tex|surf):/.test(text)) return parseTexture(text, parseAddress);
  if (text.startsWith("bytes:")) return parseBytes(text);
  const buffer = parseBuffer(text, freshName);
  if (buffer) return add(buffer);
  return parseScalar(text);
}

function parseStructure(text: string, add: Add, freshName: () => string): PtxArgument {
  if (!text.endsWith("}")) refuse(text, "a structure ends with }");
  const members = splitMembers(text.slice(1, -1)).map((member) => parseArgument(member.trim(), add, freshName));
  return { kind: "structure", members };
}

/** Parts between commas that no inner structure holds. */
function splitMembers(text: string): string[] {
  const parts: string[] = [""];
  let depth = 0;
  for (const c of text) {
    if (c === "{") depth++;
    if (c === "}") depth--;
    if (c === "," && depth === 0) parts.push("");
    else parts.push((parts.pop() ?? "") + c);
  }
  return parts;
}

function parseAddress(text: string): PtxAddress {
  const [, buffer, offset] = /^@(\w+)(?:\+(\d+))?$/.exec(text) ?? refuse(text, "an address is @name or @name+bytes");
  return { kind: "address", buffer: buffer ?? "", offset: Number(offset ?? 0) };
}

function parseBytes(text: string): PtxArgument {
  const digits = text.slice("bytes:".length);
  if (!/^([0-9a-f]{2})+$/i.test(digits)) refuse(text, "bytes are pairs of hexadecimal digits");
  const bytes = Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  return { kind: "bytes", bytes, align: 1 };
}

const isDType = (text: string): text is DType => Object.hasOwn(elementBytes, text);

function dtypeOf(name: string, text: string): DType {
  return isDType(name) ? name : refuse(text, `${JSON.stringify(name)} is not an element type`);
}

function parseScalar(text: string): PtxArgument {
  const [, name = "", value = ""] = /^(\w+):(.+)$/.exec(text) ?? refuse(text, "an argument begins with its type, as in i32:7");
  const dtype = dtypeOf(name, text);
  return { kind: "bytes", bytes: scalarBytes(dtype, value, text), align: elementBytes[dtype] };
}

/** A number of hexadecimal digits is the bits of the value. W7005 where the type cannot hold it. */
function scalarBytes(dtype: DType, value: string, text: string): Uint8Array {
  if (/^0x[0-9a-f]+$/i.test(value)) {
    const bits = BigInt(value);
    if (bits >> BigInt(8 * elementBytes[dtype]) !== 0n) refuse(text, `${value} has more bits than ${dtype}`);
    return Uint8Array.from({ length: elementBytes[dtype] }, (_, i) => Number((bits >> BigInt(8 * i)) & 255n));
  }
  return encodeElements(dtype, [element(dtype, value, text)]);
}

function element(dtype: DType, value: string, text: string): number | bigint {
  if (dtype === "i64" || dtype === "u64")
    return /^-?\d+$/.test(value) ? BigInt(value) : refuse(text, `${value} is no whole number`);
  if (value === "inf" || value === "-inf") return value === "inf" ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
  const number = value === "nan" ? Number.NaN : Number(value);
  if (value.trim() === "" || (Number.isNaN(number) && value !== "nan")) refuse(text, `${value} is no number`);
  return number;
}

const positive = (digits: string | undefined): number => Number(digits ?? 0);

/** `64x128` as extents, outermost first. */
function parseShape(list: string, text: string): Shape {
  const extents = list.split("x").map(Number);
  return extents.every(Number.isSafeInteger) ? extents : refuse(text, `${list} is not a list of whole numbers such as 64x128`);
}

/** Undefined where the text is no buffer at all. */
function parseBuffer(text: string, freshName?: () => string): PtxBuffer | undefined {
  const found = /^(?:(\w+)=)?(\w+)\[([\dx]+)\]:(.+?)(:out)?$/.exec(text);
  if (!found) return undefined;
  const [, name = freshName?.(), type = "", extents = "", fill = "", out] = found;
  if (name === undefined) return undefined;
  const shape = parseShape(extents, text);
  if (countElements(shape) < 1) refuse(text, "a buffer has at least one element");
  const dtype = dtypeOf(type, text);
  return { name, dtype, shape, fill: parseFill(fill, dtype, text), out: out !== undefined };
}

/** The format of the name of a file: `npy`, and for those with several arrays a name behind the first colon that begins no path. */
function parseArray(fill: string, text: string): Fill | undefined {
  const [, format = "", file = ""] = /^(npy|npz|safetensors)=(.+)$/.exec(fill) ?? [];
  if (format === "") return undefined;
  const [, path = file, name] = (format !== "npy" && /^(.+?)(?::(?![/\\])(.+))?$/.exec(file)) || [];
  if (!path.toLowerCase().endsWith(`.${format}`)) refuse(text, `${path} does not end in .${format}`);
  return { kind: "array", path, ...(name !== undefined && { name }) };
}

function parseFill(fill: string, dtype: DType, text: string): Fill {
  if (fill === "zeros" || fill === "ones") return { kind: "value", value: element(dtype, fill === "zeros" ? "0" : "1", text) };
  if (fill === "arange") return { kind: "arange" };
  if (fill.startsWith("addresses=") && dtype === "u64")
    return { kind: "addresses", of: fill.slice("addresses=".length).split(",").map(parseAddress) };
  const array = parseArray(fill, text);
  if (array) return array;
  const [, word = "", , given, , seed] = /^(value|below|randn|uniform|bits|file)(=(.+?))?(:(\d+))?$/.exec(fill) ?? [];
  if (word === "file" && given) return { kind: "file", path: fill.slice("file=".length) };
  if (word === "value" && given && seed === undefined) return { kind: "value", value: element(dtype, given, text) };
  if (word === "below" && Number(given) >= 1) return { kind: "below", limit: Number(given), seed: positive(seed) };
  const plain = given === undefined;
  if (plain && (word === "randn" || word === "uniform" || word === "bits")) return { kind: word, seed: positive(seed) };
  return refuse(text, `${fill} does not say what the buffer holds`);
}

const mapWords = new Set([
  "box",
  "strides",
  "swizzle",
  "interleave",
  "l2",
  "oob",
  "steps",
  "lower",
  "upper",
  "channels",
  "pixels",
]);

function parseMap(text: string): PtxArgument {
  const [, at = "", tensor = "", ...rest] = text.split(":");
  const [, type = "", extents = ""] =
    /^(\w+)\[([\dx]+)\]$/.exec(tensor) ?? refuse(text, "a tensor map is tma:@buffer:f16[64x128]:box=64x64");
  const shape = parseShape(extents, text);
  const options = new Map(rest.map((option) => option.split("=", 2) as [string, string]));
  for (const [word, value] of options)
    if (!mapWords.has(word) || !value) refuse(text, `a tensor map has no ${word}=${value ?? ""}`);
  const shapeOf = (word: string): Shape | undefined => {
    const value = options.get(word);
    return value === undefined ? undefined : parseShape(value, text);
  };
  const strides = shapeOf("strides") ?? shape.map((_, i) => shape.slice(i + 1).reduce((n, extent) => n * extent, 1));
  const spec = { dtype: dtypeOf(type, text), rank: shape.length, shape, strides };
  // Words that name no setting are refused by what makes the map.
  const common = {
    swizzle: options.get("swizzle"),
    interleave: options.get("interleave"),
    l2Promotion: options.get("l2"),
    oobFill: options.get("oob"),
    elementStrides: shapeOf("steps"),
  } as MapOptions;
  const box = shapeOf("box");
  if (!box && !options.has("channels"))
    refuse(text, "a tensor map has box=, or for im2col lower=, upper=, channels= and pixels=");
  const map = box
    ? tiledMap(spec, { ...common, box })
    : im2colMap(spec, {
        ...common,
        lower: shapeOf("lower") ?? [],
        upper: shapeOf("upper") ?? [],
        channels: positive(options.get("channels")),
        pixels: positive(options.get("pixels")),
      });
  return { kind: "map", address: parseAddress(at), map };
}
