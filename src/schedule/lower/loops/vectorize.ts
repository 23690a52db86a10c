/**
 * Requires: compacted buffers. Ensures: each loop of kind `vectorize` is around one store and has the annotation `vector`: its iterations
 * are one access of neighbours for the store and for each load that depends on it, as wide as the strides and addresses of the launch's tensors
 * allow. A loop that cannot be that is one of the other kinds, and a remark says why.
 */

import { elementBytes } from "../../../base/element-types.ts";
import type { TensorSpec } from "../../../base/types.ts";
import { fail } from "../../errors/index.ts";
import { knownOf } from "../../facts/accesses.ts";
import { isAsync, onlyStore } from "../../facts/marks.ts";
import { add, int, intOf, loop, mul, variable, zero } from "../../ir/build.ts";
import { sameExpr } from "../../ir/linear.ts";
import type { Known } from "../../ir/simplify.ts";
import { linearOf } from "../../ir/simplify.ts";
import type { Buffer, Expr, For, If, Program, Stmt, Var } from "../../ir/types.ts";
import { mentions, staticShape, substitute, substituteIn, within } from "../../ir/walk.ts";
import type { Lowering } from "../pass.ts";
import { alignmentOf } from "../tensors/alignment.ts";

/** The most, and of an asynchronous copy the least, that an access moves, in bytes. */
const widest = 16;
const leastCopied = 4;
const isMultiple = (e: Expr, of: number, known: Known): boolean => {
  const { terms, constant } = linearOf(e, known);
  return constant % of === 0 && [...terms.values()].every((t) => t.factor % of === 0);
};

/** Where a statement stands: the loops around it, and whether the hardware copies on while the threads go on. */
interface Around {
  readonly loops: readonly For[];
  readonly async: boolean;
}
type Copied = NonNullable<ReturnType<typeof onlyStore>>;

/** Why parts of a tensor of the launch cannot be copied asynchronously, several elements at a time; undefined where it is not for the tensor. */
function whyNotCopied(spec: TensorSpec): string | undefined {
  const { dtype, shape, strides } = spec;
  const align = alignmentOf(spec);
  if (align < leastCopied) return `it begins at a multiple of ${align} ${align === 1 ? "byte" : "bytes"} alone`;
  if (strides.at(-1) !== 1 && shape.at(-1) !== 1) return "the elements of a row are no neighbours in memory";
  const apart = strides.slice(0, -1).map((n) => n * elementBytes[dtype]);
  const d = apart.findIndex((bytes, i) => bytes % leastCopied !== 0 && (shape[i] ?? 1) > 1);
  return d < 0 ? undefined : `it moves ${apart[d]} bytes along dimension ${d}`;
}

/** An access of the loop's body: where the neighbours are. */
interface Moving {
  readonly buffer: Buffer;
  readonly indices: readonly Expr[];
}

/** The accesses that move with the loop; undefined where an iteration may see what another one stored. */
function movingIn(body: Stmt, v: Var): readonly Moving[] | undefined {
  const found = onlyStore(body);
  if (!found) return undefined;
  const { store } = found;
  const moves = ({ indices }: Moving): boolean => indices.some((i) => mentions(i, new Set([v])));
  if (!moves(store)) return undefined;
  const same = ({ indices }: Moving): boolean => indices.every((i, d) => sameExpr(i, store.indices[d] ?? zero));
  for (const e of within(store.value)) if (e.kind === "load" && e.buffer === store.buffer && !same(e)) return undefined;
  const loads = [...within(store.value)].flatMap((e): Moving[] => (e.kind === "load" && moves(e) ? [e] : []));
  return [store, ...loads];
}

/** Whether a load stands where a condition decides that it runs. */
function choosesLoads(body: Stmt): boolean {
  const store = onlyStore(body)?.store;
  const loads = (e: Expr): boolean => [...within(e)].some((x) => x.kind === "load");
  return (
    store !== undefined &&
    [...within(store.value)].some(
      (e) =>
        (e.kind === "select" && (loads(e.yes) || loads(e.no))) ||
        (e.kind === "binary" && (e.op === "&&" || e.op === "||") && loads(e.b)),
    )
  );
}

/** A condition around all that a loop does, which is the same in all its iterations. */
function askedOnce({ variable: v, body }: For): If | undefined {
  return body.kind === "if" && !body.no && !mentions(body.condition, new Set([v])) ? body : undefined;
}

class Vectorizer {
  readonly #program: Program;
  readonly #on: Lowering;
  constructor(program: Program, on: Lowering) {
    this.#program = program;
    this.#on = on;
  }

  /** Elements from one index of each dimension to the next; undefined where nothing is known of them. */
  #strides(buffer: Buffer): readonly number[] | undefined {
    const n = this.#program.params.indexOf(buffer);
    if (n >= 0) return this.#on.specs[n]?.strides;
    const shape = staticShape(buffer);
    const wider = shape?.map((x, d) => (d === shape.length - 1 ? x + (buffer.padding ?? 0) : x));
    return wider?.map((_, d) => wider.slice(d + 1).reduce((all, x) => all * x, 1));
  }

  /** Bytes that divide the address where a buffer begins: of shared memory enough for any access. */
  #alignment(buffer: Buffer): number {
    const spec = this.#on.specs[this.#program.params.indexOf(buffer)];
    return spec ? alignmentOf(spec) : widest;
  }

  /** Why `width` iterations are no single access; undefined where they are. */
  #refusal({ buffer, indices }: Moving, v: Var, width: number, known: Known): string | undefined {
    if (buffer.scope !== "global" && buffer.scope !== "shared") return `\`${buffer.name}\` lives in registers`;
    if (width * elementBytes[buffer.dtype] > widest) return `${width} elements of \`${buffer.name}\` are more than 16 bytes`;
    const strides = this.#strides(buffer);
    const last = indices.at(-1);
    if (!strides || !last || strides.at(-1) !== 1) return `rows of \`${buffer.name}\` do not lie in one piece`;
    if (indices.slice(0, -1).some((i) => mentions(i, new Set([v])))) return `\`${v.name}\` chooses the row of \`${buffer.name}\``;
    const sum = linearOf(last, known);
    const own = [...sum.terms.values()].filter((t) => mentions(t.atom, new Set([v])));
    if (own.length !== 1 || own[0]?.atom !== v || own[0].factor !== 1)
      return `neighbours of \`${v.name}\` are no neighbours in \`${buffer.name}\``;
    const start = substituteIn(last, new Map([[v, zero]]));
    const outer = strides.slice(0, -1).every((n, d) => n % width === 0 || isMultiple(indices[d] ?? zero, width, known));
    if (!isMultiple(start, width, known) || !outer) return `it does not begin at a multiple of ${width} in \`${buffer.name}\``;
    const [align, bytes] = [this.#alignment(buffer), width * elementBytes[buffer.dtype]];
    return align % bytes === 0
      ? undefined
      : `\`${buffer.name}\` begins at a multiple of ${align} bytes alone, and it takes ${bytes}`;
  }

  /** Refuses a copy that cannot be asynchronous because of where the tensor of the launch lies. W5579. */
  #checkCopy({ store, async }: Copied, width: number): void {
    const from = store.value.kind === "load" ? store.value.buffer : undefined;
    const spec = from && this.#on.specs[this.#program.params.indexOf(from)];
    if (!async || !from || !spec || width * elementBytes[from.dtype] >= leastCopied) return;
    const why = whyNotCopied(spec);
    if (why !== undefined)
      fail("W5579", { program: this.#program.name, name: from.name, why }, store.span ? [store.span] : undefined);
  }

  /** A vectorised loop; its inside is not vectorised again. */
  loop(s: For, { loops: around, async }: Around): Stmt {
    const asked = askedOnce(s);
    if (asked) return { ...asked, yes: this.loop({ ...s, body: asked.yes }, { loops: around, async }) };
    const copied = onlyStore(s.body, async);
    const extent = intOf(s.extent);
    const moving = movingIn(s.body, s.variable);
    const { variable: v } = s;
    const stays = (why: string): For => {
      if (copied) this.#checkCopy(copied, 1);
      this.#on.remark(`the loop \`${v.name}\` is not vectorised: ${why}`);
      return { ...s, loop: extent !== undefined && extent <= widest ? "unroll" : "serial" };
    };
    if (extent === undefined) return stays("its extent is not known while compiling");
    if (choosesLoads(s.body)) return stays("a condition says whether it loads, so neighbours are not loaded together");
    if (!moving) return stays("its body is not one store that moves with it and that no other iteration sees");
    let why = "its extent is odd";
    for (const width of [16, 8, 4, 2]) {
      if (extent % width !== 0) continue;
      const inner = variable(v.name);
      const at: Expr = extent === width ? inner : add(mul(v, int(width)), inner);
      const known = knownOf([...around, { ...s, extent: int(extent / width) }, { ...s, variable: inner, extent: int(width) }]);
      const to = new Map([[v, at]]);
      const refusal = moving
        .map((m) => this.#refusal({ ...m, indices: m.indices.map((i) => substituteIn(i, to)) }, inner, width, known))
        .find((r) => r !== undefined);
      if (refusal !== undefined) {
        why = refusal;
        continue;
      }
      if (copied) this.#checkCopy(copied, width);
      const vector: For = { ...s, variable: inner, extent: int(width), body: substitute(s.body, to) };
      const marked: For = { ...vector, annotations: { ...s.annotations, vector: width } };
      return extent === width ? marked : loop(v, int(extent / width), marked, { loop: "unroll", span: s.span });
    }
    return stays(why);
  }

  run(s: Stmt, around: Around = { loops: [], async: false }): Stmt {
    switch (s.kind) {
      case "for":
        if (s.loop === "vectorize") return this.loop(s, around);
        return { ...s, body: this.run(s.body, { ...around, loops: [...around.loops, s] }) };
      case "block":
        return { ...s, body: this.run(s.body, { ...around, async: around.async || isAsync(s.annotations) }) };
      case "seq":
        return { ...s, body: s.body.map((x) => this.run(x, around)) };
      case "if":
        return { ...s, yes: this.run(s.yes, around), no: s.no && this.run(s.no, around) };
      default:
        return s;
    }
  }
}

/** Vectorised loops become accesses of 2, 4, 8 or 16 neighbours, at most 16 bytes. */
export const vectorizeLoops = (program: Program, on: Lowering): Program => ({
  ...program,
  body: new Vectorizer(program, on).run(program.body),
});
