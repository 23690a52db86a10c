import { noSpans } from "../base/diag/index.ts";
import {
  anyOp,
  endsThread,
  type Graph,
  type GraphParam,
  isPointer,
  type Literal,
  type MachineOpName,
  type Op,
  type OpName,
  type Value,
  walkOps,
} from "../ir/index.ts";
import {
  address,
  instruction,
  int,
  leastVersion,
  type Param,
  type PtxModule,
  type Reg,
  type RegClass,
  reg,
  type Statement,
  symbol,
} from "../ptx/index.ts";
import { assignAccumulators } from "./accumulators.ts";
import { sharedSymbol } from "./address.ts";
import { arithmeticRules } from "./arithmetic.ts";
import { bind, bindScalar, type Context, classOf, fresh, type RuleOf } from "./context.ts";
import { controlRules } from "./control.ts";
import { convertRules } from "./convert.ts";
import { findDescriptorHighs } from "./descriptor-highs.ts";
import { inlineRules } from "./inline.ts";
import { logRules, lowerTrap } from "./log.ts";
import { logicRules } from "./logic.ts";
import { mbarrierRules } from "./mbarrier.ts";
import { memoryRules } from "./memory.ts";
import { mmaRules } from "./mma.ts";
import { bitsType } from "./ptx-types.ts";
import { readInPlace } from "./read-in-place.ts";
import { threadRules } from "./thread.ts";
import { timelineRules } from "./timeline.ts";
import { tmaRules } from "./tma.ts";
import { warpRules } from "./warp.ts";
import { watchRules } from "./watch.ts";
import { wgmmaRules } from "./wgmma.ts";
import { wmmaRules } from "./wmma.ts";

const rules = {
  ...arithmeticRules,
  ...logicRules,
  ...threadRules,
  ...warpRules,
  ...controlRules,
  ...logRules,
  ...convertRules,
  ...memoryRules,
  ...mbarrierRules,
  ...tmaRules,
  ...wgmmaRules,
  ...wmmaRules,
  ...mmaRules,
  ...inlineRules,
  ...watchRules,
  ...timelineRules,
} satisfies { [K in MachineOpName]: RuleOf<K> };

export interface LowerOptions {
  /** Write `.loc`, so that profilers and debuggers show the author's lines. Default true. */
  readonly lines?: boolean;
}

function findLiterals(graph: Graph): ReadonlyMap<number, Literal> {
  const found = new Map<number, Literal>();
  walkOps(graph.body, (raw) => {
    const op = anyOp(raw);
    if (op.name === "const" && op.results[0]) found.set(op.results[0].id, op.attrs.value);
  });
  return found;
}

function makeContext(graph: Graph): Context {
  const counts: Record<RegClass, number> = { pred: 0, b16: 0, b32: 0, b64: 0, f32: 0, f64: 0 };
  const literals = findLiterals(graph);
  const accRegisters = assignAccumulators(graph, (cls): Reg => reg(cls, counts[cls]++));
  const ctx: Context = {
    graph,
    lowerOp: (op) => lowerOp(ctx, op),
    counts,
    prologue: [],
    out: [],
    values: new Map(),
    literals,
    accRegisters,
    readInPlace: readInPlace(graph, accRegisters),
    descriptorHighs: findDescriptorHighs(graph),
    shared: new Map(),
    failures: [],
    rare: [],
    files: new Map(),
    spans: noSpans,
    lastLoc: undefined,
    labels: 0,
  };
  return ctx;
}

function lowerOp(ctx: Context, op: Op): void {
  const around = ctx.spans;
  ctx.spans = op.spans;
  (rules[op.name as MachineOpName] as RuleOf<OpName>)(ctx, op);
  ctx.spans = around;
}

const identifier = (name: string): string => name.replace(/[^A-Za-z0-9_$]/g, "_");

function paramType(value: Value): Param["type"] {
  const { type } = value;
  if (type === "tensormap") return { align: 64, bytes: 128 };
  if (type === "pred" || type === "u8" || type === "e4m3" || type === "e5m2") return "u8";
  if (type === "i8") return "s8";
  if (type === "f32" || type === "f64") return type;
  const bits = bitsType(type);
  return bits === "b16" ? "b16" : bits === "b32" ? "b32" : "b64";
}

/** Fills the registers that stand for the kernel's parameters. */
function loadParam(ctx: Context, param: GraphParam, name: string): void {
  const { value } = param;
  const at = symbol(name);
  if (value.type === "desc" || typeof value.type === "object")
    throw new TypeError(`${param.name}: no kernel takes such a parameter`);
  const to: Statement[] = ctx.prologue;
  if (value.type === "pred") {
    const [byte, p] = [fresh(ctx, "b16"), fresh(ctx, "pred")];
    to.push(
      instruction("ld.param", { type: "u8" }, [byte, address(at)]),
      instruction("setp", { is: "ne", type: "b16" }, [p, byte, int(0)]),
    );
    bindScalar(ctx, value, p);
    return;
  }
  const r = fresh(ctx, classOf(value.type));
  const type = paramType(value);
  if (typeof type !== "string")
    to.push(instruction("mov.symbol", { type: "b64" }, [r, at]), instruction("cvta.param", {}, [r, r]));
  else to.push(instruction("ld.param", { type }, [r, address(at)]));
  if (value.type === "ptr.global") to.push(instruction("cvta.to.global", {}, [r, r]));
  if (isPointer(value.type)) bind(ctx, value, { kind: "pointer", base: r, offset: 0 });
  else bindScalar(ctx, value, r);
}

/** The author's own instructions may take registers, too. */
const takesMore = (s: Statement): boolean =>
  (s.kind === "instruction" && s.form === "setmaxnreg") || (s.kind === "inlined" && s.instruction.opcode.form === "setmaxnreg");

function directives(graph: Graph, body: readonly Statement[]): PtxModule["entry"]["directives"] {
  const { block, cluster, registers, blocksPerSM } = graph.launch;
  const takesRegisters = body.some(takesMore);
  // setmaxnreg is ignored where the registers at entry are not known
  const blocks = blocksPerSM ?? (takesRegisters && registers === undefined ? 1 : undefined);
  return {
    reqntid: block,
    ...(registers === undefined ? {} : { maxnreg: registers }),
    ...(blocks === undefined ? {} : { minnctapersm: blocks }),
    ...(cluster.some((n) => n > 1) ? { cluster } : {}),
  };
}

/** A graph that has been through the passes (its shared buffers have offsets) as PTX. */
export function lowerGraph(graph: Graph, options: LowerOptions = {}): PtxModule {
  const ctx = makeContext(graph);
  const params = graph.params.map(
    (p, i): Param => ({ name: `p${i}_${identifier(p.name)}`, type: paramType(p.value), about: p.name }),
  );
  for (const [i, p] of graph.params.entries()) loadParam(ctx, p, params[i]?.name ?? "");
  for (const op of graph.body.ops) ctx.lowerOp(op);
  if (!endsThread(graph.body)) ctx.out.push(instruction("exit", {}, []));
  lowerTrap(ctx);
  for (const { spans, write } of ctx.rare) {
    ctx.spans = spans;
    write();
  }
  const body = [...ctx.prologue, ...ctx.out].filter((s) => options.lines !== false || s.kind !== "loc");
  return {
    version: leastVersion(body, graph.target.ptxVersion),
    target: graph.target.name,
    files: options.lines === false ? [] : [...ctx.files.keys()],
    ...(ctx.shared.has(sharedSymbol) ? { shared: { name: sharedSymbol, align: 1024 } } : {}),
    entry: { name: identifier(graph.name), params, directives: directives(graph, body), registers: ctx.counts, body },
  };
}
