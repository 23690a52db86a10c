import { defineForms } from "./define-forms.ts";

type Shape = `m64n${number}k${8 | 16 | 32}`;
const columns = Array.from({ length: 32 }, (_, i) => 8 * (i + 1));
const shapes: readonly Shape[] = ([8, 16, 32] as const).flatMap((k) => columns.map((n): Shape => `m64n${n}k${k}`));
type SparseShape = `m64n${number}k${16 | 32 | 64}`;
const sparseShapes: readonly SparseShape[] = ([16, 32, 64] as const).flatMap((k) =>
  columns.map((n): SparseShape => `m64n${n}k${k}`),
);
const accumulators = ["f32", "f16", "s32"] as const;
const inputs = ["f16", "bf16", "tf32", "e4m3", "e5m2", "s8", "u8"] as const;
const modifiers = { shape: shapes, satfinite: ["", "satfinite"], d: accumulators, a: inputs, b: inputs } as const;
const text = "wgmma.mma_async.sync.aligned";

/** PTX ISA 9.7.15. Operands: D, A, descriptor of B, scale-d, then as the types have them: scales of A and B, transpositions of A and B. */
export const wgmmaForms = defineForms({
  "wgmma.fence": { text: "wgmma.fence.sync.aligned", operands: [] },
  "wgmma.commit_group": { text: "wgmma.commit_group.sync.aligned", operands: [] },
  "wgmma.wait_group": { text: "wgmma.wait_group.sync.aligned", operands: ["imm"] },
  "wgmma.mma_async": { text, modifiers, operands: ["vec", "s:b64", "s:b64", "p", "imm?", "imm?", "imm?", "imm?"] },
  /** PTX ISA 9.7.15.6. Sparse A: its metadata, and which threads have them, before scale-d. */
  "wgmma.mma_async.sp": {
    text: "wgmma.mma_async.sp.sync.aligned",
    since: "8.2",
    modifiers: { ...modifiers, shape: sparseShapes },
    operands: ["vec", "s:b64", "s:b64", "s:b32", "imm", "p", "imm?", "imm?", "imm?", "imm?"],
  },
  "wgmma.mma_async.sp.rs": {
    text: "wgmma.mma_async.sp.sync.aligned",
    since: "8.2",
    modifiers: { ...modifiers, shape: sparseShapes },
    operands: ["vec", "vec", "s:b64", "s:b32", "imm", "p", "imm?", "imm?", "imm?"],
  },
  "wgmma.mma_async.rs": { text, modifiers, operands: ["vec", "vec", "s:b64", "p", "imm?", "imm?", "imm?"] },
});
