import { describe, expect, it } from "vitest";
import { operandList } from "../../../../../src/ir/index.ts";
import { expanded, given, opsOf, place, row, store, tensor, writes } from "./expanded.ts";

const open = 'view<"global i32 [?:?, 8:1] align 16">';

describe("a counting loop", () => {
  /** Stores in row 1, then in the row after the iteration's number, then in the last one. */
  const moving = `%30 = view.at %x.20, indices=[%11] : ${row}
  %31 = for %10, %2, %11, carried=[%30] : ${row} body (%32: i32, %33: ${row}) {
    ${store(34, "%33", "%12", "%32")}
    %35 = add %32, %12 : i32
    %36 = view.at %x.20, indices=[%35] : ${row}
    yield values=[%36]
  }
  ${store(37, "%31", "%13", "%13")}`;

  it("carries the offset of a view where that changes, and nothing else of it", () => {
    const graph = expanded(moving);
    expect(given(graph, "for")).toEqual([["i32"]]);
    expect(writes(graph, 2)).toEqual({ "x[1, 2]": 0, "x[2, 2]": 1, "x[3, 3]": 3 });
    expect(writes(graph, 1)).toEqual({ "x[1, 2]": 0, "x[2, 3]": 3 });
  });
  it("that does not run leaves the view that there was", () => {
    expect(writes(expanded(moving), 0)).toEqual({ "x[1, 3]": 3 });
  });

  it.each([
    ["its own", "%33"],
    ["the one from before the loop", "%30"],
  ])("carries nothing of a view that stays: it yields %s", (_, yielded) => {
    const graph = expanded(`%30 = view.subview %x.20, offsets=[%2, %11] : ${tensor.replace("4:8, 8:1", "2/4:8, 4/8:1")}
  %31 = for %10, %2, %11, carried=[%30] : ${tensor.replace("4:8, 8:1", "2/4:8, 4/8:1")} body (%32: i32, %33: ${tensor.replace("4:8, 8:1", "2/4:8, 4/8:1")}) {
    %34 = view.at %33, indices=[%10, %32] : ${place}
    view.store %34, values=[%32] {cache = ""}
    yield values=[${yielded}]
  }
  %35 = view.at %31, indices=[%11, %13] : ${place}
  view.store %35, values=[%13] {cache = ""}`);
    expect(given(graph, "for")).toEqual([[]]);
    expect(writes(graph, 2)).toEqual({ "x[2, 1]": 0, "x[2, 2]": 1, "x[3, 4]": 3 });
  });

  it("carries where a part begins with its offset: an edge of a tile depends on it", () => {
    const part = 'view<"global i32 [1/4:8, 8:1] align 16">';
    const graph = expanded(`%30 = view.subview %x.20, offsets=[%10, %10] : ${part}
  %31 = for %10, %2, %11, carried=[%30] : ${part} body (%32: i32, %33: ${part}) {
    %34 = view.at %33, indices=[%10, %32] : ${place}
    view.store %34, values=[%32] {cache = ""}
    %35 = view.subview %33, offsets=[%11, %10] : ${part}
    yield values=[%35]
  }`);
    expect(given(graph, "for")).toEqual([["i32", "i32"]]);
    expect(writes(graph, 3)).toEqual({ "x[0, 0]": 0, "x[1, 1]": 1, "x[2, 2]": 2 });
  });

  it("swaps two views of two tensors: both bases are carried, and the offsets that differ", () => {
    const swap = (first: string, second: string): string => `%30 = view.at %x.20, indices=[${first}] : ${row}
  %31 = view.at %y.21, indices=[${second}] : ${row}
  %32, %33 = for %10, %2, %11, carried=[%30, %31] : ${row}, ${row} body (%34: i32, %35: ${row}, %36: ${row}) {
    ${store(37, "%35", "%34", "%34")}
    yield values=[%36, %35]
  }
  ${store(38, "%32", "%13", "%12")}
  ${store(39, "%33", "%13", "%13")}`;
    const apart = expanded(swap("%11", "%12"));
    expect(given(apart, "for")).toEqual([["ptr.global", "i32", "ptr.global", "i32"]]);
    expect(writes(apart, 3)).toEqual({ "x[1, 0]": 0, "y[2, 1]": 1, "x[1, 2]": 2, "y[2, 3]": 2, "x[1, 3]": 3 });
    const alike = expanded(swap("%12", "%12"));
    expect(given(alike, "for")).toEqual([["ptr.global", "ptr.global"]]);
    expect(writes(alike, 2)).toEqual({ "x[2, 0]": 0, "y[2, 1]": 1, "x[2, 3]": 2, "y[2, 3]": 3 });
  });

  it("swaps tensors with the extents and strides that the host passes", () => {
    const graph = expanded(`%30 = add %2, %2 : i32
  %31 = const {value = 8} : i32
  %32 = view.tensor %0, extents=[%2], strides=[%31] : ${open}
  %33 = view.tensor %1, extents=[%30], strides=[%30] : ${open}
  %34, %35 = for %10, %2, %11, carried=[%32, %33] : ${open}, ${open} body (%36: i32, %37: ${open}, %38: ${open}) {
    %39 = view.at %37, indices=[%11, %36] : ${place}
    view.store %39, values=[%36] {cache = ""}
    yield values=[%38, %37]
  }
  %40 = view.at %35, indices=[%11, %13] : ${place}
  view.store %40, values=[%13] {cache = ""}`);
    const carried = ["ptr.global", "i32", "i32", "i32"];
    expect(given(graph, "for")).toEqual([[...carried, ...carried]]);
    // rows of y are 4 apart where n is 2, and 6 where it is 3
    expect(writes(graph, 2)).toEqual({ "x[1, 0]": 0, "y[0, 5]": 1, "y[0, 7]": 3 });
    expect(writes(graph, 3)).toEqual({ "x[1, 0]": 0, "y[0, 7]": 1, "x[1, 2]": 2, "x[1, 3]": 3 });
  });

  it("carries no extents and strides that stay", () => {
    const graph = expanded(`%30 = view.tensor %0, extents=[%2], strides=[%2] : ${open}
  %31 = for %10, %2, %11, carried=[%30] : ${open} body (%32: i32, %33: ${open}) {
    %34 = view.at %33, indices=[%32, %32] : ${place}
    view.store %34, values=[%32] {cache = ""}
    yield values=[%33]
  }`);
    expect(given(graph, "for")).toEqual([[]]);
    expect(writes(graph, 3)).toEqual({ "x[0, 0]": 0, "x[0, 4]": 1, "x[1, 0]": 2 });
  });

  it("in a loop: what the inner one changes, both carry", () => {
    const nested = (inner: string): string => `%30 = view.at %x.20, indices=[%10] : ${row}
  %31 = for %10, %12, %11, carried=[%30] : ${row} body (%32: i32, %33: ${row}) {
    %34 = for %10, %2, %11, carried=[%33] : ${row} body (%35: i32, %36: ${row}) {
      ${store(37, "%36", "%35", "%32")}
      %38 = add %35, %11 : i32
      %39 = view.at %x.20, indices=[%38] : ${row}
      yield values=[${inner}]
    }
    ${store(40, "%34", "%13", "%32")}
    yield values=[%34]
  }
  ${store(41, "%31", "%12", "%13")}`;
    const both = expanded(nested("%39"));
    expect(given(both, "for")).toEqual([["i32"], ["i32"]]);
    expect(writes(both, 2)).toEqual({ "x[0, 0]": 0, "x[1, 1]": 1, "x[2, 3]": 1, "x[2, 0]": 1, "x[2, 2]": 3 });
    const neither = expanded(nested("%36"));
    expect(given(neither, "for")).toEqual([[], []]);
    expect(writes(neither, 2)).toEqual({ "x[0, 0]": 1, "x[0, 1]": 1, "x[0, 3]": 1, "x[0, 2]": 3 });
  });
  it("in a loop that moves the view on: the inner one carries it not", () => {
    const graph = expanded(`%30 = view.at %x.20, indices=[%10] : ${row}
  %31 = for %10, %12, %11, carried=[%30] : ${row} body (%32: i32, %33: ${row}) {
    %34 = for %10, %2, %11, carried=[%33] : ${row} body (%35: i32, %36: ${row}) {
      ${store(37, "%36", "%35", "%32")}
      yield values=[%36]
    }
    %38 = add %32, %12 : i32
    %39 = view.at %x.20, indices=[%38] : ${row}
    yield values=[%39]
  }
  ${store(41, "%31", "%12", "%13")}`);
    expect(given(graph, "for").toSorted()).toEqual([[], ["i32"]]);
    expect(writes(graph, 2)).toEqual({ "x[0, 0]": 0, "x[0, 1]": 0, "x[2, 0]": 1, "x[2, 1]": 1, "x[3, 2]": 3 });
  });
});

describe("what a loop begins with", () => {
  const part = 'view<"global i32 [4/32:1] align 16">';
  it("is not refused where only what it yields is read", () => {
    // the first iteration does not load: its part begins at byte 4, where no vector of 8 bytes does
    const graph = expanded(`%29 = view.tensor %0, extents=[], strides=[] : view<"global i32 [32:1] align 16">
  %30 = view.subview %29, offsets=[%11] : ${part}
  %31 = for %10, %2, %11, carried=[%30] : ${part} body (%32: i32, %33: ${part}) {
    %34 = cmp %32, %10 {is = "gt"} : pred
    if %34 yes {
      %35 = view.at %33, indices=[%10] : ${place}
      view.store %35, values=[%32, %13] {cache = ""}
      yield values=[]
    } no {
      yield values=[]
    }
    %36 = shl %32, %12 : i32
    %37 = view.subview %29, offsets=[%36] : ${part}
    yield values=[%37]
  }`);
    expect(opsOf(graph, "st.global").map((op) => operandList(op).length)).toEqual([3]);
  });
  it("is refused where it is read, and stays", () => {
    const stays = `%29 = view.tensor %0, extents=[], strides=[] : view<"global i32 [32:1] align 16">
  %30 = view.subview %29, offsets=[%11] : ${part}
  %31 = for %10, %2, %11, carried=[%30] : ${part} body (%32: i32, %33: ${part}) {
    %35 = view.at %33, indices=[%10] : ${place}
    view.store %35, values=[%32, %13] {cache = ""}
    yield values=[%33]
  }`;
    expect(() => expanded(stays)).toThrowError(expect.objectContaining({ code: "W3005" }));
  });
  it("is taken apart, and what stays is not carried, where the body ends the thread", () => {
    const graph = expanded(`%30 = view.at %x.20, indices=[%11] : ${row}
  %31 = for %10, %2, %11, carried=[%30] : ${row} body (%32: i32, %33: ${row}) {
    ${store(34, "%33", "%12", "%13")}
    exit
  }
  ${store(35, "%31", "%13", "%12")}`);
    expect(given(graph, "for")).toEqual([[]]);
    expect([writes(graph, 1), writes(graph, 0)]).toEqual([{ "x[1, 2]": 3 }, { "x[1, 3]": 2 }]);
  });
});

describe("a loop that tests", () => {
  const walk = (
    passed: string,
    types: string,
    results: string,
    params: string,
  ): string => `%30 = view.at %x.20, indices=[%2] : ${row}
  %31 = view.at %y.21, indices=[%10] : ${row}
  ${results} = while carried=[%2, %30, %31] : ${types} test (%40: i32, %41: ${row}, %42: ${row}) {
    %43 = cmp %40, %10 {is = "gt"} : pred
    condition %43, values=[${passed}]
  } body (${params}) {
    ${store(60, "%51", "%10", "%50")}
    %61 = sub %50, %11 : i32
    %62 = view.at %x.20, indices=[%61] : ${row}
    yield values=[%61, %62, %52]
  }
  ${store(63, "%71", "%11", "%13")}
  ${store(64, "%72", "%12", "%12")}`;
  const stored = { "x[2, 0]": 2, "x[1, 0]": 1, "x[0, 1]": 3, "y[0, 2]": 2 };

  it("carries the offset of the view that changes", () => {
    const all = walk("%40, %41, %42", `i32, ${row}, ${row}`, "%70, %71, %72", `%50: i32, %51: ${row}, %52: ${row}`);
    const graph = expanded(all);
    expect(given(graph, "while")).toEqual([["i32", "i32"]]);
    expect(writes(graph, 2)).toEqual(stored);
    expect(writes(graph, 0)).toEqual({ "x[0, 1]": 3, "y[0, 2]": 2 });
  });
  it("passes views on in another order", () => {
    const turned = walk("%42, %40, %41", `${row}, i32, ${row}`, "%72, %70, %71", `%52: ${row}, %50: i32, %51: ${row}`);
    const graph = expanded(turned);
    expect(given(graph, "while")).toEqual([["i32", "i32"]]);
    expect(writes(graph, 2)).toEqual(stored);
  });
  it("swaps two views", () => {
    const graph = expanded(`%30 = view.at %x.20, indices=[%11] : ${row}
  %31 = view.at %y.21, indices=[%11] : ${row}
  %32, %33, %34 = while carried=[%2, %30, %31] : i32, ${row}, ${row} test (%35: i32, %36: ${row}, %37: ${row}) {
    %38 = cmp %35, %10 {is = "gt"} : pred
    condition %38, values=[%35, %36, %37]
  } body (%39: i32, %40: ${row}, %41: ${row}) {
    ${store(42, "%40", "%39", "%39")}
    %43 = sub %39, %11 : i32
    yield values=[%43, %41, %40]
  }
  ${store(44, "%33", "%10", "%13")}`);
    expect(given(graph, "while")).toEqual([["i32", "ptr.global", "ptr.global"]]);
    expect(writes(graph, 3)).toEqual({ "x[1, 3]": 3, "y[1, 2]": 2, "x[1, 1]": 1, "y[1, 0]": 3 });
  });
});

describe("a branch", () => {
  const chosen = (yes: string, no: string): string => `%29 = view.at %x.20, indices=[%13] : ${row}
  %30 = if %3 : ${row} yes {
    %31 = view.at ${yes} : ${row}
    yield values=[%31]
  } no {
    %32 = view.at ${no} : ${row}
    yield values=[%32]
  }
  ${store(33, "%30", "%11", "%13")}`;
  it("gives the offset where the sides differ in it", () => {
    const graph = expanded(chosen("%x.20, indices=[%12]", "%x.20, indices=[%2]"));
    expect(given(graph, "if")).toEqual([["i32"]]);
    expect([writes(graph, 3, true), writes(graph, 3, false)]).toEqual([{ "x[2, 1]": 3 }, { "x[3, 1]": 3 }]);
  });
  it("gives the base where the sides are parts of two tensors", () => {
    const graph = expanded(chosen("%x.20, indices=[%12]", "%y.21, indices=[%12]"));
    expect(given(graph, "if")).toEqual([["ptr.global"]]);
    expect([writes(graph, 3, true), writes(graph, 3, false)]).toEqual([{ "x[2, 1]": 3 }, { "y[2, 1]": 3 }]);
  });
  it("gives nothing where both sides are the same place", () => {
    const graph = expanded(chosen("%x.20, indices=[%12]", "%x.20, indices=[%12]"));
    expect(given(graph, "if")).toEqual([[]]);
    expect(writes(graph, 3)).toEqual({ "x[2, 1]": 3 });
  });
  it("gives what the only side gives that comes to its end", () => {
    const graph = expanded(`%30 = if %3 : ${row} yes {
    exit
  } no {
    %31 = view.at %x.20, indices=[%2] : ${row}
    yield values=[%31]
  }
  ${store(33, "%30", "%11", "%13")}`);
    expect([writes(graph, 3, true), writes(graph, 3, false)]).toEqual([{}, { "x[3, 1]": 3 }]);
  });
  it("gives the view of one side where nobody reads the other's", () => {
    const graph = expanded(`%30 = if %3 : ${row} yes {
    %31 = view.undef : ${row}
    yield values=[%31]
  } no {
    %32 = view.at %x.20, indices=[%2] : ${row}
    yield values=[%32]
  }
  ${store(33, "%30", "%11", "%13")}`);
    expect(writes(graph, 3, false)).toEqual({ "x[3, 1]": 3 });
  });
  it("in a branch, and in a loop that carries what it gives", () => {
    const graph = expanded(`%30 = view.at %x.20, indices=[%10] : ${row}
  %31 = for %10, %2, %11, carried=[%30] : ${row} body (%32: i32, %33: ${row}) {
    ${store(34, "%33", "%32", "%32")}
    %35 = cmp %32, %11 {is = "eq"} : pred
    %36 = if %35 : ${row} yes {
      %37 = if %3 : ${row} yes {
        %38 = view.at %x.20, indices=[%12] : ${row}
        yield values=[%38]
      } no {
        %39 = view.at %y.21, indices=[%13] : ${row}
        yield values=[%39]
      }
      yield values=[%37]
    } no {
      yield values=[%33]
    }
    yield values=[%36]
  }`);
    expect(given(graph, "for")).toEqual([["ptr.global", "i32"]]);
    expect(writes(graph, 4, true)).toEqual({ "x[0, 0]": 0, "x[0, 1]": 1, "x[2, 2]": 2, "x[2, 3]": 3 });
    expect(writes(graph, 4, false)).toEqual({ "x[0, 0]": 0, "x[0, 1]": 1, "y[3, 2]": 2, "y[3, 3]": 3 });
  });
});

describe("a choice between two views", () => {
  const chosen = (yes: string, no: string): string => `%30 = view.at ${yes} : ${row}
  %31 = view.at ${no} : ${row}
  %32 = select %3, %30, %31 : ${row}
  ${store(33, "%32", "%11", "%13")}`;
  it("chooses the offset", () => {
    const graph = expanded(chosen("%x.20, indices=[%12]", "%x.20, indices=[%2]"));
    expect(given(graph, "select")).toEqual([["i32"]]);
    expect([writes(graph, 3, true), writes(graph, 3, false)]).toEqual([{ "x[2, 1]": 3 }, { "x[3, 1]": 3 }]);
  });
  it("chooses the base", () => {
    const graph = expanded(chosen("%x.20, indices=[%2]", "%y.21, indices=[%2]"));
    expect(given(graph, "select")).toEqual([["ptr.global"]]);
    expect([writes(graph, 3, true), writes(graph, 3, false)]).toEqual([{ "x[3, 1]": 3 }, { "y[3, 1]": 3 }]);
  });
  it("chooses nothing between two that are the same", () => {
    expect(given(expanded(chosen("%x.20, indices=[%2]", "%x.20, indices=[%2]")), "select")).toEqual([]);
  });
});

describe("a view that nobody reads", () => {
  /** The view that a helper returns from a loop: what it carries before is not read. */
  const searched = (loop: string): string => `%29 = view.undef : ${row}
  %28 = const {value = false} : pred
  ${loop}
  %45 = if %41 : ${row} yes {
    yield values=[%42]
  } no {
    %44 = view.at %x.20, indices=[%10] : ${row}
    yield values=[%44]
  }
  ${store(46, "%45", "%11", "%13")}`;
  const inside = `%33 = cmp %32, %12 {is = "eq"} : pred
    %34 = or %30, %33 : pred
    %35 = if %33 : ${row} yes {
      %36 = view.at %y.21, indices=[%32] : ${row}
      yield values=[%36]
    } no {
      yield values=[%31]
    }`;
  it("before a counting loop gives way to the one that the loop finds", () => {
    const graph = expanded(
      searched(`%41, %42 = for %10, %2, %11, carried=[%28, %29] : pred, ${row} body (%32: i32, %30: pred, %31: ${row}) {
    ${inside}
    yield values=[%34, %35]
  }`),
    );
    expect([writes(graph, 3), writes(graph, 1)]).toEqual([{ "y[2, 1]": 3 }, { "x[0, 1]": 3 }]);
  });
  it("before a loop that tests gives way to the one that the loop finds", () => {
    const graph = expanded(
      searched(`%40, %41, %42 = while carried=[%10, %28, %29] : i32, pred, ${row} test (%50: i32, %51: pred, %52: ${row}) {
    %53 = cmp %50, %2 {is = "lt"} : pred
    condition %53, values=[%50, %51, %52]
  } body (%32: i32, %30: pred, %31: ${row}) {
    ${inside}
    %37 = add %32, %11 : i32
    yield values=[%37, %34, %35]
  }`),
    );
    expect([writes(graph, 3), writes(graph, 1)]).toEqual([{ "y[2, 1]": 3 }, { "x[0, 1]": 3 }]);
  });
  it("before a loop is later what an iteration before found, not what this one finds", () => {
    const graph = expanded(`%30 = view.undef : ${row}
  %31 = for %10, %2, %11, carried=[%30] : ${row} body (%32: i32, %33: ${row}) {
    %34 = view.at %x.20, indices=[%32] : ${row}
    %35 = cmp %32, %10 {is = "gt"} : pred
    if %35 yes {
      %36 = for %10, %12, %11, carried=[%33] : ${row} body (%37: i32, %38: ${row}) {
        ${store(39, "%38", "%37", "%32")}
        yield values=[%34]
      }
      yield
    } no {
      yield
    }
    yield values=[%34]
  }`);
    expect(writes(graph, 2)).toEqual({ "x[0, 0]": 1, "x[1, 1]": 1 });
  });
  it("may come from both sides of a branch", () => {
    const graph = expanded(`%30 = if %3 : ${row} yes {
    %31 = view.undef : ${row}
    yield values=[%31]
  } no {
    %32 = view.undef : ${row}
    yield values=[%32]
  }
  %33 = if %3 : ${row} yes {
    %34 = view.at %x.20, indices=[%2] : ${row}
    yield values=[%34]
  } no {
    yield values=[%30]
  }
  ${store(35, "%33", "%11", "%13")}`);
    expect(writes(graph, 3)).toEqual({ "x[3, 1]": 3 });
  });
});
