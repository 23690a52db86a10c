import { expect, test } from "vitest";
import { seeds } from "../../support/amount.ts";
import { programOfFewWords } from "./few-words.ts";
import { randomProgram } from "./generate.ts";
import { judge } from "./judge.ts";
import { line, type Program, programText, smallerPrograms } from "./program.ts";
import { runGraph } from "./run-graph.ts";

/** As many of the programs as agree; none may do something else. */
async function countAgreeing(programs: readonly Program[]): Promise<number> {
  let agreed = 0;
  for (const program of programs) {
    const verdict = await judge(program, runGraph);
    expect(verdict.kind, `seed ${program.seed}: ${JSON.stringify(verdict)}\n${programText(program)}`).toMatch(
      /^(agrees|refused|meaningless)$/,
    );
    if (verdict.kind === "agrees") agreed++;
  }
  return agreed;
}

// A tracer that refused everything would be right, too.
test("random programs over objects do what plain JavaScript does, or are refused", { timeout: 120_000 }, async () => {
  const programs = seeds(1, 300, 8).map(randomProgram);
  expect(await countAgreeing(programs)).toBeGreaterThan(programs.length / 2);
});

test("so do those of few words: new fields, several names of one object", { timeout: 120_000 }, async () => {
  const programs = seeds(1, 1200, 40).map(programOfFewWords);
  expect(await countAgreeing(programs)).toBeGreaterThan(programs.length / 5);
});

// Found by the random ones, of which few have each. All begin with an object `o` and its other name `h.o`.
test.each<[what: string, answer: "agrees" | "W2020" | "W2022" | "W2050" | "W2051", text: string]>([
  [
    "a choice takes fields that the loop changes later",
    "agrees",
    "let p = o; if (n > 2) p = { a: 7 }; t = t * 2 + p.a; o.a = 2;",
  ],
  [
    "the same of values of the GPU",
    "agrees",
    "o.a = t + 1; let p = o; if (n > 2) p = { a: t }; t = (t + p.a) & 63; o.a = i32(2);",
  ],
  [
    "an inner loop begins with them",
    "agrees",
    "for (const j of range(m)) { t = (t * 2 + h.o.a) & 63; h.o = { a: 7 }; } o.a = 2; h.o = o;",
  ],
  [
    "an inner loop ends with them",
    "agrees",
    "let p = { a: 7 }; for (const j of range(2)) { t = (t * 2 + p.a) & 63; p = o; } o.a = 2;",
  ],
  ["a choice has a field later", "W2022", "let p = o; if (n > 2) p = { a: 7 }; if ('z' in p) t = (t * 2 + 1) & 63; o.z = 2;"],
  ["a field is listed and added later", "W2020", "if (Object.keys(h.o).length > 1) t = (t * 2 + 1) & 63; o.z = 2;"],
  [
    "an undefined field gets a value",
    "W2020",
    "let p = { a: n, z: undefined }; for (const j of range(m)) { if (p.z === undefined) t = t + 1; p = { a: 1, z: 5 }; }",
  ],
  [
    "an object inside of one that gets a field",
    "W2051",
    "let i = { k: 5 }; let p = { a: 1, q: { k: n } }; for (const j of range(m)) { p.q.k = p.q.k + m * j; p.z = j; p = { a: 3, q: i }; } t = i.k;",
  ],
  [
    "another object is exchanged in what is read",
    "W2051",
    "let i = { k: m }; let q = { a: n, q: { k: n } }; let p = q; const r = { a: 0, q: { k: 9 } }; for (const j of range(m)) { t = (t + p.q.k) & 63; q.q = i; p = p.a > 9 ? r : p; }",
  ],
  [
    "a variable gets a value on one way alone",
    "W2020",
    "let v; for (const j of range(2)) { if (n > j) v = 5; } t = t + (v ?? 9);",
  ],
  [
    "so does a field",
    "W2022",
    "const p = { a: 1 }; for (const j of range(2)) { const c = n < m ? p : h.o; t = t + c.a; if (n > 1) p.z = 5; else h.o.z = 6; } t = t + (p.z ?? 9);",
  ],
  [
    "one side of a branch adds a field, the other lists",
    "W2020",
    "if (n > 3) o.z = m; else if (Object.keys(o).length > 1) t = t + 1; else o.z = n;",
  ],
  ["or reads it", "W2020", "if (n > 3) o.z = m; else if (o.z === undefined) { t = t + 1; o.z = n; }"],
])("%s: %s", async (_, answer, text) => {
  const begin = "let t = i32(0); let o = { a: 1 }; const h = { o: o };";
  const program = { seed: 0, body: [line(`${begin} for (const k of range(m)) { ${text} } out(0, t);`)] };
  const verdict = await judge(program, runGraph);
  expect(verdict.kind === "refused" ? verdict.code : verdict.kind).toBe(answer);
});

// Objects that are there before a loop, and what several of its iterations make of them.
test.each<[what: string, answer: "agrees" | "W2020" | "W2050" | "W2068", text: string]>([
  [
    "a number that one side changes by another name, and the other reads",
    "W2050",
    "const p = n > 2 ? o : { a: 2 }; for (const k of range(m)) if (k < 1) p.a = 5; else t = t + o.a;",
  ],
  [
    "the same of an object inside, copied",
    "W2050",
    "o = { q: { k: n } }; const i = { k: m }; const p = { q: { k: 4 } }; let c = m > 1 ? o : p; " +
      "for (const k of range(m)) if (k === 1) c.q = i; else c = p; t = c.q.k;",
  ],
  [
    "a field that one side adds by another name, and both get",
    "W2020",
    "const p = n > 2 ? o : { a: 2 }; " +
      "for (const k of range(m)) { if (k === 1) o.z = n; else if (Object.keys(p).length > 1) t = t + 1; p.z = 5; }",
  ],
  [
    "changed through what had it two iterations before",
    "W2050",
    "let p = { a: 2 }, q = { a: 3 }; const last = q; for (const k of range(m)) [o, p, q] = [p, q, o]; o.a = 9; t = i32(last.a);",
  ],
  [
    "compared with it",
    "W2068",
    "let p = { a: 2 }, q = { a: 3 }; const last = q; for (const k of range(m)) [o, p, q] = [p, q, o]; if (o === last) t = i32(1);",
  ],
  [
    "handed on by an array, and got a field",
    "W2050",
    "let p = o; const l = [o, { a: n }]; for (const k of range(m)) { p = n > 1 ? l[0] : { a: m }; l[0] = l[1]; } p.z = n; t = i32(l[1].z ?? 9);",
  ],
  [
    "values that go round",
    "agrees",
    "let p = { a: m }, q = { a: 3 }; for (const k of range(m)) [o, p, q] = [p, q, o]; t = o.a + p.a * 2 + q.a * 4;",
  ],
])("in several iterations, %s: %s", async (_, answer, text) => {
  const program = { seed: 0, body: [line(`let t = i32(0); let o = { a: 1 }; ${text} out(0, t);`)] };
  const verdict = await judge(program, runGraph);
  expect(verdict.kind === "refused" ? verdict.code : verdict.kind, JSON.stringify(verdict)).toBe(answer);
});

test("which fields an object has is refused where another name may have added one", async () => {
  const listed = "let p = o; if (m === 2) p = { a: 3 }; if (n > 2) o.z = m; if (Object.keys(p).length < 2) t = i32(7);";
  const stale = "if (n > 1) o.z = m; let p = o; if (n < m) p = { a: m, z: 1 }; p.z = 3; t = i32(Object.keys(h.o).length);";
  for (const text of [listed, stale]) {
    const program = { seed: 0, body: [line(`let t = i32(0); let o = { a: 1 }; const h = { o: o }; ${text} out(0, t);`)] };
    expect((await judge(program, runGraph)).kind).toBe("refused");
  }
});

test("what does something else is found, and made small", async () => {
  const program = randomProgram(1);
  const wrong = await judge(program, (p) => runGraph(p).map((row) => row.map((x) => x + 1)));
  expect(wrong.kind).toBe("differs");
  expect([...smallerPrograms(program)].length).toBeGreaterThan(10);
});
