/** A program as text: the kernel as an author writes it, and the same as plain JavaScript over `arithmetic.ts` and `memory.ts`. */
import { operations } from "./operations.ts";
import {
  type AtomicOp,
  type Expr,
  type Helper,
  isWideType,
  type Memory,
  type Place,
  type Program,
  type Scalar,
  type Stmt,
} from "./program.ts";

export type Side = "kernel" | "host";

export function printExpr(e: Expr, side: Side): string {
  switch (e.kind) {
    case "text":
      return e.text;
    case "literal":
      return side === "kernel" || isWideType(e.type) ? e.text : `H.round.${e.type}(${e.text})`;
    case "load":
      return load(e.place, side);
    case "call":
      return `${e.name}(${list(e.args, side)})`;
    case "op": {
      const printed = e.args.map((a) => printExpr(a, side));
      const swaps = e.op === "lt" && looksLikeTypes(printed[1] ?? "");
      const args = swaps ? printed.toReversed() : printed;
      return operations[swaps ? "gt" : e.op][side].replace(/\$(\d|T|n)/g, (_, key: string) =>
        key === "T" ? e.type : key === "n" ? String(e.n) : (args[Number(key)] ?? "?"),
      );
    }
  }
}

/** TypeScript takes what stands between `<` and `>` in `a < ((b > (c)) ? d : e)` for types, and refuses the rest. */
const looksLikeTypes = (right: string): boolean => /^\(.*> \(/s.test(right);

const list = (exprs: readonly Expr[], side: Side): string => exprs.map((e) => printExpr(e, side)).join(", ");

function load({ memory, index, form, pred, other }: Place, side: Side): string {
  const at = index.map((i) => printExpr(i, side));
  if (side === "host") {
    const read = `H.load(${[memory, ...at].join(", ")})`;
    return pred && other ? `(${printExpr(pred, side)} ? ${read} : ${printExpr(other, side)})` : read;
  }
  if (pred && other) {
    const options = `{ pred: ${printExpr(pred, side)}, other: ${printExpr(other, side)} }`;
    return `${memory}.at(${at.join(", ")}).load(${options})`;
  }
  return form === "index" ? element(memory, at) : `${reached(memory, at, form)}.load()`;
}

const element = (memory: string, at: readonly string[]): string => memory + at.map((i) => `[${i}]`).join("");

/** A place, by all its indices at once or by the row first. */
function reached(memory: string, at: readonly string[], form: Place["form"]): string {
  if (form !== "row" || at.length < 2) return `${memory}.at(${at.join(", ")})`;
  return `${memory}[${at[0]}].at(${at.slice(1).join(", ")})`;
}

function store({ memory, index, form, pred }: Place, value: Expr, side: Side): string {
  const at = index.map((i) => printExpr(i, side));
  const v = printExpr(value, side);
  if (side === "host") {
    const write = `H.store(${[memory, v, ...at].join(", ")});`;
    return pred ? `if (${printExpr(pred, side)}) ${write}` : write;
  }
  if (pred) return `${memory}.at(${at.join(", ")}).store(${v}, { pred: ${printExpr(pred, side)} });`;
  return form === "index" ? `${element(memory, at)} = ${v};` : `${reached(memory, at, form)}.store(${v});`;
}

/** The right side of `name op= …`: the operation's other argument. */
const right = (value: Expr, side: Side): string => {
  if (value.kind !== "op" || !value.args[1]) throw new Error("an update without an operation");
  return printExpr(value.args[1], side);
};

function storeUpdate({ place, sign, value }: Extract<Stmt, { kind: "storeUpdate" }>, side: Side): string {
  if (side === "host") return store(place, value, side);
  const at = place.index.map((i) => printExpr(i, side));
  return `${element(place.memory, at)} ${sign}= ${right(value, side)};`;
}

function atomic(memory: string, call: string, args: readonly string[], at: readonly string[], side: Side): string {
  return side === "kernel"
    ? `${memory}.at(${at.join(", ")}).${call}(${args.join(", ")})`
    : `H.${call}(${[memory, ...args, ...at].join(", ")})`;
}

function view(s: Extract<Stmt, { kind: "view" }>, side: Side): string {
  const [offset, shape] = [`[${list(s.offset, side)}]`, `[${s.shape.join(", ")}]`];
  const part = side === "kernel" ? `${s.of}.subview(${offset}, ${shape})` : `H.subview(${s.of}, ${offset}, ${shape})`;
  const turned = side === "kernel" ? `${part}.transpose()` : `H.transpose(${part})`;
  return `const ${s.name} = ${s.transpose ? turned : part};`;
}

function loop(s: Stmt, side: Side, indent: string): string | undefined {
  const body = (list: readonly Stmt[], ...more: readonly string[]) => block([...more], list, side, indent);
  const expr = (e: Expr) => printExpr(e, side);
  switch (s.kind) {
    case "range": {
      const bounds = s.bounds.map(expr);
      const unroll = s.unroll !== undefined && side === "kernel" ? `, { unroll: ${s.unroll} }` : "";
      const [start, stop, step] = bounds;
      const short = side === "kernel" && start === "0" && step === "1";
      const args = short ? stop : bounds.join(", ");
      return `${labelled(s)}for (const ${s.index} of ${side === "host" ? "H." : ""}range(${args}${unroll})) ${body(s.body)}`;
    }
    case "static": {
      const { index: k, count } = s;
      const counted = side === "kernel" ? `staticRange(${count})` : `H.range(0, ${count}, 1)`;
      const all = `[${Array.from({ length: count }, (_, i) => i).join(", ")}]`;
      const head =
        s.form === "for" ? `let ${k} = 0; ${k} < ${count}; ${k}++` : `const ${k} of ${s.form === "of" ? all : counted}`;
      return `${labelled(s)}for (${head}) ${body(s.body)}`;
    }
    case "while":
      return whileText(s, side, indent);
    default:
      return undefined;
  }
}

const labelled = ({ label }: { readonly label?: string }): string => (label === undefined ? "" : `${label}: `);

function whileText(s: Extract<Stmt, { kind: "while" }>, side: Side, indent: string): string {
  const w = s.counter;
  const most = printExpr(s.limit, side);
  const limit = looksLikeTypes(most) ? `${most} > ${w}` : `${w} < ${most}`;
  const test = s.condition ? `${limit} && ${printExpr(s.condition, side)}` : limit;
  const zero = side === "kernel" ? "i32(0)" : "0";
  const body = (...more: readonly string[]) => block(more, s.body, side, indent);
  if (s.form === "for") return `${labelled(s)}for (let ${w} = ${zero}; ${test}; ${w}++) ${body()}`;
  const begin = `let ${w} = ${zero};\n${indent}`;
  if (s.form === "do") return `${begin}${labelled(s)}do ${body(`${w}++;`)} while (${test});`;
  if (s.form === "while") return `${begin}${labelled(s)}while (${test}) ${body(`${w}++;`)}`;
  const always = side === "kernel" ? "bool(true)" : "true";
  return `${begin}${labelled(s)}while (${always}) ${body(`if (!(${test})) break;`, `${w}++;`)}`;
}

function block(first: readonly string[], body: readonly Stmt[], side: Side, indent: string): string {
  const inner = `${indent}  `;
  const lines = [...first, ...body.map((s) => printStmt(s, side, inner))];
  return lines.length === 0 ? "{}" : `{\n${lines.map((l) => inner + l).join("\n")}\n${indent}}`;
}

function switchText(s: Extract<Stmt, { kind: "switch" }>, side: Side, indent: string): string {
  const inner = `${indent}  `;
  const cases = s.cases.map(({ labels, body }) => {
    const head = labels.length === 0 ? "default:" : labels.map((l) => `case ${l}:`).join(" ");
    return `${inner}${head} {\n${body.map((b) => `${inner}  ${printStmt(b, side, `${inner}  `)}\n`).join("")}${inner}  break;\n${inner}}`;
  });
  return `switch (${printExpr(s.value, side)}) {\n${cases.join("\n")}\n${indent}}`;
}

function control(s: Stmt, side: Side, indent: string): string | undefined {
  const body = (list: readonly Stmt[]) => block([], list, side, indent);
  switch (s.kind) {
    case "if": {
      const no = s.no ? ` else ${body(s.no)}` : "";
      return `if (${printExpr(s.condition, side)}) ${body(s.yes)}${no}`;
    }
    case "switch":
      return switchText(s, side, indent);
    case "block":
      return `${s.label}: ${body(s.body)}`;
    case "jump":
      return `${s.jump}${s.label === undefined ? "" : ` ${s.label}`};`;
    case "return":
      return s.value ? `return ${printExpr(s.value, side)};` : "return;";
    case "closure": {
      const inner = `${indent}  `;
      const lines = [...s.body.map((b) => printStmt(b, side, inner)), `return ${printExpr(s.value, side)};`];
      return `const ${s.name} = (${s.params.join(", ")}) => {\n${lines.map((l) => inner + l).join("\n")}\n${indent}};`;
    }
    default:
      return loop(s, side, indent);
  }
}

function memoryStmt(s: Stmt, side: Side): string | undefined {
  const expr = (e: Expr) => printExpr(e, side);
  const at = (place: Place) => place.index.map(expr);
  switch (s.kind) {
    case "store":
      return store(s.place, s.value, side);
    case "storeUpdate":
      return storeUpdate(s, side);
    case "vector": {
      const names = `[${s.names.join(", ")}]`;
      const { memory } = s.place;
      const n = s.names.length;
      return side === "kernel"
        ? `const ${names} = ${memory}.at(${at(s.place).join(", ")}).load({ vector: ${n} });`
        : `const ${names} = H.loadVector(${[memory, n, ...at(s.place)].join(", ")});`;
    }
    case "storeVector": {
      const values = `[${s.values.map(expr).join(", ")}]`;
      const { memory } = s.place;
      return side === "kernel"
        ? `${memory}.at(${at(s.place).join(", ")}).store(${values});`
        : `H.storeVector(${[memory, values, ...at(s.place)].join(", ")});`;
    }
    case "view":
      return view(s, side);
    case "atomic": {
      const call = atomic(s.place.memory, "atomic", [`"${s.op satisfies AtomicOp}"`, expr(s.value)], at(s.place), side);
      return s.result === undefined ? `${call};` : `const ${s.result} = ${call};`;
    }
    case "swapIf":
      return `const ${s.result} = ${atomic(s.place.memory, "compareAndSwap", [expr(s.expected), expr(s.value)], at(s.place), side)};`;
    default:
      return undefined;
  }
}

export function printStmt(s: Stmt, side: Side, indent: string): string {
  const expr = (e: Expr) => printExpr(e, side);
  const kernel = side === "kernel";
  switch (s.kind) {
    case "declare":
      return `${s.constant ? "const" : "let"} ${s.name} = ${expr(s.value)};`;
    case "unset":
      return `let ${s.name}${kernel ? `: ${s.wide}` : ""};`;
    case "array":
      return `const ${s.name} = [${list(s.values, side)}];`;
    case "record":
      return `const ${s.name} = { ${s.values.map((v, i) => `f${i}: ${expr(v)}`).join(", ")} };`;
    case "assign":
      return `${s.name} = ${expr(s.value)};`;
    case "update":
      return kernel ? `${s.name} ${s.sign}= ${right(s.value, side)};` : `${s.name} = ${expr(s.value)};`;
    case "step":
      return kernel ? `${s.name}${s.sign};` : `${s.name} = ${expr(s.value)};`;
    case "swap":
      return `[${s.a}, ${s.b}] = [${s.b}, ${s.a}];`;
    case "ballot":
      return `const ${s.name} = ${kernel ? `warp.ballot(${expr(s.condition)})` : `yield ${expr(s.condition)}`};`;
    case "sync":
      return kernel ? "syncThreads();" : "yield;";
    default: {
      const text = memoryStmt(s, side) ?? control(s, side, indent);
      if (text === undefined) throw new Error(`no text for ${s.kind}`);
      return text;
    }
  }
}

const names =
  "bf16 bits bitcast blockDim blockIdx bool cdiv f16 f32 f64 fma gridDim i16 i32 i64 i8 kernel range sharedMemory staticRange syncThreads threadIdx u16 u32 u64 u8 warp";

const tsTypeOf = (type: Helper["result"]): string => (type === "bool" ? "boolean" : isWideType(type) ? "bigint" : "number");

function helperText(h: Helper, side: Side): string {
  const params = h.params.map((p) => (side === "kernel" ? `${p.name}: ${tsTypeOf(p.type)}` : p.name)).join(", ");
  const lines = h.body.map((s) => `  ${printStmt(s, side, "  ")}\n`).join("");
  if (side === "host") return `function ${h.name}(${params}) {\n${lines}}`;
  return `function ${h.name}(${params}): ${tsTypeOf(h.result)} {\n  "use kernel";\n${lines}}`;
}

const isParameter = (m: Memory): boolean => m.kind !== "shared";

function parameters(program: Program): string {
  const tensors = program.memories.filter(isParameter).map((m) => `${m.name}: Tensor<"${m.type}", ${m.shape.length}>`);
  const scalars = program.scalars.map((s) => `${s.name}: ${s.type === "static" ? "Static<number>" : s.type}`);
  return [...tensors, ...scalars].join(", ");
}

/** The kernel's module. It exports `fuzz`. */
export function kernelText(program: Program): string {
  const dynamic = program.memories.filter((m) => m.dynamic).map((m) => `${m.name}: [${m.dynamic?.join(", ")}]`);
  const options = [
    `block: [${program.block.join(", ")}]`,
    `grid: [${program.grid.join(", ")}]`,
    `debug: ${program.debug}`,
    ...(dynamic.length > 0 ? [`dynamic: { ${dynamic.join(", ")} }`] : []),
  ];
  const shared = program.memories
    .filter((m) => m.kind === "shared")
    .map((m) => {
      const swizzle = m.swizzle ? `, { swizzle: "${m.swizzle}" }` : "";
      return `  const ${m.name} = sharedMemory.alloc("${m.type}", [${m.shape.join(", ")}]${swizzle});\n`;
    });
  const body = program.body.map((s) => `  ${printStmt(s, "kernel", "  ")}\n`);
  const helpers = program.helpers.map((h) => `${helperText(h, "kernel")}\n`).join("");
  return `import { ${names.split(" ").join(", ")}, type Static, type Tensor } from "warpsmith";
${helpers}export const fuzz = kernel({ ${options.join(", ")} }, function fuzz(${parameters(program)}) {
${[...shared, ...body].join("")}});
`;
}

/** The names that a thread finds: memories, scalars, where it is. */
export const hostNames = (program: Program): readonly string[] => [
  "H",
  ...program.memories.map((m) => m.name),
  ...program.scalars.map((s: Scalar) => s.name),
  "threadIdx",
  "blockIdx",
  "blockDim",
  "gridDim",
  "warp",
];

/** The body of a function that gives one thread of the kernel: a generator that waits at each barrier and vote. */
export function hostText(program: Program): string {
  const helpers = program.helpers.map((h) => helperText(h, "host")).join("\n");
  const body = program.body.map((s) => `  ${printStmt(s, "host", "  ")}\n`).join("");
  return `"use strict";\n${helpers}\nreturn (function* () {\n${body}})();`;
}
