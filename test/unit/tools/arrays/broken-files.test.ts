/** Files that are not what they say: each is refused with a code, and nothing crashes, hangs or takes memory for what is not there. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { crc32 } from "node:zlib";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { WarpsmithError } from "../../../../src/base/diag/index.ts";
import { writeWhole } from "../../../../src/tools/arrays/file-writer.ts";
import { listArrays, readArray, readArrays, writeArray } from "../../../../src/tools/arrays/index.ts";
import { npyHeader } from "../../../../src/tools/arrays/npy.ts";
import { ZipWriter } from "../../../../src/tools/arrays/zip-writer.ts";
import { ofProperty, rotating } from "../../../support/amount.ts";

const folder = mkdtempSync(join(tmpdir(), "broken-"));
afterAll(() => rmSync(folder, { recursive: true }));
const path = (name: string): string => join(folder, name);
const fixture = (name: string): Buffer => readFileSync(join(import.meta.dirname, "fixtures", name));

function file(name: string, bytes: Uint8Array): string {
  writeFileSync(path(name), bytes);
  return path(name);
}

const npy = (header: string, data = 0, version: readonly [number, number] = [1, 0]): Buffer => {
  const text = Buffer.from(header);
  const wide = version[0] > 1;
  const length = Buffer.alloc(wide ? 4 : 2);
  if (wide) length.writeUInt32LE(text.length);
  else length.writeUInt16LE(text.length);
  return Buffer.concat([Buffer.from([0x93, ...Buffer.from("NUMPY"), ...version]), length, text, Buffer.alloc(data)]);
};
const describes = (descr: string, shape: string, fortran = "False"): string =>
  `{'descr': ${descr}, 'fortran_order': ${fortran}, 'shape': ${shape}, }`;

const tensors = (header: unknown, data = 0): Buffer => {
  const text = Buffer.from(typeof header === "string" ? header : JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  return Buffer.concat([length, text, Buffer.alloc(data)]);
};
const f32 = (begin: number, end: number, shape: readonly unknown[] = [(end - begin) / 4]) => ({
  dtype: "F32",
  shape,
  data_offsets: [begin, end],
});

describe("a .npy file", () => {
  const wrong: readonly (readonly [about: string, bytes: Buffer, message: RegExp])[] = [
    ["of no bytes", Buffer.alloc(0), /shorter than the beginning/],
    ["of another kind", Buffer.from("PK\x03\x04 and so on"), /does not begin with \\x93NUMPY/],
    ["of a later version", npy(describes("'<f4'", "(1,)"), 4, [4, 0]), /version 4\.0/],
    ["of a later version of 1", npy(describes("'<f4'", "(1,)"), 4, [1, 1]), /version 1\.1/],
    ["that ends in its header", npy(describes("'<f4'", "(1,)")).subarray(0, 30), /ends in its header/],
    ["with a long header", npy(" ".repeat(70000), 0, [2, 0]), /has 70000 bytes, and that of no array/],
    ["with too few elements", npy(describes("'<f4'", "(2, 3)"), 23), /\[2, 3\] elements of 4 bytes are 24 bytes, and it has 23/],
    ["with too many", npy(describes("'<f4'", "(2, 3)"), 25), /24 bytes, and it has 25/],
    ["of a huge shape", npy(describes("'<f4'", `(${2 ** 50}, ${2 ** 50})`)), /more elements than can be counted/],
    ["of a large shape without data", npy(describes("'<f8'", `(${2 ** 40},)`)), /8796093022208 bytes, and it has 0/],
    ["of a huge extent", npy(describes("'<f4'", `(${"9".repeat(30)},)`)), /is no extent/],
    ["of a negative extent", npy(describes("'<f4'", "(-1,)")), /-1 is no extent/],
    ["of an extent that is no number", npy(describes("'<f4'", "('3',)")), /3 is no extent/],
    ["of a shape that is no tuple", npy(describes("'<f4'", "3")), /no tuple/],
    ["of a number in brackets", npy(describes("'<f4'", "(3)")), /a number in brackets/],
    ["of many dimensions", npy(describes("'<f4'", `(${"1,".repeat(65)})`), 4), /no tuple/],
    ["with no order", npy(describes("'<f4'", "(1,)", "1"), 4), /neither True nor False/],
    ["without a key", npy("{'descr': '<f4', 'shape': (1,)}", 4), /has no fortran_order/],
    ["with another key", npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'a': 1}", 4), /says more than/],
    ["with a key twice", npy("{'descr': '<f4', 'descr': '<f8', 'fortran_order': False, 'shape': (1,)}", 4), /says descr twice/],
    ["that is code", npy("__import__('os')", 4), /not what Python writes|goes on/],
    ["with something behind", npy(`${describes("'<f4'", "(1,)")} x`, 4), /goes on behind/],
    ["that nests", npy(`${"[".repeat(2000)}`, 4), /nests too deeply/],
    ["that is no dictionary", npy("(1, 2)", 4), /no dictionary/],
    ["of no type", npy(describes("'float'", "(1,)"), 4), /names the element type "float"/],
    ["with a bool of 2", Buffer.concat([npy(describes("'|b1'", "(2,)")), Buffer.from([1, 2])]), /element 1 .* is the byte 2/],
    ["that is not UTF-8", Buffer.concat([npy("{'descr': '", 0, [3, 0]).subarray(0, -1), Buffer.from([0xff])]), /no text/],
  ];

  it.each(wrong)("%s", async (_, bytes, message) => {
    const refused = readArray(file("x.npy", bytes));
    await expect(refused).rejects.toMatchObject({ code: "W7102", spans: [{ file: expect.stringContaining("broken-files") }] });
    await expect(refused).rejects.toThrow(message);
  });

  it.each([
    ["'<f16'", /floats of 16 bytes/],
    ["'|S5'", /bytes of text/],
    ["'|V3'", /raw bytes of 3 bytes/],
    ["'|q3'", /a type that is not known/],
  ])("of %s", async (descr, message) => {
    const refused = readArray(file("x.npy", npy(describes(descr, "(1,)"), 16)));
    await expect(refused).rejects.toMatchObject({ code: "W7103" });
    await expect(refused).rejects.toThrow(message);
  });

  it("is looked for where it is said to be", async () => {
    await expect(readArray(path("none.npy"))).rejects.toThrow(/W7101.*none\.npy cannot be read: it is not there/s);
    mkdirSync(path("folder.npy"));
    await expect(readArray(path("folder.npy"))).rejects.toThrow(/W7101.*it is a folder/s);
    await expect(writeArray(path("folder.npy"), Float32Array.of(1))).rejects.toThrow(/W7101.*cannot be written/s);
    await expect(readArray(`${folder}/`)).rejects.toThrow("W7106");
    await expect(readArray("/dev/null")).rejects.toThrow("W7106");
    await expect(readArray("a\0.npy")).rejects.toThrow("W7109");
    await expect(readArray(new URL("https://example.com/x.npy"))).rejects.toThrow("W7109");
  });
});

describe("a .safetensors file", () => {
  const wrong: readonly (readonly [about: string, bytes: Buffer, message: RegExp])[] = [
    ["of few bytes", Buffer.from([1, 2, 3]), /shorter than the length/],
    [
      "with a header beyond its end",
      Buffer.concat([Buffer.from([200, 0, 0, 0, 0, 0, 0, 0]), Buffer.from("{}")]),
      /header of 200/,
    ],
    ["with a huge header", Buffer.from("ffffffffffffffff7b7d", "hex"), /no header has more than 100000000/],
    ["with a header that is no JSON", tensors("{'a': 1}"), /no JSON/],
    ["with a header that is no object", tensors("[]"), /no object/],
    [
      "with a header that is not UTF-8",
      Buffer.concat([tensors("   ").subarray(0, 8), Buffer.from([0x7b, 0xff, 0x7d])]),
      /no JSON/,
    ],
    ["with a name twice", tensors('{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"\\u0061":{}}', 1), /says "a" twice/],
    ["with a gap", tensors({ a: f32(0, 4), b: f32(8, 12) }, 12), /from 4 to 8 belong to no tensor/],
    ["with a gap at its beginning", tensors({ a: f32(4, 8) }, 8), /from 0 to 4/],
    ["with an overlap", tensors({ a: f32(0, 8), b: f32(4, 12) }, 12), /b begins at 4, within another that ends at 8/],
    ["with bytes left over", tensors({ a: f32(0, 4) }, 9), /last 5 bytes/],
    ["that ends too early", tensors({ a: f32(0, 40) }, 39), /have 40 bytes, and it has 39/],
    ["of another size", tensors({ a: f32(0, 8, [3]) }, 8), /has 12 bytes, and its data_offsets have 8/],
    ["with offsets that go back", tensors({ a: { dtype: "U8", shape: [0], data_offsets: [4, 0] } }, 4), /no data_offsets/],
    ["with offsets that are none", tensors({ a: { dtype: "U8", shape: [1], data_offsets: [0, 1.5] } }, 1), /no data_offsets/],
    ["with an extent that is none", tensors({ a: f32(0, 4, [-1]) }, 4), /-1 is no extent/],
    ["of a huge shape", tensors({ a: f32(0, 4, [2 ** 52, 2 ** 52]) }, 4), /more elements than can be counted/],
    ["of a tensor that is none", tensors({ a: 1 }), /describes no tensor/],
    ["of a tensor without a type", tensors({ a: { shape: [1], data_offsets: [0, 1] } }, 1), /no dtype/],
    ["with metadata that are no texts", tensors({ __metadata__: { a: 1 } }), /no list of texts/],
    [
      "with a bool of 255",
      Buffer.concat([tensors({ a: { dtype: "BOOL", shape: [1], data_offsets: [0, 1] } }), Buffer.from([255])]),
      /255/,
    ],
    ["whose header nests", tensors("[".repeat(1e6)), /no JSON/],
    ["whose header nests well", tensors(`${"[".repeat(1e5)}${"]".repeat(1e5)}`), /no object/],
  ];

  it.each(wrong)("%s", async (_, bytes, message) => {
    const refused = readArrays(file("x.safetensors", bytes));
    await expect(refused).rejects.toMatchObject({ code: "W7102" });
    await expect(refused).rejects.toThrow(message);
  });

  it("may have tensors of other types, and of any name, beside those that are read", async () => {
    const header = { __proto__x: f32(0, 4), a: { dtype: "F8_E8M0", shape: [3], data_offsets: [4, 7] } };
    const text = JSON.stringify(header).replace("__proto__x", "__proto__");
    const there = file("y.safetensors", tensors(text, 7));
    await expect(readArrays(there)).rejects.toThrow(/W7103.*F8_E8M0/s);
    expect([...(await readArrays(there, { names: ["__proto__"] })).keys()]).toEqual(["__proto__"]);
    expect((await listArrays(there)).get("a")).toEqual({ dtype: undefined, stored: "F8_E8M0", shape: [3], bytes: 3 });
  });
});

describe("a .npz file", () => {
  const array = Buffer.concat([npyHeader("f32", [2]), Buffer.alloc(8)]);
  const zip = async (name: string, members: readonly (readonly [string, Uint8Array])[], deflate = false, limit?: number) => {
    await writeWhole(path(name), async (out) => {
      const writer = new ZipWriter(out, deflate, limit);
      for (const [member, bytes] of members) await writer.add(member, [bytes]);
      await writer.finish();
    });
    return readFileSync(path(name));
  };
  const refused = async (bytes: Uint8Array, message: RegExp): Promise<void> => {
    const reading = readArrays(file("x.npz", bytes));
    await expect(reading).rejects.toMatchObject({ code: "W7102" });
    await expect(reading).rejects.toThrow(message);
  };
  const end = 22;
  /** Where the first entry of the directory begins. */
  const central = (bytes: Buffer): number => bytes.readUInt32LE(bytes.length - end + 16);

  it("of another kind, cut off, and with a comment", async () => {
    const good = await zip("good.npz", [["a.npy", array]]);
    await refused(array, /no directory at its end/);
    await refused(good.subarray(0, good.length - 3), /no directory/);
    await refused(good.subarray(10), /directory|not where/);
    const said = Buffer.concat([good, Buffer.from("comment")]);
    said.writeUInt16LE(7, good.length - 2);
    expect([...(await readArrays(file("x.npz", said))).keys()]).toEqual(["a"]);
    expect((await readArrays(file("x.npz", await zip("none.npz", [])))).size).toBe(0);
  });

  it("with a wrong checksum, size, name or flag", async () => {
    const good = await zip("good.npz", [["a.npy", array]]);
    const changed = (at: number, value: number, bytes = good): Buffer => {
      const copy = Buffer.from(bytes);
      copy[at] = value;
      return copy;
    };
    await refused(changed(central(good) - 1, 1), /a\.npy is damaged: its checksum/);
    const at = central(good);
    await refused(changed(at + 8, 1), /is encrypted/);
    await refused(changed(at + 10, 9), /packed by the method 9/);
    await refused(changed(at + 20, 7), /two sizes/);
    await refused(changed(at + 42, 4), /reaches into|not where/);
    await refused(changed(0, 0), /not where its directory says/);
    const twice = await zip("twice.npz", [
      ["a.npy", array],
      ["a.npy", array],
    ]);
    await refused(twice, /two members a\.npy/);
  });

  it("whose deflated members are damaged, longer, shorter, or a bomb", async () => {
    const good = await zip("d.npz", [["a.npy", array]], true);
    const at = central(good);
    const data = 30 + 5;
    const noise = Buffer.from(good);
    noise.fill(0xff, data, data + 10);
    await refused(noise, /deflated bytes are damaged|inflates to fewer/);
    const sized = (size: number): Buffer => {
      const copy = Buffer.from(good);
      copy.writeUInt32LE(size, at + 24);
      return copy;
    };
    await refused(sized(array.length + 8), /8 bytes, and it has 16/);
    await refused(sized(array.length - 8), /8 bytes, and it has 0/);
    await refused(sized(2 ** 31), /larger than it can be/);
    // The array says what the directory says, and there is less.
    const longer = await zip("l.npz", [["a.npy", Buffer.concat([npyHeader("f32", [40]), Buffer.alloc(8)])]], true);
    longer.writeUInt32LE(npyHeader("f32", [40]).length + 160, central(longer) + 24);
    await refused(longer, /fewer bytes than it says/);
    const bomb = await zip("b.npz", [["a.npy", Buffer.concat([npyHeader("u8", [1]), Buffer.alloc(10000)])]], true);
    bomb.writeUInt32LE(npyHeader("u8", [1]).length + 1, central(bomb) + 24);
    await refused(bomb, /more bytes than it says/);
  });

  it("whose members lie in each other", async () => {
    const two = await zip("two.npz", [
      ["a.npy", array],
      ["b.npy", array],
    ]);
    const second = central(two) + 46 + 5;
    two.writeUInt32LE(0, second + 42);
    await refused(two, /reaches into what follows/);
  });

  it("with zip64 sizes and places, and whatever else is in it", rotating, async () => {
    for (const deflate of [false, true]) {
      const wide = await zip(
        "wide.npz",
        [
          ["a.npy", array],
          ["notes.txt", Buffer.from("x")],
          ["b.npy", array],
        ],
        deflate,
        1,
      );
      expect(wide.readUInt32LE(wide.length - end + 16)).toBe(0xffffffff);
      const arrays = await readArrays(file("x.npz", wide));
      expect([...arrays].map(([name, { data }]) => [name, data])).toEqual([
        ["a", new Float32Array(2)],
        ["b", new Float32Array(2)],
      ]);
      expect(wide.readUInt32LE(14)).toBe(crc32(array));
    }
  });
});

/** What a read comes to: well, or refused with a code of files. Whatever else it is fails the test. */
async function outcome(there: string): Promise<void> {
  for (const read of [readArrays, listArrays]) {
    try {
      await read(there);
    } catch (error) {
      if (error instanceof WarpsmithError && /^W710[1-4]$/.test(error.code)) continue;
      throw error;
    }
  }
}

const samples = [
  ...["f4.npy", "version-2.npy", "version-3.npy", "bf16.npy", "structure.npy", "plain.safetensors", "narrow.safetensors"],
  ...["plain.npz", "deflated.npz", "streamed.npz", "unnamed.npz"],
];

describe("files with bytes by chance", () => {
  const edit = fc.oneof(
    fc.record({ kind: fc.constant("set" as const), at: fc.nat(), value: fc.constantFrom(0, 1, 0x27, 0x39, 0x7f, 0x80, 0xff) }),
    fc.record({ kind: fc.constant("cut" as const), at: fc.nat(), value: fc.nat(40) }),
    fc.record({ kind: fc.constant("copy" as const), at: fc.nat(), value: fc.nat() }),
    fc.record({ kind: fc.constant("end" as const), at: fc.nat(), value: fc.constant(0) }),
  );

  it.each(samples)("%s", async (name) => {
    const good = fixture(name);
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 4 }), async (edits) => {
        let bytes = Buffer.from(good);
        for (const { kind, at, value } of edits) {
          if (bytes.length === 0) break;
          const place = at % bytes.length;
          if (kind === "set") bytes[place] = value;
          if (kind === "cut") bytes = Buffer.concat([bytes.subarray(0, place), bytes.subarray(place + value)]);
          if (kind === "copy") bytes.copy(bytes, place, value % bytes.length);
          if (kind === "end") bytes = bytes.subarray(0, place);
        }
        await outcome(file(`fuzz${extname(name)}`, bytes));
      }),
      ofProperty(500, 5),
    );
  });

  it("headers made of the words of headers", async () => {
    const word = fc.constantFrom(
      ...["{", "}", "(", ")", "[", "]", ",", ":", "'descr'", "'shape'", "'fortran_order'", "'<f4'", "'|V2'", "'>i8'"],
      ...["True", "False", "None", "0", "3", "-1", "1e9", "99999999999999999999", "'", '"', "\\", "L", " ", "é"],
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(word, { maxLength: 30, size: "max" }),
        fc.constantFrom(1, 2, 3),
        fc.nat(64),
        async (words, version, data) => {
          await outcome(file("fuzz.npy", npy(words.join(""), data, [version, 0])));
          const descr = words.slice(0, 3).join("");
          await outcome(file("fuzz.npy", npy(describes(descr, "(3,)"), data)));
          await outcome(file("fuzz.npy", npy(describes("'<f4'", words.slice(0, 6).join("")), data)));
        },
      ),
      ofProperty(2000, 10),
    );
  });

  it("headers of any JSON", async () => {
    const tensor = fc.record(
      {
        dtype: fc.oneof(fc.constantFrom("F32", "U8", "BOOL", "C64"), fc.jsonValue()),
        shape: fc.oneof(fc.array(fc.nat(3), { maxLength: 3 }), fc.jsonValue()),
        data_offsets: fc.oneof(fc.tuple(fc.nat(40), fc.nat(40)), fc.jsonValue()),
      },
      { requiredKeys: [] },
    );
    const header = fc.oneof(
      fc.dictionary(fc.string(), fc.oneof({ weight: 5, arbitrary: tensor }, fc.jsonValue())),
      fc.jsonValue(),
    );
    await fc.assert(
      fc.asyncProperty(header, fc.nat(80), async (value, data) => outcome(file("fuzz.safetensors", tensors(value, data)))),
      ofProperty(3000, 12),
    );
  });
});
