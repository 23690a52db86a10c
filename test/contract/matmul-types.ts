// What plain tsc accepts and refuses of warpsmith/kernels. Every expected refusal is a line of its own.
import { type DeviceTensor, helper } from "warpsmith";
import { gatedMatmul, gatedMatmulKernel, matmul, matmulKernel, type Plan } from "warpsmith/kernels";

declare const x: DeviceTensor<"f16", 2>,
  w: DeviceTensor<"f16", 2>,
  brain: DeviceTensor<"bf16", 2>,
  wide: DeviceTensor<"f32", 2>,
  bias: DeviceTensor<"f32", 1>,
  plan: Plan;

const y: DeviceTensor<"f16", 2> = matmul(x, w.transpose(1, 0));
matmul(x, w, { out: y, plan, overlapPrevious: true });
matmul(x, w, { inputs: { bias, residual: y }, epilogue: helper((v, { bias, residual }) => Math.max(v + bias, 0) + residual) });
matmul(x, w, { epilogue: helper((v, { bias, residual }) => v + bias * residual), inputs: { bias, residual: brain } });
matmul(x, w, { inputs: { bias }, epilogue: (v, inputs, row, col) => v + inputs.bias + row + col });
matmul(x, w, { epilogue: (v, _, row, col) => (row < col ? 0 : v) });
const add = helper((value: number, { bias }: { readonly bias: number }) => value + bias);
matmul(x, w, { inputs: { bias }, epilogue: add });
matmulKernel(x, w, { inputs: { bias }, epilogue: add }).kernel.compile;

// @ts-expect-error two types
matmul(x, brain);
// @ts-expect-error f32
matmul(wide, wide);
// @ts-expect-error rank 1
matmul(x, bias);
matmul(x, w, { out: brain, alpha: 2, beta: 1 });
const sums: DeviceTensor<"f32", 2> = matmul(x, w, { dtype: "f32" });
matmul(x, w, { dtype: "f32", out: sums });
// @ts-expect-error the result has the type of out
matmul(x, w, { out: sums }) satisfies DeviceTensor<"f16", 2>;
// @ts-expect-error no type of a result
matmul(x, w, { dtype: "i32" });
// @ts-expect-error there is no such input
matmul(x, w, { inputs: { bias }, epilogue: (v, inputs) => v + inputs.scale });
// @ts-expect-error the input that it reads is missing
matmul(x, w, { epilogue: add });
// @ts-expect-error a text is no number
matmul(x, w, { epilogue: (v) => `${v}` });

declare const tokens: DeviceTensor<"f16", 3>;
const heads: DeviceTensor<"f16", 3> = matmul(tokens, tokens.transpose(0, 2, 1));
matmul(tokens, w, { out: heads, inputs: { bias }, epilogue: add, dynamicM: true, invariant: true });
matmulKernel(tokens, tokens, { dtype: "f32" }).out satisfies DeviceTensor<"f32", 3>;
// @ts-expect-error the result of a batch is a batch
matmul(tokens, w, { out: y });

gatedMatmul(x, w, w) satisfies DeviceTensor<"f16", 2>;
gatedMatmul(tokens, w, w, {
  out: heads,
  inputs: { bias },
  epilogue: (gate, up, { bias }, row, col) => gate * up + bias + row + col,
});
gatedMatmulKernel(x, w, w, { dtype: "f32", dynamicM: true }).out satisfies DeviceTensor<"f32", 2>;
// @ts-expect-error two types
gatedMatmul(x, w, brain);
// @ts-expect-error a pair is not scaled
gatedMatmul(x, w, w, { alpha: 2 });
// @ts-expect-error there is no such input
gatedMatmul(x, w, w, { inputs: { bias }, epilogue: (gate, up, inputs) => gate * up + inputs.scale });

const squares: DeviceTensor<"f32", 1> = bias;
const withSquares = helper((value: number) => ({ value, squares: value * value }));
matmul(x, w, { epilogue: withSquares, outputs: { squares: { sum: squares } } }) satisfies DeviceTensor<"f16", 2>;
matmul(x, w, {
  inputs: { bias },
  epilogue: (value, { bias }) => ({ value: value + bias, squares: value, top: bias }),
  outputs: { squares: { sum: squares }, top: { max: squares } },
});
matmulKernel(x, w, { epilogue: withSquares, outputs: { squares: { sum: squares } } }).after[0]?.kernel.launch;
gatedMatmul(x, w, w, { epilogue: (gate, up) => ({ value: gate * up, total: up }), outputs: { total: { sum: squares } } });
// @ts-expect-error the epilogue does not give it
matmul(x, w, { epilogue: (value) => value, outputs: { squares: { sum: squares } } });
// @ts-expect-error the epilogue gives another one
matmul(x, w, { epilogue: (value) => ({ value, square: value }), outputs: { squares: { sum: squares } } });
// @ts-expect-error rows are reduced to f32
matmul(x, w, { epilogue: withSquares, outputs: { squares: { sum: y } } });
// @ts-expect-error there is no such reduction
matmul(x, w, { epilogue: withSquares, outputs: { squares: { mean: squares } } });

const z: DeviceTensor<"bf16", 2> = brain;
const columns: DeviceTensor<"i32", 1> = null as never;
matmul(x, w, { epilogue: (value) => ({ value: Math.max(value, 0), z: value }), outputs: { z } }) satisfies DeviceTensor<"f16", 2>;
matmul(x, w, {
  inputs: { bias },
  epilogue: helper((value, { bias }) => ({ value: value + bias, z: value, wide: bias, top: value })),
  outputs: { z, wide, top: { max: squares, column: columns } },
});
gatedMatmul(x, w, w, { epilogue: (gate, up) => ({ value: gate * up, gate, up }), outputs: { gate: z, up: wide } });
// @ts-expect-error the epilogue does not give it
matmul(x, w, { epilogue: (value) => ({ value }), outputs: { z } });
// @ts-expect-error no matrix of i32 is stored
matmul(x, w, { epilogue: (value) => ({ value, columns: value }), outputs: { columns } });
// @ts-expect-error a column is a whole number
matmul(x, w, { epilogue: (value) => ({ value, top: value }), outputs: { top: { max: squares, column: squares } } });
// @ts-expect-error a sum has no column
matmul(x, w, { epilogue: (value) => ({ value, all: value }), outputs: { all: { sum: squares, column: columns } } });
