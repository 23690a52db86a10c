import type { Transformed } from "../../src/transform/options.ts";

export declare const entries: ReadonlyMap<string, string>;

/** The names of a file: where it lies, and in errors. */
export interface Names {
  readonly fileName: string;
  readonly displayName: string;
}

export interface Compiler {
  mayHoldKernels(text: string, modules: readonly string[]): boolean;
  transform(text: string, names: Names): Transformed | Promise<Transformed>;
}

export declare function compileFile(text: string, names: Names, by: Compiler): Promise<string>;
