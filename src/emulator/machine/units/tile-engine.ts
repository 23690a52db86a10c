/** Memory for the tiles of one product of matrices at a time, and who multiplies them: WebAssembly where there is one, else JavaScript. */
import { multiplyTiles } from "./multiply-tiles.ts";
import { simdLayout, simdModule } from "./simd-module.ts";

export interface TileEngine {
  /** Element (i, k) at k * 64 + i. */
  readonly a: Float32Array;
  /** Element (k, j) at k * n + j. */
  readonly b: Float32Array;
  /** Element (i, j) at i * n + j. */
  readonly sums: Float32Array;
  /** `rows`: a multiple of 4, at most 64; `n`: a multiple of 8. */
  multiply(n: number, depth: number, rows: number): void;
}

const viewsOf = (buffer: ArrayBuffer) => ({
  a: new Float32Array(buffer, simdLayout.a, 64 * 32),
  b: new Float32Array(buffer, simdLayout.b, 256 * 32),
  sums: new Float32Array(buffer, simdLayout.sums, 64 * 256),
});

export function scriptEngine(): TileEngine {
  const views = viewsOf(new ArrayBuffer(simdLayout.pages * 0x10000));
  return { ...views, multiply: (n, depth, rows) => multiplyTiles(views.sums, views.a, views.b, n, depth, rows) };
}

/** The part of the WebAssembly API that is used; neither Node nor browsers need declare it. */
interface WebAssemblyAPI {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: object };
}

/** Undefined where WebAssembly or its vectors are missing, or forbidden. */
export function simdEngine(): TileEngine | undefined {
  try {
    const { WebAssembly: api } = globalThis as { WebAssembly?: WebAssemblyAPI };
    if (!api) return undefined;
    const { exports } = new api.Instance(new api.Module(simdModule()));
    const { memory, multiply } = exports as { memory: { buffer: ArrayBuffer }; multiply: TileEngine["multiply"] };
    return { ...viewsOf(memory.buffer), multiply };
  } catch {
    return undefined;
  }
}

let engine: TileEngine | undefined;

export function tileEngine(): TileEngine {
  engine ??= simdEngine() ?? scriptEngine();
  return engine;
}
