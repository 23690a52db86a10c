import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parametersOf } from "../../bench/entry.ts";
import { type BenchRecord, type Entry, readRecord, recordFrom, recordText } from "../../bench/record.ts";

const folder = join(import.meta.dirname, "../../bench/results");
const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".json"));

describe("records of benchmarks", () => {
  it("are there", () => {
    expect(files.length).toBeGreaterThan(20);
  });

  it.each(files)("%s is as the schema has it, in the text that writers give it", (file) => {
    const record = readRecord(join(folder, file));
    expect(record.entries.length).toBeGreaterThan(0);
    // A comparison of long texts by the test runner takes seconds where they differ.
    expect(recordText(record) === readFileSync(join(folder, file), "utf8")).toBe(true);
    // The folder has the name of the card.
    expect(file.split(/[\\/]/)[0]).toBe(record.card.replace(/[^A-Za-z0-9.-]+/g, "-"));
  });
});

const entry: Entry = {
  ...{ group: "square", case: "f16 nt 1024³", of: { m: 1024, layout: "nt" }, us: 8.6, peers: { cublasLt: 9.1, other: null } },
  ...{
    correct: true,
    spread: { warpsmith: [8.2, 9, 1500] },
    checks: { warpsmith: { pass: true, relative: 2e-4, whole: { misses: 0 } } },
  },
  ...{ figures: { tflops: 250, cycles: [1, 2, 3] }, skipped: { other: "not there" }, notes: { cublasLt: "heuristic 1 of 8" } },
};
const record: BenchRecord = {
  ...{ card: "G", driver: null, date: "2026-01-31", commit: null, how: ["In turns."], checked: null },
  ...{ versions: { node: "v20" }, figures: { cores: 2 }, entries: [entry] },
};
const withEntry = (over: object): unknown => ({ ...record, entries: [entry, { ...entry, case: "another", ...over }] });

describe("the reader", () => {
  it("takes a record that has everything, and the least one", () => {
    expect(recordFrom(record, "a.json")).toEqual(record);
    const least = { group: "g", case: "c", of: {}, us: null, peers: {}, correct: null };
    expect(recordFrom({ ...record, entries: [least] }, "a.json").entries).toEqual([least]);
  });

  it.each<[what: string, value: unknown, message: string]>([
    ["no object", [], "a.json: the record must be an object; it is []"],
    ["no card", { ...record, card: undefined }, "a.json: card must be a string that is not empty; it is missing"],
    ["no commit", { ...record, commit: "" }, 'a.json: commit must be a string that is not empty; it is ""'],
    ["no method", { ...record, how: [] }, "a.json: how must be a list of at least one sentence; it is []"],
    ["a date in words", { ...record, date: "today" }, "a.json: date must be a date such as 2026-01-31"],
    ["a field of the old shapes", { ...record, gpu: "G" }, "a.json: gpu is no field of the schema: card, driver"],
    ["entries that are no list", { ...record, entries: {} }, "a.json: entries must be a list; it is {}"],
    ["a time in words", withEntry({ us: "8.6" }), 'a.json: entries[1].us must be a number of microseconds above 0; it is "8.6"'],
    ["no time at all", withEntry({ us: 0 }), "a.json: entries[1].us must be a number of microseconds above 0; it is 0"],
    ["no peers", withEntry({ peers: undefined }), "a.json: entries[1].peers must be an object; it is missing"],
    [
      "a peer's time in words",
      withEntry({ peers: { "torch.compile": "no" } }),
      'a.json: entries[1].peers["torch.compile"] must be a number of microseconds above 0; it is "no"',
    ],
    [
      "a peer without a time or a reason",
      withEntry({ skipped: {} }),
      "a.json: entries[1].skipped.other must be the reason why the peer has no time; it is missing",
    ],
    ["a verdict in words", withEntry({ correct: "yes" }), 'a.json: entries[1].correct must be true or false; it is "yes"'],
    [
      "a spread that is turned",
      withEntry({ spread: { us: [9, 8, 10] } }),
      "a.json: entries[1].spread.us must be [10th, 90th, samples]",
    ],
    [
      "a check without a verdict",
      withEntry({ checks: { us: { rows: 3 } } }),
      "a.json: entries[1].checks.us.pass must be true or false; it is missing",
    ],
    [
      "a word among numbers",
      withEntry({ figures: { warm: { "ptx some": "fast" } } }),
      'a.json: entries[1].figures.warm["ptx some"] must be a number, null, a list of numbers',
    ],
    ["a parameter that is an object", withEntry({ of: { m: {} } }), "a.json: entries[1].of.m must be a string, a number"],
    ["a field that is misspelled", withEntry({ note: {} }), "a.json: entries[1].note is no field of the schema: group, case, of"],
    [
      "the same case twice",
      { ...record, entries: [entry, entry] },
      "a.json: entries[1] has the group, the case and the parameters of entries[0]",
    ],
  ])("refuses %s, and names the place", (_, value, message) => {
    expect(() => recordFrom(value, "a.json")).toThrow(message);
  });

  it("names a file that is not there as JSON, and a parameter of another type", () => {
    expect(() => readRecord(import.meta.filename)).toThrow("records.test.ts is no JSON");
    expect(() => parametersOf(entry, { m: "string" })).toThrow("case “f16 nt 1024³”: of.m must be a string; it is 1024");
  });
});
