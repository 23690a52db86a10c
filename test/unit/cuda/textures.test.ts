import { afterEach, describe, expect, it } from "vitest";
import { launchPtx, parseArguments } from "../../../src/tools/launch-ptx/index.ts";
import { loadPtx } from "../../../src/tools/load-ptx/index.ts";
import type { FakeKernel } from "./fake-driver.ts";
import { type Opened, openFake } from "./open-fake.ts";

let opened: Opened | undefined;
afterEach(async () => {
  await opened?.device.dispose();
  opened = undefined;
});

/** One entry that takes so many addresses. */
const moduleTaking = (parameters: number) => {
  const list = Array.from({ length: parameters }, (_, i) => `.param .u64 p${i}`).join(", ");
  return loadPtx(`.version 8.4\n.target sm_90a\n.address_size 64\n.visible .entry k(${list}) { ret; }\n`);
};

type Launched = Parameters<NonNullable<FakeKernel["run"]>>[0];

/** Launches a kernel that does `act`, with these arguments. */
async function launch(
  buffers: readonly string[],
  args: readonly string[],
  act: (launch: Launched, opened: Opened) => void = () => {},
) {
  const parameterBytes = args.map(() => 8);
  const kernel: FakeKernel & { readonly parameterBytes: readonly number[] } = {
    parameterBytes,
    run: (launched) => {
      if (opened) act(launched, opened);
      return undefined;
    },
  };
  opened = await openFake({ kernels: { k: kernel } });
  const shape = { grid: [1, 1, 1], block: [32, 1, 1], cluster: [1, 1, 1], sharedBytes: 0 } as const;
  const results = await launchPtx(
    opened.device,
    moduleTaking(args.length),
    { entry: "k", ...shape, ...parseArguments(buffers, args) },
    () => new Uint8Array(),
  );
  return { fake: opened.fake, results };
}

/** What a call was given: the structure of a parameter, at the offsets that `cuda.h` has. */
function structure(opened: Pick<Opened, "fake">, name: string, parameter: number, call = 0): DataView {
  const args = opened.fake.calls.filter((c) => c.name === name)[call]?.args ?? [];
  const bytes = args[parameter] as Uint8Array;
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
const words = (view: DataView, ...at: number[]): number[] => at.map((offset) => view.getUint32(offset, true));
const longs = (view: DataView, ...at: number[]): number[] => at.map((offset) => Number(view.getBigUint64(offset, true)));
const handleIn = ({ parameters }: Launched, i: number): bigint =>
  new DataView(parameters[i]?.buffer ?? new ArrayBuffer(8)).getBigUint64(0, true);

describe("textures through the driver", () => {
  it("are made of an array, and a sampler", async () => {
    let handle = 0n;
    const { fake } = await launch(
      ["x=u8[96]:arange"],
      ["tex:@x:u8x4[3x8]:linear:mirror/border:normalized:normalized-float:gather"],
      (launched) => {
        handle = handleIn(launched, 0);
      },
    );
    const array = structure({ fake }, "cuArray3DCreate_v2", 1);
    expect([array.byteLength, longs(array, 0, 8, 16), words(array, 24, 28, 32)]).toEqual([40, [8, 3, 0], [0x01, 4, 8]]);
    const resource = structure({ fake }, "cuTexObjectCreate", 1);
    expect([resource.byteLength, words(resource, 0, 136)]).toEqual([144, [0, 0]]);
    const sampler = structure({ fake }, "cuTexObjectCreate", 2);
    // Mirror, border, border; linear; normalized coordinates, and not as integers.
    expect([sampler.byteLength, words(sampler, 0, 4, 8, 12, 16, 20)]).toEqual([104, [2, 3, 3, 1, 2, 0]]);
    expect(handle).not.toBe(0n);
  });

  it.each([
    ["tex:@x:f32[96]", [96, 0, 0], [0x20, 1, 0]],
    ["tex:@x:f16x2[2x3x4]", [4, 3, 2], [0x10, 2, 0]],
    ["tex:@x:i16[5x6]:layered", [6, 0, 5], [0x09, 1, 1]],
    ["tex:@x:u32[5x2x3]:layered", [3, 2, 5], [0x03, 1, 1]],
    ["tex:@x:i8[6x4x4]:cube:normalized", [4, 4, 6], [0x08, 1, 4]],
    ["tex:@x:u16[12x2x2]:cube:layered:normalized", [2, 2, 12], [0x02, 1, 5]],
    ["surf:@x:i32[4x8]", [8, 4, 0], [0x0a, 1, 2]],
  ] as const)("%s has the descriptor", async (text, extents, rest) => {
    const { fake } = await launch(["x=f32[96]:zeros"], [text]);
    const array = structure({ fake }, "cuArray3DCreate_v2", 1);
    expect([longs(array, 0, 8, 16), words(array, 24, 28, 32)]).toEqual([extents, rest]);
  });

  it("have a border color, and read integers as they are", async () => {
    const { fake } = await launch(["x=f32[96]:zeros"], ["tex:@x:f32[96]:border:color=0.5/-1/0/2"]);
    const sampler = structure({ fake }, "cuTexObjectCreate", 2);
    expect(words(sampler, 0, 4, 8, 12, 16)).toEqual([3, 3, 3, 0, 1]);
    expect([40, 44, 48, 52].map((at) => sampler.getFloat32(at, true))).toEqual([0.5, -1, 0, 2]);
  });

  it("read memory where it lies", async () => {
    let address = 0n;
    const { fake } = await launch(
      ["x=f32[256]:zeros"],
      ["@x", "tex:@x:f32x2[16]:memory", "tex:@x+512:f32[4x6]:memory:pitch=64:linear"],
      (launched) => {
        address = handleIn(launched, 0);
      },
    );
    const row = structure({ fake }, "cuTexObjectCreate", 1);
    expect([words(row, 0, 16, 20), longs(row, 8, 24)]).toEqual([
      [2, 0x20, 2],
      [Number(address), 128],
    ]);
    const image = structure({ fake }, "cuTexObjectCreate", 1, 1);
    expect([words(image, 0, 16, 20), longs(image, 8, 24, 32, 40)]).toEqual([
      [3, 0x20, 1],
      [Number(address) + 512, 6, 4, 64],
    ]);
    expect(fake.countOf("cuArray3DCreate_v2")).toBe(0);
  });

  it("begin with what the buffer holds, and surfaces go back", async () => {
    const { fake, results } = await launch(["x=u8[8]:arange:out"], ["surf:@x:u8[2x4]"], (_, { fake: driver }) => {
      const [array] = driver.arrays.values();
      expect(Array.from(array?.subarray(0, 8) ?? [])).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
      array?.fill(9, 0, 5);
    });
    expect(Array.from(results[0]?.values ?? [])).toEqual([9, 9, 9, 9, 9, 5, 6, 7]);
    const copy = structure({ fake }, "cuMemcpy3DAsync_v2", 0);
    expect([copy.byteLength, words(copy, 32, 120), longs(copy, 72, 80, 176, 184, 192)]).toEqual([200, [2, 3], [4, 2, 4, 2, 1]]);
  });

  it("are freed, the objects before their arrays", async () => {
    const { fake } = await launch(["x=f32[96]:zeros"], ["tex:@x:f32[96]", "surf:@x:f32[8]"]);
    expect([fake.arrays.size, fake.objects.size]).toEqual([0, 0]);
    const ends = fake.calls.map((c) => c.name).filter((name) => /Destroy$/.test(name) && /Array|Object/.test(name));
    expect(ends).toEqual(["cuSurfObjectDestroy", "cuArrayDestroy", "cuTexObjectDestroy", "cuArrayDestroy"]);
  });

  it("that the driver refuses say so, and leave nothing", async () => {
    opened = await openFake({ kernels: { k: { parameterBytes: [8] } } });
    const { fake, device } = opened;
    fake.refuse.set("cuTexObjectCreate", [1]);
    const shape = { entry: "k", grid: [1, 1, 1], block: [32, 1, 1], cluster: [1, 1, 1], sharedBytes: 0 } as const;
    const parsed = parseArguments(["x=f32[96]:zeros"], ["tex:@x:f32[96]"]);
    await expect(launchPtx(device, moduleTaking(1), { ...shape, ...parsed }, () => new Uint8Array())).rejects.toThrow(
      /W8010.*make a texture object/s,
    );
    expect([fake.arrays.size, fake.liveBytes]).toEqual([0, 0]);
  });
});
