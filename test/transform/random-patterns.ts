import fc from "fast-check";

/** Destructuring: what it binds, and what it is written as is for `Printer` to say. */
type Pattern =
  | { readonly kind: "leaf"; readonly field: boolean }
  | { readonly kind: "array"; readonly items: readonly (Item | undefined)[]; readonly rest: Pattern | undefined }
  | { readonly kind: "object"; readonly items: readonly Property[]; readonly rest: boolean };
interface Item {
  readonly pattern: Pattern;
  readonly fallback: string | undefined;
}
interface Property extends Item {
  readonly key: string;
  readonly computed: boolean;
}

const keys = ["a", "b", "c"] as const;

function value(depth: number): fc.Arbitrary<string> {
  const plain = fc.constantFrom("1", '"xy"', "null", "undefined", "[]", "{}", "true");
  if (depth === 0) return plain;
  const inner = value(depth - 1);
  const field = fc.tuple(fc.constantFrom(...keys), inner).map(([key, x]) => `${key}: ${x}`);
  return fc.oneof(
    { weight: 1, arbitrary: plain },
    { weight: 3, arbitrary: fc.array(inner, { maxLength: 3 }).map((list) => `[${list.join(", ")}]`) },
    { weight: 4, arbitrary: fc.array(field, { maxLength: 4 }).map((list) => `{ ${list.join(", ")} }`) },
  );
}

const fallback = fc.option(
  value(1).map((x) => `out(${x})`),
  { nil: undefined, freq: 4 },
);

/** Half of the patterns take nothing, or little, of what they are given. */
function pattern(depth: number): fc.Arbitrary<Pattern> {
  const leaf: fc.Arbitrary<Pattern> = fc.boolean().map((field) => ({ kind: "leaf", field }));
  if (depth === 0) return leaf;
  const item: fc.Arbitrary<Item> = fc.record({ pattern: pattern(depth - 1), fallback });
  const property: fc.Arbitrary<Property> = fc.record({
    pattern: pattern(depth - 1),
    fallback,
    key: fc.constantFrom(...keys),
    computed: fc.boolean(),
  });
  const object = fc.record({
    kind: fc.constant("object" as const),
    items: fc.array(property, { maxLength: 2 }),
    rest: fc.boolean(),
  });
  const array = fc.record({
    kind: fc.constant("array" as const),
    items: fc.array(fc.option(item, { nil: undefined, freq: 5 }), { maxLength: 2 }),
    rest: fc.option(pattern(depth - 1), { nil: undefined }),
  });
  return fc.oneof({ weight: 2, arbitrary: leaf }, { weight: 3, arbitrary: object }, { weight: 2, arbitrary: array });
}

/** Writes a pattern. It declares its names, or assigns them and the fields of `o`. */
class Printer {
  readonly names: string[] = [];
  private readonly declares: boolean;
  constructor(declares: boolean) {
    this.declares = declares;
  }

  private leaf(field: boolean): string {
    const name = `v${this.names.length}`;
    const place = field && !this.declares ? `o.${name}` : name;
    this.names.push(place);
    return place;
  }

  private item(item: Item | undefined): string {
    if (!item) return "";
    return `${this.print(item.pattern)}${item.fallback === undefined ? "" : ` = ${item.fallback}`}`;
  }

  print(p: Pattern): string {
    if (p.kind === "leaf") return this.leaf(p.field);
    if (p.kind === "array") {
      const rest = p.rest ? [`...${this.print(p.rest)}`] : p.items.at(-1) === undefined && p.items.length > 0 ? [""] : [];
      return `[${[...p.items.map((item) => this.item(item)), ...rest].join(", ")}]`;
    }
    const items = p.items.map((x) => `${x.computed ? `["${x.key}" + ""]` : x.key}: ${this.item(x)}`);
    return `{ ${[...items, ...(p.rest ? [`...${this.leaf(false)}`] : [])].join(", ")} }`;
  }
}

const forms: readonly ("declares" | "assigns")[] = ["declares", "assigns"];

const declaring = (p: string, all: string, x: string, y: string): readonly string[] => [
  `const ${p}: any = ${x}; return ${all};`,
  `const f = (${p}: any, z = 7) => [z, ${all}]; return f(${x});`,
  `const f = function (n: number, ${p}: any = ${y}, ...more: any[]) { if (n > 1) return [n]; return [n, more, ${all}]; }; return [f(1), f(0, ${x}, 3)];`,
  `for (const ${p} of [${x}, ${y}] as any[]) { out(${all}); if (1 < 0) break; } return 1;`,
  `class C { m(${p}: any) { return ${all}; } } return new C().m(${x});`,
];
const assigning = (p: string, all: string, x: string, y: string, declared: string): readonly string[] => [
  `${declared} (${p} = ${x} as any); return ${all};`,
  `${declared} const whole = (${p} = ${x} as any); return [whole, ${all}];`,
  `${declared} for (${p} of [${x}, ${y}] as any[]) out(${all}); return ${all};`,
  `${declared} const f = () => { (${p} = ${x} as any); return 3; }; return [f(), ${all}];`,
];

/** Bodies of functions that take values apart, in each place where a pattern may stand; many values are none that the pattern can take. */
export const randomPattern: fc.Arbitrary<string> = fc
  .record({
    form: fc.constantFrom(...forms),
    shape: pattern(3).filter((p) => p.kind !== "leaf"),
    x: value(3),
    y: value(2),
    at: fc.nat(99),
  })
  .map(({ form, shape, x, y, at }) => {
    const printer = new Printer(form === "declares");
    const text = printer.print(shape);
    const names = printer.names.filter((name) => !name.startsWith("o."));
    const all = `[${[...names, ...(form === "assigns" ? ["o"] : [])].join(", ")}]`;
    const declared = `const o: any = {};${names.length > 0 ? ` let ${names.map((n) => `${n}: any`).join(", ")};` : ""}`;
    const bodies = form === "declares" ? declaring(text, all, x, y) : assigning(text, all, x, y, declared);
    return bodies[at % bodies.length] ?? "";
  });
