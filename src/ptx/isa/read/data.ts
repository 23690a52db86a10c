import { anyTypes, flag, floats, halves, hint } from "./common-slots.ts";
import { defineReadForms } from "./define-read-forms.ts";

const bits = ["pred", "b16", "b32", "b64"] as const;
const dab = ["d:type", "s:type", "s:type"] as const;
const words = ["b16", "b32", "b64", "u16", "s16", "u32", "s32", "u64", "s64"] as const;
const scalars = ["u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64", "f16", "bf16", "f32", "f64"] as const;
const comparisons = [
  ...(["eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs"] as const),
  ...(["equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"] as const),
] as const;
const combine = ["", "and", "or", "xor"] as const;
const ftz = flag("ftz");
const spaces = ["const", "global", "local", "param", "param::entry", "shared", "shared::cta", "shared::cluster"] as const;
/** How the L2 cache keeps what is accessed, and the rest of it. */
const policy = {
  primary: ["L2::evict_first", "L2::evict_last", "L2::evict_normal", "L2::evict_unchanged"],
  secondary: ["", "L2::evict_first", "L2::evict_unchanged"],
  type: ["b64"],
} as const;

/** Comparison and selection (PTX ISA 9.7.6, 9.7.7), logic and shifts (9.7.8), moves and conversions (9.7.9). */
export const readData = defineReadForms({
  set: {
    text: "set",
    modifiers: { is: comparisons, combine, ftz, to: ["u16", "u32", "s32", "f32", ...halves], from: [...words, ...floats] },
    operands: ["d:to", "s:from", "s:from", "p?combine"],
  },
  setp: {
    text: "setp",
    modifiers: { is: comparisons, combine, ftz, type: [...words, ...floats] },
    operands: ["dp2", "s:type", "s:type", "p?combine"],
  },
  selp: {
    text: "selp",
    modifiers: { type: [...words, "f32", "f64"] },
    operands: ["d:type", "s:type", "s:type", "p"],
    moves: true,
  },
  slct: {
    text: "slct",
    modifiers: { ftz, type: [...words, "f32", "f64"], by: ["s32", "f32"] },
    operands: ["d:type", "s:type", "s:type", "s:by"],
  },
  and: { text: "and", modifiers: { type: bits }, operands: dab },
  or: { text: "or", modifiers: { type: bits }, operands: dab },
  xor: { text: "xor", modifiers: { type: bits }, operands: dab },
  not: { text: "not", modifiers: { type: bits }, operands: ["d:type", "s:type"] },
  cnot: { text: "cnot", modifiers: { type: ["b16", "b32", "b64"] }, operands: ["d:type", "s:type"] },
  lop3: { text: "lop3.b32", operands: ["d:b32", "s:b32", "s:b32", "s:b32", "imm"] },
  "lop3.pred": {
    text: "lop3",
    modifiers: { combine: ["or", "and"], type: ["b32"] },
    operands: ["pair", "s:b32", "s:b32", "s:b32", "imm", "p"],
  },
  shl: { text: "shl", modifiers: { type: ["b16", "b32", "b64"] }, operands: ["d:type", "s:type", "s:u32"] },
  shr: { text: "shr", modifiers: { type: words }, operands: ["d:type", "s:type", "s:u32"] },
  shf: {
    text: "shf",
    modifiers: { direction: ["l", "r"], mode: ["wrap", "clamp"], type: ["b32"] },
    operands: ["d:b32", "s:b32", "s:b32", "s:u32"],
  },
  prmt: {
    text: "prmt",
    modifiers: { type: ["b32"], mode: ["", "f4e", "b4e", "rc8", "ecl", "ecr", "rc16"] },
    operands: ["d:b32", "s:b32", "s:b32", "s:b32"],
    moves: true,
  },

  mov: { text: "mov", modifiers: { type: ["pred", ...anyTypes] }, operands: ["d:type", "s:type"], moves: true },
  "mov.pack": { text: "mov", modifiers: { type: ["b16", "b32", "b64", "b128"] }, operands: ["d:type", "vec"], moves: true },
  "mov.unpack": { text: "mov", modifiers: { type: ["b16", "b32", "b64", "b128"] }, operands: ["vec", "s:type"], moves: true },
  cvt: {
    text: "cvt",
    modifiers: {
      round: ["", "rni", "rzi", "rmi", "rpi", "rn", "rz", "rm", "rp"],
      ftz,
      sat: flag("sat"),
      to: scalars,
      from: scalars,
    },
    operands: ["d:to", "s:from"],
    wide: true,
    moves: true,
  },
  "cvt.half": {
    text: "cvt",
    modifiers: { round: ["rn", "rz"], relu: flag("relu"), satfinite: flag("satfinite"), to: ["f16", "bf16"], from: ["f32"] },
    operands: ["d:to", "s:f32"],
  },
  "cvt.tf32": {
    text: "cvt",
    modifiers: { round: ["rna", "rn", "rz"], satfinite: flag("satfinite"), relu: flag("relu"), to: ["tf32"], from: ["f32"] },
    operands: ["d:b32", "s:f32"],
  },
  /** The first source becomes the upper half. */
  "cvt.pair": {
    text: "cvt",
    modifiers: {
      round: ["rn", "rz"],
      satfinite: flag("satfinite"),
      relu: flag("relu"),
      to: ["f16x2", "bf16x2", "e4m3x2", "e5m2x2"],
      from: ["f32"],
    },
    operands: ["d:to", "s:f32", "s:f32"],
  },
  "cvt.fp8": {
    text: "cvt.rn",
    modifiers: {
      satfinite: flag("satfinite"),
      relu: flag("relu"),
      to: ["e4m3x2", "e5m2x2", "f16x2"],
      from: ["f16x2", "e4m3x2", "e5m2x2"],
    },
    operands: ["d:to", "s:from"],
  },
  "cvt.pack": {
    text: "cvt.pack.sat",
    modifiers: { to: ["u16", "s16", "u8", "s8", "u4", "s4", "u2", "s2"], from: ["s32"], rest: ["", "b32"] },
    operands: ["d:b32", "s:s32", "s:s32", "s?rest"],
  },
  cvta: { text: "cvta", modifiers: { to: flag("to"), space: spaces, type: ["u32", "u64"] }, operands: ["d:type", "s:type"] },
  isspacep: { text: "isspacep", modifiers: { space: spaces }, operands: ["dp", "s"] },
  mapa: {
    text: "mapa",
    modifiers: { space: flag("shared::cluster"), type: ["u32", "u64"] },
    operands: ["d:type", "s:type", "s:u32"],
  },
  getctarank: {
    text: "getctarank",
    modifiers: { space: flag("shared::cluster"), type: ["u32", "u64"] },
    operands: ["d:u32", "s:type"],
  },
  createpolicy: {
    text: "createpolicy.fractional",
    modifiers: policy,
    operands: ["d:b64", "s:f32?"],
  },
  "createpolicy.range": {
    text: "createpolicy.range",
    modifiers: { space: flag("global"), ...policy },
    operands: ["d:b64", "addr", "s:u32", "s:u32"],
  },
  "createpolicy.cvt": { text: "createpolicy.cvt.L2", modifiers: { type: ["b64"] }, operands: ["d:b64", "s:b64"] },
  prefetch: {
    text: "prefetch",
    modifiers: {
      space: ["", "global", "local"],
      level: ["L1", "L2", "L2::evict_last", "L2::evict_normal"],
    },
    operands: ["addr"],
  },
  "prefetch.tensormap": { text: "prefetch.tensormap", modifiers: { space: ["", "param", "const"] }, operands: ["addr"] },
  prefetchu: { text: "prefetchu.L1", operands: ["addr"] },
  applypriority: { text: "applypriority.L2::evict_normal", modifiers: { space: flag("global") }, operands: ["addr", "imm"] },
  discard: { text: "discard.L2", modifiers: { space: flag("global") }, operands: ["addr", "imm"], overwrites: true },
  "cp.async.bulk.prefetch": {
    text: "cp.async.bulk.prefetch.L2.global",
    modifiers: { hint },
    operands: ["addr", "s:u32", "s:b64?hint"],
  },
});
