import { defineForms } from "./define-forms.ts";

const ints = ["u16", "s16", "u32", "s32", "u64", "s64"] as const;
const floats = ["f16", "bf16", "f32", "f64"] as const;
const dab = ["d:type", "s:type", "s:type"] as const;
const da = ["d:type", "s:type"] as const;

/** Integer arithmetic (PTX ISA 9.7.1), floating point (9.7.3, 9.7.4). */
export const arithmeticForms = defineForms({
  add: { text: "add", modifiers: { type: ints }, operands: dab },
  sub: { text: "sub", modifiers: { type: ints }, operands: dab },
  "mul.lo": { text: "mul.lo", modifiers: { type: ints }, operands: dab },
  "mul.hi": { text: "mul.hi", modifiers: { type: ints }, operands: dab },
  "mad.lo": { text: "mad.lo", modifiers: { type: ints }, operands: ["d:type", "s:type", "s:type", "s:type"] },
  "mad.wide.u32": { text: "mad.wide.u32", operands: ["d:u64", "s:u32", "s:u32", "s:u64"] },
  "div.int": { text: "div", modifiers: { type: ints }, operands: dab },
  "rem.int": { text: "rem", modifiers: { type: ints }, operands: dab },
  "neg.int": { text: "neg", modifiers: { type: ["s16", "s32", "s64"] }, operands: da },
  "min.int": { text: "min", modifiers: { type: ints }, operands: dab },
  "max.int": { text: "max", modifiers: { type: ints }, operands: dab },
  popc: { text: "popc", modifiers: { type: ["b32", "b64"] }, operands: ["d:u32", "s:type"] },
  clz: { text: "clz", modifiers: { type: ["b32", "b64"] }, operands: ["d:u32", "s:type"] },
  brev: { text: "brev", modifiers: { type: ["b32", "b64"] }, operands: da },

  "add.rn": { text: "add.rn", modifiers: { type: floats }, operands: dab },
  "sub.rn": { text: "sub.rn", modifiers: { type: floats }, operands: dab },
  "mul.rn": { text: "mul.rn", modifiers: { type: floats }, operands: dab },
  "fma.rn": { text: "fma.rn", modifiers: { type: floats }, operands: ["d:type", "s:type", "s:type", "s:type"] },
  "fma.rn.sat": { text: "fma.rn.sat.f32", operands: ["d:f32", "s:f32", "s:f32", "s:f32"] },
  "div.rn": { text: "div.rn", modifiers: { type: ["f32", "f64"] }, operands: dab },
  "sqrt.rn": { text: "sqrt.rn", modifiers: { type: ["f32", "f64"] }, operands: da },
  "neg.float": { text: "neg", modifiers: { type: floats }, operands: da },
  "abs.float": { text: "abs", modifiers: { type: floats }, operands: da },
  "min.float": { text: "min", modifiers: { nan: ["", "NaN"], type: floats }, operands: dab },
  "max.float": { text: "max", modifiers: { nan: ["", "NaN"], type: floats }, operands: dab },
  "div.approx": { text: "div.approx", modifiers: { type: ["f32"] }, operands: dab },
  "rcp.approx": { text: "rcp.approx", modifiers: { ftz: ["", "ftz"], type: ["f32"] }, operands: da },
  "rsqrt.approx": { text: "rsqrt.approx", modifiers: { ftz: ["", "ftz"], type: ["f32"] }, operands: da },
  "sqrt.approx": { text: "sqrt.approx.f32", operands: ["d:f32", "s:f32"] },
  "sin.approx": { text: "sin.approx.f32", operands: ["d:f32", "s:f32"] },
  "cos.approx": { text: "cos.approx.f32", operands: ["d:f32", "s:f32"] },
  "lg2.approx": { text: "lg2.approx.f32", operands: ["d:f32", "s:f32"] },
  ex2: { text: "ex2.approx", modifiers: { ftz: ["", "ftz"], type: ["f16", "bf16", "f32"] }, operands: da },
  tanh: { text: "tanh.approx", modifiers: { type: ["f16", "bf16", "f32"] }, operands: da },
});
