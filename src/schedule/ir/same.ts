/** Are two programs one and the same but for the names of variables and buffers, and for where they are written? */
import type { Block, Buffer, Expr, For, Program, Region, Stmt, Var } from "./types.ts";

/** What stands for what, found on the way. */
interface Pairs {
  readonly forth: Map<object, object>;
  readonly back: Map<object, object>;
}

function pair(a: object, b: object, pairs: Pairs): boolean {
  pairs.forth.set(a, b);
  pairs.back.set(b, a);
  return true;
}
const paired = (a: object, b: object, pairs: Pairs): boolean => pairs.forth.get(a) === b && pairs.back.get(b) === a;

function all<T>(a: readonly T[], b: readonly T[], same: (x: T, y: T) => boolean): boolean {
  return a.length === b.length && a.every((x, i) => same(x, b[i] as T));
}

/** Are two expressions alike, where `same` says it of their operands, and `stands` of their variables and buffers? */
function alike(a: Expr, b: Expr, same: (x: Expr, y: Expr) => boolean, stands: (x: object, y: object) => boolean): boolean {
  if (a.kind !== b.kind || a.dtype !== b.dtype) return false;
  switch (a.kind) {
    case "const":
      return b.kind === "const" && Object.is(a.value, b.value);
    case "var":
      return stands(a, b);
    case "binary":
      return b.kind === "binary" && a.op === b.op && same(a.a, b.a) && same(a.b, b.b);
    case "unary":
      return b.kind === "unary" && a.op === b.op && same(a.a, b.a);
    case "cast":
      return b.kind === "cast" && same(a.a, b.a);
    case "select":
      return b.kind === "select" && same(a.condition, b.condition) && same(a.yes, b.yes) && same(a.no, b.no);
    case "load":
      return b.kind === "load" && stands(a.buffer, b.buffer) && all(a.indices, b.indices, same);
  }
}

function sameExpr(a: Expr, b: Expr, pairs: Pairs): boolean {
  return alike(
    a,
    b,
    (x, y) => sameExpr(x, y, pairs),
    (x, y) => paired(x, y, pairs),
  );
}

const isItself = (a: object, b: object): boolean => a === b;
/** Are two expressions one tree, of the same variables and buffers? */
export const sameTree = (a: Expr, b: Expr): boolean => a === b || alike(a, b, sameTree, isItself);

function sameRegion(a: Region, b: Region, pairs: Pairs): boolean {
  return (
    paired(a.buffer, b.buffer, pairs) &&
    all(a.ranges, b.ranges, (x, y) => sameExpr(x.min, y.min, pairs) && sameExpr(x.extent, y.extent, pairs))
  );
}

const sameNotes = (a: For["annotations"], b: For["annotations"]): boolean => {
  const sorted = (x: For["annotations"]): string => JSON.stringify(Object.entries(x).toSorted(([k], [l]) => (k < l ? -1 : 1)));
  return sorted(a) === sorted(b);
};

function maybe<T>(a: T | undefined, b: T | undefined, same: (x: T, y: T) => boolean): boolean {
  return a === undefined || b === undefined ? a === b : same(a, b);
}

function sameFor(a: For, b: For, pairs: Pairs): boolean {
  return (
    a.loop === b.loop &&
    sameExpr(a.extent, b.extent, pairs) &&
    sameNotes(a.annotations, b.annotations) &&
    pair(a.variable, b.variable, pairs) &&
    sameStmt(a.body, b.body, pairs)
  );
}

function sameBlock(a: Block, b: Block, pairs: Pairs): boolean {
  return (
    a.name === b.name &&
    all(a.values, b.values, (x, y) => sameExpr(x, y, pairs)) &&
    all(
      a.axes,
      b.axes,
      (x, y) => x.type === y.type && sameExpr(x.extent, y.extent, pairs) && pair(x.variable, y.variable, pairs),
    ) &&
    maybe(a.where, b.where, (x, y) => sameExpr(x, y, pairs)) &&
    maybe(a.init, b.init, (x, y) => sameStmt(x, y, pairs)) &&
    sameStmt(a.body, b.body, pairs) &&
    sameNotes(a.annotations, b.annotations)
  );
}

function sameStmt(a: Stmt, b: Stmt, pairs: Pairs): boolean {
  switch (a.kind) {
    case "for":
      return b.kind === "for" && sameFor(a, b, pairs);
    case "block":
      return b.kind === "block" && sameBlock(a, b, pairs);
    case "store":
      return (
        b.kind === "store" &&
        paired(a.buffer, b.buffer, pairs) &&
        all(a.indices, b.indices, (x, y) => sameExpr(x, y, pairs)) &&
        sameExpr(a.value, b.value, pairs)
      );
    case "if":
      return (
        b.kind === "if" &&
        sameExpr(a.condition, b.condition, pairs) &&
        sameStmt(a.yes, b.yes, pairs) &&
        maybe(a.no, b.no, (x, y) => sameStmt(x, y, pairs))
      );
    case "seq":
      return b.kind === "seq" && all(a.body, b.body, (x, y) => sameStmt(x, y, pairs));
    case "intrinsic":
      return b.kind === "intrinsic" && a.name === b.name && all(a.args, b.args, (x, y) => sameRegion(x, y, pairs));
    case "effect":
      return b.kind === "effect" && a.op === b.op && all(a.args, b.args, (x, y) => sameExpr(x, y, pairs));
  }
}

function sameBuffer(a: Buffer, b: Buffer, pairs: Pairs): boolean {
  return (
    a.dtype === b.dtype &&
    a.scope === b.scope &&
    (a.padding ?? 0) === (b.padding ?? 0) &&
    a.swizzle === b.swizzle &&
    all(a.shape, b.shape, (x, y) => sameExpr(x, y, pairs)) &&
    pair(a, b, pairs)
  );
}

/** Is `b` the program `a`, with other names for variables and buffers at most? Names of blocks count. */
export function sameProgram(a: Program, b: Program): boolean {
  const pairs: Pairs = { forth: new Map(), back: new Map() };
  return (
    all<Var>(a.sizes, b.sizes, (x, y) => pair(x, y, pairs)) &&
    all(a.params, b.params, (x, y) => sameBuffer(x, y, pairs)) &&
    all(a.buffers, b.buffers, (x, y) => sameBuffer(x, y, pairs)) &&
    sameNotes(a.annotations ?? {}, b.annotations ?? {}) &&
    sameStmt(a.body, b.body, pairs)
  );
}
