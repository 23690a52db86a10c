import { expect, it } from "vitest";
import { parsePtx, spansOf } from "../../../../src/ptx/parse/index.ts";

it("an instruction's places: its source, where that is inlined, the PTX", () => {
  const tree = parsePtx(
    [
      ...[".version 9.0", ".target sm_90a", ".address_size 64", '.file 1 "a.ts"', '.file 2 "b.ts"', ".entry k() {"],
      ...["ret;", ".loc 2 20 5, function_name $s, inlined_at 1 9 3", "  ret;", ".loc 1 4 0", "exit;", ".loc 1 0 0", "trap;", "}"],
    ].join("\n"),
    "k.ptx",
  );
  const places = tree.functions[0]?.body?.instructions.map((i) =>
    spansOf(tree, i).map((s) => `${s.note ?? ""}${s.file}:${s.line}:${s.column}+${s.length}`),
  );
  expect(places).toEqual([
    ["k.ptx:7:1+3"],
    ["b.ts:20:5+1", "a.ts:9:3+1", "in the PTX atk.ptx:9:3+3"],
    ["a.ts:4:1+1", "in the PTX atk.ptx:11:1+4"],
    ["k.ptx:13:1+4"],
  ]);
});

it("of a wrapper in a header the author's line comes first", () => {
  const placeOf = (inner: string, caller: string): readonly string[] => {
    const text = [
      ...[".version 9.0", ".target sm_90a", ".address_size 64", `.file 1 "${caller}"`, `.file 2 "${inner}"`, ".entry k() {"],
      ...[".loc 2 20 5, function_name $s, inlined_at 1 9 3", "ret;", "}"],
    ].join("\n");
    const tree = parsePtx(text, "k.ptx");
    const [i] = tree.functions[0]?.body?.instructions ?? [];
    return i ? spansOf(tree, i).map((s) => `${s.note ?? ""} ${s.file}:${s.line}`) : [];
  };
  const wrapped = ["/a/r.cu:9", "inlined from /a/put.h:20"];
  expect(
    placeOf("/a/put.h", "/a/r.cu")
      .map((s) => s.trim())
      .slice(0, 2),
  ).toEqual(wrapped);
  expect(placeOf("/usr/local/cuda-13.0/include/cuda_fp16.hpp", "/a/tile.cuh")[0]?.trim()).toBe("/a/tile.cuh:9");
  // A kernel in a header that calls what is in another one, and a function of the author's own file.
  expect(placeOf("/a/mma.hpp", "/a/device_kernel.h")[0]?.trim()).toBe("/a/mma.hpp:20");
  expect(placeOf("/a/r.cu", "/a/r.cu")[0]?.trim()).toBe("/a/r.cu:20");
});
