import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  apply,
  applyTo,
  compose,
  divideLeft,
  equal,
  holds,
  image,
  inverse,
  invertAndCompose,
  isInjective,
  isSurjective,
  kernel,
  type LinearLayout,
  leftInverse,
  linear,
  parseLayout,
  printLayout,
  product,
  pseudoInverse,
  rename,
  reshape,
  rightInverse,
  type Shape,
  transpose,
} from "../../../src/layout/index.ts";
import { ofProperty } from "../../support/amount.ts";
import { key, layouts, onto, points, shapes } from "./arbitrary.ts";

const asked = ofProperty(300, 15);
const check = <T>(arbitrary: fc.Arbitrary<T>, property: (value: T) => void): void =>
  fc.assert(fc.property(arbitrary, property), asked);

const places = shapes({ register: 3, lane: 3, warp: 2 });
const elements = shapes({ row: 3, col: 3 });
const any = fc.tuple(places, elements).chain(([inputs, outputs]) => layouts(inputs, outputs));
const inputsOf = (layout: LinearLayout): Shape => Object.fromEntries(layout.inputs.map((d) => [d.name, 2 ** d.bases.length]));
const outputsOf = (layout: LinearLayout): Shape => Object.fromEntries(layout.outputs.map((d) => [d.name, d.size]));

/** All places with what they hold. */
const table = (layout: LinearLayout): (readonly [Record<string, number>, string])[] =>
  points(inputsOf(layout)).map((place) => [place, key(apply(layout, place))] as const);

describe("apply", () => {
  it("is the exclusive or of the bases of the bits of a place", () => {
    check(any, (layout) => {
      for (const place of points(inputsOf(layout))) {
        const sum = layout.outputs.map(() => 0);
        for (const { name, bases } of layout.inputs)
          bases.forEach((basis, bit) => {
            if (Math.floor((place[name] ?? 0) / 2 ** bit) % 2 === 1)
              for (const [i, x] of basis.entries()) sum[i] = (sum[i] ?? 0) ^ x;
          });
        expect(Object.values(apply(layout, place))).toEqual(sum);
      }
    });
  });

  it("takes what is known apart from what is not", () => {
    check(fc.tuple(any, fc.nat(7)), ([layout, n]) => {
      const known = { register: n % (inputsOf(layout).register ?? 1) };
      const { constant, rest } = applyTo(layout, known);
      for (const place of points(inputsOf(rest))) {
        const whole = apply(layout, { ...place, ...known });
        const part = apply(rest, place);
        for (const name of Object.keys(whole)) expect((constant[name] ?? 0) ^ (part[name] ?? 0)).toBe(whole[name]);
      }
    });
  });

  it("refuses places that there are not", () => {
    const layout = linear({ lane: [[1]] }, { row: 2 });
    expect(() => apply(layout, { lane: 2 })).toThrow("lane 2 is outside of an extent of 2.");
    expect(() => apply(layout, { warp: 0 })).toThrow("There is no dimension warp.");
  });
});

describe("linear", () => {
  it("says what does not fit", () => {
    expect(() => linear({ lane: [] }, { row: 3 })).toThrow("The extent of row is 3, which is no power of two.");
    expect(() => linear({ lane: [[2]] }, { row: 2 })).toThrow("A basis of lane has row 2, where row has an extent of 2.");
    expect(() => linear({ lane: [[1, 0]] }, { row: 2 })).toThrow(
      "A basis of lane has 2 coordinates, where the layout has 1 dimensions.",
    );
    expect(() => linear({ "": [] }, { row: 2 })).toThrow('A dimension cannot be called "".');
    expect(() => linear({ a: [] }, { row: 2 ** 16, col: 2 ** 16 })).toThrow("at most 31 bits");
  });
});

describe("text", () => {
  it("parses what it prints", () => {
    check(any, (layout) => {
      const again = parseLayout(printLayout(layout));
      expect(again).toEqual(layout);
    });
  });

  it.each([
    ["lane 2", '"lane 2" is not "place -> element".'],
    ["lane 2 -> row 2", "lane 2 has 0 bases."],
    ["lane 2 -> row 2\nlane 2 -> row 1", '"lane 2 -> row 1" is not the next basis of a dimension.'],
    ["lane 2 -> row 2\nlane 1 -> col 1", '"lane 1 -> col 1" has a coordinate that the first line has not.'],
    ["lane 2 -> row 2\nlane 1 -> row x", '"row x" in "lane 1 -> row x" is not a name and a number.'],
    ["lane 2, lane 2 -> row 2", '"lane 2, lane 2 -> row 2" names a dimension twice.'],
    ["lane 2 -> row 2\nlane 1 -> row 2", "A basis of lane has row 2, where row has an extent of 2."],
  ])("refuses %j", (text, message) => {
    expect(() => parseLayout(text)).toThrow(message);
  });
});

describe("equal", () => {
  it("is of maps that take all places to the same elements, in whatever order dimensions stand", () => {
    const pair = fc.tuple(places, elements).chain(([i, o]) => fc.tuple(layouts(i, o), layouts(i, o)));
    const asMap = (layout: LinearLayout): string =>
      table(layout)
        .map(([place, element]) => `${key(place)} ${element}`)
        .join("\n");
    check(pair, ([a, b]) => {
      expect(equal(a, b)).toBe(asMap(a) === asMap(b));
      const { inputs, outputs } = transpose(a, ["col", "row"]);
      expect(equal(a, { inputs: inputs.toReversed(), outputs })).toBe(true);
    });
  });

  it("knows extents and names", () => {
    const layout = linear({ lane: [[1]] }, { row: 2 });
    expect(equal(layout, linear({ lane: [[1]] }, { row: 4 }))).toBe(false);
    expect(equal(layout, linear({ warp: [[1]] }, { row: 2 }))).toBe(false);
    expect(equal(layout, linear({ lane: [[1]] }, { col: 2 }))).toBe(false);
  });
});

describe("compose", () => {
  it("applies one after the other", () => {
    const pair = fc.tuple(places, elements, shapes({ x: 4 })).chain(([a, b, c]) => fc.tuple(layouts(a, b), layouts(b, c)));
    check(pair, ([first, then]) => {
      const both = compose(first, then);
      for (const place of points(inputsOf(first))) expect(apply(both, place)).toEqual(apply(then, apply(first, place)));
    });
  });

  it("refuses what the second does not take", () => {
    const first = linear({ lane: [[2]] }, { row: 4 });
    expect(() => compose(first, linear({ col: [] }, { x: 1 }))).toThrow("The second layout takes no row.");
    expect(() => compose(first, linear({ row: [[1]] }, { x: 2 }))).toThrow(
      "The first layout gives 4 of row, the second takes 2.",
    );
  });
});

describe("product and quotient", () => {
  const small = fc
    .tuple(shapes({ register: 2, lane: 2, warp: 1 }), shapes({ row: 2, col: 2 }))
    .chain(([inputs, outputs]) => layouts(inputs, outputs));
  const pair = fc.tuple(small, small);

  it("puts a whole inner layout at every point of the outer one", () => {
    check(pair, ([inner, outer]) => {
      const both = product(inner, outer);
      for (const place of points(inputsOf(both))) {
        const [low, high]: Record<string, number>[] = [{}, {}];
        for (const [name, x] of Object.entries(place)) {
          const size = inputsOf(inner)[name] ?? 1;
          low![name] = x % size;
          high![name] = Math.floor(x / size);
        }
        const [a, b] = [apply(inner, low!), apply(outer, high!)];
        const whole = apply(both, place);
        for (const name of ["row", "col"])
          expect(whole[name]).toBe((a[name] ?? 0) + (outputsOf(inner)[name] ?? 1) * (b[name] ?? 0));
      }
    });
  });

  it("is divided by its inner part again", () => {
    check(pair, ([inner, outer]) => {
      const quotient = divideLeft(product(inner, outer), inner);
      expect(quotient && equal(quotient, outer)).toBe(true);
    });
  });

  it("finds a quotient exactly where there is one", () => {
    // Small enough that every quotient can be tried.
    const small = fc
      .tuple(shapes({ register: 1, lane: 2 }), shapes({ row: 2, col: 1 }))
      .chain(([i, o]) => fc.tuple(layouts(i, o), layouts({ register: 1, lane: 2 }, { row: 2, col: 1 })));
    const mostly = fc.tuple(shapes({ register: 1, lane: 1 }), shapes({ row: 1, col: 1 })).chain(([i, o]) => layouts(i, o));
    check(fc.tuple(small, mostly), ([[layout, random], tile]) => {
      for (const whole of [layout, random]) {
        const found = divideLeft(whole, tile);
        expect(found !== undefined).toBe(quotientExists(whole, tile));
        if (found) expect(equal(product(tile, found), whole)).toBe(true);
      }
    });
  });
});

/** Is every place's element that of the tile, plus a multiple of the tile that its higher bits alone say? */
function quotientExists(whole: LinearLayout, tile: LinearLayout): boolean {
  const [inside, around] = [inputsOf(tile), inputsOf(whole)];
  const [part, all] = [outputsOf(tile), outputsOf(whole)];
  if (Object.keys(inside).some((d) => (inside[d] ?? 1) > (around[d] ?? 1))) return false;
  if (Object.keys(part).some((d) => (part[d] ?? 1) > (all[d] ?? 1))) return false;
  const grid = new Map<string, string>();
  return points(around).every((place) => {
    const low = Object.fromEntries(Object.entries(place).map(([d, x]) => [d, x % (inside[d] ?? 1)]));
    const high = Object.fromEntries(Object.entries(place).map(([d, x]) => [d, Math.floor(x / (inside[d] ?? 1))]));
    const [element, own] = [apply(whole, place), apply(tile, low)];
    const rest = Object.fromEntries(Object.entries(element).map(([d, x]) => [d, Math.floor(x / (part[d] ?? 1))]));
    const fits = Object.entries(element).every(([d, x]) => x % (part[d] ?? 1) === own[d]);
    const known = grid.get(key(high)) ?? key(rest);
    grid.set(key(high), known);
    return fits && known === key(rest);
  });
}

describe("inverses", () => {
  it("are exact where each element is held once", () => {
    check(onto({ register: 4, lane: 8, warp: 2 }, { row: 8, col: 8 }), (layout) => {
      const back = inverse(layout);
      for (const place of points(inputsOf(layout))) expect(apply(back, apply(layout, place))).toEqual(place);
    });
  });

  it("give of any map an X with L X L = L", () => {
    check(any, (layout) => {
      const back = pseudoInverse(layout);
      for (const place of points(inputsOf(layout))) {
        const element = apply(layout, place);
        expect(apply(layout, apply(back, element))).toEqual(element);
      }
    });
  });

  it("refuse exactly the maps that are not one to one, or not onto", () => {
    check(any, (layout) => {
      const held = new Set(table(layout).map(([, element]) => element));
      const once = held.size === points(inputsOf(layout)).length;
      const all = held.size === points(outputsOf(layout)).length;
      expect(isInjective(layout)).toBe(once);
      expect(isSurjective(layout)).toBe(all);
      if (once) for (const [place] of table(layout)) expect(apply(leftInverse(layout), apply(layout, place))).toEqual(place);
      else expect(() => leftInverse(layout)).toThrow("The layout holds elements twice.");
      if (all) for (const e of points(outputsOf(layout))) expect(apply(layout, apply(rightInverse(layout), e))).toEqual(e);
      else expect(() => rightInverse(layout)).toThrow("The layout does not hold every element.");
      if (!once || !all) expect(() => inverse(layout)).toThrow(RangeError);
    });
  });

  it("of duplicates give the place with the first dimensions", () => {
    const layout = linear({ register: [[1]], lane: [[0], [1], [2]] }, { row: 4 });
    expect(apply(rightInverse(layout), { row: 3 })).toEqual({ register: 1, lane: 4 });
  });
});

describe("kernel and image", () => {
  const span = (shape: Shape, vectors: readonly Readonly<Record<string, number>>[]): Set<string> => {
    const names = Object.keys(shape);
    const all = [Object.fromEntries(names.map((name) => [name, 0]))];
    for (const v of vectors) all.push(...all.map((w) => Object.fromEntries(names.map((n) => [n, (w[n] ?? 0) ^ (v[n] ?? 0)]))));
    expect(new Set(all.map(key)).size).toBe(all.length); // independent
    return new Set(all.map(key));
  };

  it("are the places of element 0, and the elements that have a place", () => {
    check(any, (layout) => {
      const zero = key(apply(layout, {}));
      const none = table(layout).filter(([, element]) => element === zero);
      expect(span(inputsOf(layout), kernel(layout))).toEqual(new Set(none.map(([place]) => key(place))));
      const held = new Set(table(layout).map(([, element]) => element));
      expect(span(outputsOf(layout), image(layout))).toEqual(held);
      for (const element of points(outputsOf(layout))) expect(holds(layout, element)).toBe(held.has(key(element)));
    });
  });
});

describe("invertAndCompose", () => {
  it("leads from places of the one to places of the other with the same element", () => {
    const pair = fc.tuple(places, places, elements).chain(([a, b, e]) => fc.tuple(layouts(a, e), layouts(b, e)));
    check(pair, ([from, to]) => {
      const held = new Set(table(to).map(([, element]) => element));
      if (table(from).some(([, element]) => !held.has(element))) {
        expect(() => invertAndCompose(from, to)).toThrow("The second layout does not hold every element of the first.");
        return;
      }
      const map = invertAndCompose(from, to);
      for (const [place, element] of table(from)) expect(key(apply(to, apply(map, place)))).toBe(element);
    });
  });
});

describe("reshape, transpose, rename", () => {
  it("count elements in row-major order", () => {
    check(layouts({ register: 4, lane: 4 }, { row: 4, col: 8 }), (layout) => {
      const other = reshape(layout, { a: 2, b: 8, c: 2 });
      for (const place of points(inputsOf(layout))) {
        const { row = 0, col = 0 } = apply(layout, place);
        const { a = 0, b = 0, c = 0 } = apply(other, place);
        expect((a * 8 + b) * 2 + c).toBe(row * 8 + col);
        expect(apply(transpose(layout, ["col", "row"]), place)).toEqual({ row, col });
        expect(apply(rename(layout, { row: "m" }), place)).toEqual({ m: row, col });
      }
      expect(Object.keys(outputsOf(transpose(layout, ["col", "row"])))).toEqual(["col", "row"]);
    });
    const layout = linear({ lane: [[1]] }, { row: 2 });
    expect(() => reshape(layout, { row: 4 })).toThrow("A shape of 4 elements cannot replace one of 2.");
    expect(() => transpose(layout, ["col"])).toThrow("col are not the dimensions of the layout.");
  });
});
