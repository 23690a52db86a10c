/** `console.log` in a kernel against Node's own `util.format`, over random formats, values and objects. */
import { formatWithOptions } from "node:util";
import { expect, test } from "vitest";
import { type Kernel, openDevice } from "warpsmith";
import { transformSource } from "../../../../src/transform/index.ts";
import { codesOf } from "../../../dsl/codes-of.ts";
import { createRandom, type Random, seedOf } from "../../../fuzz/random.ts";
import { seeds } from "../../../support/amount.ts";
import { compileText } from "../../../support/compile-file.mjs";
import { evaluateModule } from "../../../support/evaluate-module.ts";

/** The parameters of a kernel with what they are in each launch. */
const values = {
  n: [7, 0, -3],
  u: [4294967295, 0, 12],
  b: [-5n, 2n ** 60n, 0n],
  w: [2n ** 63n, 0n, 9n],
  x: [Math.fround(0.1), -0, Number.NEGATIVE_INFINITY],
  y: [1e21, Number.NaN, 2.5],
  t: [true, false, true],
};
type Name = keyof typeof values;
const names = Object.keys(values) as Name[];
const parameters = "n: i32, u: u32, b: i64, w: u64, x: f32, y: f64, t: bool";
const bigints: readonly string[] = ["b", "w"];

class Line {
  private readonly random: Random;
  constructor(random: Random) {
    this.random = random;
  }

  private name(): string {
    return this.random.pick(names);
  }
  private static(): string {
    return this.random.pick(["1", "-0", "0.5", "5n", '"s"', '"it\'s"', '"5%"', "true", "null", "undefined", "[]", "{}"]);
  }
  private text(): string {
    return this.random.pick([
      `\`\${${this.name()}} of \${${this.name()}}\``,
      `"a" + ${this.name()}`,
      `\`it's \${${this.name()}}\``,
    ]);
  }

  /** An object or array; `depth` of them inside one another. */
  private object(depth: number): string {
    const { random } = this;
    const field = (): string => {
      switch (random.weighted({ value: 4, static: 2, text: 1, object: depth > 0 ? 3 : 0 })) {
        case "value":
          return this.name();
        case "static":
          return this.static();
        case "text":
          return this.text();
        default:
          return this.object(depth - 1);
      }
    };
    const count = random.chance(0.15) ? random.between(7, 14) : random.below(4);
    const fields = Array.from({ length: count }, field);
    if (random.chance(0.2)) return `new Map([${fields.map((x, i) => `["k${i}", ${x}]`).join(", ")}])`;
    return random.chance(0.5) ? `[${fields.join(", ")}]` : `{ ${fields.map((x, i) => `f${i}: ${x}`).join(", ")} }`;
  }

  private any(): string {
    switch (this.random.weighted({ value: 4, static: 2, text: 1, object: 2 })) {
      case "value":
        return this.name();
      case "static":
        return this.static();
      case "text":
        return this.text();
      default:
        return this.object(4);
    }
  }

  /** What a specifier may take: what it makes of the rest is not known before the launch. */
  private taken(letter: string): string {
    const { random } = this;
    if ("oOc".includes(letter)) return this.any();
    if (random.chance(0.2)) return letter === "j" ? '"s"' : this.random.pick(["1.5", '"12ab"', "true", "null", "{}"]);
    if ("sj".includes(letter) && random.chance(0.2)) return this.text();
    return letter === "j" ? random.pick(names.filter((name) => !bigints.includes(name))) : this.name();
  }

  print(): string {
    const { random } = this;
    const args: string[] = [];
    let isShort = false;
    if (random.chance(0.75)) {
      let format = "";
      const given: string[] = [];
      for (let k = random.below(5); k > 0; k--) {
        const letter = random.pick([..."sdifjoOc%x"]);
        format += `${random.pick(["", "a ", ", "])}%${letter}`;
        if (letter !== "%" && letter !== "x" && given.length < 6) given.push(this.taken(letter));
      }
      isShort = random.chance(0.2);
      if (isShort) given.pop();
      args.push(random.chance(0.3) ? `\`${format} \${${this.name()}}\`` : JSON.stringify(format), ...given);
    }
    for (let k = isShort ? 0 : random.below(3); k > 0; k--) args.push(this.any());
    return `console.log(${args.join(", ")});`;
  }
}

/** What Node prints for the line, objects on one line, as the documents say. */
function byNode(line: string, launch: number): string {
  const printed: string[] = [];
  const log = (...args: unknown[]): void => {
    printed.push(formatWithOptions({ breakLength: Number.POSITIVE_INFINITY, compact: true }, ...args));
  };
  const run = new Function("console", ...names, line) as (...args: unknown[]) => void;
  run({ log }, ...names.map((name) => values[name][launch]));
  return printed[0] ?? "";
}

async function kernelOf(lines: readonly string[]): Promise<Kernel<unknown[]>> {
  const types = parameters.match(/\b[iufb]\w+(?=,|$)/g)?.join(", ");
  const text = `import { kernel, ${types} } from "warpsmith";\nexport const k = kernel({ block: 1, grid: 1 }, function k(${parameters}) { ${lines.join("\n")} });`;
  const made = compileText(text, { fileName: "/log.ts", displayName: "log.ts" }, transformSource);
  const { k } = await evaluateModule(made, "log.ts", (name) => import(/* @vite-ignore */ name));
  return k as Kernel<unknown[]>;
}

test("random lines print as Node prints them", { timeout: 120_000 }, async () => {
  await using gpu = await openDevice("emulator");
  for (const seed of seeds(1, 60, 2)) {
    const maker = new Line(createRandom(seedOf(seed, "log")));
    const lines = Array.from({ length: 12 }, () => maker.print());
    const k = await kernelOf(lines);
    for (const launch of [0, 1, 2]) {
      const printed: string[] = [];
      k.launch({ device: gpu, onLog: ({ text }) => printed.push(text) }, ...names.map((name) => values[name][launch]));
      await gpu.sync();
      lines.forEach((line, i) => {
        expect(printed[i], `seed ${seed}, launch ${launch}: ${line}`).toBe(byNode(line, launch));
      });
    }
  }
});

const refused: Readonly<Record<string, string>> = {
  'console.log("%j", { n });': "W2060",
  'console.log("%s", [n, 1]);': "W2060",
  'console.log("%d", `${n}`);': "W2060",
  'console.log("a %i", "b" + x);': "W2060",
  'console.log("%j", b);': "W2061",
  'console.log("%d %j", n, w);': "W2061",
  "console.log(`${[1, n, [2]]}`);": "W2008",
  "console.log(threadIdx);": "W2059",
  "console.log({ half: n / 2 });": "W2005",
};

test("what depends on values in another way is refused", async () => {
  const bodies = Object.keys(refused);
  const codes = await codesOf({ parameters, bodies, args: names.map((name) => values[name][0]) });
  expect(Object.fromEntries(bodies.map((body, i) => [body, codes[i]]))).toEqual(refused);
});
