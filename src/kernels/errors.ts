/** Errors of kernels: the library. */
import { bracketed, defineErrors, type Fail, type MakeError, raising } from "../base/diag/index.ts";
import { baseErrors } from "../base/errors.ts";

/** The author's functions that kernels call, and what they are given. */
const parametersOf = {
  epilogue: "value, inputs, row, col",
  "epilogue of gatedMatmul": "gate, up, inputs, row, col",
  "score function": "score, query, key, head, batch",
  "function of map()": "inputs",
  "mask function": "query, key, head, batch, data",
} as const;
type Callback = keyof typeof parametersOf;

export interface MaskSizes {
  readonly queries: number;
  readonly keys: number;
  readonly heads: number;
  readonly batches: number;
}
const sizesOf = ({ queries, keys, heads, batches }: MaskSizes): string =>
  `${queries} queries, ${keys} keys, ${heads} ${heads === 1 ? "head" : "heads"} and ${batches} ${batches === 1 ? "batch" : "batches"}`;

/** Its name, where it is one and says more than what it is. */
const nameOf = ({ name, what }: { readonly name: unknown; readonly what: string }): string =>
  typeof name === "string" && name !== "" && !what.startsWith(name) ? ` ${name}` : "";

/** W76xx: what `warpsmith/kernels` refuses. */
export const kernelsErrors = defineErrors({
  W7601: {
    message: (a: { name: string; of: string; given: string; expected: string }) =>
      `${a.name} of ${a.of} is ${a.given}; it takes ${a.expected}.`,
    fix: (a) =>
      /dimensions?$/.test(a.given)
        ? "give it that shape with reshape()"
        : "make it with device.tensor(), device.empty() or device.zeros()",
  },
  W7602: {
    message: (a: { a: string; b: string; of: string; name: string }) =>
      `${a.of} multiplies two matrices of f16 or two of bf16, but a is of ${a.a} and ${a.name} of ${a.b}.`,
    fix: () => "convert one of them, in the kernel that makes it",
  },
  W7603: {
    message: (a: { a: readonly number[]; b: readonly number[]; of: string; name: string }) =>
      `${a.of} takes a of [M, K] and ${a.name} of [K, N], but a is ${bracketed(a.a)} and ${a.name} is ${bracketed(a.b)}: ${a.a[1]} columns and ${a.b[0]} rows.`,
    fix: (a) => {
      if (a.a[1] === a.b[1]) return `pass ${a.name}.transpose(1, 0), a view of the same memory`;
      if (a.a[0] === a.b[0]) return "pass a.transpose(1, 0), a view of the same memory";
      const swapped = a.name === "b" && a.a[0] === a.b[1];
      return swapped ? "pass b as the first operand and a as the second" : `give a as many columns as ${a.name} has rows`;
    },
  },
  W7606: {
    message: (a: { given: string; expected: string }) => `out is ${a.given}, but the product is ${a.expected}.`,
    fix: (a) => `give ${a.expected}, or none: then it is made`,
  },
  W7607: {
    message: (a: { strides: readonly number[] }) =>
      `The elements of a row of out are no neighbours in memory: its strides are ${bracketed(a.strides)}.`,
    fix: () =>
      "compute it transposed: matmul(b.transpose(1, 0), a.transpose(1, 0), { out: out.transpose(1, 0) }); an epilogue's rows are columns then",
  },
  W7608: {
    message: (a: { name: string }) =>
      `out shares memory with ${a.name}, of which other blocks still read what one has overwritten.`,
    fix: () => "give out memory of its own",
  },
  W7609: {
    message: (a: { given: string | undefined; inputs: readonly string[]; pair: boolean }) =>
      a.given === undefined
        ? `There is no epilogue that reads the inputs ${a.inputs.join(", ")}.`
        : `The epilogue is ${a.given}; it is a function (${a.pair ? "gate, up" : "value"}, inputs, row, col) => number.`,
    fix: () => "give a function: { epilogue: helper((value, { bias }) => value + bias), inputs: { bias } }",
  },
  W7610: {
    message: (a: { name: string; given: string; shape: readonly number[] }) =>
      `The input ${a.name} is ${a.given}; beside a product of ${bracketed(a.shape)} an input is ${bracketed(a.shape)}, [${a.shape.at(-1)}], [1, ${a.shape.at(-1)}] or ${bracketed([...a.shape.slice(0, -1), 1])}, of f16, bf16 or f32.`,
    fix: () => "give it one number for each element, each column or each row",
  },
  W7611: {
    message: (a: { name: string; strides: readonly number[] }) =>
      `The elements of the input ${a.name} are no neighbours in memory: its strides are ${bracketed(a.strides)}.`,
    fix: () => "copy it into a tensor of its own",
  },
  W7612: {
    message: (a: { name: string; what: Callback }) =>
      `The ${a.what}${nameOf(a)} is ordinary JavaScript, which cannot compute on the GPU.`,
    fix: (a) =>
      `write it as helper((${parametersOf[a.what as Callback]}) => …), in a program that runs by \`node --import warpsmith/register\` or \`warpsmith run\`, or goes through warpsmith/plugin`,
  },
  W7613: {
    message: (a: { field: string; given: string; expected: string }) =>
      `\`${a.field}\` of the plan is ${a.given}; it has to be ${a.expected}.`,
    fix: () => "change it, or leave the plan out: then one is chosen",
  },
  W7614: {
    message: (a: { all: number; limit: number; stages: number; stage: number; buffers: number; buffer: number }) =>
      `This plan takes ${a.all} bytes of shared memory, and a block has ${a.limit}: ${a.stages} stages of ${a.stage}, and ${a.buffers} buffers of ${a.buffer} beside what the epilogue reads.`,
    fix: (a) =>
      a.stages * a.stage > a.buffers * a.buffer
        ? "give it fewer stages, or a smaller tile"
        : "give it fewer buffers: more than 4 have nothing to wait for",
  },
  W7615: {
    message: (a: { name: string; what: Callback; given: string }) =>
      `The ${a.what}${nameOf(a)} gives ${a.given === "undefined" ? "nothing" : `${/^[aeiou]/.test(a.given) ? "an" : "a"} ${a.given}`} for an element; it has to give a number.`,
    fix: (a) =>
      a.given === "boolean"
        ? "choose between two numbers: `value > 0 ? value : 0`"
        : "return what the element becomes: `return value`",
  },
  W7616: {
    message: (a: { name: string; of: string; given: string; expected: string }) =>
      `${a.name} of ${a.of} is ${a.given}; it has to be ${a.expected}.`,
    fix: (a) =>
      a.name === "out" || a.name === "sum" || a.name === "logSumExp"
        ? "give a tensor of that type and shape, or leave it out"
        : "give a tensor of that type and shape: cast() converts, and reshape() is the same memory in another shape",
  },
  W7617: {
    message: (a: { name: string; of: string; shape: readonly number[]; strides: readonly number[] }) =>
      a.strides.at(-1) === 1 || a.shape.at(-1) === 1
        ? `The rows of ${a.name} of ${a.of}, ${bracketed(a.shape)}, are not equally far apart in memory: its strides are ${bracketed(a.strides)}.`
        : `The elements of a row of ${a.name} of ${a.of}, ${bracketed(a.shape)}, are no neighbours in memory: its strides are ${bracketed(a.strides)}.`,
    fix: () => "copy it into a tensor of its own: of a matrix x, transpose(x.transpose(1, 0)) of warpsmith/kernels is that",
  },
  W7618: {
    message: (a: { out: string; name: string; of: string }) =>
      `${a.out} of ${a.of} shares memory with ${a.name} and is not the same view of it: some threads would read what others have overwritten.`,
    fix: (a) => `give ${a.out} memory of its own, or exactly ${a.name}`,
  },
  W7619: {
    message: (a: { out: string; name: string; of: string }) =>
      `${a.out} of ${a.of} shares memory with ${a.name}, which is still read when some of it has been overwritten.`,
    fix: (a) => `give ${a.out} memory of its own`,
  },
  W7620: {
    message: (a: { of: string; name: string; needs: string }) => `${a.of} has ${a.name}, but no ${a.needs} that it belongs to.`,
    fix: (a) => `give ${a.needs}, too, or leave ${a.name} out`,
  },
  W7621: {
    message: (a: { given: string }) => `map() is given ${a.given} as its inputs; it takes tensors by name.`,
    fix: () => "write map({ x, y }, helper(({ x, y }) => x + y))",
  },
  W7622: {
    message: (a: { given: string }) => `map() is given ${a.given} as its function; it takes a function (inputs) => number.`,
    fix: () => "write map({ x, y }, helper(({ x, y }) => x + y))",
  },
  W7623: {
    message: (a: { name: string; given: string; shape: readonly number[] }) =>
      `The input ${a.name} of map() is ${a.given}; beside a result of ${bracketed(a.shape)} an input is ${bracketed(a.shape)}, [${a.shape.at(-1)}] or [${[...a.shape.slice(0, -1), 1].join(", ")}].`,
    fix: () =>
      "give it one number for each element, for each column or for each row; reshape() is the same memory in another shape",
  },
  W7624: {
    message: (a: { name: string; given: string; least: number; columns: number; most: number }) =>
      `${a.name} is ${a.given}; of rows of ${a.columns} elements it has to be a whole number from ${a.least} to ${Math.min(a.columns, a.most)}.`,
    fix: (a) => (a.columns > a.most ? `choose at most ${a.most} of each row, or sort` : "choose at most as many as a row has"),
  },
  W7625: {
    message: (a: { given: string; columns: number }) =>
      `cos of rotary() is ${a.given}, an angle for each pair; heads of ${a.columns} elements have ${Math.trunc(a.columns / 2)} pairs.`,
    fix: () => "give [positions, r / 2], where r elements of a head turn: of tables [positions, r], the first half of each row",
  },
  W7626: {
    message: (a: { tokens: number; rows: number }) =>
      `x of rotary() has sequences of ${a.tokens} tokens, and cos and sin have only ${a.rows} positions.`,
    fix: () => "make longer tables, or say which row each token has: `positions`",
  },
  W7627: {
    message: (a: { beta: number }) => `beta is ${a.beta}, but there is no out whose elements it would be multiplied with.`,
    fix: () => "give out, with the matrix that is added, or leave beta out",
  },
  W7640: {
    message: (a: { of: string; types: readonly string[] }) =>
      `${a.of} takes q, k and v of f16 or all of bf16, but they are of ${a.types[0]}, ${a.types[1]} and ${a.types[2]}.`,
    fix: () => "convert them to one of the two, in the kernels that make them",
  },
  W7641: {
    message: (a: { q: readonly number[]; k: readonly number[]; v: readonly number[] }) =>
      `attention takes q of [batch, heads, queries, d], k of [batch, kvHeads, keys, d] and v of [batch, kvHeads, keys, dv] with kvHeads a divisor of heads, but q is ${bracketed(a.q)}, k ${bracketed(a.k)} and v ${bracketed(a.v)}.`,
    fix: (a) => {
      const [[b, h, n, d], [kb, kh, m, kd]] = [a.q, a.k];
      const turned = b === kb && d === kd && (h === m || n === kh);
      return turned
        ? "pass x.transpose(0, 2, 1, 3) of those that are [batch, sequence, heads, d], a view of the same memory"
        : "give them the same batch and d, and k and v the same heads and length";
    },
  },
  W7642: {
    message: (a: { of: string; d: number; dv: number }) =>
      `${a.of} has no kernel for heads of ${a.d} elements with values of ${a.dv}; it has them for 64, 96, 128 and 256 of both, and for 192 with values of 128.`,
    fix: () => "fill heads up with zeros to one of those sizes, and give `scale` for the size that they had",
  },
  W7643: {
    message: (a: { name: string; strides: readonly number[]; beyond: number }) =>
      a.beyond !== 0
        ? `${a.name} begins ${a.beyond} bytes after a multiple of 16 bytes, where TMA cannot load.`
        : `The strides of ${a.name} are ${bracketed(a.strides)}; TMA takes rows whose elements are neighbours, and that begin at multiples of 16 bytes, 8 elements.`,
    fix: (a) =>
      a.beyond !== 0
        ? "slice at a multiple of 8 elements, or copy it into a tensor of its own"
        : "copy it into a tensor of its own",
  },
  W7644: {
    message: (a: { name: string; given: string; expected: string }) =>
      `${a.name} is ${a.given}; here it has to be ${a.expected}.`,
    fix: (a) => `give ${a.expected}, or none`,
  },
  W7645: {
    message: (a: { name: string; other: string }) =>
      `${a.name} lies within the memory of ${a.other}, which other blocks still read when one has written its part.`,
    fix: (a) => `give ${a.name} memory of its own`,
  },
  W7646: {
    message: (a: { all: number; limit: number; stages: number; stage: number; consumers: number; queries: number }) =>
      `This plan takes ${a.all} bytes of shared memory, and a block has ${a.limit}: ${a.stages} stages of ${a.stage}, and the queries of ${a.consumers} consumers, ${a.queries} each.`,
    fix: () => "give it fewer keys, fewer stages, or fewer consumers",
  },
  W7650: {
    message: (a: { q: readonly number[]; k: readonly number[]; v: readonly number[]; paged: boolean }) =>
      `attentionDecode takes q of [batch, heads, d] or [batch, queries, heads, d], and k and v of ${a.paged ? "[pages, kvHeads, pageSize, d]" : "[batch, kvHeads, keys, d]"} with kvHeads a divisor of heads, but q is ${bracketed(a.q)}, k ${bracketed(a.k)} and v ${bracketed(a.v)}.`,
    fix: (a) => {
      const [[b], [h, d], [kb, kh, m, kd]] = [a.q, a.q.slice(-2), a.k];
      const turned = (a.paged || b === kb) && d === kd && (h ?? 0) % (m ?? 1) === 0 && (h ?? 0) % (kh ?? 1) !== 0;
      return turned
        ? "pass x.transpose(0, 2, 1, 3) of a cache whose heads come behind its keys, a view of the same memory"
        : "give them the same d, k and v the same shape, and without `pages` the batch of q";
    },
  },
  W7652: {
    message: (a: { heads: number; kvHeads: number }) =>
      `attentionDecode has at most 64 heads of queries share one of keys, but ${a.heads} heads on ${a.kvHeads} are ${a.heads / a.kvHeads}.`,
    fix: () => "launch it for 64 heads at a time: `q.slice(…)` is a view of the same memory",
  },
  W7653: {
    message: (a: { size: number }) =>
      `A page has ${a.size} keys; attentionDecode takes pages of 16, 32 or 64, or of a multiple of 128.`,
    fix: () => "make pages of one of those sizes",
  },
  W7654: {
    message: (a: { all: number; limit: number; stages: number; stage: number; blocks: number }) =>
      `This plan takes ${a.all} bytes of shared memory in a block, ${a.stages} stages of ${a.stage} and queries and weights, and each of ${a.blocks} blocks of a multiprocessor has ${a.limit}.`,
    fix: () => "give it fewer stages, fewer keys, or fewer blocks",
  },
  W7660: {
    message: (a: { queries: number; share: number; dv: number; most: number }) =>
      `attentionDecode computes at most ${a.most} ${a.most === 1 ? "query" : "queries"} at a time where ${a.share === 1 ? "each head of q has a head of k and v of its own" : `${a.share} heads share one of k and v`} and values have ${a.dv} elements, but q has ${a.queries}.`,
    fix: () =>
      "launch it for fewer at a time, each time with `lengths` up to the last of them: `q.slice(…)` is a view of the same memory",
  },
  W7661: {
    message: (a: { q: readonly number[]; k: readonly number[]; v: readonly number[] }) =>
      `attentionVarlen takes q of [queries of all, heads, d], k of [keys of all, kvHeads, d] and v of [keys of all, kvHeads, dv] with kvHeads a divisor of heads, but q is ${bracketed(a.q)}, k ${bracketed(a.k)} and v ${bracketed(a.v)}.`,
    fix: () => "give them the same d, and k and v the same heads and as many rows",
  },
  W7662: {
    message: (a: { name: string; given: string; count: number | undefined }) =>
      `${a.name} is ${a.given}; it has to be a tensor of i32 whose elements are neighbours, [sequences + 1]${a.count === undefined ? "" : `, as long as cuSeqlens: [${a.count}]`}.`,
    fix: () => "give where each sequence begins and where the last one ends: of lengths 3 and 5 that is 0, 3, 8",
  },
  W7663: {
    message: (a: { queries: number; keys: number }) =>
      `There are ${a.queries} rows of queries and ${a.keys} of keys, so cuSeqlens cannot say where sequences of both begin.`,
    fix: () => "give `cuSeqlensKeys` for keys and values",
  },
  W7664: {
    message: (a: { names: readonly string[] }) =>
      `attention was given data (${a.names.join(", ")}), and no function of scores that looks at it.`,
    fix: () => "give the function: { score: helper((score, query, key, head, batch, data) => …), data }",
  },
  W7665: {
    message: (a: { rows: number; most: number }) =>
      `This kernel of matmulKernel() with dynamicM serves up to ${a.most} rows of a, and the launch has ${a.rows}: it would leave the others out.`,
    fix: () => "ask matmulKernel() for an `a` of that many rows, which is another kernel, or give a plan: then one serves all",
  },
  W7666: {
    message: (a: { option: "batches" | "cuSeqlensKeys" }) =>
      a.option === "batches"
        ? "attentionMask() was given cuSeqlens and batches; the batch that its function is told of is the number of a sequence, and there are as many as cuSeqlens says."
        : "attentionMask() was given cuSeqlensKeys without cuSeqlens: it does not know where sequences of queries begin.",
    fix: (a) =>
      a.option === "batches" ? "leave `batches` out" : "give `cuSeqlens`, which says where sequences of queries begin",
  },
  W7667: {
    message: (a: { packed: boolean }) =>
      a.packed
        ? "The mask is one of packed sequences, and attention() has none."
        : "The mask knows of no sequences, and attentionVarlen() has some: its function would be told of other places.",
    fix: (a) =>
      a.packed
        ? "call attentionVarlen() with the same `cuSeqlens`, or make the mask without"
        : "make the mask with the same `cuSeqlens` (and `cuSeqlensKeys`) as attentionVarlen() has",
  },
  W7668: {
    message: (a: { name: string }) =>
      `The mask was made with other ${a.name} than attentionVarlen() has: its blocks are those of other sequences.`,
    fix: (a) => `give both the same tensor as \`${a.name}\`, and \`update()\` the mask where what it holds has changed`,
  },
  W7671: {
    message: (a: { a: readonly number[]; b: readonly number[]; of: string; name: string }) =>
      `${a.of} takes a batch a of [batch, M, K] with ${a.name} of [batch, K, N] or one matrix for all, [1, K, N] or [K, N], but a is ${bracketed(a.a)} and ${a.name} is ${bracketed(a.b)}.`,
    fix: (a) => {
      const turned = a.a.at(-1) === a.b.at(-1) && a.a.at(-1) !== a.b.at(-2);
      if (turned) return `pass ${a.name}.transpose(${a.b.length === 3 ? "0, 2, 1" : "1, 0"}), a view of the same memory`;
      return a.a.length === 2 ? "pass a.reshape(1, M, K), a view of the same memory" : "give both the same batch and the same K";
    },
  },
  W7672: {
    message: (a: { shape: readonly number[]; strides: readonly number[] }) =>
      `A batch of ${bracketed(a.shape)} with strides ${bracketed(a.strides)} has lines that begin at no multiples of 16 bytes, and its matrices do not follow each other as their lines do, so that no launch before the product copies it.`,
    fix: () => 'let threads of the product load it, with unaligned: "threads" in the plan, or copy it into a tensor of its own',
  },
  W7673: {
    message: (a: { name?: string; shape: readonly number[]; strides: readonly number[] }) =>
      `${a.name === undefined ? "The result" : `The output ${a.name}`} of a batch is ${bracketed(a.shape)} with strides ${bracketed(a.strides)}, and not all of its rows begin and end at multiples of 16 bytes.`,
    fix: () =>
      "give b more columns, until N is a multiple of 8 (of 4, where it is f32), and rows that begin so; or multiply the matrices one by one",
  },
  W7674: {
    message: (a: { what: string }) => `A batch of products cannot read out, and ${a.what} would.`,
    fix: () => "give what is added as an input of the epilogue, in memory of its own",
  },
  W7690: {
    message: (a: { mask: MaskSizes; asked: MaskSizes }) =>
      `The mask is one of ${sizesOf(a.mask)}, and attention has ${sizesOf(a.asked)}.`,
    fix: () =>
      "make a mask of as many queries and keys, and of as many heads of `q` and batches or of 1 that stands for all, with attentionMask()",
  },
  W7691: {
    message: (a: { option: string; ahead: number | undefined }) =>
      `attention was given a mask and ${a.option}; a mask says all that is hidden.`,
    fix: ({ option, ahead }) => {
      const behind = (by: number): string => (by === 0 ? "query" : `query ${by < 0 ? "-" : "+"} ${Math.abs(by)}`);
      const own = ahead === undefined ? "query + keys - queries" : behind(ahead); // of its sequence, where packed ones differ
      const asked = option === "causal" ? `key <= ${own}` : `Math.abs(key - ${ahead === 0 ? own : `(${own})`}) < window`;
      return `leave \`${option}\` out, and let the mask's function ask \`${asked}\` as well${ahead === undefined ? ", with the lengths of the sequence as `queries` and `keys`" : ""}`;
    },
  },
  W7692: {
    message: (a: { name: string; given: string }) =>
      `The mask function${a.name === "" ? "" : ` ${a.name}`} gives ${a.given === "undefined" ? "nothing" : `${/^[aeiou]/.test(a.given) ? "an" : "a"} ${a.given}`} for a query and a key; it has to give true or false.`,
    fix: (a) =>
      a.given === "number" ? "compare it: `value !== 0`" : "return whether the query sees the key: `return key <= query`",
  },
  W7693: {
    message: (a: { gate: string; up: string }) =>
      `gatedMatmul takes gate and up of one type and one shape, but gate is ${a.gate} and up ${a.up}.`,
    fix: () => "give two matrices of [K, N], or two batches of them, or views of one tensor that holds both",
  },
  W7694: {
    message: (a: { gate: "K" | "N" }) =>
      `gate has neighbours in memory along ${a.gate}, and up along ${a.gate === "K" ? "N" : "K"}; gatedMatmul loads both in one way.`,
    fix: () => "store one of them as the other one is stored: transpose() makes it",
  },
  W7695: {
    message: (a: { given: string | undefined; missing?: string; names: readonly string[] }) =>
      a.given === undefined
        ? `There is no epilogue that gives the outputs ${a.names.join(", ")}.`
        : `The epilogue gives ${a.given === "object" ? `an object without a number ${a.missing}` : a.given === "undefined" ? "nothing" : `a ${a.given}`} for an element; with these outputs it has to give numbers by name: value, ${a.names.join(", ")}.`,
    fix: (a) => `return { value, ${a.names.join(", ")} }, where value is the element of the result`,
  },
  W7696: {
    message: (a: { name: string; given: string; expected: string }) =>
      a.name === ""
        ? `outputs is ${a.given}; it has to be ${a.expected}.`
        : `The output ${a.name} is ${a.given}; it has to be ${a.expected}.`,
    fix: () =>
      "give a tensor of the product's shape, { z: tensor }, or say how a row becomes one number: { squares: { sum: tensor } }",
  },
  W7697: {
    message: () => "An output is called value, and so is the element of the result that an epilogue gives beside its outputs.",
    fix: () => "call it something else",
  },
  W7698: {
    message: (a: { name: string; other: string }) =>
      `The output ${a.name} shares memory with ${a.other === "out" ? "out" : `the output ${a.other}`}, which is written as well.`,
    fix: (a) => `give ${a.name} memory of its own`,
  },
  W7705: {
    message: (a: { name: string; other: string }) =>
      `The output ${a.name} shares memory with ${a.other}, which is read while the output is written.`,
    fix: (a) => `give ${a.name} memory of its own`,
  },
  W7706: {
    message: (a: { name: string; strides: readonly number[] }) =>
      `The elements of a row of the output ${a.name} are no neighbours in memory: its strides are ${bracketed(a.strides)}.`,
    fix: () => "give a tensor whose rows are neighbours in memory, and transpose it where it is read",
  },
  W7707: {
    message: (a: { more: string; names: readonly string[] }) =>
      `The epilogue gives ${a.more} for an element, and \`outputs\` does not say where that goes: it has ${a.names.join(", ")}.`,
    fix: (a) => `give a tensor for it, { ${a.more}: tensor }, or leave it out of what the epilogue returns`,
  },
  W7710: {
    message: (a: { of: string; count: number; what: string; most: number }) =>
      `${a.of} is asked for ${a.count} ${a.what}; its threads number at most ${a.most}.`,
    fix: () => "call it for parts of the tensor: slice() and reshape() are the same memory",
  },
  W7711: {
    message: (a: { given: "neither" | "both" }) =>
      a.given === "neither"
        ? "sample() has neither uniform numbers nor a seed to draw by."
        : "sample() has uniform numbers and a seed; it draws by one of them.",
    fix: () => "give `seed`, and another `offset` for each call, or `uniform`, a number for each row",
  },
});

/** What this room raises: its own, and of rooms below. */
const raised = { ...baseErrors, ...kernelsErrors };

export type ErrorCode = keyof typeof raised;
export const makeError: MakeError<typeof raised> = raising(raised).makeError;
export const fail: Fail<typeof raised> = raising(raised).fail;
