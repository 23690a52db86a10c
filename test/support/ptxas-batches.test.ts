import { describe, expect, it } from "vitest";
import { type Assembled, type Assembler, noPtxas, ptxas } from "./ptxas.ts";
import { inBatches } from "./ptxas-batches.ts";

/** One that has kept nothing yet. */
function forgetful(): Assembler {
  const kept = new Map<string, Assembled>();
  return { ...ptxas, kept: (ptx) => kept.get(ptx), keep: (ptx, made) => void kept.set(ptx, made) };
}

/** A kernel of one name that stores to shared memory of that one name, as the compiler's are. */
const kernel = (value: string) => `.version 8.0
.target sm_90a
.address_size 64

.extern .shared .align 1024 .b8 smem[];

.visible .entry store()
.reqntid 32, 1, 1
{
  .reg .b32 %r<2>;
  .loc 1 3 4
  mov.u32 %r0, smem;
  bra $end;
$end:
  st.shared.b32 [%r0], ${value};
  exit;
}

.file 1 "store.ts"
`;

describe.skipIf(noPtxas !== undefined)("modules through one ptxas", () => {
  it("are assembled together where nothing is said of any", () => {
    const assembled = inBatches([1, 2, 3], (value) => kernel(String(value)), forgetful());
    expect(assembled(2)).toMatchObject({ ok: true, warnings: [], spills: 0 });
    expect(assembled(1)?.log.match(/Compiling entry function/g)).toHaveLength(3);
    expect(assembled(3)).toBe(assembled(1));
  });

  it("are assembled one by one where something is said of one", () => {
    const assembled = inBatches([1, 2, 3], (value) => kernel(value === 2 ? "%nothing" : String(value)), forgetful());
    expect([1, 2, 3].map((value) => assembled(value)?.ok)).toEqual([true, false, true]);
    expect(assembled(2)?.log).toContain("%nothing");
    expect(assembled(1)?.log.match(/Compiling entry function/g)).toHaveLength(1);
  });

  it("no module takes the shared memory that another one declares", () => {
    const own = kernel("7");
    const assembled = inBatches([own, own.replace(/^\.extern .*\n/m, "")], (ptx) => ptx, forgetful());
    expect(assembled(own)?.ok).toBe(true);
    expect(assembled(own.replace(/^\.extern .*\n/m, ""))?.log).toContain("smem");
  });

  it("an item whose PTX cannot be made fails alone, each time it is asked for", () => {
    const assembled = inBatches(
      [1, 2],
      (value) => {
        if (value === 1) throw new Error("no kernel");
        return kernel(String(value));
      },
      forgetful(),
    );
    expect(() => assembled(1)).toThrow("no kernel");
    expect(() => assembled(1)).toThrow("no kernel");
    expect(assembled(2)?.ok).toBe(true);
  });

  it("what has more than one kernel, or variables of its own, is assembled by itself", () => {
    const variable = kernel("7").replace("\n.visible", "\n.global .b32 counter;\n.visible");
    const assembled = inBatches([variable, kernel("1"), kernel("2")], (text) => text, forgetful());
    expect(assembled(variable)?.log.match(/Compiling entry function/g)).toHaveLength(1);
    expect(assembled(kernel("2"))?.log.match(/Compiling entry function/g)).toHaveLength(2);
  });

  it("of some that were assembled before, the others alone are", () => {
    const through = forgetful();
    const of = (values: readonly number[]) => inBatches(values, (value) => kernel(String(value)), through);
    const before = of([1, 2])(1);
    const assembled = of([1, 2, 3, 4]);
    expect([assembled(1), assembled(2)]).toEqual([before, before]);
    expect(assembled(3)?.log.match(/Compiling entry function/g)).toHaveLength(2);
  });
});
