/**
 * Checks that what a whole warp executes together is not written where only some of its threads come. Changes nothing.
 *
 * Requires: nothing beyond the verifier's invariants. Runs first, on the conditions as the author wrote them.
 * Ensures: barriers of the block and warpgroup instructions (PTX ISA 9.7.13.1, 9.7.15: `.aligned`) do not stand under a condition
 * that certainly tells the threads of one warp apart (W2048): a thread's number compared with a constant, `elect()`. Other
 * conditions may be the same in every thread, and pass.
 */
import { fail } from "../diag/index.ts";
import { type AnyOp, anyOp, type Graph, type Op, type Region, type Value, walkOps } from "../ir/index.ts";
import { mirrored } from "./rewrite.ts";

/** On which sides of a branch some threads of a warp are certainly missing. */
interface Parted {
  readonly yes: boolean;
  readonly no: boolean;
}
const whole: Parted = { yes: false, no: false };
const both: Parted = { yes: true, no: true };

interface Context {
  readonly block: readonly [number, number, number];
  readonly made: ReadonlyMap<number, AnyOp>;
}

const warpSize = 32;

function literalOf(value: Value, { made }: Context): number | undefined {
  const op = made.get(value.id);
  return op?.name === "const" ? Number(op.attrs.value) : undefined;
}

/** How many numbers the threads of the block have in that register; undefined where it is none that tells a warp's threads apart. */
function extentOf(value: Value, { made, block }: Context): number | undefined {
  const op = made.get(value.id);
  if (op?.name !== "sreg") return undefined;
  return op.attrs.reg === "tid.x" ? block[0] : op.attrs.reg === "laneid" ? warpSize : undefined;
}

function ofComparison(op: AnyOp & { readonly name: "cmp" }, c: Context): Parted {
  const { a, b } = op.operands;
  const turned = extentOf(a, c) === undefined;
  const [extent, limit] = turned ? [extentOf(b, c), literalOf(a, c)] : [extentOf(a, c), literalOf(b, c)];
  if (extent === undefined || limit === undefined) return whole;
  const is = turned ? mirrored[op.attrs.is] : op.attrs.is;
  if (is === "eq" || is === "ne") return extent > 1 && limit >= 0 && limit < extent ? both : whole;
  const border = is === "lt" || is === "ge" ? limit : limit + 1;
  const inLine = c.block[1] * c.block[2] === 1 || extent === warpSize;
  return inLine && border > 0 && border < extent && border % warpSize !== 0 ? both : whole;
}

function partedBy(condition: Value, c: Context): Parted {
  const op = c.made.get(condition.id);
  switch (op?.name) {
    case "cmp":
      return ofComparison(op, c);
    case "elect.sync":
      return both;
    case "not": {
      const { yes, no } = partedBy(op.operands.a, c);
      return { yes: no, no: yes };
    }
    case "and":
      return { yes: partedBy(op.operands.a, c).yes || partedBy(op.operands.b, c).yes, no: false };
    case "or":
      return { yes: false, no: partedBy(op.operands.a, c).no || partedBy(op.operands.b, c).no };
    default:
      return whole;
  }
}

/** What the author calls it; undefined for what each thread does alone. */
function collective({ name }: Op): string | undefined {
  if (name === "bar.sync" || name === "bar.arrive") return "a barrier";
  if (name.startsWith("barrier.cluster.")) return "a barrier of the cluster";
  if (name === "setmaxnreg") return "a change of registers";
  return /^wgmma\.(mma_async|fence|commit_group|wait_group)/.test(name) ? "wgmma" : undefined;
}

function refuseIn(region: Region | undefined): void {
  if (!region) return;
  walkOps(region, (op) => {
    const what = collective(op);
    if (what) fail("W2048", { what }, op.spans);
  });
}

export function checkCollectives(graph: Graph): Graph {
  const made = new Map<number, AnyOp>();
  const context: Context = { block: graph.launch.block, made };
  walkOps(graph.body, (op) => {
    const any = anyOp(op);
    op.results.forEach(({ id }) => {
      made.set(id, any);
    });
    if (any.name !== "if") return;
    const parted = partedBy(any.operands.condition, context);
    if (parted.yes) refuseIn(op.regions[0]);
    if (parted.no) refuseIn(op.regions[1]);
  });
  return graph;
}
