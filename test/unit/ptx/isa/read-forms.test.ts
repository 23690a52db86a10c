import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  type FormName,
  type FormSpec,
  formNames,
  formSpec,
  type Operand,
  printInstruction,
  type Reg,
  type RegClass,
  reg,
  regClasses,
  type Instruction as Written,
} from "../../../../src/ptx/index.ts";
import { parsePtx, readForm, readFormNames } from "../../../../src/ptx/parse/index.ts";
import { candidatesFor } from "../../../../src/ptx/parse/match-form.ts";

describe("the table of readable forms", () => {
  it("names only slots that exist, as types and as conditions", () => {
    const types = /^(pred|[bus](8|16|32|64)|f(32|64))$/;
    for (const name of readFormNames) {
      const slots = readForm(name).modifiers ?? {};
      for (const operand of readForm(name).operands) {
        const [, type, condition] = /^[a-z]+2?(?::(\w+)(?:\*2)?)?(?:\?(\w*))?$/.exec(operand) ?? ["", "?", "?"];
        expect(type === undefined || types.test(type) || type in slots, `${name}: ${operand}`).toBe(true);
        expect(!condition || condition in slots, `${name}: ${operand}`).toBe(true);
      }
    }
  });

  const practice = readFileSync(join(import.meta.dirname, "opcodes-in-practice.txt"), "utf8")
    .trim()
    .split("\n");
  it.each(practice)("knows %s", (opcode) => expect(candidatesFor(opcode)).not.toEqual([]));
});

const classOf: Readonly<Record<string, RegClass>> = {
  ...{
    pred: "pred",
    f32: "f32",
    f64: "f64",
    b8: "b16",
    u8: "b16",
    s8: "b16",
    f16: "b16",
    bf16: "b16",
    e4m3x2: "b16",
    e5m2x2: "b16",
  },
  ...Object.fromEntries([16, 32, 64].flatMap((n) => ["b", "u", "s"].map((t) => [`${t}${n}`, `b${n}`]))),
};

/** An operand as the generator's form wants it. */
function operandFor(kind: string, type: string): Operand {
  const r = (cls: RegClass = classOf[type] ?? "b32"): Reg => reg(cls, 1);
  switch (kind) {
    case "p":
    case "dp":
      return r("pred");
    case "pair":
      return { kind: "pair", value: { kind: "sink" }, pred: r("pred") };
    case "vec":
      return { kind: "vec", items: [r(), r()] };
    case "addr":
      return { kind: "address", base: reg("b64", 1), offset: 8 };
    case "tensor":
      return { kind: "tensor", map: reg("b64", 1), coords: [r("b32")] };
    case "label":
      return { kind: "label", name: "L" };
    case "imm":
      return { kind: "imm", type: "int", value: 1n };
    case "sink":
      return { kind: "sink" };
    case "special":
      return { kind: "special", name: "tid.x" };
    case "sym":
      return { kind: "symbol", name: "sm" };
    default:
      return r();
  }
}

/** The form with those modifiers, its optional operands left out unless a modifier asks for them. */
function written(form: FormName, spec: FormSpec, modifiers: Readonly<Record<string, string>>): Written {
  const operands = spec.operands.map((operand, i) => {
    const [head = "", type = ""] = operand.split(":");
    if (head.endsWith("?") && !(modifiers.multicast && i === 4) && !(modifiers.hint && i === spec.operands.length - 1))
      return undefined;
    const wanted = modifiers.multicast && i === 4 ? "b16" : modifiers.hint && head === "s?" ? "b64" : (modifiers[type] ?? type);
    return operandFor(head.replace("?", ""), wanted);
  });
  return { kind: "instruction", form, modifiers, operands };
}

/** The first values of all slots, then each other value of each. */
function variants(spec: FormSpec): readonly Readonly<Record<string, string>>[] {
  const slots = Object.entries(spec.modifiers ?? {});
  const first = Object.fromEntries(slots.map(([slot, values]) => [slot, values[0] ?? ""]));
  return [first, ...slots.flatMap(([slot, values]) => values.slice(1).map((v) => ({ ...first, [slot]: v })))];
}

describe("what the generator can write can be read", () => {
  const prefixes: Readonly<Record<RegClass, string>> = { pred: "%p", b16: "%rs", b32: "%r", b64: "%rd", f32: "%f", f64: "%fd" };
  const registers = regClasses.map((cls) => `.reg .${cls} ${prefixes[cls]}<2>;`).join(" ");
  it.each(formNames)("%s", (form) => {
    const texts = variants(formSpec(form)).map((m) => printInstruction(written(form, formSpec(form), m)));
    const head = `.version 9.0\n.target sm_90a\n.address_size 64\n.shared .b32 sm;\n.entry k() { ${registers}\n$L:\n`;
    const tree = parsePtx(`${head}${texts.map((t) => `${t};`).join("\n")}\n}`);
    expect(tree.functions[0]?.body?.instructions.length).toBe(texts.length);
  });
});
