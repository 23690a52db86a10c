import { describe, expect, it } from "vitest";
import { GlobalMemory } from "../../../../src/emulator/machine/memory.ts";
import { loadImage } from "../../../../src/emulator/program/image.ts";
import { loadProgram } from "../../../../src/emulator/program/program.ts";
import type { Origin } from "../../../../src/emulator/program/reach.ts";
import { type ReadFormName, readForm, readFormNames } from "../../../../src/ptx/parse/index.ts";

const short = ({ parameters, variables, foundIn, unknown }: Origin): string =>
  [...parameters.map(String), ...variables.map((v) => v.name), ...foundIn.map((i) => `in ${i}`), ...(unknown ? ["?"] : [])].join(
    " + ",
  );

/** What a kernel with the parameters a, b and n writes and reads, by parameter. */
function reach(body: string, module = ""): { readonly stores: readonly string[]; readonly loads: readonly string[] } {
  const ptx = `.version 8.3
.target sm_90a
.address_size 64
${module}
.visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n, .param .align 64 .b8 map[128])
{
  .reg .u64 %rd<16>;
  .reg .u32 %r<16>;
  .reg .pred %p<4>;
  .shared .align 128 .b8 tile[1024];
  ld.param.u64 %rd0, [a];
  ld.param.u64 %rd1, [b];
  ld.param.u32 %r0, [n];
  cvta.to.global.u64 %rd2, %rd0;
  cvta.to.global.u64 %rd3, %rd1;
${body}
  ret;
}
`;
  const image = loadImage(ptx, "k.ptx", new GlobalMemory());
  const found = loadProgram(image, "k", "k", { watched: false, fine: false, ofLoops: false }).reach();
  return { stores: found.stores.map(short).toSorted(), loads: found.loads.map(short).toSorted() };
}

describe("which memory a kernel may use", () => {
  it("parameters, whatever is added to them", () => {
    const body =
      "ld.global.u32 %r1, [%rd2]; mad.wide.u32 %rd4, %r1, 4, %rd3; st.global.u32 [%rd4], %r1; red.global.add.u32 [%rd3], 1;";
    expect(reach(body)).toEqual({ stores: ["1"], loads: ["0", "1"] });
  });

  it("an index of 64 bits out of memory", () => {
    const body = "ld.global.u64 %rd4, [%rd2]; add.s64 %rd5, %rd3, %rd4; st.global.u32 [%rd5], 1;";
    expect(reach(body)).toEqual({ stores: ["1 + in 0"], loads: ["0"] });
  });

  it("an address out of memory, also when it comes by another way", () => {
    expect(reach("ld.global.u64 %rd4, [%rd2]; st.global.u32 [%rd4], 1;").stores).toEqual(["in 0"]);
    const spilled =
      ".local .align 8 .b8 place[8]; st.local.u64 [place], %rd3; ld.local.u64 %rd4, [place]; st.global.u32 [%rd4], 1;";
    expect(reach(spilled).stores).toEqual(["1"]);
    const shared = "cp.async.ca.shared.global [tile], [%rd2], 8; ld.shared.u64 %rd4, [tile]; st.global.u32 [%rd4], 1;";
    expect(reach(shared).stores).toEqual(["in 0"]);
  });

  it("what a device brings along gives no address, but for the heap", () => {
    const spilled =
      ".local .align 8 .b8 place[8]; st.local.u64 [place], %rd3; ld.local.u64 %rd4, [place]; st.global.u32 [%rd4], 1;";
    const calling = (name: string, params: string, given: string): readonly string[] =>
      reach(
        `{ .param .b64 f; .param .b64 v; .param .b64 r; st.param.b64 [f], 0; st.param.b64 [v], 0; call.uni (r), ${name}, (${given}); } ${spilled}`,
        `.extern .func (.param .b64 r) ${name}(${params});`,
      ).stores;
    expect(calling("vprintf", ".param .b64 f, .param .b64 v", "f, v")).toEqual(["1"]);
    expect(calling("malloc", ".param .b64 f", "f").join()).toContain("?");
  });

  it("generic addresses, and those that lie in memory of the threads", () => {
    expect(reach("st.u32 [%rd1], 1; ld.u32 %r1, [%rd0];")).toEqual({ stores: ["1"], loads: ["0"] });
    expect(reach(".local .b8 place[8]; mov.u64 %rd4, place; cvta.local.u64 %rd5, %rd4; st.u32 [%rd5], 1;").stores).toEqual([]);
  });

  it("choices between addresses", () => {
    expect(reach("setp.eq.u32 %p0, %r0, 0; selp.b64 %rd4, %rd2, %rd3, %p0; st.global.u32 [%rd4], 1;").stores).toEqual(["0 + 1"]);
    expect(reach("setp.eq.u64 %p0, %rd0, 0; @%p0 st.global.u32 [%rd3], 1;").stores).toEqual(["1"]);
  });

  it("tensors behind tensor maps", () => {
    const store = "mov.b64 %rd4, map; cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [%rd4, {%r0}], [tile];";
    expect(reach(store).stores).toEqual(["3"]);
    expect(reach("cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [map, {%r0}], [tile];").stores).toEqual(["3"]);
    const inMemory = "cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [%rd0, {%r0}], [tile];";
    expect(reach(inMemory)).toEqual({ stores: ["in 0"], loads: ["0"] });
  });

  it("variables, and what they point at", () => {
    const variables = ".visible .global .align 8 .u64 where;\n.visible .global .align 4 .u32 counter;";
    expect(reach("red.global.add.u32 [counter], 1;", variables).stores).toEqual(["counter"]);
    expect(reach("ld.global.u64 %rd4, [where]; st.u32 [%rd4], 1;", variables)).toEqual({ stores: ["?"], loads: ["where"] });
  });

  it("what functions are given, and what they give", () => {
    const module = `.func (.param .u64 out) next(.param .u64 from)
{
  .reg .u64 %rd<4>;
  ld.param.u64 %rd1, [from];
  add.s64 %rd2, %rd1, 4;
  st.param.u64 [out], %rd2;
  ret;
}
.extern .func (.param .u64 got) malloc(.param .u64 bytes);`;
    const call = (name: string, given: string): string => `{
  .param .u64 sent;
  .param .u64 got;
  st.param.u64 [sent], ${given};
  call (got), ${name}, (sent);
  ld.param.u64 %rd4, [got];
}
  st.u32 [%rd4], 1;`;
    expect(reach(call("next", "%rd0"), module).stores).toEqual(["0"]);
    expect(reach(call("malloc", "8"), module).stores).toEqual(["?"]);
  });

  it("of each form that copies is known where it writes", () => {
    const isGlobal = (name: ReadFormName): boolean => {
      const { dst, src } = readForm(name).modifiers ?? {};
      return [dst, src].some((spaces) => spaces?.join() === "global");
    };
    const elsewhere = ["cp.async.bulk.peer", "cp.reduce.async.bulk.peer"];
    const unknown = readFormNames.filter(
      (name) => readForm(name).async === "copy" && readForm(name).access === undefined && !isGlobal(name),
    );
    expect(unknown.toSorted()).toEqual(elsewhere);
  });
});
