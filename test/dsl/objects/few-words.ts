/**
 * Random programs of few words: objects with several names, which get new fields and are exchanged by loops, a variable without a value, and questions which fields
 * there are. Most statements of a program are about the same two names and one field: what one does, another finds.
 */
import { createRandom, type Random, seedOf } from "../../fuzz/random.ts";
import { line, outputs, type Program, type Statement } from "./program.ts";

class Maker {
  private readonly random: Random;
  /** What holds an object. */
  private readonly names: readonly string[];
  /** What most statements of the program are about. */
  private readonly theme: { readonly names: readonly string[]; readonly field: string };
  /** Functions that change what is around them and what they are given. */
  private readonly hasFunctions: boolean;
  private told = 0;
  private loops = 0;
  /** The variables of the loops around, with those of loops that end early. */
  private readonly counters: string[] = [];
  constructor(random: Random) {
    this.random = random;
    this.names = ["o", "p", random.pick(["h.o", "l[0]"]), random.pick(["h.o", "l[1]"])];
    this.theme = { names: [random.pick(this.names), random.pick(this.names)], field: random.pick(["a", "q.k", "z"]) };
    this.hasFunctions = random.chance(0.4);
  }

  private name(): string {
    return this.random.pick(this.random.chance(0.7) ? this.theme.names : this.names);
  }

  /** A field that may be read and assigned. */
  private field(): string {
    return `${this.name()}.${this.random.chance(0.7) ? this.theme.field : this.random.pick(["a", "q.k", "z"])}`;
  }

  private number(): string {
    if (this.hasFunctions && this.random.chance(0.15)) return `either(${this.name()})`;
    return this.random.chance(0.4) ? this.read() : this.random.pick(["n", "m", "3", "i32(5)", "i.k"]);
  }

  private read(): string {
    const field = this.field();
    return field.endsWith(".z") ? `(${field} ?? 9)` : field;
  }

  private object(): string {
    const fresh = (): string =>
      this.random.chance(0.2)
        ? `{ ...${this.name()}, a: ${this.number()} }`
        : `{ a: ${this.number()}, q: ${this.random.pick(["i", "{ k: n }"])} }`;
    switch (this.random.weighted({ name: 4, fresh: 4, choice: 1.5 })) {
      case "name":
        return this.name();
      case "choice":
        return `${this.condition()} ? ${this.name()} : ${this.random.chance(0.7) ? this.name() : fresh()}`;
      default:
        return fresh();
    }
  }

  /** Is there a field? Of one object, in each way to ask. */
  private presence(): string {
    const name = this.name();
    return this.random.pick([
      `"z" in ${name}`,
      `Object.hasOwn(${name}, "z")`,
      `${name}.z === undefined`,
      "u === undefined",
      `${name} === ${this.name()}`,
      `l.indexOf(${name}) > 0`,
      `Object.values(${name}).includes(${this.random.pick(["i", "2", "7"])})`,
      `Object.keys(${name}).length > 2`,
      `Object.keys({ ...${name} }).length > 2`,
    ]);
  }

  private condition(): string {
    const counter = this.counters.at(-1);
    if (counter !== undefined && this.random.chance(0.4)) return `${counter} ${this.random.pick(["< 1", "> 0", "=== 1"])}`;
    return this.random.chance(0.35) ? this.presence() : this.random.pick(["n > 1", "m === 3", "n < m", "i.k > 2"]);
  }

  private tell(): Statement {
    const name = this.name();
    const what = this.random.pick([
      `${name}.a`,
      `${name}.q.k`,
      "i.k",
      `Object.keys(${name}).length`,
      `${name}.z ?? 9`,
      "u ?? 9",
      "t",
    ]);
    return line(`out(${this.told++ % outputs}, ${what});`);
  }

  private block(depth: number, inLoop: boolean): readonly Statement[] {
    return Array.from({ length: this.random.pick([1, 1, 2, 3]) }, () => this.statement(depth, inLoop));
  }

  private statement(depth: number, inLoop = false): Statement {
    const { random } = this;
    const nested = depth > 0 ? 3 : 0;
    switch (
      random.weighted({
        field: 4,
        bind: 2,
        exchange: 0.5,
        rotate: 0.7,
        all: 0.7,
        count: 1,
        sum: 2.5,
        joined: 1.5,
        tell: 2,
        branch: nested,
        switch: nested / 3,
        loop: nested,
        sides: depth === 2 ? 4 : 0,
        ends: depth === 2 ? 0.3 : 0,
        call: this.hasFunctions ? 2 : 0,
        leave: inLoop ? 0.7 : 0,
      })
    ) {
      case "field":
        return line(`${random.chance(0.15) ? "u" : this.field()} = ${this.number()};`);
      case "bind":
        return line(`${this.name()} = ${this.object()};`);
      case "exchange":
        return line(`${this.name()}.q = ${random.pick(["i", `${this.name()}.q`])};`);
      case "rotate": {
        const [first = "o", ...rest] = new Set([this.name(), random.pick(this.names), random.pick(this.names)]);
        const names = [first, ...rest];
        return line(`[${names.join(", ")}] = [${[...rest, first].join(", ")}];`);
      }
      case "all":
        return line(
          random.pick([
            `for (const w of l) w.${random.pick(["a", "z", "q.k"])} = ${this.number()};`,
            `l.forEach((w) => { t = (t * 2 + w.${random.pick(["a", "q.k"])}) & 1023; });`,
            `Object.assign(${this.name()}, ${this.name()});`,
            `{ const { a: x, ...w } = ${this.name()}; t = (t * 2 + x + w.q.k) & 1023; }`,
            `l[0] = l.find((w) => w.${random.pick(["a", "q.k"])} !== ${random.pick(["2", "n"])}) ?? o;`,
          ]),
        );
      case "joined": {
        const [a, b] = [this.object(), this.name()];
        const joined = random.chance(0.5)
          ? `const c = ${this.condition()} ? (${a}) : ${b};`
          : `let c = ${b}; if (${this.condition()}) c = ${a};`;
        const read = random.pick(["c.a", "c.q.k", "Object.keys(c).length", "(c.z ?? 9)"]);
        return line(`{ ${joined} t = (t * 2 + ${read}) & 1023; }`);
      }
      case "call":
        return line(random.chance(0.5) ? `grow(${this.name()}, ${this.number()});` : `set(${this.number()});`);
      case "leave":
        return line(`if (${this.condition()}) ${random.pick(["break", "continue"])};`);
      case "count":
        return line(`if (${this.presence()}) t = (t * 2 + 1) & 1023;`);
      case "sum":
        return line(`t = (t * 2 + ${this.read()}) & 1023;`);
      case "branch":
        return random.chance(0.5)
          ? { texts: [`if (${this.condition()}) {`, "}"], bodies: [this.block(depth - 1, inLoop)] }
          : {
              texts: [`if (${this.condition()}) {`, "} else {", "}"],
              bodies: [this.block(depth - 1, inLoop), this.block(depth - 1, inLoop)],
            };
      case "switch": {
        const of = random.pick(["n", "m & 1", "i.k", this.counters.at(-1) ?? "n", `${this.name()}.a`]);
        const end = (): string => (random.chance(0.95) ? "break;" : "");
        const texts = [`switch (${of}) { case 0: {`, `} ${end()} case 1: {`, `} ${end()} default: {`, "} }"];
        // In a switch, `break` leaves that.
        return { texts, bodies: [1, 2, 3].map(() => this.block(depth - 1, inLoop)) };
      }
      case "loop": {
        const counter = `k${this.loops++}`;
        this.counters.push(counter);
        const body = this.block(depth - 1, true);
        this.counters.pop();
        const range = random.pick(["range(m)", "range(m)", "range(2)", "range(3)", "staticRange(2)"]);
        return { texts: [`for (const ${counter} of ${range}) {`, "}"], bodies: [body] };
      }
      case "sides":
        return this.loopOfSides();
      case "ends":
        return line(`if (${random.pick(["n > 2", "m < 1"])}) return;`);
      default:
        return this.tell();
    }
  }

  /** A loop whose iterations go two ways, each of one or two statements: what one way does, a later iteration finds on the other. */
  private loopOfSides(): Statement {
    const { random } = this;
    const counter = `k${this.loops++}`;
    const some = (least: number): readonly Statement[] =>
      Array.from({ length: random.pick([least, least, 1, least + 1]) }, () => this.statement(0, true));
    const texts = [`if (${counter} ${random.pick(["< 1", "> 0", "=== 1"])}) {`, "} else {", "}"];
    const branch: Statement = { texts, bodies: [some(1), some(1)] };
    const range = random.pick(["range(m)", "range(3)"]);
    return { texts: [`for (const ${counter} of ${range}) {`, "}"], bodies: [[...some(0), branch, ...some(0)]] };
  }

  program(): readonly Statement[] {
    const begin = [
      "let t = i32(0), u;",
      "const i = { k: m };",
      `let o = { a: ${this.random.pick(["n", "7"])}, q: { k: n } };`,
      `let p = ${this.random.pick(["o", "{ a: 2, q: i }", "{ a: 2, q: o.q }", "n > 2 ? o : { a: 2, q: i }", "n > 2 ? o : { a: 1, q: { k: 4 } }"])};`,
      `const h = { o: ${this.random.pick(["o", "p", "m > 1 ? o : p"])} };`,
      `const l = [${this.random.pick(["o", "p"])}, ${this.random.pick(["h.o", "{ a: n, q: i }"])}];`,
      ...(this.hasFunctions
        ? [
            "const set = (v) => { u = v; };",
            "const grow = (w, v) => { if (v > 2) w.z = v; w.a = (w.a + v) & 63; };",
            "const either = (w) => { if (n > 2) return w.a; return w.q.k; };",
          ]
        : []),
    ];
    const body = Array.from({ length: this.random.pick([1, 2, 3, 4, 6]) }, () => this.statement(2));
    const end = Array.from({ length: this.random.between(1, 3) }, () => this.tell());
    return [...begin.map(line), ...body, ...end];
  }
}

export function programOfFewWords(seed: number): Program {
  return { seed, body: new Maker(createRandom(seedOf(seed, "few words"))).program() };
}
