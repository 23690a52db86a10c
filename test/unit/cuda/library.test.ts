import { existsSync } from "node:fs";
import koffi from "koffi";
import { describe, expect, it } from "vitest";
import { loadLibrary } from "../../../src/cuda/library.ts";
import { describeResult, isFatal } from "../../../src/cuda/results.ts";
import { cTypes, symbols } from "../../../src/cuda/symbols.ts";

describe("the driver's library", () => {
  it("is a clause where it is missing, the same promise every time", async () => {
    const result = await loadLibrary();
    expect(loadLibrary()).toStrictEqual(loadLibrary());
    if (existsSync("/dev/nvidiactl")) return;
    expect(result.problem).toMatch(/^(the NVIDIA driver is|NVIDIA has no CUDA driver)/);
  });

  it("has parameter types that koffi knows, pointers and handles as wide as C's", () => {
    const sizes = Object.fromEntries(Object.entries(cTypes).map(([kind, name]) => [kind, koffi.sizeof(name)]));
    expect(sizes).toEqual({ pointer: 8, u64: 8, size: 8, u32: 4, i32: 4, u16: 2, u8: 1, text: 8 });
    expect(symbols.cuLaunchKernel.length).toBe(11);
    expect(symbols.cuTensorMapEncodeTiled.length).toBe(12);
    expect(symbols.cuTensorMapEncodeIm2col.length).toBe(15);
  });

  it("gives koffi typed arrays and addresses as pointers", () => {
    if (process.platform !== "linux") return;
    const memcpy = koffi.load("libc.so.6").func("memcpy", "uint64", [cTypes.pointer, cTypes.pointer, cTypes.size]);
    const [to, from] = [new BigUint64Array(2), BigUint64Array.of(1n, 2n ** 63n)];
    memcpy(to, koffi.address(from), 16);
    expect(to).toEqual(from);
    expect(new Uint8Array(koffi.view(koffi.address(to), 16))[15]).toBe(0x80);
    expect(koffi.address(to.subarray(1)) - koffi.address(to)).toBe(8n);
  });

  it("has words for its results", () => {
    expect(describeResult(700)).toBe("it read or wrote memory that is not its own (CUDA_ERROR_ILLEGAL_ADDRESS)");
    expect(describeResult(4711)).toContain("4711");
    expect([isFatal(700), isFatal(719), isFatal(2), isFatal(600), isFatal(701)]).toEqual([true, true, false, false, false]);
  });
});
