import fc from "fast-check";

/** Where a random statement stands: which variables it may use, which jumps it may make. */
interface Scope {
  readonly depth: number;
  readonly variables: readonly string[];
  readonly inLoop: boolean;
  readonly labels: readonly string[];
}

const pick = (variables: readonly string[]) => fc.constantFrom(...variables);

function expression(scope: Scope, depth: number): fc.Arbitrary<string> {
  const leaf = fc.oneof(
    pick(scope.variables),
    fc.integer({ min: -3, max: 9 }).map((n) => `(${n})`),
  );
  if (depth <= 0) return leaf;
  const inner = expression(scope, depth - 1);
  const operator = fc.constantFrom("+", "-", "*", "<", ">=", "===", "&&", "||", "??", "&", "|");
  return fc.oneof(
    leaf,
    fc.tuple(inner, operator, inner).map(([a, op, b]) => `((${a}) ${op} (${b}))`),
    fc.tuple(inner, inner, inner).map(([a, b, c]) => `(${a} ? ${b} : ${c})`),
    fc
      .tuple(pick(scope.variables), fc.constantFrom("=", "+=", "&&=", "||=", "??=", "-="), inner)
      .map(([v, op, e]) => `(${v} ${op} ${e})`),
    fc.tuple(pick(scope.variables), fc.constantFrom("++", "--")).map(([v, op]) => `(${v} = +${v}, ${v}${op})`),
    fc.tuple(fc.constantFrom("++", "--"), pick(scope.variables)).map(([op, v]) => `(${op}${v})`),
    inner.map((a) => `(o.f += ${a})`),
    inner.map((a) => `bump(${a})`),
    fc.constantFrom("o.f", "o.a[0]", "o.a[1]++", "o?.f", "[...o.a].length"),
  );
}

function jump(scope: Scope): fc.Arbitrary<string> {
  const value = expression(scope, 1).map((e) => `return ${e};`);
  const loops = scope.inLoop ? [fc.constantFrom("break;", "continue;")] : [];
  const labels =
    scope.labels.length > 0
      ? [fc.constantFrom(...scope.labels).map((l) => (scope.inLoop && l.startsWith("L") ? `continue ${l};` : `break ${l};`))]
      : [];
  return fc.oneof(value, ...loops, ...labels);
}

let serial = 0;
const fresh = (prefix: string): string => `${prefix}${serial++}`;

function compound(scope: Scope): fc.Arbitrary<string> {
  const deeper = { ...scope, depth: scope.depth - 1 };
  const condition = expression(scope, 1);
  const block = statements(deeper);
  const looped = statements({ ...deeper, inLoop: true });
  return fc.oneof(
    fc.tuple(condition, block).map(([c, b]) => `if (${c}) { ${b} }`),
    fc.tuple(condition, block, block).map(([c, a, b]) => `if (${c}) { ${a} } else { ${b} }`),
    fc.tuple(condition, jump(scope)).map(([c, j]) => `if (${c}) ${j}`),
    fc.tuple(pick(scope.variables), looped).map(([v, b]) => `for (const k of [1, 2]) { fuel(); ${v} += k; ${b} }`),
    fc.tuple(fc.constant(0), looped).map(([, b]) => {
      const i = fresh("i");
      return `for (let ${i} = 0; ${i} < 3; ${i}++) { fuel(); ${b} a += ${i}; }`;
    }),
    fc.tuple(condition, looped).map(([c, b]) => `while (${c}) { fuel(); ${b} }`),
    fc.tuple(condition, looped).map(([c, b]) => `do { fuel(); ${b} } while (${c});`),
    fc
      .tuple(condition, block, block, block)
      .map(([v, x, y, z]) => `switch (${v}) { case 0: { ${x} } case 1: { ${y} } break; default: { ${z} } }`),
    fc.constant(0).chain(() => {
      const label = fresh("L");
      return statements({ ...deeper, inLoop: true, labels: [...scope.labels, label] }).map(
        (b) => `${label}: for (const k of [0, 1]) { fuel(); ${b} }`,
      );
    }),
    fc.constant(0).chain(() => {
      const label = fresh("B");
      return statements({ ...deeper, labels: [...scope.labels, label] }).map((b) => `${label}: { ${b} }`);
    }),
  );
}

function statement(scope: Scope): fc.Arbitrary<string> {
  const value = expression(scope, 2);
  const simple = fc.oneof(
    fc.tuple(pick(scope.variables), value).map(([v, e]) => `${v} = ${e};`),
    value.map((e) => `${e};`),
    value.map((e) => `out(${e});`),
    fc.tuple(value, value).map(([x, y]) => `[a, b] = [${x}, ${y}];`),
    value.map((e) => `({ f: a, a: [b, c] } = { f: ${e}, a: o.a });`),
    jump(scope),
  );
  return scope.depth <= 0 ? simple : fc.oneof({ weight: 2, arbitrary: simple }, { weight: 3, arbitrary: compound(scope) });
}

function statements(scope: Scope): fc.Arbitrary<string> {
  return fc.array(statement(scope), { minLength: 1, maxLength: 3 }).map((list) => list.join("\n"));
}

/** Bodies of functions that end, whatever they say: every loop burns fuel, and calls of `bump` write a variable of their caller. */
export const randomProgram: fc.Arbitrary<string> = fc
  .array(statement({ depth: 3, variables: ["a", "b", "c"], inLoop: false, labels: [] }), { minLength: 2, maxLength: 5 })
  .map(
    (list) => `let a: any = 1, b: any = 2, c: any = 0, left = 60;
const o: any = { f: 1, a: [3, 4] };
const bump = (n: any) => { b += 1; if (n > 3) return n - 1; c = n; return b; };
const fuel = () => { if (left-- <= 0) throw new RangeError("no fuel"); };
${list.join("\n")}
return [a, b, c, o];`,
  );
