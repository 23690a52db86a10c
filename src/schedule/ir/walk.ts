/** Going through trees, and making new ones of them. What nothing changes is kept, object for object. */
import { binary, cast, intOf } from "./build.ts";
import type { Block, Buffer, Expr, For, Program, Range, Region, Stmt, Var } from "./types.ts";

/** What a statement consists of besides statements. */
export function expressionsOf(s: Stmt): readonly Expr[] {
  switch (s.kind) {
    case "for":
      return [s.extent];
    case "block":
      return [...s.axes.map((a) => a.extent), ...s.values, ...(s.where ? [s.where] : [])];
    case "store":
      return [...s.indices, s.value];
    case "if":
      return [s.condition];
    case "intrinsic":
      return s.args.flatMap((region) => region.ranges.flatMap((r) => [r.min, r.extent]));
    case "effect":
      return s.args;
    case "seq":
      return [];
  }
}

export function childrenOf(s: Stmt): readonly Stmt[] {
  switch (s.kind) {
    case "for":
      return [s.body];
    case "block":
      return s.init ? [s.init, s.body] : [s.body];
    case "if":
      return s.no ? [s.yes, s.no] : [s.yes];
    case "seq":
      return s.body;
    default:
      return [];
  }
}

export function operandsOf(e: Expr): readonly Expr[] {
  switch (e.kind) {
    case "binary":
      return [e.a, e.b];
    case "unary":
    case "cast":
      return [e.a];
    case "select":
      return [e.condition, e.yes, e.no];
    case "load":
      return e.indices;
    default:
      return [];
  }
}

// Lists: a step walks a program many times, and generators within generators hand on each item once for each level.

function addStatements(s: Stmt, into: Stmt[]): Stmt[] {
  into.push(s);
  for (const child of childrenOf(s)) addStatements(child, into);
  return into;
}
function addWithin(e: Expr, into: Expr[]): Expr[] {
  into.push(e);
  for (const operand of operandsOf(e)) addWithin(operand, into);
  return into;
}

/** All statements of a tree, the outer before the inner. */
export const statements = (s: Stmt): readonly Stmt[] => addStatements(s, []);
/** All expressions in an expression, itself first. */
export const within = (e: Expr): readonly Expr[] => addWithin(e, []);
/** All variables in an expression, each as often as it stands there. */
export const variablesOf = (e: Expr): readonly Var[] => within(e).filter((x) => x.kind === "var");
/** All expressions of a tree of statements. */
export function expressions(s: Stmt): readonly Expr[] {
  const found: Expr[] = [];
  for (const one of statements(s)) for (const e of expressionsOf(one)) addWithin(e, found);
  return found;
}

export const mentions = (e: Expr, variables: ReadonlySet<Var>): boolean =>
  e.kind === "var" ? variables.has(e) : operandsOf(e).some((operand) => mentions(operand, variables));

const same = <T>(a: readonly T[], b: readonly T[]): boolean => a.every((x, i) => x === b[i]);

/** The expression with each part given to `change`, operands first; constants are folded on the way up. */
export function mapExpr(e: Expr, change: (e: Expr) => Expr): Expr {
  const map = (x: Expr): Expr => mapExpr(x, change);
  switch (e.kind) {
    case "const":
    case "var":
      return change(e);
    case "binary": {
      const [a, b] = [map(e.a), map(e.b)];
      return change(a === e.a && b === e.b ? e : binary(e.op, a, b, e.dtype));
    }
    case "unary": {
      const a = map(e.a);
      return change(a === e.a ? e : { ...e, a });
    }
    case "cast": {
      const a = map(e.a);
      return change(a === e.a ? e : cast(e.dtype, a));
    }
    case "select": {
      const [condition, yes, no] = [map(e.condition), map(e.yes), map(e.no)];
      return change(condition === e.condition && yes === e.yes && no === e.no ? e : { ...e, condition, yes, no });
    }
    case "load": {
      const indices = e.indices.map(map);
      return change(same(indices, e.indices) ? e : { ...e, indices });
    }
  }
}

export interface Changes {
  /** Gives each expression that stands in a statement, whole. Default: as it is. */
  readonly expr?: (e: Expr) => Expr;
  /** Gives each statement once its own parts are changed. Default: as it is. */
  readonly stmt?: (s: Stmt) => Stmt;
  /** Another buffer for the target of a store and the parts that intrinsics take. Loads are expressions. */
  readonly buffer?: (b: Buffer) => Buffer;
}

function mapRegion(region: Region, expr: (e: Expr) => Expr, buffer: (b: Buffer) => Buffer): Region {
  const ranges = region.ranges.map((r): Range => {
    const [min, extent] = [expr(r.min), expr(r.extent)];
    return min === r.min && extent === r.extent ? r : { min, extent };
  });
  const of = buffer(region.buffer);
  return of === region.buffer && same(ranges, region.ranges) ? region : { buffer: of, ranges };
}

/** The tree with its expressions and statements changed, from the inside out. */
export function mapStmt(s: Stmt, changes: Changes): Stmt {
  const { expr = (e) => e, stmt = (x) => x, buffer = (b) => b } = changes;
  const map = (x: Stmt): Stmt => mapStmt(x, changes);
  switch (s.kind) {
    case "for": {
      const [extent, body] = [expr(s.extent), map(s.body)];
      return stmt(extent === s.extent && body === s.body ? s : { ...s, extent, body });
    }
    case "block": {
      const axes = s.axes.map((a) => {
        const extent = expr(a.extent);
        return extent === a.extent ? a : { ...a, extent };
      });
      const values = s.values.map(expr);
      const where = s.where && expr(s.where);
      const init = s.init && map(s.init);
      const body = map(s.body);
      const kept = same(axes, s.axes) && same(values, s.values) && where === s.where && init === s.init && body === s.body;
      return stmt(kept ? s : { ...s, axes, values, where, init, body });
    }
    case "store": {
      const [indices, value, to] = [s.indices.map(expr), expr(s.value), buffer(s.buffer)];
      return stmt(same(indices, s.indices) && value === s.value && to === s.buffer ? s : { ...s, buffer: to, indices, value });
    }
    case "if": {
      const [condition, yes, no] = [expr(s.condition), map(s.yes), s.no && map(s.no)];
      return stmt(condition === s.condition && yes === s.yes && no === s.no ? s : { ...s, condition, yes, no });
    }
    case "seq": {
      const body = s.body.map(map);
      return stmt(same(body, s.body) ? s : { ...s, body });
    }
    case "intrinsic": {
      const args = s.args.map((region) => mapRegion(region, expr, buffer));
      return stmt(same(args, s.args) ? s : { ...s, args });
    }
    case "effect": {
      const args = s.args.map(expr);
      return stmt(same(args, s.args) ? s : { ...s, args });
    }
  }
}

export type Substitution = ReadonlyMap<Var, Expr>;

export const substituteIn = (e: Expr, by: Substitution): Expr =>
  by.size === 0 ? e : mapExpr(e, (x) => (x.kind === "var" ? (by.get(x) ?? x) : x));
/** The statement with other expressions for some variables. Loops and axes that bind their own are not touched. */
export const substitute = (s: Stmt, by: Substitution): Stmt =>
  by.size === 0 ? s : mapStmt(s, { expr: (e) => substituteIn(e, by) });

/** The statement with accesses of one buffer made accesses of another; `at` may change their indices, too. */
export function replaceBuffer(
  s: Stmt,
  from: Buffer,
  to: Buffer,
  at: (indices: readonly Expr[]) => readonly Expr[] = (i) => i,
): Stmt {
  const expr = (e: Expr): Expr =>
    mapExpr(e, (x) =>
      x.kind === "load" && x.buffer === from ? { ...x, buffer: to, dtype: to.dtype, indices: at(x.indices) } : x,
    );
  const stmt = (x: Stmt): Stmt => (x.kind === "store" && x.buffer === from ? { ...x, buffer: to, indices: at(x.indices) } : x);
  const buffer = (b: Buffer): Buffer => b;
  const changed = mapStmt(s, { expr, stmt, buffer });
  return mapStmt(changed, {
    stmt: (x) =>
      x.kind === "intrinsic" && x.args.some((r) => r.buffer === from)
        ? { ...x, args: x.args.map((r) => (r.buffer === from ? moved(r, to, at) : r)) }
        : x,
  });
}

/** A part of one buffer as the part of another one: where it begins is mapped; dimensions that are new have one element. */
function moved(region: Region, to: Buffer, at: (indices: readonly Expr[]) => readonly Expr[]): Region {
  const mins = at(region.ranges.map((r) => r.min));
  const added = mins.length - region.ranges.length;
  const extents = [...Array.from({ length: added }, () => 1), ...region.ranges.map((r) => r.extent)];
  return {
    buffer: to,
    ranges: mins.map((min, i) => {
      const extent = extents[i];
      return {
        min,
        extent: typeof extent === "number" || extent === undefined ? { kind: "const", dtype: "i32", value: extent ?? 1 } : extent,
      };
    }),
  };
}

/** The way from the body of a program to a statement of it: the outermost first, the statement last. Undefined where it is not there. */
export function pathTo(root: Stmt, found: (s: Stmt) => boolean): readonly Stmt[] | undefined {
  if (found(root)) return [root];
  for (const child of childrenOf(root)) {
    const below = pathTo(child, found);
    if (below) return [root, ...below];
  }
  return undefined;
}

/** The tree with one statement of it, which is there once, replaced. `undefined` takes it out. */
export function replaceStmt(root: Stmt, old: Stmt, by: Stmt | undefined): Stmt {
  const changed = without(root, old, by);
  return changed ?? { kind: "seq", body: [] };
}

function without(s: Stmt, old: Stmt, by: Stmt | undefined): Stmt | undefined {
  if (s === old) return by;
  switch (s.kind) {
    case "for": {
      const body = without(s.body, old, by);
      return body === s.body ? s : body && { ...s, body };
    }
    case "block": {
      const init = s.init && without(s.init, old, by);
      const body = without(s.body, old, by);
      return init === s.init && body === s.body ? s : body && { ...s, init, body };
    }
    case "if": {
      const [yes, no] = [without(s.yes, old, by), s.no && without(s.no, old, by)];
      if (yes === s.yes && no === s.no) return s;
      return yes ? { ...s, yes, no } : undefined;
    }
    case "seq": {
      const body = s.body.flatMap((x) => {
        const changed = without(x, old, by);
        return !changed ? [] : changed !== x && changed.kind === "seq" ? changed.body : [changed];
      });
      if (same(body, s.body) && body.length === s.body.length) return s;
      const [only] = body;
      return body.length === 0 ? undefined : body.length === 1 && only ? only : { kind: "seq", body };
    }
    default:
      return s;
  }
}

export const isBlock = (s: Stmt): s is Block => s.kind === "block";
export const isFor = (s: Stmt): s is For => s.kind === "for";
export const blocksOf = (p: Program): readonly Block[] => [...statements(p.body)].filter(isBlock);
export const loopsOf = (p: Program): readonly For[] => [...statements(p.body)].filter(isFor);

/** The number of elements of a dimension where it is known. */
export const staticShape = (b: Buffer): readonly number[] | undefined => {
  const all = b.shape.map(intOf);
  return all.every((n) => n !== undefined) ? (all as number[]) : undefined;
};
