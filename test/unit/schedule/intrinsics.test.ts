import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Device, openDevice } from "warpsmith";
import { builtInIntrinsics, intrinsicOf, tensorIntrinsic } from "../../../src/schedule/intrinsics/index.ts";
import { programKernel } from "../../../src/schedule/lower/index.ts";
import { checkIntrinsic, harnessOf } from "../../../src/schedule/lower/kernel/check-intrinsic.ts";
import { specsOf } from "../../../src/schedule/lower/tensors/specs.ts";
import { rotating } from "../../support/amount.ts";

let gpu: Device;
beforeAll(async () => {
  gpu = await openDevice("emulator", { check: "strict" });
});
afterAll(() => gpu[Symbol.asyncDispose]());

/** Of each kind one member, of another type each time, so that all types occur among few. Those of 64 columns stand for the wider ones. */
function oneOfEach(names: readonly string[]): ReadonlySet<string> {
  const narrow = names.filter((name) => !/_(128|256)(?=_|$)/.test(name));
  const kindOf = (name: string): string => name.replace(/_(f16|bf16|i8|tf32)$/, "");
  const kinds = [...new Set(narrow.map(kindOf))].map((kind) => narrow.filter((name) => kindOf(name) === kind));
  return new Set(kinds.flatMap((members, i) => members[i % members.length] ?? []));
}

describe("each built-in intrinsic does what its description says", () => {
  const all = builtInIntrinsics;
  const once = oneOfEach(all);
  it.each(all.filter((name) => once.has(name)))("%s", (name) => checkIntrinsic(name, gpu));
  it.each(all.filter((name) => !once.has(name)))("%s", rotating, (name) => checkIntrinsic(name, gpu));
});

describe("members of families do what their descriptions say", () => {
  it.each([
    "wgmma_fill_i32_128x24",
    "wgmma_store_f16_64x96",
    "wgmma_sync_f16_f32_64x8x64_nt",
    "wgmma_sync_bf16_f32_64x48x64_tt",
    "wgmma_sync_tf32_f32_64x40x32_nt",
    "wgmma_sync_i8_i32_64x32x128_nt",
    "wgmma_load_a_f16_64x16_n",
    "wgmma_sync_f16_f16_64x72x32_rt",
    "tma_store_bf16_64x24_warpgroup",
    "tma_store_f16_64x8_warp",
    "tma_load_f16_64x24_128B",
    "tma_load_f32_64x24_64B",
    "tma_load_i8_16x64_32B",
  ])("%s", (name) => checkIntrinsic(name, gpu));

  it.each([
    "wgmma_fill_f32_64x8",
    "wgmma_store_f32_128x64",
    "wgmma_sync_f16_f32_64x8x16_nn",
    "wgmma_sync_f16_f32_64x24x16_nt",
    "wgmma_sync_f16_f32_64x96x32_nn",
    "wgmma_sync_f16_f32_64x192x64_nn",
    "wgmma_sync_f16_f32_64x160x64_nn",
    "wgmma_sync_f16_f32_64x208x64_nn",
    "wgmma_sync_f16_f32_64x24x64_nn",
    "wgmma_load_a_bf16_64x64_t",
    "tma_store_i32_64x48",
    "tma_load_f32_16x24_pad4",
    "wgmma_sync_f16_f32_64x256x64_tt",
    "wgmma_sync_f16_f32_128x128x64_tn",
    "wgmma_sync_f16_f16_128x64x32_nt",
    "wgmma_sync_bf16_f32_64x64x64_nn",
    "wgmma_load_a_f16_64x64_n",
    "wgmma_load_a_f16_128x32_n",
    "wgmma_sync_f16_f32_64x64x64_rn",
    "wgmma_sync_bf16_f32_128x128x64_rt",
    "tma_store_f16_64x256",
    "tma_store_f16_64x256_warp",
    "tma_store_f32_128x128",
    "tma_store_f32_128x96_warp",
    "tma_store_f16_64x208",
    "tma_store_f32_64x200_warp",
    "tma_store_f32_64x256_warpgroup_5",
    "tma_store_f32_128x24",
    "tma_store_f16_256x72",
    "tma_load_f16_64x64_128B",
    "tma_load_bf16_64x256_128B",
    "tma_load_f16_64x160_64B",
    "tma_load_f16_64x208_128B",
    "tma_load_f32_128x32_128B",
    "tma_load_f16_512x16_none",
    "tma_load_f16_64x128_pad8",
    "tma_load_bf16_320x64_pad8",
    "tma_load_i8_32x240_pad16",
  ])("%s", rotating, (name) => checkIntrinsic(name, gpu));

  it.each([
    ["wgmma_fill_f64_64x64", /sums in f32, f16 or i32, not in f64/],
    ["wgmma_fill_f32_96x64", /96 rows are no multiple of 64/],
    ["wgmma_store_f32_64x264", /264 columns are no multiple of 8 up to 256/],
    ["wgmma_sync_f16_i32_64x64x64_nn", /do not sum products of f16 in i32/],
    ["wgmma_sync_f16_f32_64x64x48_nn", /k is 48/],
    ["wgmma_sync_f16_f32_64x64x64_nr", /nr is none of/],
    ["wgmma_sync_tf32_f32_64x64x32_rt", /along k alone/],
    ["wgmma_load_a_f32_64x32_n", /loads f16 or bf16, not f32/],
    ["wgmma_load_a_f16_96x64_n", /96 rows are no multiple of 64/],
    ["wgmma_load_a_f16_64x48_n", /k is 48/],
    ["wgmma_load_a_f16_64x64_r", /r is neither n nor t/],
    ["wgmma_sync_tf32_f32_64x64x32_nn", /along k alone/],
    ["wgmma_sync_i8_i32_64x40x32_nt", /multiple of 16/],
    ["wgmma_sync_f16_f32_64x64", /`wgmma_sync_<input>_<sum>_<m>x<n>x<k>_<order>` takes f16 with f32 or f16 sums/],
    ["tma_load_f64_64x64_128B", /copies f16, bf16, .*, not f64/],
    ["tma_load_f16_64x264_none", /264 is longer than the 256 elements of a box/],
    ["tma_load_f16_64x4_none", /8 bytes, and TMA moves multiples of 16/],
    ["tma_load_f16_64x64_16B", /16B is none of/],
    ["tma_load_f16_64x64_pad4", /4 elements after a row are 8 bytes, and TMA moves multiples of 16/],
    ["tma_load_f16_64x256_pad8", /256 and the 8 elements after it are longer than the 256/],
    ["tma_load_f16_64x64_pad", /pad is none of/],
    ["tma_load_f16_64x64_padded", /ded is no number of elements/],
    ["tma_store_f64_64x64", /stores f32, f16, bf16 or i32, not f64/],
    ["tma_store_f16_64x64_block", /block is neither warpgroup nor warp/],
    ["tma_store_f16_32x64", /32 rows are no multiple of 64/],
    ["wgmma_sync_128_rows", /did you mean `wgmma_sync_128_row`/],
  ])("there is no %s", (name, why) => expect(() => intrinsicOf(name)).toThrow(why));

  it("a member's name cannot be registered", () => {
    const { description, implementation, participants } = intrinsicOf("wgmma_fill_64");
    expect(() => tensorIntrinsic("wgmma_fill_f32_64x16", { description, implementation, participants })).toThrow(
      expect.objectContaining({ code: "W5593" }),
    );
  });
});

describe("the check finds", () => {
  it("an implementation that does something else", async () => {
    const { description, participants } = intrinsicOf("wmma_store");
    tensorIntrinsic("wrong_store", {
      description,
      participants,
      implementation: (tile, view) => tile.value.store(view.transpose()),
    });
    await expect(checkIntrinsic("wrong_store", gpu)).rejects.toMatchObject({ code: "W5605" });
  });
  it("a name twice", () => {
    const { description, implementation, participants } = intrinsicOf("wmma_store");
    expect(() => tensorIntrinsic("wmma_store", { description, implementation, participants })).toThrow(
      expect.objectContaining({ code: "W5593" }),
    );
  });
  it("a name that nothing has", () => {
    expect(() => intrinsicOf("wmma_stor")).toThrow(/wmma_store/);
  });
});

it("what is checked is on the tensor cores", () => {
  const program = harnessOf(intrinsicOf("wmma_sync"));
  expect(programKernel(program).compile(...specsOf(program)).ptx).toContain("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32");
});
