/**
 * Random programs over objects, arrays, class instances, aliases, closures, exits and loops: what a kernel has to do as plain JavaScript
 * does it, or refuse. Numbers stay below 1024.
 */
import { createRandom, type Random, seedOf } from "../../fuzz/random.ts";
import { line, outputs, type Program, type Statement } from "./program.ts";

/**
 * A number; an object { a, b, q: { k } }; what stands in q; an array of two numbers; an array of two objects; an instance of Point, or
 * of Tally; a Map of objects by "p" and "q".
 */
type Kind = "number" | "object" | "inner" | "array" | "list" | "point" | "tally" | "map";

interface Variable {
  readonly name: string;
  readonly kind: Kind;
  readonly constant: boolean;
}

/** A function of the program: it takes numbers, and gives what `gives` says. */
interface Callable {
  readonly name: string;
  readonly gives: Kind | undefined;
  readonly takes: readonly Kind[];
}

interface Scope {
  readonly variables: readonly Variable[];
  readonly functions: readonly Callable[];
  readonly depth: number;
  /** Labels of the loops around, innermost last; empty outside of loops. */
  readonly loops: readonly string[];
  /** What the function around returns; undefined in the kernel's own statements. */
  readonly returns: Kind | undefined;
}

const structured: readonly Kind[] = ["object", "inner", "array", "list", "point", "tally"];

/**
 * The classes that programs use. Point has fields, a method that changes its object and gives it back, one that makes another, a getter. The
 * fields of a Tally begin as constants; it has a setter, too, and replaces an object that it holds.
 */
export const classNames: readonly string[] = ["Point", "Tally"];
export const classText = `  class Point {
    constructor(x, y) { this.x = x; this.y = y; }
    get sum() { return (this.x + this.y) & 1023; }
    add(d) { this.x = (this.x + d) & 1023; return this; }
    swapped() { return new Point(this.y, this.x); }
    take(other) { if (other.x > this.x) { this.y = other.y; return other; } this.y = (this.y + 1) & 1023; return this; }
  }
  class Tally {
    constructor() { this.count = 0; this.on = false; this.last = { k: 0 }; }
    get twice() { return (this.count * 2) & 1023; }
    set level(x) { this.count = x & 1023; this.on = !this.on; }
    get level() { return this.on ? this.count : this.last.k; }
    hit(d) { if (d > 2) this.last = { k: d }; this.count = (this.count + this.last.k + 1) & 1023; return this.count; }
    flip() { this.on = !this.on; return this; }
  }
`;

class Maker {
  private readonly random: Random;
  private names = 0;
  /** How many of the numbers in objects begin as constants. */
  private readonly constants: number;
  constructor(random: Random) {
    this.random = random;
    this.constants = random.pick([0.15, 0.5, 0.95]);
  }

  private fresh(prefix: string): string {
    return `${prefix}${this.names++}`;
  }

  private of(scope: Scope, kind: Kind, assigned = false): readonly Variable[] {
    return scope.variables.filter((v) => v.kind === kind && !(assigned && v.constant));
  }

  /** Something that holds a number and can be assigned. */
  private place(scope: Scope): string {
    const { random } = this;
    const kinds: Kind[] = ["number", "object", "object", "object", "inner", "array", "point", "tally", "list", "map"];
    for (let tries = 0; tries < 8; tries++) {
      const kind = random.pick(kinds);
      const found = this.of(scope, kind, kind === "number");
      if (found.length === 0) continue;
      const { name } = random.pick(found);
      if (kind === "number") return name;
      if (kind === "object") return `${name}${random.pick([".a", ".b", ".b", ".q.k"])}`;
      if (kind === "array") return `${name}[${random.below(2)}]`;
      if (kind === "point") return `${name}${random.pick([".x", ".y"])}`;
      if (kind === "tally") return `${name}${random.pick([".count", ".last.k", ".level"])}`;
      if (kind === "inner") return `${name}.k`;
      if (kind === "map") return `${name}.get("${random.pick(["p", "q"])}")${random.pick([".a", ".q.k"])}`;
      return `${name}[${random.below(2)}]${random.pick([".a", ".b"])}`;
    }
    return this.of(scope, "number", true)[0]?.name ?? "x";
  }

  private atom(scope: Scope): string {
    const { random } = this;
    const numbers = this.of(scope, "number");
    const points = this.of(scope, "point");
    const tallies = this.of(scope, "tally");
    switch (random.weighted({ place: 6, input: 3, literal: 2, number: 2, sum: 1, tally: 1 })) {
      case "place":
        return this.place(scope);
      case "literal":
        return String(random.below(8));
      case "number":
        return numbers.length > 0 ? random.pick(numbers).name : "m";
      case "sum":
        return points.length > 0 ? `${random.pick(points).name}.sum` : "n";
      case "tally":
        return tallies.length > 0 ? `${random.pick(tallies).name}.${random.pick(["twice", `hit(${this.place(scope)})`])}` : "m";
      default:
        return random.pick(["n", "m"]);
    }
  }

  number(scope: Scope): string {
    const { random } = this;
    switch (random.weighted({ atom: 4, operation: 3, choice: 1, call: 1 })) {
      case "operation":
        return `((${this.atom(scope)} ${random.pick(["+", "-", "*", "^", "|"])} ${this.atom(scope)}) & 1023)`;
      case "choice":
        return `(${this.condition(scope)} ? ${this.atom(scope)} : ${this.atom(scope)})`;
      case "call":
        return this.call(scope, "number") ?? this.atom(scope);
      default:
        return this.atom(scope);
    }
  }

  condition(scope: Scope): string {
    const { random } = this;
    const simple = (): string => `${this.atom(scope)} ${random.pick(["<", ">", "===", "!=="])} ${this.atom(scope)}`;
    const [tallies, known] = [this.of(scope, "tally"), this.of(scope, "object")];
    switch (random.weighted({ input: 5, simple: 4, both: 1, same: 0.3, flag: tallies.length > 0 ? 2 : 0, late: 0.3 })) {
      case "flag":
        return `${random.chance(0.3) ? "!" : ""}${random.pick(tallies).name}.on`;
      case "late": {
        if (known.length === 0) return simple();
        const { name } = random.pick(known);
        const ask = [
          `${name}.z === undefined`,
          `"z" in ${name}`,
          `Object.keys(${name}).length < 4`,
          `Object.values(${name})[0] > 2`,
        ];
        return random.pick(ask);
      }
      case "input":
        return `${random.pick(["n", "m"])} ${random.pick(["<", ">", "==="])} ${random.between(1, 4)}`;
      case "both":
        return `(${simple()} ${random.pick(["&&", "||"])} ${simple()})`;
      case "same": {
        const objects = this.of(scope, "object");
        return objects.length > 1 ? `${random.pick(objects).name} === ${random.pick(objects).name}` : simple();
      }
      default:
        return simple();
    }
  }

  private call(scope: Scope, kind: Kind | undefined): string | undefined {
    const found = scope.functions.filter((f) => f.gives === kind);
    if (found.length === 0) return undefined;
    const { name, takes } = this.random.pick(found);
    return `${name}(${takes.map((k) => (k === "number" ? this.atom(scope) : this.value(scope, k))).join(", ")})`;
  }

  /** An expression of the kind: mostly an object that already is, sometimes a new one. */
  value(scope: Scope, kind: Kind): string {
    if (kind === "number") return this.number(scope);
    const { random } = this;
    const known = this.of(scope, kind);
    const one = (): string => (known.length > 0 ? random.pick(known).name : this.fresh_(scope, kind));
    switch (random.weighted({ known: 4, fresh: 4, choice: 1, call: 1.5, part: 1, method: 1 })) {
      case "known":
        return one();
      case "choice":
        return `(${this.condition(scope)} ? ${one()} : ${random.chance(0.5) ? one() : this.fresh_(scope, kind)})`;
      case "call":
        return this.call(scope, kind) ?? one();
      case "part": {
        const lists = this.of(scope, "list");
        const maps = this.of(scope, "map");
        const objects = this.of(scope, "object");
        if (kind === "inner" && objects.length > 0) return `${random.pick(objects).name}.q`;
        if (kind === "object" && maps.length > 0) return `${random.pick(maps).name}.get("${random.pick(["p", "q"])}")`;
        return kind === "object" && lists.length > 0 ? `${random.pick(lists).name}[${random.below(2)}]` : one();
      }
      case "method":
        if (kind === "point") return `${one()}.${random.pick(["swapped()", `add(${this.atom(scope)})`, `take(${one()})`])}`;
        if (kind === "array") return `${one()}.map((v, i) => (v + ${this.atom(scope)} + i) & 1023)`;
        if (kind === "object") return `{ ...${one()}, ${random.pick(["a", "b"])}: ${this.atom(scope)} }`;
        if (kind === "inner") return `{ ...${one()} }`;
        if (kind === "tally") return `${one()}.flip()`;
        return kind === "list" ? `[...${one()}]` : one();
      default:
        return this.fresh_(scope, kind);
    }
  }

  private fresh_(scope: Scope, kind: Kind): string {
    const { random } = this;
    const inners = this.of(scope, "inner");
    const x = (): string =>
      random.chance(this.constants)
        ? String(random.below(8))
        : random.chance(0.7)
          ? `i32(${this.atom(scope)})`
          : this.atom(scope);
    const objects = this.of(scope, "object");
    const object = (): string => `{ a: ${x()}, b: ${x()}, q: { k: ${x()} } }`;
    const element = (): string => (objects.length > 0 && random.chance(0.5) ? random.pick(objects).name : object());
    if (kind === "array") return `[${x()}, ${x()}]`;
    if (kind === "list") return `[${element()}, ${element()}]`;
    if (kind === "point") return `new Point(${x()}, ${x()})`;
    if (kind === "tally") return "new Tally()";
    if (kind === "inner") return `{ k: ${x()} }`;
    if (kind === "map") return `new Map([["p", ${element()}], ["q", ${element()}]])`;
    return random.chance(0.2) && inners.length > 0 ? `{ a: ${x()}, b: ${x()}, q: ${random.pick(inners).name} }` : object();
  }

  private assignment(scope: Scope): string {
    const { random } = this;
    const target = this.place(scope);
    const x = this.number(scope);
    const [arrays, objects] = [this.of(scope, "array"), this.of(scope, "object")];
    if (arrays.length > 0 && random.chance(0.1)) {
      const { name } = random.pick(arrays);
      return `${name}[0] = ${name}[1]; ${name}[1] = ${x};`;
    }
    if (objects.length > 0 && random.chance(0.03)) return `${random.pick(objects).name}.z = ${x};`;
    return random.chance(0.5) ? `${target} = ${x};` : `${target} = (${target} + ${x}) & 1023;`;
  }

  /** Assigns a variable, field or element that holds an object. */
  private replace(scope: Scope): string {
    const { random } = this;
    const kind = random.pick(structured);
    const targets = this.of(scope, kind, true);
    const objects = this.of(scope, "object");
    const lists = this.of(scope, "list");
    const choice = random.weighted({ variable: 6, field: 1, element: 1, swap: 0.5 });
    if (choice === "field" && objects.length > 0) {
      const { name } = random.pick(objects);
      return random.chance(0.5) ? `${name}.q = { k: ${this.atom(scope)} };` : `${name}.q = ${random.pick(objects).name}.q;`;
    }
    if (choice === "element" && lists.length > 0)
      return `${random.pick(lists).name}[${random.below(2)}] = ${this.value(scope, "object")};`;
    if (choice === "swap" && targets.length > 1) {
      const [p, q] = [random.pick(targets).name, random.pick(targets).name];
      return `[${p}, ${q}] = [${q}, ${p}];`;
    }
    if (targets.length === 0) return this.assignment(scope);
    return `${random.pick(targets).name} = ${this.value(scope, kind)};`;
  }

  private leaving(scope: Scope): string {
    const { random } = this;
    const ways: string[] = [];
    if (scope.loops.length > 0)
      ways.push("break;", "continue;", `${random.pick(["break", "continue"])} ${random.pick(scope.loops)};`);
    if (scope.returns) ways.push(`return ${this.value(scope, scope.returns)};`);
    else if (random.chance(0.1)) ways.push("return;");
    return ways.length > 0 ? random.pick(ways) : "";
  }

  private inner(scope: Scope, more: readonly Variable[] = []): Scope {
    return { ...scope, depth: scope.depth - 1, variables: [...scope.variables, ...more] };
  }

  private loop(scope: Scope): Statement {
    const { random } = this;
    const [label, i] = [this.fresh("L"), this.fresh("k_")];
    const index: Variable = { name: i, kind: "number", constant: true };
    const inside = { ...this.inner(scope, [index]), loops: [...scope.loops, label] };
    const body = this.list(inside);
    switch (random.weighted({ range: 4, unrolled: 2, while: 1.5, do: 1, of: 1, static: 2 })) {
      case "unrolled":
        return { texts: [`${label}: for (const ${i} of staticRange(${random.between(1, 3)})) {`, "}"], bodies: [body] };
      case "while":
        return {
          texts: [`let ${i} = i32(0); ${label}: while (${i} < ${random.pick(["n", "m", "3"])}) { ${i}++;`, "}"],
          bodies: [body],
        };
      case "do":
        return { texts: [`let ${i} = i32(0); ${label}: do { ${i}++;`, `} while (${i} < n);`], bodies: [body] };
      case "static":
        return { texts: this.staticLoop(label, i), bodies: [body] };
      case "of": {
        const lists = this.of(scope, "list");
        if (lists.length > 0) {
          const e = this.fresh("e");
          const element: Variable = { name: e, kind: "object", constant: true };
          return {
            texts: [`${label}: for (const ${e} of ${random.pick(lists).name}) {`, "}"],
            bodies: [this.list({ ...this.inner(scope, [element]), loops: [...scope.loops, label] })],
          };
        }
        break;
      }
      default:
    }
    const range = random.pick(["range(n)", "range(m)", "range(0, 5, 2)", "range(3)"]);
    return { texts: [`${label}: for (const ${i} of ${range}) {`, "}"], bodies: [body] };
  }

  /** A loop that counts at trace time, before its body, after it or in its condition, in a variable or in one that a function changes. */
  private staticLoop(label: string, i: string): readonly string[] {
    const { random } = this;
    const [bound, next] = [random.between(1, 3), random.chance(0.3) ? `next_${i}();` : `${i}++;`];
    const begin = next.startsWith("next") ? `let ${i} = 0; const next_${i} = () => { ${i}++; };` : `let ${i} = 0;`;
    const where = random.pick(["before", "after", "test"]);
    const [head, tail] = [where === "before" ? next : "", where === "after" ? next : ""];
    const test = `${i}${where === "test" ? "++" : ""} < ${bound}`;
    return random.chance(0.5)
      ? [`${begin} ${label}: while (${test}) { ${head}`, `${tail} }`]
      : [`${begin} ${label}: do { ${head}`, `${tail} } while (${test});`];
  }

  private declaration(scope: Scope): { readonly statement: Statement; readonly scope: Scope } {
    const { random } = this;
    const kind = random.pick<Kind>(["number", ...structured, "object", "map"]);
    const constant = kind === "map" || random.chance(0.35);
    const name = this.fresh(`${kind[0]}_`);
    return {
      statement: line(`${constant ? "const" : "let"} ${name} = ${this.value(scope, kind)};`),
      scope: { ...scope, variables: [...scope.variables, { name, kind, constant }] },
    };
  }

  /** A function inside: it may assign what is outside, and leave early. */
  private function(scope: Scope): { readonly statement: Statement; readonly scope: Scope } {
    const { random } = this;
    const name = this.fresh("f");
    const gives = random.pick<Kind | undefined>([undefined, "number", "object", "array", "point", "tally"]);
    const takes = random.pick<readonly Kind[]>([[], ["number"], ["object"], ["object", "number"]]);
    const params = takes.map((kind): Variable => ({ name: this.fresh("p"), kind, constant: false }));
    const inside: Scope = { ...this.inner(scope, params), loops: [], returns: gives ?? "number", functions: [] };
    const body = this.list(inside);
    const back = `return ${this.value({ ...inside, depth: 0 }, gives ?? "number")};`;
    return {
      statement: {
        texts: [`const ${name} = (${params.map((p) => p.name).join(", ")}) => {`, `  ${back} };`],
        bodies: [body],
      },
      scope: { ...scope, functions: [...scope.functions, { name, gives, takes }] },
    };
  }

  private statement(scope: Scope): Statement {
    const { random } = this;
    const { depth } = scope;
    const simple = { parts: 0.4, assign: 5, replace: 4, out: 1, call: 0.7, method: 0.7 };
    const nested =
      depth > 0
        ? {
            if: 5,
            ifElse: 5,
            leave: scope.loops.length > 0 || scope.returns ? 2 : 0.1,
            loop: 2,
            switch: 0.7,
            short: 0.5,
            block: 0.5,
          }
        : {};
    switch (random.weighted({ ...simple, ...nested })) {
      case "assign":
        return line(this.assignment(scope));
      case "out":
        return line(`out(${random.below(6)}, ${this.number(scope)});`);
      case "call": {
        const kind = random.pick<Kind | undefined>([undefined, "number", "object"]);
        const call = this.call(scope, kind);
        return line(call ? `${call};` : this.assignment(scope));
      }
      case "method": {
        const points = this.of(scope, "point");
        const tallies = this.of(scope, "tally");
        if (tallies.length > 0 && random.chance(0.5))
          return line(`${random.pick(tallies).name}.${random.pick([`hit(${this.atom(scope)})`, "flip()"])};`);
        return line(points.length > 0 ? `${random.pick(points).name}.add(${this.atom(scope)});` : this.assignment(scope));
      }
      case "if":
        return { texts: [`if (${this.condition(scope)}) {`, "}"], bodies: [this.list(this.inner(scope))] };
      case "ifElse":
        return {
          texts: [`if (${this.condition(scope)}) {`, "} else {", "}"],
          bodies: [this.list(this.inner(scope)), this.list(this.inner(scope))],
        };
      case "leave": {
        const leave = this.leaving(scope);
        const before = random.chance(0.6) ? [random.chance(0.5) ? line(this.assignment(scope)) : line(this.replace(scope))] : [];
        return { texts: [`if (${this.condition(scope)}) {`, `${leave} }`], bodies: [before] };
      }
      case "loop":
        return this.loop(scope);
      case "switch":
        return {
          texts: [
            `switch (${random.pick(["n", "m", this.atom(scope)])}) { case 1: {`,
            "break; } case 3: {",
            "break; } default: {",
            "} }",
          ],
          bodies: [0, 1, 2].map(() => this.list(this.inner({ ...scope, loops: [] }))),
        };
      case "block": {
        const label = this.fresh("B");
        const leave: Statement = {
          texts: [`if (${this.condition(scope)}) {`, `break ${label}; }`],
          bodies: [this.list(this.inner(scope))],
        };
        return { texts: [`${label}: {`, "}"], bodies: [[leave, ...this.list(this.inner(scope))]] };
      }
      case "parts": {
        const objects = this.of(scope, "object");
        const numbers = this.of(scope, "number", true);
        const inners = this.of(scope, "inner", true);
        if (objects.length === 0 || numbers.length === 0) return line(this.assignment(scope));
        const [o, x] = [random.pick(objects).name, random.pick(numbers).name];
        return line(inners.length > 0 ? `({ a: ${x}, q: ${random.pick(inners).name} } = ${o});` : `({ b: ${x} } = ${o});`);
      }
      case "short": {
        const call = this.call(scope, "number");
        const act = call ?? `(${this.place(scope)} = ${this.atom(scope)})`;
        return line(`${this.condition(scope)} ${random.pick(["&&", "||"])} ${act};`);
      }
      default:
        return line(this.replace(scope));
    }
  }

  list(outer: Scope): readonly Statement[] {
    const { random } = this;
    let scope = outer;
    const statements: Statement[] = [];
    for (let k = random.between(1, 3); k > 0; k--) {
      if (random.chance(0.15)) {
        const { statement, scope: with_ } = this.declaration(scope);
        statements.push(statement);
        scope = with_;
      }
      statements.push(this.statement(scope));
    }
    return statements;
  }

  program(): readonly Statement[] {
    const { random } = this;
    let scope: Scope = {
      variables: [
        { name: "x", kind: "number", constant: false },
        { name: "o", kind: "object", constant: false },
      ],
      functions: [],
      depth: 3,
      loops: [],
      returns: undefined,
    };
    const x = (): string => (random.chance(1 - this.constants) ? `i32(${random.below(8)})` : String(random.below(8)));
    const statements: Statement[] = [
      line(`let x = ${x()};`),
      line(`let o = { a: ${x()}, b: ${x()}, q: { k: ${random.pick(["n", "m"])} } };`),
    ];
    for (let k = random.between(2, 5); k > 0; k--) {
      const { statement, scope: more } = random.chance(0.3) ? this.function(scope) : this.declaration(scope);
      statements.push(statement);
      scope = more;
    }
    for (let k = random.between(1, 4); k > 0; k--) statements.push(this.statement(scope));
    return [...statements, ...this.results(scope)];
  }

  /** Tells some of what the program has left: each number by itself, so that one that is refused hides no other. */
  private results(scope: Scope): readonly Statement[] {
    const leaves = scope.variables.flatMap(({ name, kind }) => {
      if (kind === "number") return [name];
      if (kind === "object") return [`${name}.a`, `${name}.b`, `${name}.q.k`];
      if (kind === "array") return [`${name}[0]`, `${name}[1]`];
      if (kind === "point") return [`${name}.x`, `${name}.sum`];
      if (kind === "tally") return [`${name}.count`, `${name}.level`];
      if (kind === "inner") return [`${name}.k`];
      if (kind === "map") return [`${name}.get("p").b`];
      return [`${name}[0].a`, `${name}[1].b`, `${name}[1].q.k`];
    });
    // What is refused hides the rest of its program: some programs tell little.
    const share = this.random.pick([0.1, 0.3, 0.7]);
    const told = leaves.filter(() => this.random.chance(share)).slice(0, outputs - 6);
    return told.map((leaf, i) => line(`out(${6 + i}, ${leaf});`));
  }
}

export function randomProgram(seed: number): Program {
  return { seed, body: new Maker(createRandom(seedOf(seed, "objects"))).program() };
}
