/** Comparison and selection (PTX ISA 9.7.6), logic and shifts (9.7.8), moves between registers and conversions (9.7.9): what the compiler emits. read/data.ts has what is read. */
import { defineForms } from "./define-forms.ts";

const bits = ["pred", "b16", "b32", "b64"] as const;
const dab = ["d:type", "s:type", "s:type"] as const;
const shiftTypes = ["b16", "b32", "b64", "u16", "s16", "u32", "s32", "u64", "s64"] as const;
const comparable = ["b16", "b32", "b64", "u16", "s16", "u32", "s32", "u64", "s64", "f16", "bf16", "f32", "f64"] as const;
const convertible = ["u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64", "f16", "bf16", "f32", "f64"] as const;

export const dataForms = defineForms({
  and: { text: "and", modifiers: { type: bits }, operands: dab },
  or: { text: "or", modifiers: { type: bits }, operands: dab },
  xor: { text: "xor", modifiers: { type: bits }, operands: dab },
  not: { text: "not", modifiers: { type: bits }, operands: ["d:type", "s:type"] },
  shl: { text: "shl", modifiers: { type: ["b16", "b32", "b64"] }, operands: ["d:type", "s:type", "s:u32"] },
  shr: { text: "shr", modifiers: { type: shiftTypes }, operands: ["d:type", "s:type", "s:u32"] },
  shf: {
    text: "shf",
    modifiers: { direction: ["l", "r"], mode: ["wrap", "clamp"], type: ["b32"] },
    operands: ["d:b32", "s:b32", "s:b32", "s:u32"],
  },
  setp: {
    text: "setp",
    modifiers: { is: ["eq", "ne", "lt", "le", "gt", "ge", "neu", "num", "nan"], type: comparable },
    operands: ["dp", "s:type", "s:type"],
  },
  selp: { text: "selp", modifiers: { type: ["b16", "b32", "b64", "f32", "f64"] }, operands: ["d:type", "s:type", "s:type", "p"] },

  mov: { text: "mov", modifiers: { type: ["pred", "b16", "b32", "b64", "f32", "f64"] }, operands: ["d:type", "s:type"] },
  "mov.special": { text: "mov.u32", operands: ["d:u32", "special"] },
  /** Of a register with 64 bits. */
  "mov.long": { text: "mov.u64", operands: ["d:u64", "special"] },
  "mov.symbol": { text: "mov", modifiers: { type: ["b32", "b64"] }, operands: ["d:type", "sym"] },
  "mov.pack": { text: "mov", modifiers: { type: ["b32", "b64"] }, operands: ["d:type", "vec"] },
  "mov.unpack": { text: "mov", modifiers: { type: ["b32", "b64"] }, operands: ["vec", "s:type"] },
  cvt: {
    text: "cvt",
    modifiers: { round: ["", "rn", "rz", "rni", "rzi", "rmi", "rpi"], to: convertible, from: convertible },
    operands: ["d:to", "s:from"],
  },
  /** Two floats to a pair of 8-bit ones: the first becomes the upper half. */
  "cvt.fp8x2": {
    text: "cvt.rn.satfinite",
    modifiers: { to: ["e4m3x2", "e5m2x2"], from: ["f32"] },
    operands: ["d:b16", "s:f32", "s:f32"],
  },
  "cvt.f16x2": { text: "cvt.rn.f16x2", modifiers: { from: ["e4m3x2", "e5m2x2"] }, operands: ["d:b32", "s:b16"] },
  /** Two floats to a pair of 16-bit ones: the first becomes the upper half. */
  "cvt.pair": {
    text: "cvt.rn",
    modifiers: { to: ["f16x2", "bf16x2"], from: ["f32"] },
    operands: ["d:b32", "s:f32", "s:f32"],
  },
  "cvta.param": { text: "cvta.param.u64", operands: ["d:u64", "s:u64"] },
  "cvta.to.global": { text: "cvta.to.global.u64", operands: ["d:u64", "s:u64"] },
  mapa: { text: "mapa.shared::cluster.u32", operands: ["d:u32", "s:u32", "s:u32"] },
});
