/** What `manifest.json` says of a build: everything that a launch takes, but the code. docs/build.md. */
import type { ScalarParameterType } from "../runtime/index.ts";
import type { Im2colMap, TiledMap } from "../tensor-map.ts";
import type { Dim3, DType } from "../types.ts";

/** The version of this form. What reads another one refuses it. */
export const manifestVersion = 1;
export const manifestFile = "manifest.json";

/** A tensor that a launch is given. */
export interface TensorParameter {
  /** What is passed: an address, and how its elements lie. */
  readonly kind: "tensor";
  /** As launchers call it. */
  readonly name: string;
  /** The type of the elements. */
  readonly dtype: DType;
  /** Elements per dimension, outermost first; null where the launch decides. */
  readonly shape: readonly (number | null)[];
  /** Elements between neighbours per dimension; null where the launch decides. That of a dimension of extent 1 says nothing. */
  readonly strides: readonly (number | null)[];
  /** Bytes that divide the address of its first element. */
  readonly alignment: number;
}

/** A number or a boolean that a launch is given. */
export interface ScalarParameter {
  /** What is passed: a value. */
  readonly kind: "scalar";
  /** As launchers call it. */
  readonly name: string;
  /** `pred` is a boolean of one byte. */
  readonly type: ScalarParameterType;
}

/** What a launch is given, in order. */
export type BuiltParameter = TensorParameter | ScalarParameter;

/** A parameter of the entry in PTX, in order: where its bytes come from. `of` is the number of a parameter of the launch. */
export type Slot =
  | { readonly kind: "address" | "scalar"; readonly bytes: number; readonly of: number }
  /** A number of the build's, as its bytes in hexadecimal digits. */
  | { readonly kind: "constant"; readonly bytes: number; readonly value: string }
  | { readonly kind: "shape" | "stride"; readonly bytes: 4; readonly of: number; readonly dimension: number }
  /** Encoded for the tensor of that launch; `resized`: its extents and strides are the tensor's, as some of them are the launch's. */
  | {
      readonly kind: "map";
      readonly bytes: 128;
      readonly of: number;
      readonly resized: boolean;
      readonly map: TiledMap | Im2colMap;
    };

/** A whole number that is computed of what a launch is given. Division goes towards zero. */
export type Formula =
  | number
  | { readonly of: number; readonly shape: number }
  | { readonly of: number; readonly stride: number }
  | { readonly of: number }
  | { readonly op: "add" | "sub" | "mul" | "div" | "rem" | "cdiv" | "min" | "max"; readonly args: readonly [Formula, Formula] };

/** A file of the build. */
export interface BuiltFile {
  /** Its name in the folder. */
  readonly file: string;
  /** SHA-256 of its bytes, in hexadecimal digits. */
  readonly sha256: string;
}

/** One kernel, for one set of shapes and static values. */
export interface KernelManifest {
  /** Name of the `.entry`. */
  readonly entry: string;
  /** What drivers assemble. */
  readonly ptx: BuiltFile;
  /** The same, assembled; null where no ptxas was found. */
  readonly cubin: BuiltFile | null;
  /** What a launch is given, in order. */
  readonly parameters: readonly BuiltParameter[];
  /** What the entry takes, in order. */
  readonly slots: readonly Slot[];
  /** Blocks; null where every launch says how many. */
  readonly grid: readonly [Formula, Formula, Formula] | null;
  /** Threads of a block. */
  readonly block: Dim3;
  /** Blocks of a cluster. */
  readonly cluster: Dim3;
  /** Dynamic shared memory of a block, in bytes. */
  readonly sharedBytes: number;
  /** Of clusters of more than 8 blocks: `cuFuncSetAttribute` has to allow them. */
  readonly nonPortableCluster: boolean;
  /** All blocks are on the device at the same time. */
  readonly cooperative: boolean;
  /** It waits for the launch before it, so that it may overlap that. */
  readonly waitsForPrevious: boolean;
}

/** The whole of `manifest.json`. */
export interface BuildManifest {
  /** What this file is. */
  readonly format: "warpsmith-build";
  /** The version of this form. */
  readonly version: number;
  /** The version of the package that made it. */
  readonly warpsmith: string;
  /** The same for the same kernels: launchers refuse a manifest with another one. */
  readonly id: string;
  /** What launchers are called by. */
  readonly name: string;
  /** What a device must be. */
  readonly device: {
    /** As `ptxas -arch` spells it. */
    readonly target: string;
    /** Exactly this one. */
    readonly computeCapability: readonly [number, number];
    /** What NVIDIA calls it. */
    readonly architecture: string;
    /** The oldest version of CUDA whose driver has all that launches call, as `cuDriverGetVersion` has it. */
    readonly driver: number;
  };
  /** What assembled the cubins; null where nothing did. */
  readonly assembler: string | null;
  /** By name. */
  readonly kernels: Readonly<Record<string, KernelManifest>>;
  /** The launchers. */
  readonly launchers: readonly BuiltFile[];
}
