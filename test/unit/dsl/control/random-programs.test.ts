import fc from "fast-check";
import { test } from "vitest";
import { sameAsJavaScript } from "../../../dsl/differential.ts";
import { ofProperty } from "../../../support/amount.ts";

/** Random statements over the parameters n and m, variables a to c, a field and an element; every value stays below 2^20. */
interface Site {
  readonly depth: number;
  readonly inLoop: boolean;
  /** Inside a function that returns a number. */
  readonly returns: boolean;
}

const targets = ["a", "b", "c", "o.f", "v[1]"] as const;
const atom = fc.constantFrom("a", "b", "c", "n", "m", "o.f", "v[1]", "1", "2", "7");
const operator = fc.constantFrom("+", "-", "*", "&", "^", "|");
const expression = fc.oneof(
  atom,
  fc.tuple(atom, operator, atom).map(([x, op, y]) => `((${x} ${op} ${y}) & 1023)`),
  fc.tuple(atom, fc.constantFrom("<", ">", "==="), atom, atom, atom).map(([x, op, y, p, q]) => `(${x} ${op} ${y} ? ${p} : ${q})`),
);
const condition = fc.oneof(
  fc.tuple(atom, fc.constantFrom("<", ">", "===", "!=="), atom).map(([x, op, y]) => `${x} ${op} ${y}`),
  fc.tuple(atom, atom, fc.constantFrom("&&", "||")).map(([x, y, op]) => `${x} > 2 ${op} (${y} & 1) === 0`),
);

function statement(site: Site): fc.Arbitrary<string> {
  const assign = fc
    .tuple(fc.constantFrom(...targets), expression)
    .map(([t, e]) => (site.returns || t.length > 1 ? `${t} = i32(${e});` : `${t} = ${e};`));
  const store = fc.tuple(fc.integer({ min: 0, max: 8 }), atom).map(([k, x]) => `out(${k}, ${x});`);
  const leave = site.inLoop ? fc.constantFrom("break;", "continue;") : fc.constant("");
  const back = site.returns ? atom.map((x) => `return ${x};`) : fc.constant("return;");
  const simple = [assign, assign, assign, store];
  if (site.depth === 0) return fc.oneof(...simple);
  const inner = { ...site, depth: site.depth - 1 };
  const list = block(inner);
  const iteration = block({ ...inner, inLoop: true });
  const name = `i${site.depth}`;
  return fc.oneof(
    ...simple,
    fc.tuple(condition, list, list).map(([c, x, y]) => `if (${c}) { ${x} } else { ${y} }`),
    fc.tuple(condition, list).map(([c, x]) => `if (${c}) { ${x} }`),
    fc.tuple(condition, leave, list).map(([c, l, x]) => `if (${c}) { ${x} ${l} }`),
    fc.tuple(condition, back).map(([c, r]) => `if (${c}) { ${r} }`),
    fc
      .tuple(fc.constantFrom("range(n)", "range(0, 5, 2)", "staticRange(3)", "range(m, 0, -1)"), iteration)
      .map(([r, x]) => `for (const ${name} of ${r}) { a = a ^ ${name}; ${x} }`),
    iteration.map((x) => `{ let ${name} = i32(0); while (${name}++ < n) { ${x} } }`),
    fc
      .tuple(atom, list, list)
      .map(([x, p, q]) => `switch (${x}) { case 1: ${p} break; case 2: ${q} break; default: b = i32(3); }`),
  );
}

function block(site: Site): fc.Arbitrary<string> {
  return fc.array(statement(site), { minLength: 1, maxLength: 3 }).map((lines) => lines.join(" "));
}

const begin = "let a = i32(1), b = i32(2), c = i32(3); const o = { f: i32(4) }, v = [i32(5), i32(6)];";
const end = "out(10, a); out(11, b); out(12, c); out(13, o.f); out(14, v[1]);";
const inputs = [
  [0, 0],
  [1, 3],
  [4, 2],
  [3, 6],
];

test("random programs compute what plain JavaScript computes", { timeout: 120_000 }, () => {
  const kernels = block({ depth: 3, inLoop: false, returns: false }).map((body) => `(n, m) => { ${begin} ${body} ${end} }`);
  fc.assert(
    fc.property(kernels, (body) => sameAsJavaScript(body, inputs)),
    ofProperty(40, 4),
  );
});

test("random functions return what plain JavaScript returns", { timeout: 120_000 }, () => {
  const kernels = block({ depth: 3, inLoop: false, returns: true }).map(
    (body) => `(n, m) => { ${begin} const g = () => { ${body} return 99; }; out(9, g()); ${end} }`,
  );
  fc.assert(
    fc.property(kernels, (body) => sameAsJavaScript(body, inputs)),
    ofProperty(30, 3),
  );
});
