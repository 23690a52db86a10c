/** One random kernel out of a seed. */
import { randomScalar } from "../contents.ts";
import {
  type AtomicOp,
  allTypes,
  type Expr,
  type Helper,
  isIntType,
  isNarrowType,
  type Memory,
  type Program,
  product,
  type Scalar,
  type Stmt,
  type Type,
} from "../program.ts";
import { createRandom, type Random, seedOf } from "../random.ts";
import { absorb, beginDigest, byDigest, digests, endOfThread } from "./digest.ts";
import { expression } from "./expressions.ts";
import { fullRange, interval, type Made, type Maker, type Scope, text, type Variable, whole } from "./maker.ts";
import { newCells, newShared } from "./memory-statements.ts";
import { block as blockOf, mostLoops, statements } from "./statements.ts";

const blocks: readonly (readonly number[])[] = [[32], [64], [32], [8, 4], [16, 4], [1], [7], [33], [48], [4, 2, 4], [96]];
const grids: readonly (readonly number[])[] = [[1], [1], [2], [3], [2, 2]];

/** i32 and bool, and some others. */
function someTypes(random: Random): readonly Type[] {
  const others = allTypes.filter((t) => t !== "i32" && t !== "bool");
  const chosen = Array.from({ length: random.between(1, 4) }, () => random.pick(others));
  return [...new Set<Type>(["i32", "bool", ...chosen])];
}

function inputs(random: Random, types: readonly Type[]): Memory[] {
  return types.flatMap((type, n): Memory[] => {
    if (random.chance(0.15)) return [];
    const shape = random.chance(0.35) ? [random.between(2, 5), random.pick([3, 4, 8])] : [random.pick([5, 8, 16, 24])];
    const dynamic = random.chance(0.1) ? { dynamic: [0] } : {};
    return [{ name: `x${n}`, type, shape, kind: "input", ...dynamic }];
  });
}

function outputs(random: Random, types: readonly Type[], threads: number): Memory[] {
  return types.map((type, n) => {
    const shape = random.pick([[threads], [3, threads], [threads, 4], [2, threads]]);
    return { name: `out${n}`, type, shape, kind: "output" };
  });
}

const commuting: readonly AtomicOp[] = ["add", "min", "max", "and", "or", "xor"];

function counters(random: Random, types: readonly Type[]): Memory[] {
  return types
    .filter((t) => isIntType(t) && !isNarrowType(t))
    .filter(() => random.chance(0.6))
    .map((type, n) => ({ name: `sum${n}`, type, shape: [random.between(1, 5)], kind: "atomic", op: random.pick(commuting) }));
}

function scalars(random: Random, types: readonly Type[]): Scalar[] {
  const some = types
    .filter(() => random.chance(0.35))
    .map((type, n): Scalar => ({ name: `p${n}`, type, value: randomScalar(random, type) }));
  return [
    { name: "n", type: "i32", value: random.between(0, 4) },
    { name: "size", type: "static", value: random.between(1, 4) },
    ...some,
  ];
}

const scalarVariable = ({ name, type, value }: Scalar): Variable => {
  if (type === "static")
    return { name, type: "i32", sure: false, range: interval(value as number, value as number), assignable: false };
  const range = name === "n" ? interval(0, 4) : isIntType(type) ? fullRange(type) : undefined;
  return { name, type, sure: true, range, assignable: false };
};

/** The thread's number, in its block and in the grid. */
function numbers({ threads: block, grid }: Pick<Maker, "threads" | "grid">): readonly Stmt[] {
  const declare = (name: string, exact: string, extent: number): Stmt => ({
    kind: "declare",
    name,
    constant: true,
    value: text(exact, "i32", true, interval(0, extent - 1)),
  });
  const [x = 1, y = 1] = block;
  const inBlock =
    block.length === 3
      ? `threadIdx.x + ${x} * threadIdx.y + ${x * y} * threadIdx.z`
      : block.length === 2
        ? `threadIdx.y * ${x} + threadIdx.x`
        : "threadIdx.x";
  const inGrid = grid.length === 2 ? `(blockIdx.y * ${grid[0] ?? 1} + blockIdx.x)` : "blockIdx.x";
  const threads = product(block);
  const perBlock = block.length === 1 ? "blockDim.x" : String(threads);
  return [declare("t", inBlock, threads), declare("i", `${inGrid} * ${perBlock} + t`, threads * product(grid))];
}

/** A function of a few values, with branches and loops of its own. */
function helper(m: Maker): Helper {
  const params = Array.from({ length: m.random.between(1, 3) }, () => ({ name: m.fresh("a"), type: m.random.pick(m.types) }));
  const result = m.random.pick(m.types);
  const variables = params.map(
    ({ name, type }): Variable => ({
      name,
      type,
      sure: true,
      range: isIntType(type) ? fullRange(type) : undefined,
      assignable: false,
    }),
  );
  const digest = m.fresh("h");
  const scope: Scope = {
    variables,
    readable: [],
    targets: [],
    uniform: false,
    ends: false,
    depth: 2,
    loops: 1,
    returns: result,
    digest,
  };
  const made = statements(m, scope, 3);
  const value = byDigest(digest, m.make(made.scope, result, 2), m.make(made.scope, result, 2));
  const local = made.scope.variables.slice(variables.length);
  const body: readonly Stmt[] = [
    beginDigest(digest),
    ...made.statements,
    ...absorb(made.scope, local),
    { kind: "return", value },
  ];
  return { name: m.fresh("helper"), params, result, body };
}

/** Stores what the variables hold in the end. */
function results(m: Maker, variables: readonly Variable[]): readonly Stmt[] {
  const i = text("i", "i32", true, interval(0, 0));
  return m.memories
    .filter((x) => x.kind === "output" && x.name !== digests)
    .flatMap((output) => {
      const known = variables.filter((v) => v.type === output.type);
      const threads = product(m.threads) * product(m.grid);
      const slots = output.shape.find((extent) => extent !== threads) ?? 1;
      return known.slice(-slots).map((v, slot): Stmt => {
        const index: Expr[] = output.shape.map((extent, d) =>
          isOwn(output, d, threads) && extent === threads ? i : whole("i32", slot),
        );
        const value = text(v.name, v.type, v.sure, v.range);
        return { kind: "store", place: { memory: output.name, index, form: "index" }, value };
      });
    });
}

/** Is dimension `d` the one by threads? With as many slots as threads, the first is. */
const isOwn = (output: Memory, d: number, threads: number): boolean => output.shape.indexOf(threads) === d;

function prologue(m: Maker, scope: Scope): Made {
  const list: Stmt[] = [];
  let inside = scope;
  const add = (made: Made | undefined): void => {
    if (!made) return;
    list.push(...made.statements);
    inside = made.scope;
  };
  while (m.random.chance(0.4)) add(newShared(m, inside));
  if (m.random.chance(0.35)) add(newCells(m, inside));
  return { statements: list, scope: inside };
}

/** What the seed decides before the first statement: types, sizes, memory, numbers. */
function makerOf(random: Random): Maker {
  const [threads, grid] = [random.pick(blocks), random.pick(grids)];
  const count = product(threads) * product(grid);
  const types = someTypes(random);
  const own: Memory = { name: digests, type: "i32", shape: [count], kind: "output" };
  let serial = 0;
  const m: Maker = {
    random,
    types,
    threads,
    grid,
    memories: [...inputs(random, types), ...outputs(random, types, count), ...counters(random, types), own],
    scalars: scalars(random, types),
    helpers: [],
    left: 6,
    ended: false,
    fresh: (prefix) => `${prefix}${++serial}`,
    make: (scope, type, depth) => expression(m, scope, type, depth),
    block: (scope, most) => blockOf(m, scope, most),
  };
  return m;
}

/** What the kernel's first statement finds. */
function firstScope(m: Maker): Scope {
  const threads = product(m.threads);
  const index = (name: string, extent: number): Variable => {
    return { name, type: "i32", sure: true, range: interval(0, extent - 1), assignable: false };
  };
  return {
    variables: [index("t", threads), index("i", threads * product(m.grid)), ...m.scalars.map(scalarVariable)],
    readable: m.memories.filter((x) => x.kind === "input"),
    targets: [],
    uniform: true,
    ends: true,
    depth: 3,
    loops: mostLoops,
    returns: "thread",
    digest: "h",
  };
}

export function randomProgram(seed: number): Program {
  const random = createRandom(seedOf(seed, "program"));
  const m = makerOf(random);
  while (random.chance(0.35)) m.helpers.push(helper(m));
  m.left = random.between(6, 22);
  const scope = firstScope(m);
  const first = prologue(m, scope);
  const second = statements(m, first.scope, 14);
  const made = second.scope.variables.slice(scope.variables.length);
  const end = [...absorb(second.scope, made), ...endOfThread(second.scope), ...results(m, made)];
  return {
    seed,
    block: m.threads,
    grid: m.grid,
    debug: random.chance(0.5),
    memories: m.memories,
    scalars: m.scalars,
    helpers: m.helpers,
    body: [...numbers(m), beginDigest("h"), ...first.statements, ...second.statements, ...end],
  };
}
