/** Instructions of every form that can be read: candidates from the table, of which ptxas takes some. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ReadFormName, readForm } from "../../../../src/ptx/isa/read/index.ts";

type Values = Readonly<Record<string, string>>;

/** What a module needs for the instructions to stand in. */
export const moduleAround = (lines: readonly string[]): string => `.version 9.0
.target sm_90a
.address_size 64
.extern .shared .align 1024 .b8 smem[];
.const .align 16 .b8 constants[64];
.visible .entry k(.param .align 64 .b8 argument[128])
{
  .reg .pred %p<8>;
  .reg .b16 %h<16>;
  .reg .b32 %r<160>;
  .reg .b64 %d<160>;
  .reg .b128 %q<16>;
  .reg .f32 %f<160>;
  .reg .f64 %g<16>;
  .local .align 16 .b8 stack[64];
${lines.map((line) => `  ${line};`).join("\n")}
}
`;
const headLines = moduleAround([]).split("\n").length - 3;

/** Values of other slots from which pairs of slots are varied, where all combinations would be too many. */
const bases: Partial<Readonly<Record<ReadFormName, readonly Values[]>>> = {
  ld: [
    { space: "global", type: "b32" },
    { space: "param", type: "b32" },
  ],
  st: [{ space: "global", type: "b32" }],
  ldu: [{ space: "global", type: "b32" }],
  atom: [
    { space: "global", op: "add", type: "u32" },
    { space: "global", op: "add", vec: "v2", type: "f32" },
    { space: "global", op: "add", noftz: "noftz", vec: "v2", type: "f16" },
    { space: "shared", op: "add", noftz: "noftz", type: "f16x2" },
  ],
  red: [
    { space: "global", op: "add", type: "u32" },
    { space: "global", op: "add", vec: "v2", type: "f32" },
    { space: "global", op: "add", noftz: "noftz", vec: "v2", type: "f16" },
  ],
  set: [
    { is: "lt", to: "u32", from: "f32" },
    { is: "lt", to: "f16", from: "f16" },
  ],
  cvt: [{ round: "rn", to: "f32", from: "f32" }],
  "wmma.mma": [
    { layoutA: "row", d: "f32", a: "bf16", b: "bf16", c: "f32" },
    { layoutA: "row", d: "s32", a: "s8", b: "s8", c: "s32" },
    { layoutA: "row", shape: "m16n16k8", d: "f32", a: "tf32", b: "tf32", c: "f32" },
    { layoutA: "row", shape: "m8n8k4", d: "f64", a: "f64", b: "f64", c: "f64" },
    { layoutA: "row", shape: "m8n8k32", d: "s32", a: "s4", b: "s4", c: "s32" },
  ],
  "cp.async.bulk.tensor.load": [{ dim: "2d", dst: "shared::cluster" }],
};
/** Pairs of types that an instruction could have. */
function plausible(form: ReadFormName, m: Values): boolean {
  if (form !== "mma") return true;
  const kind = (type = "") => type.replace(/^u(?=[48])/, "s").replace("e5m2", "e4m3");
  const halves = [m.c, m.d].every((type) => type === "f16" || type === "f32");
  return kind(m.a) === kind(m.b) && (m.c === m.d || halves);
}
/** Slots that need not take all their values. */
const narrowed: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  wgmma: { shape: ["m64n8k16", "m64n96k16", "m64n8k8", "m64n256k8", "m64n8k32", "m64n32k32", "m64n8k64", "m64n8k256"] },
  mma: { layoutA: ["row"], layoutB: ["col"] },
  wmma: { layoutB: ["col"], space: ["", "global", "shared"] },
};
const most = 6000;

const slotsOf = (form: ReadFormName): (readonly [string, readonly string[]])[] => {
  const family = narrowed[form.split(".")[0] ?? ""] ?? {};
  return Object.entries(readForm(form).modifiers ?? {}).map(([slot, values]) => [slot, family[slot] ?? values] as const);
};

function combinations(slots: readonly (readonly [string, readonly string[]])[]): Values[] {
  return slots.reduce<Values[]>((all, [slot, values]) => all.flatMap((one) => values.map((v) => ({ ...one, [slot]: v }))), [{}]);
}

function modifiersOf(form: ReadFormName): readonly Values[] {
  const slots = slotsOf(form);
  const all = slots.reduce((n, [, values]) => n * values.length, 1);
  if (all <= most || form === "mma") return combinations(slots).filter((m) => plausible(form, m));
  const plain: Values = Object.fromEntries(slots.map(([slot, values]) => [slot, values.includes("") ? "" : (values[0] ?? "")]));
  return (bases[form] ?? [{}]).flatMap((base) =>
    slots.flatMap((a, i) => slots.slice(i + 1).flatMap((b) => combinations([a, b]).map((c) => ({ ...plain, ...base, ...c })))),
  );
}

/** Where ptxas does not take the parts that are always there first. */
const orders: Partial<Readonly<Record<ReadFormName, string>>> = {
  "wmma.mma.b1": "wmma mma op count sync aligned layoutA layoutB shape d a b c",
  "mad.cc": "mad half cc type",
  madc: "madc half cc type",
  setmaxnreg: "setmaxnreg action sync aligned u32",
  "wmma.load": "wmma load fragment sync aligned layout shape space type",
};

function opcodeOf(form: ReadFormName, m: Values): string {
  const slots = slotsOf(form).map(([slot]) => slot);
  const order = orders[form]?.split(" ") ?? [readForm(form).text, ...slots];
  return order
    .map((part) => m[part] ?? (slots.includes(part) ? "" : part))
    .filter(Boolean)
    .join(".");
}

const bitsOf = (type: string): number => {
  const [, bits, packed] = /(\d+)(?:x(\d))?$/.exec(/[em]\d/.test(type) ? `8${type.slice(4)}` : type.replace("tf32", "b32")) ?? [];
  return Number(bits) * Number(packed ?? 1);
};
const fileOf = (type: string): string => {
  if (type === "pred") return "p";
  if (type === "f32") return "f";
  if (type === "f64") return "g";
  const bits = bitsOf(type);
  return bits <= 16 ? "h" : bits === 32 ? "r" : bits === 64 ? "d" : "q";
};
const registers = (count: number, type: string, from = 0): string =>
  `{${Array.from({ length: count }, (_, i) => `%${fileOf(type)}${from + i}`).join(", ")}}`;

const bitsOfElement: Readonly<Record<string, number>> = {
  b1: 1,
  s4: 4,
  u4: 4,
  s8: 8,
  u8: 8,
  e4m3: 8,
  e5m2: 8,
  f16: 16,
  bf16: 16,
};
const registerOf = (type: string): string => (type === "f32" || type === "f64" ? type : "b32");
/** A fragment spread over 32 lanes, or the 128 of a warpgroup. */
function fragment(elements: number, type: string, lanes: number, from = 0): string {
  const bits = bitsOfElement[type] ?? bitsOf(type);
  return registers(Math.max(1, (elements * bits) / lanes / (type === "f64" ? 64 : 32)), registerOf(type), from);
}

/** The vectors of matrix instructions, in order. */
function fragments(form: ReadFormName, m: Values): readonly string[] {
  const [mm = 0, nn = 0, kk = 0] = (m.shape ?? "").match(/\d+/g)?.map(Number) ?? [];
  const [lanes, a, b] = [form.startsWith("wgmma") ? 128 : 32, m.a ?? "f16", m.b ?? "f16"];
  // wmma keeps each f16 of A and B twice.
  const twice = (type: string) => (form.startsWith("wmma") && type === "f16" ? 2 : 1);
  // Of a sparse A half is stored.
  const stored = (of: string) => (of.includes(".sp") ? 2 : 1);
  const extents: Readonly<Record<string, number>> = { a: mm * kk, b: kk * nn, c: mm * nn };
  if (form === "wmma.load" || form === "wmma.store") {
    const which = m.fragment ?? "c";
    return [fragment((extents[which] ?? 0) * (which === "c" ? 1 : twice(m.type ?? "")), m.type ?? "", lanes)];
  }
  if (form === "mma" && m.shape === "m8n8k4" && m.a === "f16")
    return [
      registers(m.d === "f16" ? 4 : 8, registerOf(m.d ?? "")),
      registers(2, "b32"),
      registers(2, "b32", 2),
      registers(m.c === "f16" ? 4 : 8, registerOf(m.c ?? "")),
    ];
  return [
    fragment(mm * nn, m.d ?? "f32", lanes),
    ...(form.startsWith("wgmma") && !form.endsWith("rs") ? [] : [fragment((mm * kk * twice(a)) / stored(form), a, lanes, 128)]),
    fragment(kk * nn * twice(b), b, lanes, 136),
    fragment(mm * nn, m.c ?? "f32", lanes),
  ];
}

const vectorSize = (m: Values): number => Number(m.vec?.slice(1) || 1);
const dimensions = (m: Values): number => Number(m.dim?.[0] ?? 2);
const textureDimensions = (geometry: string): number => (geometry.endsWith("1d") ? 1 : /2d(ms)?$/.test(geometry) ? 2 : 3);
/** Coordinates of a texture or surface: the layer or sample first; three are four. */
function coordinatesOf(m: Values): string {
  const geometry = m.geometry ?? "";
  const before = (geometry.startsWith("a") ? 1 : 0) + (geometry.endsWith("ms") ? 1 : 0);
  const count = textureDimensions(geometry);
  const type = m.coordinate === "f32" ? "f32" : "b32";
  const all = before + count > 2 ? 4 : before + count;
  const items = [...Array.from({ length: before }, () => "b32"), ...Array.from({ length: all - before }, () => type)];
  return `{${items.map((t, i) => `%${fileOf(t)}${i + 8}`).join(", ")}}`;
}
/** Offsets and derivatives: of three dimensions four. */
const textureVector = (m: Values, type: string): string => {
  const count = textureDimensions(m.geometry ?? "");
  return registers(count === 3 ? 4 : count, type, 16);
};
const im2colOffsets = (m: Values): number => (m.mode === "im2col" ? dimensions(m) - 2 : 0);

function vectorOf(form: ReadFormName, m: Values, type: string, n: number): string {
  if (form.endsWith("matrix")) return registers(Number(m.num?.slice(1)), "b32");
  if (form === "mov.pack" || form === "mov.unpack")
    return m.type === "b128" ? registers(2, "b64") : registers(2, `b${bitsOf(type) / 2}`);
  if (form.startsWith("cp.")) return registers(im2colOffsets(m), "b16");
  if (m.geometry) return textureVector(m, type);
  return fragments(form, m)[n] ?? "";
}

const immediates: Partial<Readonly<Record<ReadFormName, string>>> = {
  "cp.async": "16",
  "cp.async.ignore_src": "16",
  setmaxnreg: "40",
  applypriority: "128",
  discard: "128",
  "fence.proxy.tensormap.acquire": "128",
  "tensormap.cp_fenceproxy": "128",
};
const addresses: Readonly<Record<string, string>> = {
  param: "[argument]",
  "param::entry": "[argument]",
  const: "[constants]",
  local: "[stack]",
};

interface Slot {
  readonly kind: string;
  readonly type: string;
  readonly optional: boolean;
  readonly condition: string;
}
function slotOf(text: string, m: Values): Slot {
  const [, kind = "", named = "", twice, optional, condition = ""] =
    /^([a-z]+2?)(?::(\w+)(\*2)?)?(?:(\?)(\w*))?$/.exec(text) ?? [];
  const type = m[named] ?? named;
  return { kind, type: twice ? `${type[0]}${2 * Number(type.slice(1))}` : type, optional: optional !== undefined, condition };
}

function operandText(form: ReadFormName, m: Values, { kind, type }: Slot, at: number, vectors: number): string {
  const r = `%${fileOf(type || (form === "isspacep" ? "b64" : "b32"))}${at}`;
  switch (kind) {
    case "v":
    case "w":
      return vectorSize(m) > 1 ? registers(vectorSize(m), type, 8 * at) : r;
    case "vec2":
      return registers(vectorSize(m), type, 8 * at);
    case "vec":
      return vectorOf(form, m, type || (m.type ?? ""), vectors);
    case "p":
    case "dp":
      return `%p${at}`;
    case "dp2":
      return `%p${at}`;
    case "pair":
      return `%r${at}|%p${at}`;
    case "addr":
      return addresses[m.space ?? ""] ?? `[%d${at}]`;
    case "tensor":
      return `[%d${at}, ${m.geometry ? coordinatesOf(m) : registers(dimensions(m), "b32", 8)}]`;
    case "imm":
      return immediates[form] ?? (form.includes(".sp") && at === 4 ? "0" : "1");
    default:
      return r;
  }
}

function instruction(form: ReadFormName, m: Values, optional: boolean): string {
  const slots = readForm(form).operands.map((text) => slotOf(text, m));
  let vectors = 0;
  const operands = slots.flatMap((slot, at) => {
    // What depths are compared with: no texture here has depths.
    if (m.geometry && slot.optional && slot.kind === "s") return [];
    const there = !slot.optional || (slot.condition === "" ? optional : Boolean(m[slot.condition]));
    const text = there ? operandText(form, m, slot, at, vectors) : "{}";
    if (slot.kind === "vec") vectors += 1;
    return text === "{}" ? [] : [text];
  });
  return `${opcodeOf(form, m)}${operands.length > 0 ? ` ${operands.join(", ")}` : ""}`;
}

/** Each form once for all its combinations of modifiers, or the pairs of them; most are not instructions. */
export function candidates(form: ReadFormName): readonly string[] {
  const texts = modifiersOf(form).flatMap((m) => [instruction(form, m, false), instruction(form, m, true)]);
  return [...new Set(texts)];
}

/** What ptxas says of the lines: all are right, those are wrong, or it gives up without saying which. */
function ask(lines: readonly string[]): "right" | "gave up" | ReadonlySet<number> {
  const dir = mkdtempSync(join(tmpdir(), "every-"));
  try {
    writeFileSync(join(dir, "k.ptx"), moduleAround(lines));
    const { status, stdout, stderr } = spawnSync(
      "ptxas",
      ["-arch=sm_90a", "-O0", "-o", join(dir, "k.cubin"), join(dir, "k.ptx")],
      {
        encoding: "utf8",
        maxBuffer: 2 ** 28,
      },
    );
    if (status === 0) return "right";
    const wrong = [...`${stdout}${stderr}`.matchAll(/k\.ptx, line (\d+); error/g)].map((m) => Number(m[1]) - headLines - 1);
    return wrong.some((at) => at in lines) ? new Set(wrong) : "gave up";
  } finally {
    rmSync(dir, { recursive: true });
  }
}

/** Those that ptxas takes for sm_90a. */
export function accepted(lines: readonly string[]): readonly string[] {
  if (lines.length === 0) return lines;
  const answer = ask(lines);
  if (answer === "right") return lines;
  if (answer !== "gave up") return accepted(lines.filter((_, i) => !answer.has(i)));
  const half = lines.length >> 1;
  return half === 0 ? [] : [...accepted(lines.slice(0, half)), ...accepted(lines.slice(half))];
}
