import { describe, expect, it } from "vitest";
import { readEnvironment } from "../../../src/base/env.ts";

describe("environment", () => {
  it("has defaults", () => {
    expect(readEnvironment({ HOME: "/home/a" })).toEqual({
      values: { device: undefined, cache: "/home/a/.cache/warpsmith", ptxas: undefined },
    });
    expect(readEnvironment({ HOME: "/home/a", XDG_CACHE_HOME: "/c" }).values?.cache).toBe("/c/warpsmith");
    expect(readEnvironment({}).values?.cache).toBeUndefined();
  });

  it("reads every variable", () => {
    const all = {
      WARPSMITH_DEVICE: "cuda:12",
      WARPSMITH_CACHE: "/x",
      WARPSMITH_PTXAS: "/opt/ptxas",
      WARPSMITH_VERIFY: "each",
      WARPSMITH_CHECK: "strict",
      WARPSMITH_SEED: "lazy",
      WARPSMITH_RECORD: "/r.json",
      WARPSMITH_PROFILE: "/t.json",
      WARPSMITH_STAGES: "diff,page:/s.html",
      WARPSMITH_WATCH: "2.5",
      WARPSMITH_AUTOTUNE: "print",
      HOME: "/home/a",
    };
    expect(readEnvironment(all).values).toEqual({
      device: "cuda:12",
      cache: "/x",
      ptxas: "/opt/ptxas",
      verify: "each",
      check: "strict",
      schedule: "lazy",
      record: "/r.json",
      profile: "/t.json",
      stages: { print: { diff: true }, page: "/s.html" },
      watch: 2.5,
      autotune: "print",
    });
    expect(readEnvironment({ HOME: "/home/a", WARPSMITH_CACHE: "off" }).values?.cache).toBeUndefined();
    expect(readEnvironment({ WARPSMITH_DEVICE: "" }).problem).toBeUndefined();
  });

  it("has a problem with another way to verify", () => {
    expect(readEnvironment({ WARPSMITH_VERIFY: "1" }).problem).toMatchObject({ variable: "WARPSMITH_VERIFY", value: "1" });
  });

  it("takes on, off and seconds for watching", () => {
    for (const [value, watch] of [
      ["on", "on"],
      ["off", "off"],
      ["30", 30],
    ] as const)
      expect(readEnvironment({ WARPSMITH_WATCH: value }).values?.watch).toBe(watch);
    for (const value of ["0", "-1", "true", "1e3"])
      expect(readEnvironment({ WARPSMITH_WATCH: value }).problem).toMatchObject({ variable: "WARPSMITH_WATCH", value });
  });

  it("has a problem with another way to show what autotune chose", () => {
    expect(readEnvironment({ WARPSMITH_AUTOTUNE: "1" }).problem).toMatchObject({ variable: "WARPSMITH_AUTOTUNE", value: "1" });
  });

  it.each<[string, unknown]>([
    ["eager", { schedule: "eager" }],
    ["torn", { schedule: "torn" }],
    ["0", { schedule: 0 }],
    ["4294967295", { schedule: 4294967295 }],
    ["replay:a b.json", { replay: "a b.json" }],
  ])("takes the schedule %j", (value, found) => {
    expect(readEnvironment({ WARPSMITH_SEED: value }).values).toMatchObject(found as object);
  });

  it.each(["late", "-1", "01", "1.5", "4294967296", "replay:", "Lazy"])("has a problem with the schedule %j", (value) => {
    expect(readEnvironment({ WARPSMITH_SEED: value }).problem).toMatchObject({ variable: "WARPSMITH_SEED", value });
  });

  it.each<[string, unknown]>([
    ["all", { print: { diff: false } }],
    ["after:reduce-induction", { print: { diff: false, only: "reduce-induction" } }],
    ["page:a,b c.html", { page: "a,b c.html" }],
    ["remarks", { remarks: true }],
    ["remarks,diff", { remarks: true, print: { diff: true } }],
    ["remarks,page:x.html", { remarks: true, page: "x.html" }],
    ["remarks,after:cse,page:x.html", { remarks: true, print: { diff: false, only: "cse" }, page: "x.html" }],
    ["all,page:x.html", { print: { diff: false }, page: "x.html" }],
  ])("takes the stages %j", (value, found) => {
    expect(readEnvironment({ WARPSMITH_STAGES: value }).values?.stages).toEqual(found);
  });

  it.each([
    "1",
    "after:",
    "page:",
    "all,",
    ",page:x",
    "all,diff",
    "x.html",
    "page",
    "remarks,",
    "remarksall",
    "all,remarks",
    "explain",
    "explain:H200",
    "explain:H200:",
    "all,explain:H200:f",
  ])("has a problem with the stages %j", (value) => {
    expect(readEnvironment({ WARPSMITH_STAGES: value }).problem).toMatchObject({ variable: "WARPSMITH_STAGES", value });
  });

  it("has a problem with another check", () => {
    expect(readEnvironment({ WARPSMITH_CHECK: "on" }).problem).toMatchObject({ variable: "WARPSMITH_CHECK", value: "on" });
  });

  it.each(["gpu", "cuda:", "cuda:-1", "cuda:01", "CUDA", "emulator "])("has a problem with the device %j", (value) => {
    expect(readEnvironment({ WARPSMITH_DEVICE: value }).problem).toMatchObject({ variable: "WARPSMITH_DEVICE", value });
  });
});
