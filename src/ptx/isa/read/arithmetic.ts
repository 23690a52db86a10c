import { flag, floats, integers, roundings, wideIntegers } from "./common-slots.ts";
import { defineReadForms } from "./define-read-forms.ts";

const dab = ["d:type", "s:type", "s:type"] as const;
const da = ["d:type", "s:type"] as const;
const dabc = ["d:type", "s:type", "s:type", "s:type"] as const;
const half = ["lo", "hi"] as const;
const packed = [...integers, "u16x2", "s16x2"] as const;
const signed = ["s16", "s32", "s64"] as const;
const f = ["f32", "f64"] as const;
const ftz = flag("ftz");
const sat = flag("sat");
const relu = flag("relu");
const exactness = ["approx", "full", "rn", "rz", "rm", "rp"] as const;

/** Integer arithmetic (PTX ISA 9.7.1, 9.7.2), floating point (9.7.3–9.7.5). */
export const readArithmetic = defineReadForms({
  add: { text: "add", modifiers: { sat, type: packed }, operands: dab },
  sub: { text: "sub", modifiers: { sat, type: integers }, operands: dab },
  "add.cc": { text: "add.cc", modifiers: { type: wideIntegers }, operands: dab, carries: true },
  addc: { text: "addc", modifiers: { cc: flag("cc"), type: wideIntegers }, operands: dab },
  "sub.cc": { text: "sub.cc", modifiers: { type: wideIntegers }, operands: dab, carries: true },
  subc: { text: "subc", modifiers: { cc: flag("cc"), type: wideIntegers }, operands: dab },
  mul: { text: "mul", modifiers: { half, type: integers }, operands: dab },
  "mul.wide": { text: "mul.wide", modifiers: { type: ["u16", "s16", "u32", "s32"] }, operands: ["d:type*2", "s:type", "s:type"] },
  mad: { text: "mad", modifiers: { half, sat, type: integers }, operands: dabc },
  "mad.wide": {
    text: "mad.wide",
    modifiers: { type: ["u16", "s16", "u32", "s32"] },
    operands: ["d:type*2", "s:type", "s:type", "s:type*2"],
  },
  "mad.cc": { text: "mad.cc", modifiers: { half, type: wideIntegers }, operands: dabc, carries: true },
  madc: { text: "madc", modifiers: { half, cc: flag("cc"), type: wideIntegers }, operands: dabc },
  mul24: { text: "mul24", modifiers: { half, type: ["u32", "s32"] }, operands: dab },
  mad24: { text: "mad24", modifiers: { half, sat, type: ["u32", "s32"] }, operands: dabc },
  sad: { text: "sad", modifiers: { type: integers }, operands: dabc },
  div: { text: "div", modifiers: { type: integers }, operands: dab },
  rem: { text: "rem", modifiers: { type: integers }, operands: dab },
  neg: { text: "neg", modifiers: { type: signed }, operands: da },
  abs: { text: "abs", modifiers: { type: signed }, operands: da },
  min: { text: "min", modifiers: { relu, type: packed }, operands: dab },
  max: { text: "max", modifiers: { relu, type: packed }, operands: dab },
  popc: { text: "popc", modifiers: { type: ["b32", "b64"] }, operands: ["d:u32", "s:type"] },
  clz: { text: "clz", modifiers: { type: ["b32", "b64"] }, operands: ["d:u32", "s:type"] },
  bfind: { text: "bfind", modifiers: { shiftamt: flag("shiftamt"), type: wideIntegers }, operands: ["d:u32", "s:type"] },
  fns: { text: "fns.b32", operands: ["d:b32", "s:b32", "s:b32", "s:s32"] },
  brev: { text: "brev", modifiers: { type: ["b32", "b64"] }, operands: da },
  bfe: { text: "bfe", modifiers: { type: wideIntegers }, operands: ["d:type", "s:type", "s:u32", "s:u32"] },
  bfi: { text: "bfi", modifiers: { type: ["b32", "b64"] }, operands: ["d:type", "s:type", "s:type", "s:u32", "s:u32"] },
  szext: { text: "szext", modifiers: { mode: ["clamp", "wrap"], type: ["u32", "s32"] }, operands: ["d:type", "s:type", "s:u32"] },
  bmsk: { text: "bmsk", modifiers: { mode: ["clamp", "wrap"], type: ["b32"] }, operands: ["d:b32", "s:u32", "s:u32"] },
  /** Of the SIMD video instructions, the one that compilers still emit; whole registers alone, without masks and selectors. */
  vabsdiff4: {
    text: "vabsdiff4",
    modifiers: { d: ["u32", "s32"], a: ["u32", "s32"], b: ["u32", "s32"], sat, add: flag("add") },
    operands: ["d:b32", "s:b32", "s:b32", "s:b32"],
  },
  dp4a: { text: "dp4a", modifiers: { a: ["u32", "s32"], b: ["u32", "s32"] }, operands: ["d:b32", "s:b32", "s:b32", "s:b32"] },
  dp2a: {
    text: "dp2a",
    modifiers: { half, a: ["u32", "s32"], b: ["u32", "s32"] },
    operands: ["d:b32", "s:b32", "s:b32", "s:b32"],
  },

  "add.float": { text: "add", modifiers: { round: roundings, ftz, sat, type: floats }, operands: dab },
  "sub.float": { text: "sub", modifiers: { round: roundings, ftz, sat, type: floats }, operands: dab },
  "mul.float": { text: "mul", modifiers: { round: roundings, ftz, sat, type: floats }, operands: dab },
  fma: {
    text: "fma",
    modifiers: { round: ["rn", "rz", "rm", "rp"], ftz, sat, oob: flag("oob"), relu, type: floats },
    operands: dabc,
  },
  "mad.float": { text: "mad", modifiers: { round: ["rn", "rz", "rm", "rp"], ftz, sat, type: f }, operands: dabc },
  "div.float": { text: "div", modifiers: { mode: exactness, ftz, type: f }, operands: dab },
  "neg.float": { text: "neg", modifiers: { ftz, type: floats }, operands: da },
  "abs.float": { text: "abs", modifiers: { ftz, type: floats }, operands: da },
  "min.float": {
    text: "min",
    modifiers: { ftz, nan: flag("NaN"), xorsign: flag("xorsign"), abs: flag("abs"), type: floats },
    operands: dab,
  },
  "max.float": {
    text: "max",
    modifiers: { ftz, nan: flag("NaN"), xorsign: flag("xorsign"), abs: flag("abs"), type: floats },
    operands: dab,
  },
  copysign: { text: "copysign", modifiers: { type: f }, operands: dab },
  testp: {
    text: "testp",
    modifiers: { is: ["finite", "infinite", "number", "notanumber", "normal", "subnormal"], type: f },
    operands: ["dp", "s:type"],
  },
  rcp: { text: "rcp", modifiers: { mode: ["approx", "rn", "rz", "rm", "rp"], ftz, type: f }, operands: da },
  sqrt: { text: "sqrt", modifiers: { mode: ["approx", "rn", "rz", "rm", "rp"], ftz, type: f }, operands: da },
  rsqrt: { text: "rsqrt.approx", modifiers: { ftz, type: f }, operands: da },
  sin: { text: "sin.approx", modifiers: { ftz, type: ["f32"] }, operands: da },
  cos: { text: "cos.approx", modifiers: { ftz, type: ["f32"] }, operands: da },
  lg2: { text: "lg2.approx", modifiers: { ftz, type: ["f32"] }, operands: da },
  ex2: { text: "ex2.approx", modifiers: { ftz, type: ["f32", "f16", "f16x2", "bf16", "bf16x2"] }, operands: da },
  tanh: { text: "tanh.approx", modifiers: { type: ["f32", "f16", "f16x2", "bf16", "bf16x2"] }, operands: da },
});
