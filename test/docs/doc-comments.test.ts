import { expect, it } from "vitest";
import { type ApiName, publicApi } from "./public-api.ts";

const api = publicApi();

/** A name and all names below it. */
const withMembers = (name: ApiName): readonly ApiName[] => [name, ...name.members.flatMap(withMembers)];

it("every exported name, every member of one and every option has a doc comment", () => {
  const all = Object.values(api.exports).flat().flatMap(withMembers);
  expect(all.length).toBeGreaterThan(400);
  expect(all.filter((name) => name.doc === "").map((name) => name.path)).toEqual([]);
}, 60_000);

it("an editor shows them at the place of use", () => {
  const uses = ["warp.ballot", "fast.exp2", "warpgroup.sync", "gridDependency.wait", "cluster.map", "range", "f32", "logical.or"];
  const names = [...new Set(uses.map((use) => use.split(".")[0]))];
  const shown = api.hover(`import { ${names.join(", ")} } from "warpsmith";\n${uses.map((use) => `${use};\n`).join("")}`, uses);
  expect(uses.filter((_, i) => shown[i] === "")).toEqual([]);
  expect(shown[0]).toContain("__ballot_sync");
}, 60_000);
