import { defineForms } from "./define-forms.ts";

const layout = ["row", "col"] as const;
const shape = ["m16n16k16", "m32n8k16", "m8n32k16", "m16n16k8", "m8n8k4"] as const;
const space = ["global", "shared"] as const;
const sums = ["f16", "f32", "s32", "f64"] as const;
const inputs = ["bf16", "tf32", "s8", "u8", "f64"] as const;

/** PTX ISA 9.7.14.4. The stride is in elements. */
export const wmmaForms = defineForms({
  "wmma.load": {
    text: "wmma.load",
    modifiers: {
      fragment: ["a", "b", "c"],
      sync: ["sync"],
      aligned: ["aligned"],
      layout,
      shape,
      space,
      type: ["f16", "bf16", "tf32", "s8", "u8", "f32", "s32", "f64"],
    },
    operands: ["vec", "addr", "s:u32"],
  },
  "wmma.store": {
    text: "wmma.store.d.sync.aligned",
    modifiers: { layout, shape, space, type: sums },
    operands: ["addr", "vec", "s:u32"],
  },
  /** f16 operands: the types of D and C. */
  "wmma.mma.half": {
    text: "wmma.mma.sync.aligned",
    modifiers: { layoutA: layout, layoutB: layout, shape, d: ["f16", "f32"], c: ["f16", "f32"] },
    operands: ["vec", "vec", "vec", "vec"],
  },
  /** PTX ISA 9.7.14.5.14. Fragments lie as it says; A is by rows and B by columns. */
  mma: {
    text: "mma.sync.aligned",
    modifiers: {
      shape: ["m16n8k4", "m16n8k8", "m16n8k16", "m16n8k32"],
      layoutA: ["row"],
      layoutB: ["col"],
      d: sums,
      a: [...inputs, "f16", "e4m3", "e5m2"],
      b: [...inputs, "f16", "e4m3", "e5m2"],
      c: sums,
    },
    operands: ["vec", "vec", "vec", "vec"],
  },
  "wmma.mma": {
    text: "wmma.mma.sync.aligned",
    modifiers: {
      layoutA: layout,
      layoutB: layout,
      shape,
      d: sums,
      a: inputs,
      b: inputs,
      c: sums,
      satfinite: ["", "satfinite"],
    },
    operands: ["vec", "vec", "vec", "vec"],
  },
});
