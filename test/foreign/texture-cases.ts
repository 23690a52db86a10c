/** Launches of cuda/textures.cu and cuda/surfaces.cu. */
import type { Allowance, ForeignCase } from "./foreign-case.ts";

/** Of linear filtering of values from 0 to 1 in so many dimensions. */
const filtered = (dimensions: number): Allowance => ({
  rtol: 0,
  atol: dimensions / 256 + 1e-6,
  because: "coordinates between two steps of 1/256 texel may get either weight (CUDA C++ Programming Guide, Linear Filtering)",
});
/** Of values below 256. */
const threeAxes: Allowance = {
  rtol: 0,
  atol: 2,
  because: "how the weights of three axes become one is not specified (CUDA C++ Programming Guide, Linear Filtering)",
};
const summed: Allowance = {
  rtol: 0,
  atol: 1 / 512,
  because:
    "the precision of the sums of linear filtering is not specified for 8- and 16-bit integers and halves (CUDA C++ Programming Guide, Linear Filtering)",
};

const textures = { source: "textures.cu", grid: [4], block: [64] } as const;
const surfaces = { source: "surfaces.cu", grid: [1], block: [64] } as const;

/** Scale and shift. Normalized, in 1/16 texel of 16, from -1.5 to 2.5 times the texture for k below 1024. */
const sixteenths = ["f32:0.00390625", "f32:-1.5"] as const;
/** In quarters of a texel, from 8 texels before the first one on. */
const quarters = ["f32:0.25", "f32:-8"] as const;
/** Normalized, between the steps of weights. */
const anywhere = ["f32:0.0007123", "f32:-1.13"] as const;

const points = 200;
const coordinates = (dimensions: number, limit: number): string =>
  `i32[${points * dimensions}]:below=${limit}:${60 + dimensions}`;

interface Fetch {
  readonly dimensions: 1 | 2 | 3;
  /** The buffer of texels, and the texture made of it. */
  readonly texels: string;
  readonly texture: string;
  readonly scaled: readonly [scale: string, shift: string];
  /** Of k. */
  readonly limit: number;
  readonly allowance?: Allowance;
}

const fetch = (name: string, { dimensions, texels, texture, scaled, limit, allowance }: Fetch): ForeignCase => ({
  ...textures,
  name: `tex-${name}`,
  entry: `fetch_${dimensions}d`,
  buffers: [`x=${texels}`],
  args: [`tex:@x:${texture}`, coordinates(dimensions, limit), `out=f32[${4 * points}]:zeros:out`, `i32:${points}`, ...scaled],
  ...(allowance && { allowances: { out: allowance } }),
});

const fetches: readonly ForeignCase[] = [
  fetch("1d-point", {
    dimensions: 1,
    texels: "u8[64]:bits:70",
    texture: "u8x4[16]:normalized-float",
    scaled: quarters,
    limit: 128,
  }),
  fetch("1d-mirror", {
    ...{ dimensions: 1, texels: "i16[32]:bits:72", texture: "i16x2[16]:mirror:normalized:normalized-float" },
    ...{ scaled: sixteenths, limit: 1024 },
  }),
  fetch("1d-linear-wrap", {
    ...{ dimensions: 1, texels: "f32[16]:below=256:71", texture: "f32[16]:linear:wrap:normalized" },
    ...{ scaled: sixteenths, limit: 1024 },
  }),
  // From 0 to 1 in steps of 1/4096 texel: the result is the weight itself.
  fetch("1d-weights", {
    ...{ dimensions: 1, texels: "f32[2]:arange", texture: "f32[2]:linear" },
    ...{ scaled: ["f32:0.000244140625", "f32:0.5"], limit: 4097 },
  }),
  fetch("2d-border", {
    ...{ dimensions: 2, texels: "f32[512]:randn:73", texture: "f32x4[8x16]:border:color=0.25/0.5/-1/2" },
    ...{ scaled: quarters, limit: 128 },
  }),
  fetch("2d-linear-clamp", {
    ...{ dimensions: 2, texels: "f32[256]:below=256:74", texture: "f32x2[8x16]:linear" },
    ...{ scaled: quarters, limit: 128 },
  }),
  fetch("2d-linear-mirror", {
    ...{ dimensions: 2, texels: "f32[128]:below=256:75", texture: "f32[8x16]:linear:mirror/wrap:normalized" },
    ...{ scaled: sixteenths, limit: 1024 },
  }),
  fetch("2d-linear-border", {
    ...{ dimensions: 2, texels: "f32[128]:below=256:76", texture: "f32[8x16]:linear:border:normalized" },
    ...{ scaled: sixteenths, limit: 1024 },
  }),
  fetch("2d-linear-u8", {
    ...{ dimensions: 2, texels: "u8[512]:bits:77", texture: "u8x4[8x16]:linear:wrap:normalized:normalized-float" },
    ...{ scaled: sixteenths, limit: 1024, allowance: summed },
  }),
  fetch("2d-linear-f16", {
    ...{ dimensions: 2, texels: "f16[512]:uniform:78", texture: "f16x4[8x16]:linear:normalized" },
    ...{ scaled: sixteenths, limit: 1024, allowance: summed },
  }),
  fetch("2d-anywhere", {
    ...{ dimensions: 2, texels: "f32[512]:uniform:79", texture: "f32x4[8x16]:linear:wrap:normalized" },
    ...{ scaled: anywhere, limit: 5000, allowance: filtered(2) },
  }),
  fetch("3d-point", {
    ...{ dimensions: 3, texels: "u16[256]:bits:80", texture: "u16[4x8x8]:border:normalized-float" },
    ...{ scaled: quarters, limit: 96 },
  }),
  fetch("3d-linear", {
    ...{ dimensions: 3, texels: "f32[256]:below=256:81", texture: "f32[4x8x8]:linear:wrap/mirror/clamp:normalized" },
    ...{ scaled: ["f32:0.0078125", "f32:-1.5"], limit: 512, allowance: threeAxes },
  }),
];

const others: readonly ForeignCase[] = [
  {
    ...textures,
    name: "tex-integers",
    entry: "integers_2d",
    buffers: ["s=i32[256]:bits:82", "u=u16[512]:bits:83", "b=u8[512]:bits:84"],
    args: [
      ...["tex:@s:i32x2[8x16]:border", "tex:@u:u16x4[8x16]", "tex:@b:u8x4[8x16]:clamp/border", coordinates(2, 128)],
      ...["outS=i32[800]:zeros:out", "outU=u32[800]:zeros:out", "outB=u8[800]:zeros:out", "i32:200", ...quarters],
    ],
  },
  {
    ...textures,
    name: "tex-layers",
    entry: "fetch_layers",
    buffers: ["rows=f32[64]:below=256:85", "images=f32[256]:below=256:86"],
    args: [
      ...["tex:@rows:f32[4x16]:layered:linear:wrap:normalized", "tex:@images:f32x2[4x4x8]:layered:linear:normalized"],
      ...[coordinates(2, 1024), "outRows=f32[800]:zeros:out", "outImages=f32[800]:zeros:out", "i32:200", ...sixteenths],
    ],
  },
  {
    ...textures,
    name: "tex-cubes",
    entry: "fetch_cubes",
    buffers: ["faces=f32[1536]:below=256:87", "many=u8[3072]:bits:88"],
    args: [
      ...["tex:@faces:f32[6x16x16]:cube:linear:normalized", "tex:@many:u8[12x16x16]:cube:layered:normalized:normalized-float"],
      ...[coordinates(2, 255), "outCube=f32[800]:zeros:out", "outCubes=f32[800]:zeros:out", "i32:200"],
    ],
  },
  {
    ...textures,
    name: "tex-gather",
    entry: "gather",
    buffers: ["f=u8[512]:bits:89", "u=u16[512]:bits:90"],
    args: [
      ...[
        "tex:@f:u8x4[8x16]:gather:wrap:normalized:normalized-float",
        "tex:@u:u16x4[8x16]:gather:normalized",
        coordinates(2, 1024),
      ],
      ...["outF=f32[800]:zeros:out", "outU=u32[800]:zeros:out", "i32:200", ...sixteenths],
    ],
  },
  {
    ...textures,
    name: "tex-memory",
    entry: "fetch_memory",
    buffers: ["row=f16[512]:bits:91", "image=f32[512]:below=256:92"],
    args: [
      ...["tex:@row:f16x4[128]:memory", "tex:@image:f32x2[8x16]:memory:pitch=256:linear:border", coordinates(2, 128)],
      ...["outRow=f32[800]:zeros:out", "outImage=f32[800]:zeros:out", "i32:200", "i32:-20", ...quarters],
    ],
    allowances: { outRow: { rtol: 0, atol: 0, because: "which NaN a NaN of halves becomes is not specified (PTX ISA 9.7.10)" } },
  },
  {
    ...textures,
    name: "tex-levels",
    entry: "levels",
    buffers: ["x=f32[512]:below=256:93"],
    args: ["tex:@x:f32x4[8x16]:linear:normalized", coordinates(2, 1024), "out=f32[1600]:zeros:out", "i32:200", ...sixteenths],
  },
  {
    ...textures,
    name: "tex-in-ptx",
    entry: "in_ptx",
    buffers: ["x=f16[512]:randn:94"],
    args: [
      ...["tex:@x:f16x4[8x16]", coordinates(2, 8), "whole=f32[800]:zeros:out", "moved=f32[800]:zeros:out"],
      ...["halves=f16[800]:zeros:out", "packed=f16[800]:zeros:out", "resident=i32[200]:zeros:out", "i32:200"],
    ],
  },
];

const surfaceCases: readonly ForeignCase[] = [
  {
    ...surfaces,
    ...{ grid: [3, 3], block: [8, 8] },
    name: "surf-blur",
    entry: "blur",
    buffers: ["in=u8[1360]:bits:95", "out=u8[1360]:zeros:out"],
    args: ["surf:@in:u8x4[17x20]", "surf:@out:u8x4[17x20]"],
  },
  {
    ...surfaces,
    name: "surf-widths",
    entry: "widths",
    buffers: ["bytes=u8[240]:bits:96", "quads=i32[160]:bits:97"],
    args: ["surf:@bytes:u8[240]", "surf:@quads:i32x4[40]", "out=i32[384]:zeros:out"],
  },
  {
    ...surfaces,
    name: "surf-volumes",
    entry: "volumes",
    buffers: ["v=i32[48]:bits:98", "r=i32[12]:bits:99", "i=i32[48]:bits:100", "c=i32[96]:bits:101", "m=i32[192]:bits:102"],
    args: [
      ...["surf:@v:i32[3x4x4]", "surf:@r:i32[3x4]:layered", "surf:@i:i32[3x4x4]:layered", "surf:@c:i32[6x4x4]:cube"],
      ...["surf:@m:i32[12x4x4]:cube:layered", "out=i32[320]:zeros:out"],
    ],
  },
  {
    ...surfaces,
    ...{ block: [512] },
    name: "surf-fill-volumes",
    entry: "fill_volumes",
    buffers: ["v=i32[210]:value=-1:out", "i=f32[288]:value=-1:out", "c=u16[384]:value=7:out"],
    args: ["surf:@v:i32[5x6x7]", "surf:@i:f32x2[3x6x8]:layered", "surf:@c:u16[6x8x8]:cube"],
  },
  {
    ...surfaces,
    name: "surf-formatted",
    entry: "formatted",
    buffers: [
      ...["f=f32[64]:value=-1:out", "h=f16[256]:value=-1:out", "w=u32[128]:value=7:out", "b=u8[256]:value=7:out"],
      "beyond=i8[256]:value=7:out",
    ],
    args: ["surf:@f:f32[8x8]", "surf:@h:f16x4[8x8]", "surf:@w:u32x2[8x8]", "surf:@b:u8x4[8x8]", "surf:@beyond:i8x4[8x8]"],
  },
  {
    ...surfaces,
    name: "surf-reductions",
    entry: "reductions",
    buffers: ["u=u32[16]:value=77777:out", "s=i32[8]:value=100000:out", "l=u32[8]:zeros:out"],
    args: ["surf:@u:u32[4x4]", "surf:@s:i32[2x4]", "surf:@l:u32x2[4]", "i32[64]:below=1000000:103"],
  },
];

export const textureCases: readonly ForeignCase[] = [...fetches, ...others, ...surfaceCases];
