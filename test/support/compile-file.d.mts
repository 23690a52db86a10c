import type { FileRead } from "../../src/transform/other-files.ts";
import type { Transformed } from "../../src/transform/options.ts";

export declare const entries: ReadonlyMap<string, string>;

/** The names of a file: where it lies, and in errors. */
export interface Names {
  readonly fileName: string;
  readonly displayName: string;
}

/** What compiles: transformSource, or transformCached. */
type Transform<R> = (text: string, options: Names & { readonly emit: "js" | "ts" }) => R;

export interface Compiler {
  mayHoldKernels(text: string, modules: readonly string[]): boolean;
  transform(text: string, options: Names & { readonly emit: "js" | "ts" }): Transformed | Promise<Transformed>;
}

/** The code, and the files besides this one that it was made from. */
export interface Compiled {
  readonly code: string;
  readonly reads: readonly FileRead[];
}

export declare function emitFirst(text: string): "js" | "ts";
export declare function compileText(text: string, names: Names, transform: Transform<Transformed>): Transformed;
export declare function compileTextBy(text: string, names: Names, transform: Transform<Promise<Transformed>>): Promise<Transformed>;
export declare function compileFile(text: string, names: Names, by: Compiler): Promise<Compiled>;
