/** Moves, packing, addresses of spaces (PTX ISA 9.7.9). */

import type { Operand, Scalar } from "../../../ptx/parse/index.ts";
import { b16, b32, b128, f32, pred, u8, u16, u32 } from "../../../ptx/parse/index.ts";
import { localWindow, sharedWindow } from "../../machine/memory.ts";
import { storageOf } from "./layout.ts";
import { isWide, type Rule, type Rules, typeIn } from "./rule.ts";
import { Unsupported } from "./unsupported.ts";

const mov: Rule = (w, [d, a], _, i) => {
  const type = typeIn(i);
  if (d?.kind === "register" && a?.kind === "register" && w.copy(d, a)) return;
  if (type === pred) w.setPredicate(d, w.predicate(a));
  else if (type === b128) w.setQuarters(d, w.quarters(a));
  else if (isWide(type)) w.setHalves(d, ...w.halves(a));
  else if (type === f32) w.setNumber(d, type, w.number(a, type));
  else w.setInt(d, type.bits === 16 ? b16 : b32, w.word(a));
};

const itemsOf = (o: Operand | undefined): readonly Scalar[] => (o?.kind === "vector" ? o.items : []);

/** The first item is the least significant. */
const pack: Rule = (w, [d, v], _, i) => {
  const type = typeIn(i);
  const items = itemsOf(v);
  const bits = type.bits / items.length;
  if (type === b128)
    return w.setQuarters(d, items.length === 2 ? items.flatMap((item) => w.halves(item)) : items.map((item) => w.word(item)));
  const mask = 2 ** bits - 1;
  const words = items.map((item) => (bits < 32 ? `(${w.word(item)}&${mask})` : w.word(item)));
  const join = (part: readonly string[]) => part.map((word, i) => (i === 0 ? word : `${word}<<${i * bits}`)).join("|");
  if (!isWide(type)) return w.setInt(d, type, join(words));
  const half = items.length / 2;
  w.setHalves(d, join(words.slice(0, half)), join(words.slice(half)));
};

const unpack: Rule = (w, [v, a], _, i) => {
  const type = typeIn(i);
  const items = itemsOf(v);
  const bits = type.bits / items.length;
  const given = type === b128 ? w.quarters(a) : isWide(type) ? w.halves(a) : [w.word(a)];
  const words = given.map((word) => w.keep(word));
  for (const [i, item] of items.entries()) {
    const word = words[Math.floor((i * bits) / 32)] ?? "0";
    const shift = (i * bits) % 32;
    if (item.kind !== "register") continue;
    if (bits === 64) w.setHalves(item, word, words[2 * i + 1] ?? "0");
    else if (bits === 32 && storageOf(item.type) === "float") w.setNumber(item, f32, `f32FromBits(${word})`);
    else w.setInt(item, bits === 32 ? b32 : bits === 16 ? u16 : u8, `${word}>>>${shift}`);
  }
};

/** Where generic addresses of a space begin. */
const windows: Readonly<Record<string, number>> = {
  shared: sharedWindow,
  "shared::cta": sharedWindow,
  "shared::cluster": sharedWindow,
  local: localWindow,
};

const cvta: Rule = (w, [d, a], m, i) => {
  if (!isWide(typeIn(i))) throw new Unsupported("generic addresses of 32 bits");
  const window = windows[m.space ?? ""];
  const [low, high] = a?.kind === "symbol" ? w.halves(a) : w.halves(a);
  if (window === undefined) w.setHalves(d, low, high);
  else w.setHalves(d, low, m.to ? "0" : `${high}+${window / 2 ** 32}`);
};

const isspacep: Rule = (w, [d, a], m) => {
  const space = m.space ?? "";
  const address = w.keep(w.address64(a));
  const window = windows[space];
  const inside = (from: number) => `(${address}>=${from}&&${address}<${from + 2 ** 32})`;
  if (window === undefined) w.setPredicate(d, space === "global" ? `!${inside(sharedWindow)}&&!${inside(localWindow)}` : "0");
  else
    w.setPredicate(
      d,
      space === "shared::cta" || space === "shared" ? `${inside(window)}&&(${address}%4294967296>>>24)===B.rank` : inside(window),
    );
};

const mapa: Rule = (w, [d, a, b], _, i) => {
  if (isWide(typeIn(i))) {
    const [low, high] = w.halves(a);
    w.setHalves(d, `${low}&0xffffff|${w.word(b)}<<24`, high);
  } else w.setInt(d, b32, `${w.word(a)}&0xffffff|${w.word(b)}<<24`);
};

/** Cache policies are hints: any value does. */
const policy: Rule = (w, [d]) => w.setHalves(d, "0", "0");

export const moveRules: Rules = {
  mov,
  "mov.pack": pack,
  "mov.unpack": unpack,
  cvta,
  isspacep,
  mapa,
  getctarank: (w, [d, a]) => w.setInt(d, u32, `${w.word(a)}>>>24`),
  createpolicy: policy,
  "createpolicy.range": policy,
  "createpolicy.cvt": policy,
  activemask: (w, [d]) => w.setInt(d, b32, "m"),
};
