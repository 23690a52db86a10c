import { describe, expect, it } from "vitest";
import { add, constant, int, load, loop, one, seq, variable } from "../../../src/schedule/ir/build.ts";
import type { Block, Buffer, Program, Stmt } from "../../../src/schedule/ir/types.ts";
import { problemOf } from "../../../src/schedule/ir/verify.ts";

const X: Buffer = { name: "X", dtype: "f32", shape: [int(16)], scope: "global" };
const [i, v] = [variable("i"), variable("vi")];
const put = (at: readonly Program["sizes"][number][], value = constant(1, "f32")): Stmt => ({
  kind: "store",
  buffer: X,
  indices: at,
  value,
});
const block = (more: Partial<Block> = {}): Block => ({
  kind: "block",
  name: "b",
  axes: [{ variable: v, extent: int(16), type: "spatial" }],
  values: [i],
  body: put([v]),
  annotations: {},
  ...more,
});
const program = (body: Stmt, more: Partial<Program> = {}): Program => ({
  name: "p",
  params: [X],
  sizes: [],
  buffers: [],
  body,
  ...more,
});
const nest = (body: Stmt): Stmt => loop(i, int(16), body);

describe("what holds for every program", () => {
  it("finds nothing where all of it does", () => expect(problemOf(program(nest(block())))).toBeUndefined());

  const local: Buffer = { ...X, name: "T", scope: "local", padding: 4 };
  const wrong: Readonly<Record<string, readonly [Program, RegExp]>> = {
    "names of blocks": [program(seq(nest(block()), block({ axes: [], values: [], body: put([]) }))), /two blocks are called "b"/],
    "a variable bound twice": [program(seq(nest(seq()), nest(seq()))), /one variable, `i`/],
    "a variable out of scope": [program(put([i])), /outside the loop or block/],
    "a loop's variable in a block": [program(nest(block({ body: put([i]) }))), /a block uses the loop variable `i`/],
    "a value for each axis": [program(nest(block({ values: [] }))), /1 axes and 0 values/],
    "operands of one type": [
      program(
        nest({
          kind: "store",
          buffer: X,
          indices: [i],
          value: { kind: "binary", op: "+", dtype: "f32", a: load(X, [i]), b: one },
        }),
      ),
      /f32 on one side and i32 on the other/,
    ],
    "as many indices as dimensions": [program(put([])), /1 dimensions, and 0 indices/],
    "what is stored has the buffer's type": [program(nest(put([i], constant(1, "f16")))), /f16 is stored to X/],
    "a buffer of another program": [program(nest(block()), { params: [] }), /X is no buffer of this program/],
    "padding outside shared memory": [program(nest(block()), { buffers: [local] }), /T lies in local and has padding/],
    "extents above 0": [program(loop(i, int(0), put([i]))), /the extent of the loop `i` is 0/],
    "extents that are not read": [
      program(loop(i, { kind: "cast", dtype: "i32", a: load(X, [int(0)]) }, put([i]))),
      /the extent of the loop `i` is read from X/,
    ],
    "one loop for a thread index": [
      program(loop(i, int(4), loop(variable("j"), int(4), put([i]), { loop: "threadIdx.x" }), { loop: "threadIdx.x" })),
      /another one for threadIdx.x, and uses its variable/,
    ],
    "sizes that a launch finds": [program(nest(block()), { sizes: [variable("N")] }), /N is the extent of no parameter/],
    "conditions are truth values": [program(nest({ kind: "if", condition: add(i, one), yes: put([i]) })), /no truth value/],
  };
  it.each(Object.entries(wrong))("%s", (_, [p, message]) => expect(problemOf(p)?.what).toMatch(message));
});
