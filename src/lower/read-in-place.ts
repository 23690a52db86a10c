import { type Graph, isAcc, type Op, opSpec, type Region, usesSome, type Value, walkOps } from "../ir/index.ts";
import type { Reg } from "../ptx/index.ts";

type Registers = ReadonlyMap<number, readonly Reg[]>;

/** Does it hold for the op or for one in its regions? */
function within(op: Op, test: (op: Op) => boolean): boolean {
  if (op.regions.length === 0) return test(op);
  return test(op) || op.regions.some((region) => region.ops.some((inner) => within(inner, test)));
}

function writes(op: Op, regs: readonly Reg[], registers: Registers): boolean {
  const isThere = (v: Value): boolean => isAcc(v.type) && registers.get(v.id) === regs;
  return op.results.some(isThere) || op.regions.some((region) => region.params.some(isThere));
}

/** Ops whose result may be lowered to the register of an operand. */
const mayPassOn = (op: Op): boolean => opSpec(op.name).effects.length === 0 && op.regions.length === 0;

/** Is all that `after` makes of the elements read before the registers are written again? */
function readInTime(unpack: Op, after: readonly Op[], regs: readonly Reg[], registers: Registers): boolean {
  const elements = new Set(unpack.results.map((v) => v.id));
  const isElement = (v: Value): boolean => elements.has(v.id);
  const uses = (op: Op): boolean => usesSome(op, isElement);
  const overwrites = (op: Op): boolean => writes(op, regs, registers);
  let written = false;
  for (const op of after) {
    const used = within(op, uses);
    written ||= within(op, overwrites);
    // a product reads its registers for longer than its op stands
    if (used && (written || opSpec(op.name).effects.includes("async"))) return false;
    if (used && mayPassOn(op)) for (const v of op.results) elements.add(v.id);
  }
  return true;
}

/** Where in a list of ops something is last that could come between an element and its use. */
interface Ends {
  /** An op that reads its operands for longer than it stands. */
  readonly async: number;
  /** A write of accumulators, by their registers. */
  readonly written: ReadonlyMap<readonly Reg[], number>;
}

function endsOf(ops: readonly Op[], registers: Registers): Ends {
  let async = -1;
  const written = new Map<readonly Reg[], number>();
  ops.forEach((op, i) => {
    if (opSpec(op.name).effects.includes("async")) async = i;
    const note = (v: Value): void => {
      const regs = isAcc(v.type) ? registers.get(v.id) : undefined;
      if (regs) written.set(regs, i);
    };
    op.results.forEach(note);
    op.regions.forEach((region) => {
      region.params.forEach(note);
      walkOps(region, (inner) => {
        inner.results.forEach(note);
        inner.regions.forEach(({ params }) => {
          params.forEach(note);
        });
      });
    });
  });
  return { async, written };
}

/**
 * The `acc.unpack`s whose elements are not needed once their registers hold something else: those registers can stand for them.
 * What a region yields is moved, so that elements need not be looked for outside of their region.
 */
export function readInPlace(graph: Graph, registers: Registers): ReadonlySet<Op> {
  const found = new Set<Op>();
  const look = (region: Region): void => {
    let ends: Ends | undefined;
    region.ops.forEach((op, i) => {
      const acc = op.name === "acc.unpack" ? (op as Op<"acc.unpack">).operands.acc : undefined;
      const regs = acc && registers.get(acc.id);
      if (regs) {
        ends ??= endsOf(region.ops, registers);
        const isLast = ends.async <= i && (ends.written.get(regs) ?? -1) <= i;
        if (isLast || readInTime(op, region.ops.slice(i + 1), regs, registers)) found.add(op);
      }
      if (op.regions.length > 0) op.regions.forEach(look);
    });
  };
  look(graph.body);
  return found;
}
