/**
 * Random programs of few words: objects that get a field, other names for them, a variable without a value, and questions which fields there are. Whether there is
 * a field or value is known while a kernel is traced, or it is refused.
 */
import { createRandom, type Random, seedOf } from "../../fuzz/random.ts";
import { line, outputs, type Program, type Statement } from "./program.ts";

class Maker {
  private readonly random: Random;
  /** What holds an object. */
  private readonly names: readonly string[];
  /** Functions that change what is around them and what they are given. */
  private readonly hasFunctions: boolean;
  private told = 0;
  private loops = 0;
  constructor(random: Random) {
    this.random = random;
    this.names = ["o", "p", random.pick(["h.o", "l[0]"]), random.pick(["h.o", "l[1]"])];
    this.hasFunctions = random.chance(0.4);
  }

  private name(): string {
    return this.random.pick(this.names);
  }

  private number(): string {
    if (this.hasFunctions && this.random.chance(0.15)) return `either(${this.name()})`;
    return this.random.pick(["n", "m", "3", "i32(5)", "i.k", `${this.name()}.a`, `${this.name()}.q.k`]);
  }

  private object(): string {
    const fresh = `{ a: ${this.number()}, q: ${this.random.pick(["i", "{ k: n }"])} }`;
    return this.random.weighted({ name: 2, fresh: 2 }) === "name" ? this.name() : fresh;
  }

  /** Is there a field? Of one object, in each way to ask. */
  private presence(): string {
    const name = this.name();
    return this.random.pick([
      `"z" in ${name}`,
      `Object.hasOwn(${name}, "z")`,
      `${name}.z === undefined`,
      "u === undefined",
      `Object.keys(${name}).length > 2`,
      `Object.keys({ ...${name} }).length > 2`,
    ]);
  }

  private condition(): string {
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
    return Array.from({ length: this.random.between(1, 3) }, () => this.statement(depth, inLoop));
  }

  private statement(depth: number, inLoop = false): Statement {
    const { random } = this;
    const nested = depth > 0 ? 3 : 0;
    switch (
      random.weighted({
        field: 4,
        bind: 3,
        change: 2,
        inner: 2,
        count: 1,
        joined: 2,
        tell: 2,
        branch: nested,
        loop: nested,
        ends: depth === 2 ? 0.3 : 0,
        call: this.hasFunctions ? 2 : 0,
        leave: inLoop ? 0.7 : 0,
      })
    ) {
      case "field":
        return line(`${random.chance(0.25) ? "u" : `${this.name()}.z`} = ${this.number()};`);
      case "bind":
        return line(`${this.name()} = ${this.object()};`);
      case "change":
        return line(`${this.name()}.a = ${this.number()};`);
      case "inner":
        return line(random.chance(0.6) ? `${this.name()}.q.k = ${this.number()};` : `${this.name()}.q = i;`);
      case "joined": {
        const [a, b] = [this.object(), this.name()];
        const joined = random.chance(0.5)
          ? `const c = ${this.condition()} ? ${a} : ${b};`
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
      case "branch":
        return random.chance(0.5)
          ? { texts: [`if (${this.condition()}) {`, "}"], bodies: [this.block(depth - 1, inLoop)] }
          : {
              texts: [`if (${this.condition()}) {`, "} else {", "}"],
              bodies: [this.block(depth - 1, inLoop), this.block(depth - 1, inLoop)],
            };
      case "loop": {
        const head = `for (const k${this.loops++} of ${random.pick(["range(m)", "range(2)", "staticRange(2)"])}) {`;
        return { texts: [head, "}"], bodies: [this.block(depth - 1, true)] };
      }
      case "ends":
        return line(`if (${random.pick(["n > 2", "m < 1"])}) return;`);
      default:
        return this.tell();
    }
  }

  program(): readonly Statement[] {
    const begin = [
      "let t = i32(0), u;",
      "const i = { k: m };",
      `let o = { a: ${this.random.pick(["n", "7"])}, q: { k: n } };`,
      `let p = ${this.random.chance(0.5) ? "o" : "{ a: 2, q: i }"};`,
      `const h = { o: ${this.random.pick(["o", "p"])} };`,
      `const l = [${this.random.pick(["o", "p"])}, ${this.random.pick(["h.o", "{ a: n, q: i }"])}];`,
      ...(this.hasFunctions
        ? [
            "const set = (v) => { u = v; };",
            "const grow = (w, v) => { if (v > 2) w.z = v; w.a = (w.a + v) & 63; };",
            "const either = (w) => { if (n > 2) return w.a; return w.q.k; };",
          ]
        : []),
    ];
    const body = Array.from({ length: this.random.between(2, 6) }, () => this.statement(2));
    const end = Array.from({ length: this.random.between(1, 3) }, () => this.tell());
    return [...begin.map(line), ...body, ...end];
  }
}

export function programOfNewFields(seed: number): Program {
  return { seed, body: new Maker(createRandom(seedOf(seed, "new fields"))).program() };
}
