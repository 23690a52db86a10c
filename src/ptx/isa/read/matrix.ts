import { flag } from "./common-slots.ts";
import { defineReadForms } from "./define-read-forms.ts";

const wgmmaText = "wgmma.mma_async.sync.aligned";
const wgmmaSparse = "wgmma.mma_async.sp.sync.aligned";
const depths = [8, 16, 32, 64, 256] as const;
const wgmmaShapes = depths.flatMap((k) => Array.from({ length: 32 }, (_, i) => `m64n${8 * (i + 1)}k${k}`));
const wgmmaTypes = {
  shape: wgmmaShapes,
  satfinite: flag("satfinite"),
  d: ["f32", "f16", "s32"],
  a: ["f16", "bf16", "tf32", "e4m3", "e5m2", "s8", "u8"],
  b: ["f16", "bf16", "tf32", "e4m3", "e5m2", "s8", "u8"],
} as const;
const wgmmaBits = { shape: wgmmaShapes, d: ["s32"], a: ["b1"], b: ["b1"], op: ["and"], count: ["popc"] } as const;
const scales = ["imm?", "imm?", "imm?", "imm?"] as const;

const elements = ["f16", "bf16", "tf32", "f64", "e4m3", "e5m2", "s8", "u8", "s4", "u4", "b1"] as const;
const sums = ["f16", "f32", "f64", "s32"] as const;
const layout = ["row", "col"] as const;
const wmmaShapes = ["m16n16k16", "m8n32k16", "m32n8k16", "m16n16k8", "m8n8k4", "m8n8k32", "m8n8k128"] as const;
const wmmaSpaces = ["", "global", "shared", "shared::cta"] as const;
const mmaShapes = [
  ...(["m8n8k4", "m8n8k16", "m8n8k32", "m8n8k128", "m16n8k4", "m16n8k8"] as const),
  ...(["m16n8k16", "m16n8k32", "m16n8k64", "m16n8k128", "m16n8k256"] as const),
] as const;
const mma = {
  shape: mmaShapes,
  layoutA: layout,
  layoutB: layout,
  satfinite: flag("satfinite"),
  d: sums,
  a: elements,
  b: elements,
  c: sums,
} as const;

/** D, A, B and C in registers of a warp. */
const warpProduct = { operands: ["vec", "vec", "vec", "vec"], collective: true, exchanges: true } as const;
const asyncProduct = { collective: true, async: "product" } as const;
const wmmaForm = { layoutA: layout, layoutB: layout, shape: wmmaShapes } as const;

/** Warp-level matrices (PTX ISA 9.7.14) and wgmma (9.7.15). */
export const readMatrix = defineReadForms({
  "wgmma.fence": { text: "wgmma.fence.sync.aligned", operands: [], collective: true },
  "wgmma.commit_group": { text: "wgmma.commit_group.sync.aligned", operands: [], collective: true },
  "wgmma.wait_group": { text: "wgmma.wait_group.sync.aligned", operands: ["imm"], collective: true },
  /** D, descriptor of A, descriptor of B, scale of D; as the types have them: signs of A and B, transpositions of A and B. */
  "wgmma.mma_async": {
    text: wgmmaText,
    modifiers: wgmmaTypes,
    operands: ["vec", "s:b64", "s:b64", "p", ...scales],
    ...asyncProduct,
  },
  /** A in registers: no transposition of A. */
  "wgmma.mma_async.rs": {
    text: wgmmaText,
    modifiers: wgmmaTypes,
    operands: ["vec", "vec", "s:b64", "p", "imm?", "imm?", "imm?"],
    ...asyncProduct,
  },
  "wgmma.mma_async.b1": { text: wgmmaText, modifiers: wgmmaBits, operands: ["vec", "s:b64", "s:b64", "p"], ...asyncProduct },
  "wgmma.mma_async.b1.rs": { text: wgmmaText, modifiers: wgmmaBits, operands: ["vec", "vec", "s:b64", "p"], ...asyncProduct },
  /** Sparse A: then metadata, and which threads have them. */
  "wgmma.mma_async.sp": {
    text: wgmmaSparse,
    modifiers: wgmmaTypes,
    operands: ["vec", "s:b64", "s:b64", "s:b32", "imm", "p", ...scales],
    ...asyncProduct,
  },
  "wgmma.mma_async.sp.rs": {
    text: wgmmaSparse,
    modifiers: wgmmaTypes,
    operands: ["vec", "vec", "s:b64", "s:b32", "imm", "p", "imm?", "imm?", "imm?"],
    ...asyncProduct,
  },

  mma: { text: "mma.sync.aligned", modifiers: mma, ...warpProduct },
  "mma.b1": {
    text: "mma.sync.aligned",
    modifiers: {
      shape: mmaShapes,
      layoutA: layout,
      layoutB: layout,
      d: ["s32"],
      a: ["b1"],
      b: ["b1"],
      c: ["s32"],
      op: ["xor", "and"],
      count: ["popc"],
    },
    ...warpProduct,
  },
  "wmma.load": {
    exchanges: true,
    overtaken: true,
    text: "wmma.load.sync.aligned",
    modifiers: {
      fragment: ["a", "b", "c"],
      layout,
      shape: wmmaShapes,
      space: wmmaSpaces,
      type: ["f16", "bf16", "tf32", "f64", "f32", "s32", "s8", "u8", "s4", "u4", "b1"],
    },
    operands: ["vec", "addr", "s:u32?"],
    collective: true,
    access: "load",
  },
  "wmma.store": {
    exchanges: true,
    text: "wmma.store.d.sync.aligned",
    modifiers: { layout, shape: wmmaShapes, space: wmmaSpaces, type: ["f16", "f32", "f64", "s32"] },
    operands: ["addr", "vec", "s:u32?"],
    collective: true,
    access: "store",
  },
  /** f16: the types of D and C. */
  "wmma.mma.half": {
    text: "wmma.mma.sync.aligned",
    modifiers: { ...wmmaForm, d: ["f16", "f32"], c: ["f16", "f32"], satfinite: flag("satfinite") },
    ...warpProduct,
  },
  "wmma.mma.b1": {
    text: "wmma.mma",
    modifiers: {
      op: ["xor", "and"],
      count: ["popc"],
      sync: ["sync"],
      aligned: ["aligned"],
      layoutA: ["row"],
      layoutB: ["col"],
      shape: ["m8n8k128"],
      d: ["s32"],
      a: ["b1"],
      b: ["b1"],
      c: ["s32"],
    },
    ...warpProduct,
  },
  "wmma.mma": {
    text: "wmma.mma.sync.aligned",
    modifiers: {
      ...wmmaForm,
      round: ["", "rn", "rz", "rm", "rp"],
      d: sums,
      a: elements,
      b: elements,
      c: sums,
      satfinite: flag("satfinite"),
    },
    ...warpProduct,
  },
});
