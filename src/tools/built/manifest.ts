/** What `manifest.json` says of a build: everything that a launch takes, but the code. docs/build.md. */

import type { Im2colMap, TiledMap } from "../../base/tensor-map.ts";
import type { Dim3, DType } from "../../base/types.ts";
import type { ScalarParameterType } from "../../runtime/index.ts";

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

/** What every parameter of the entry has. */
interface SlotOf<K extends string, B extends number = number> {
  /** Where its bytes come from. */
  readonly kind: K;
  /** How many there are. */
  readonly bytes: B;
}
interface FromArgument {
  /** The number of the parameter of the launch that it comes of. */
  readonly of: number;
}

/** The address of a tensor, or a number that a launch gives. */
export interface ArgumentSlot extends SlotOf<"address" | "scalar">, FromArgument {}

/** A number of the build's. */
export interface ConstantSlot extends SlotOf<"constant"> {
  /** Its bytes in hexadecimal digits. */
  readonly value: string;
}

/** An extent of a tensor, or the elements between neighbours, as an i32. */
export interface ExtentSlot extends SlotOf<"shape" | "stride", 4>, FromArgument {
  /** Of which dimension. */
  readonly dimension: number;
}

/** A tensor map, encoded for the tensor of that launch. */
export interface MapSlot extends SlotOf<"map", 128>, FromArgument {
  /** Its extents and strides are the tensor's, as some of them are the launch's. */
  readonly resized: boolean;
  /** What the hardware is told, for the tensor that the build was given. */
  readonly map: TiledMap | Im2colMap;
}

/** A parameter of the entry in PTX. */
export type Slot = ArgumentSlot | ConstantSlot | ExtentSlot | MapSlot;

/** A number that a launch gives: an argument itself, or an extent or stride of a tensor. */
export interface FormulaInput extends FromArgument {
  /** The dimension whose extent it is. */
  readonly shape?: number;
  /** The dimension whose stride it is. */
  readonly stride?: number;
}

/** Two numbers that are one. Division goes towards zero, that of `cdiv` upwards. */
export interface FormulaOperation {
  /** How. */
  readonly op: "add" | "sub" | "mul" | "div" | "rem" | "cdiv" | "min" | "max";
  /** Of what. */
  readonly args: readonly [Formula, Formula];
}

/** A whole number that is computed of what a launch is given. */
export type Formula = number | FormulaInput | FormulaOperation;

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
