import { describe, expect, it } from "vitest";
import type { Op } from "../../../../../src/ir/index.ts";
import { expanded, given, opsOf, place, writes } from "./expanded.ts";

describe("operands", () => {
  const stages = "shared f16 [4:8192, 64:128, 64:2] swizzle 128B align 1024";
  const view = `view<"${stages}">`;
  const whole = `operand<"f16 64x64 chosen 0 of ${stages}">`;
  const stage = `operand<"f16 64x64 chosen 1 of ${stages}">`;
  const tile = 'tile<"f32 64x64 wgmma">';
  /** Operands %34 and %35 in two buffers, and %36, a tile. */
  const head = `%30 = shared.buffer {buffer = 0} : ptr.shared
  %31 = view.shared %30 {offset = 0} : ${view}
  %32 = shared.buffer {buffer = 1} : ptr.shared
  %33 = view.shared %32 {offset = 16384} : ${view}
  %34 = operand.shared %31 : ${whole}
  %35 = operand.shared %33 : ${whole}
  %36 = tile.zero : ${tile}`;
  const product = (id: number, acc: string, a: string, b: string): string =>
    `%${id} = tile.mma ${acc}, ${a}, ${b} {negate = ""} : ${tile}`;
  const stageOf = (id: number, operand: string, at: string): string => `%${id} = operand.at ${operand}, stage=${at} : ${stage}`;
  /** Stores the elements' bits in `x`, one after the other. */
  const tail = (acc: string): string => `wgmma.wait_group {pending = 0}
  ${Array.from({ length: 32 }, (_, i) => `%${200 + i}`).join(", ")} = tile.elements ${acc} : ${Array(32).fill("f32").join(", ")}
  ${[0, 1, 2, 3]
    .map(
      (i) => `%${240 + 3 * i} = const {value = ${i}} : i32
  %${241 + 3 * i} = view.at %x.20, indices=[%10, %${240 + 3 * i}] : ${place}
  %${242 + 3 * i} = bitcast %${200 + i} : i32
  view.store %${241 + 3 * i}, values=[%${242 + 3 * i}] {cache = ""}`,
    )
    .join("\n  ")}`;
  const last = (id: number, of: string): string => `%${id} = add ${of}, %11 : i32`;

  it("whose stage changes: the loop carries how far it is from the beginning, and the accumulator", () => {
    const graph = expanded(`${head}
  %37 = sub %2, %2 : i32
  ${stageOf(38, "%34", "%37")}
  ${stageOf(39, "%35", "%37")}
  %40, %41 = for %10, %2, %11, carried=[%38, %36] : ${stage}, ${tile} body (%42: i32, %43: ${stage}, %44: ${tile}) {
    ${product(45, "%44", "%43", "%39")}
    ${last(46, "%42")}
    ${stageOf(47, "%34", "%46")}
    yield values=[%47, %45]
  }
  ${tail("%41")}`);
    expect(given(graph, "for")).toEqual([["i32", "acc<f32, 64x64>"]]);
    expect(opsOf(graph, "wgmma.descriptor").every((op) => graph.body.ops.includes(op))).toBe(true);
    const straight = expanded(`${head}
  %37 = sub %2, %2 : i32
  ${last(100, "%37")}
  ${last(101, "%100")}
  ${stageOf(102, "%34", "%37")}
  ${stageOf(103, "%34", "%100")}
  ${stageOf(104, "%34", "%101")}
  ${stageOf(105, "%35", "%37")}
  ${product(110, "%36", "%102", "%105")}
  ${product(111, "%110", "%103", "%105")}
  ${product(112, "%111", "%104", "%105")}
  ${tail("%112")}`);
    expect(Object.keys(writes(straight, 3))).toHaveLength(4);
    expect(writes(graph, 3)).toEqual(writes(straight, 3));
    expect(writes(graph, 2)).not.toEqual(writes(straight, 3));
  });

  it("that are swapped: the loop carries the descriptors, of both sides of a product", () => {
    const graph = expanded(`${head}
  ${stageOf(38, "%34", "%12")}
  ${stageOf(39, "%35", "%12")}
  %40, %41, %42 = for %10, %2, %11, carried=[%38, %39, %36] : ${stage}, ${stage}, ${tile} body (%43: i32, %44: ${stage}, %45: ${stage}, %46: ${tile}) {
    ${product(47, "%46", "%44", "%45")}
    yield values=[%45, %44, %47]
  }
  ${tail("%42")}`);
    expect(given(graph, "for")).toEqual([["desc", "desc", "desc", "desc", "acc<f32, 64x64>"]]);
    const straight = expanded(`${head}
  ${stageOf(38, "%34", "%12")}
  ${stageOf(39, "%35", "%12")}
  ${product(110, "%36", "%38", "%39")}
  ${product(111, "%110", "%39", "%38")}
  ${tail("%111")}`);
    expect(writes(graph, 2)).toEqual(writes(straight, 2));
    expect(writes(graph, 1)).not.toEqual(writes(straight, 2));
  });

  it("that stay are not carried", () => {
    const graph = expanded(`${head}
  ${stageOf(38, "%34", "%2")}
  %40, %41 = for %10, %2, %11, carried=[%38, %36] : ${stage}, ${tile} body (%42: i32, %43: ${stage}, %44: ${tile}) {
    ${product(45, "%44", "%43", "%38")}
    yield values=[%43, %45]
  }
  ${tail("%41")}`);
    expect(given(graph, "for")).toEqual([["acc<f32, 64x64>"]]);
  });
});

describe("tiles", () => {
  const numbers = (dtype: string): string => [1, 2, 3, 4].map((n) => `%${30 + n} = const {value = ${n}} : ${dtype}`).join("\n  ");
  /** A tile of four elements for each thread, to each of which every iteration adds 1. */
  const adding = (dtype: string): string => `${numbers(dtype)}
  %40 = tile.from values=[%31, %32, %33, %34] : tile<"${dtype} 64x8 wgmma">
  %41 = for %10, %2, %11, carried=[%40] : tile<"${dtype} 64x8 wgmma"> body (%42: i32, %43: tile<"${dtype} 64x8 wgmma">) {
    %44, %45, %46, %47 = tile.elements %43 : ${Array(4).fill(dtype).join(", ")}
    ${[0, 1, 2, 3].map((i) => `%${50 + i} = add %${44 + i}, %31 : ${dtype}`).join("\n    ")}
    %54 = tile.from values=[%50, %51, %52, %53] : tile<"${dtype} 64x8 wgmma">
    yield values=[%54]
  }
  %60, %61, %62, %63 = tile.elements %41 : ${Array(4).fill(dtype).join(", ")}
  ${[0, 1, 2, 3]
    .map(
      (i) => `%${70 + 2 * i} = convert %${60 + i} : i32
  %${71 + 2 * i} = view.at %x.20, indices=[%13, %${10 + i}] : ${place}
  view.store %${71 + 2 * i}, values=[%${70 + 2 * i}] {cache = ""}`,
    )
    .join("\n  ")}`;

  it("of bf16: the loop carries each element", () => {
    const graph = expanded(adding("bf16"));
    expect(given(graph, "for")).toEqual([["bf16", "bf16", "bf16", "bf16"]]);
    expect(writes(graph, 5)).toEqual({ "x[3, 0]": 6, "x[3, 1]": 7, "x[3, 2]": 8, "x[3, 3]": 9 });
    expect(writes(graph, 0)).toEqual({ "x[3, 0]": 1, "x[3, 1]": 2, "x[3, 2]": 3, "x[3, 3]": 4 });
  });
  it("of f32: the loop carries an accumulator, which is packed before it and at the end of each iteration", () => {
    const graph = expanded(adding("f32"));
    expect(given(graph, "for")).toEqual([["acc<f32, 64x8>"]]);
    const [loop] = opsOf(graph, "for");
    const packed = (ops: readonly Op[] | undefined): number => (ops ?? []).filter((op) => op.name === "acc.pack").length;
    expect([packed(graph.body.ops), packed(loop?.regions[0]?.ops)]).toEqual([1, 1]);
    const read = (ops: readonly Op[] | undefined): unknown => ops?.find((op) => op.name === "acc.unpack")?.operands;
    expect(read(loop?.regions[0]?.ops)).toEqual({ acc: loop?.regions[0]?.params[1] });
    expect(read(graph.body.ops)).toEqual({ acc: loop?.results[0] });
  });
  it("of f32 that are to be rounded: they are before the loop", () => {
    const graph = expanded(`${numbers("f32")}
  %39 = tile.from values=[%31, %32, %33, %34] : tile<"f32 64x8 wgmma">
  %40 = tile.convert %39 : tile<"bf16 64x8 wgmma">
  %41 = for %10, %2, %11, carried=[%40] : tile<"bf16 64x8 wgmma"> body (%42: i32, %43: tile<"bf16 64x8 wgmma">) {
    %50, %51, %52, %53 = tile.elements %43 : bf16, bf16, bf16, bf16
    %54 = tile.from values=[%51, %50, %52, %53] : tile<"bf16 64x8 wgmma">
    yield values=[%54]
  }
  %60, %61, %62, %63 = tile.elements %41 : bf16, bf16, bf16, bf16
  %70 = convert %60 : i32
  %71 = view.at %x.20, indices=[%13, %11] : ${place}
  view.store %71, values=[%70] {cache = ""}`);
    expect(given(graph, "for")).toEqual([["bf16", "bf16", "bf16", "bf16"]]);
    expect(graph.body.ops.filter((op) => op.name === "convert" && op.results[0]?.type === "bf16")).toHaveLength(4);
    expect([4, 5].map((n) => writes(graph, n))).toEqual([{ "x[3, 1]": 1 }, { "x[3, 1]": 2 }]);
  });
  it("that every iteration passes on as it is: the loop carries nothing", () => {
    const graph = expanded(`${numbers("bf16")}
  %40 = tile.from values=[%31, %32, %33, %34] : tile<"bf16 64x8 wgmma">
  %41 = for %10, %2, %11, carried=[%40] : tile<"bf16 64x8 wgmma"> body (%42: i32, %43: tile<"bf16 64x8 wgmma">) {
    yield values=[%43]
  }
  %60, %61, %62, %63 = tile.elements %41 : bf16, bf16, bf16, bf16
  %70 = convert %62 : i32
  %71 = view.at %x.20, indices=[%13, %11] : ${place}
  view.store %71, values=[%70] {cache = ""}`);
    expect(given(graph, "for")).toEqual([[]]);
    expect(writes(graph, 5)).toEqual({ "x[3, 1]": 3 });
  });
  it("of bf16 that are zeros where a loop begins: what stands for a tile that nobody reads", () => {
    const graph = expanded(`${numbers("bf16")}
  %40 = tile.zero : tile<"bf16 64x8 wgmma">
  %41 = for %10, %2, %11, carried=[%40] : tile<"bf16 64x8 wgmma"> body (%42: i32, %43: tile<"bf16 64x8 wgmma">) {
    %44 = tile.from values=[%31, %32, %33, %34] : tile<"bf16 64x8 wgmma">
    yield values=[%44]
  }
  %60, %61, %62, %63 = tile.elements %41 : bf16, bf16, bf16, bf16
  %70 = convert %62 : i32
  %71 = view.at %x.20, indices=[%13, %11] : ${place}
  view.store %71, values=[%70] {cache = ""}`);
    expect(given(graph, "for")).toEqual([["bf16", "bf16", "bf16", "bf16"]]);
    expect([writes(graph, 2), writes(graph, 0)]).toEqual([{ "x[3, 1]": 3 }, { "x[3, 1]": 0 }]);
  });
  it("that a branch chooses", () => {
    const graph = expanded(`${numbers("bf16")}
  %41 = if %3 : tile<"bf16 64x8 wgmma"> yes {
    %42 = tile.from values=[%31, %32, %33, %34] : tile<"bf16 64x8 wgmma">
    yield values=[%42]
  } no {
    %43 = tile.from values=[%34, %32, %33, %31] : tile<"bf16 64x8 wgmma">
    yield values=[%43]
  }
  %60, %61, %62, %63 = tile.elements %41 : bf16, bf16, bf16, bf16
  %70 = convert %60 : i32
  %71 = view.at %x.20, indices=[%13, %11] : ${place}
  view.store %71, values=[%70] {cache = ""}`);
    expect(given(graph, "if")).toEqual([["bf16", "bf16"]]);
    expect([writes(graph, 0, true), writes(graph, 0, false)]).toEqual([{ "x[3, 1]": 1 }, { "x[3, 1]": 4 }]);
  });
});

describe("shared memory", () => {
  const view = 'view<"shared i32 [8:32, 8:4] align 16">';
  const line = (of: string): string => `view<"${of} i32 [8:4] align 16">`;
  it("of which a loop carries where a part begins, and not its buffer", () => {
    const graph = expanded(`%30 = shared.buffer {buffer = 0} : ptr.shared
  %31 = view.shared %30 {offset = 0} : ${view}
  %32 = view.at %31, indices=[%11] : ${line("shared")}
  %33 = for %10, %2, %11, carried=[%32] : ${line("shared")} body (%34: i32, %35: ${line("shared")}) {
    %36 = view.at %35, indices=[%34] : view<"shared i32 [] align 16">
    view.store %36, values=[%34] {cache = ""}
    %37 = add %34, %13 : i32
    %38 = view.at %31, indices=[%37] : ${line("shared")}
    yield values=[%38]
  }`);
    expect(given(graph, "for")).toEqual([["i32"]]);
    // the shared memory of the interpreter's one thread is its memory: rows 4 to 7 are those of `y`
    expect(writes(graph, 3)).toEqual({ "x[1, 0]": 0, "x[3, 1]": 1, "y[0, 2]": 2 });
  });
  it("of another block of the cluster: where its buffer begins there is carried", () => {
    const peer = line("cluster");
    const graph = expanded(`%30 = shared.buffer {buffer = 0} : ptr.shared
  %31 = view.shared %30 {offset = 0} : ${view}
  %32 = view.at %31, indices=[%11] : ${line("shared")}
  %33 = view.peer %32, %10 : ${peer}
  %34 = for %10, %2, %11, carried=[%33] : ${peer} body (%35: i32, %36: ${peer}) {
    %37 = view.at %36, indices=[%35] : view<"cluster i32 [] align 16">
    view.store %37, values=[%35] {cache = ""}
    %38 = view.peer %32, %35 : ${peer}
    yield values=[%38]
  }`);
    expect(given(graph, "for")).toEqual([["ptr.cluster"]]);
  });
});
