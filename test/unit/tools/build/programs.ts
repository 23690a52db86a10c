/** The same launches from C++ and from Python, and the same mistakes. Places are addresses by name. */

export type Places = Readonly<Record<"x" | "y" | "numbers" | "rows" | "copy" | "image" | "out" | "a" | "b" | "d", string>>;

/** `{{name}}` is the address of that name. */
const filled = (text: string, places: Readonly<Record<string, string>>): string =>
  text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => places[name] ?? "0");

/** Launches each kernel, then makes mistakes and prints the codes of their errors and the errors themselves. */
export const cppProgram = (places: Places): string =>
  filled(
    `#include <cstdio>
#include "kernels.hpp"
using namespace kernels;
static void expect(const char* what, void (*run)(Kernels&), Kernels& k) {
  try {
    run(k);
    std::printf("%s: nothing\\n", what);
  } catch (const Error& error) {
    std::printf("%s: %s\\n", what, error.what());
  }
}
int main(int, char** arguments) {
  try {
    Kernels k(arguments[1]);
    k.scale(Tensor({{x}}ull, DType::f32, {777}), Tensor({{y}}ull, DType::f32, {777}), 2.5f);
    k.numbers(Tensor({{numbers}}ull, DType::f32, {4, 24}, {40, 1}), -9, 0.1f, 1.00390625f, 0.1, std::int8_t(-3), std::uint16_t(65535), -5,
              18446744073709551615ull, true);
    Launch how;
    how.grid = {6, 1, 1};
    how.overlap_previous = true;
    k.copyRows(Tensor({{rows}}ull, DType::f32, {45, 32}, {36, 1}), Tensor({{copy}}ull, DType::f32, {45, 32}), how);
    Launch three;
    three.grid = {3, 1, 1};
    k.windows(Tensor({{image}}ull, DType::f16, {2, 8, 8, 64}), Tensor({{out}}ull, DType::i32, {3}), three);
    k.gemm(Tensor({{a}}ull, DType::f16, {128, 64}), Tensor({{b}}ull, DType::f16, {64, 128}), Tensor({{d}}ull, DType::f16, {128, 128}), 1.5f);
    expect("type", [](Kernels& k) { k.scale(Tensor(256, DType::i32, {8}), Tensor(256, DType::f32, {8}), 1); }, k);
    expect("rank", [](Kernels& k) { k.scale(Tensor(256, DType::f32, {8, 8}), Tensor(256, DType::f32, {8}), 1); }, k);
    expect("shape", [](Kernels& k) { k.numbers(Tensor(256, DType::f32, {5, 24}), 1, 1, 1, 1, 1, 1, 1, 1, true); }, k);
    expect("empty", [](Kernels& k) { k.scale(Tensor(256, DType::f32, {0}), Tensor(256, DType::f32, {8}), 1); }, k);
    expect("strides", [](Kernels& k) { k.scale(Tensor(256, DType::f32, {8}, {2}), Tensor(256, DType::f32, {8}), 1); }, k);
    expect("alignment", [](Kernels& k) { k.scale(Tensor(260, DType::f32, {8}), Tensor(256, DType::f32, {8}), 1); }, k);
    expect("null", [](Kernels& k) { k.scale(Tensor(nullptr, DType::f32, {8}), Tensor(256, DType::f32, {8}), 1); }, k);
    expect("rows", [](Kernels& k) { Launch h; h.grid = {2, 1, 1}; k.copyRows(Tensor(256, DType::f32, {45, 32}, {33, 1}), Tensor(256, DType::f32, {45, 32}), h); }, k);
    expect("no grid", [](Kernels& k) { k.copyRows(Tensor(256, DType::f32, {45, 32}), Tensor(256, DType::f32, {45, 32}), {}); }, k);
    expect("grid", [](Kernels& k) { Launch h; h.grid = {3, 1, 1}; k.copyRows(Tensor(256, DType::f32, {45, 32}), Tensor(256, DType::f32, {45, 32}), h); }, k);
    expect("overlap", [](Kernels& k) { Launch h; h.overlap_previous = true; k.scale(Tensor(256, DType::f32, {8}), Tensor(256, DType::f32, {8}), 1, h); }, k);
  } catch (const Error& error) {
    std::printf("%s\\n", error.what());
  }
}
`,
    places,
  );

/** Tensors as PyTorch has them, and arrays as CuPy has them. */
const pythonTensors = `class Torch:
    """A tensor as PyTorch has them."""
    def __init__(self, address, dtype, shape, stride=None):
        self.address, self.dtype, self.shape = address, "torch." + dtype, shape
        self.steps = stride or rows(shape)
    def data_ptr(self): return self.address
    def stride(self): return self.steps

class Array:
    """An array as CuPy has them."""
    def __init__(self, address, typestr, shape, strides=None, stream=None):
        self.__cuda_array_interface__ = {"version": 3, "data": (address, False), "typestr": typestr, "shape": shape, "strides": strides}
        if stream is not None: self.__cuda_array_interface__["stream"] = stream

def rows(shape):
    steps, step = [], 1
    for extent in reversed(shape):
        steps.insert(0, step)
        step *= extent
    return tuple(steps)
`;

/** The same in Python. */
export const pythonProgram = (places: Places): string =>
  filled(
    `import sys
sys.path.insert(0, sys.argv[1])
import kernels

${pythonTensors}

def expect(what, run):
    try:
        run()
        print(what + ": nothing")
    except kernels.BuildError as error:
        print(f"{what}: {error}")

try:
    k = kernels.load(sys.argv[1])
    k.scale(Torch({{x}}, "float32", (777,)), Array({{y}}, "<f4", (777,)), 2.5)
    k.numbers(Array({{numbers}}, "<f4", (4, 24), (160, 4)), -9, 0.1, 1.00390625, 0.1, -3, 65535, -5, 2**64 - 1, True)
    k.copyRows(Torch({{rows}}, "float32", (45, 32), (36, 1)), Torch({{copy}}, "float32", (45, 32)), grid=6, overlap_previous=True)
    k.windows(Torch({{image}}, "float16", (2, 8, 8, 64)), Array({{out}}, "<i4", (3,)), grid=[3])
    k.gemm(Torch({{a}}, "float16", (128, 64)), Array({{b}}, "<f2", (64, 128)), Torch({{d}}, "float16", (128, 128)), 1.5)
    f = lambda address=256, dtype="float32", shape=(8,), stride=None: Torch(address, dtype, shape, stride)
    g = f(shape=(45, 32))
    expect("type", lambda: k.scale(f(dtype="int32"), f(), 1))
    expect("rank", lambda: k.scale(f(shape=(8, 8)), f(), 1))
    expect("shape", lambda: k.numbers(f(shape=(5, 24)), 1, 1, 1, 1, 1, 1, 1, 1, True))
    expect("empty", lambda: k.scale(f(shape=(0,)), f(), 1))
    expect("strides", lambda: k.scale(f(stride=(2,)), f(), 1))
    expect("alignment", lambda: k.scale(f(260), f(), 1))
    expect("null", lambda: k.scale(f(0), f(), 1))
    expect("rows", lambda: k.copyRows(f(shape=(45, 32), stride=(33, 1)), g, grid=2))
    expect("no grid", lambda: k.copyRows(g, g, grid=None))
    expect("grid", lambda: k.copyRows(g, g, grid=3))
    expect("overlap", lambda: k.scale(f(), f(), 1, overlap_previous=True))
    if len(sys.argv) > 2:
        expect("number", lambda: k.numbers(f(shape=(4, 24)), 2**31, 1, 1, 1, 1, 1, 1, 1, True))
        expect("bool", lambda: k.numbers(f(shape=(4, 24)), 1, 1, 1, 1, 1, 1, 1, 1, 1))
        expect("no tensor", lambda: k.scale([1.0], f(), 1))
        expect("array's type", lambda: k.scale(Array(256, "<f8", (8,)), f(), 1))
        expect("array's strides", lambda: k.scale(Array(256, "<f4", (8,), (6,)), f(), 1))
        k.scale(Array(256, "<f4", (8,), stream=7), f(), 1)
        k.scale(f(), f(), 1, stream=9)
        host = f()
        host.device = type("device", (), {"type": "cpu", "index": None})()
        expect("host", lambda: k.scale(host, f(), 1))
        host.device = type("device", (), {"type": "cuda", "index": 1})()
        expect("other device", lambda: k.scale(host, f(), 1))
        expect("no option", lambda: kernels.load(devcie=1))
        expect("device", lambda: kernels.load(device="cuda:0"))
        expect("bool device", lambda: kernels.load(device=True))
        expect("negative device", lambda: kernels.load(device=-1))
        expect("folder", lambda: kernels.load(7))
except kernels.BuildError as error:
    print(error)
`,
    places,
  );

/**
 * Random launches, right and wrong, each by kernels that keep what they have prepared and by kernels that keep nothing: both are to tell the driver
 * the same, or to refuse it alike. Prints how many were launched, how many refused, and how many of them differ.
 */
export const preparedProgram = (launches: number, seed: number): string => `import json, os, random, sys
sys.path.insert(0, sys.argv[1])
import kernels

${pythonTensors}
random.seed(${seed})
fast, plain = kernels.load(), kernels.load()
choose = random.choice
address = lambda: choose([256, 512, 4096, 4096 + 1024 * random.randrange(200), 260, 0])
length = lambda: choose([777, 128, 1, random.randrange(1, 5000), 0])
of = lambda typestr: {"<f4": "float32", "<f2": "float16", "<i4": "int32"}[typestr]

def tensor(typestr, shape, steps=None):
    if random.random() < 0.02: typestr = choose(["<f4", "<f2", "<i4"])
    if random.random() < 0.02: shape = (*shape, 2)
    steps = steps or rows(shape)
    if random.random() < 0.02: steps = tuple(3 * n for n in steps)
    if random.random() < 0.7: return Torch(address(), of(typestr), shape, steps)
    return Array(address(), typestr, shape, tuple(int(typestr[2:]) * n for n in steps))

def number(*usual): return choose([*usual, 0, 1, True, False, 0.0, -0.0, 1.0, float("nan"), 2**31, -1, "1", None])

def scale():
    n = length()
    return (tensor("<f4", (n,)), tensor("<f4", (n,)), number(2.5, 0.1)), {}
def numbers():
    given = [number(-9, 12), number(0.1), number(1.00390625), number(0.1), number(-3), number(65535), number(-5), number(2**64 - 1), number(True)]
    return (tensor("<f4", (4, choose([24, 7])), (choose([24, 40, 160]), 1)), *given), {}
def copyRows():
    n = choose([45, 8, 9])
    return (tensor("<f4", (n, 32), (choose([32, 36]), 1)), tensor("<f4", (n, 32))), {"grid": choose([2, 6, [6], (4, 1), 3, 2.5]), "overlap_previous": choose([True, False])}
def windows(): return (tensor("<f2", (2, 8, 8, 64)), tensor("<i4", (3,))), {"grid": choose([3, [3], 1])}
def gemm(): return (tensor("<f2", (128, 64)), tensor("<f2", (64, 128)), tensor("<f2", (128, 128)), number(1.5)), {}

def tried(which, name, given, how):
    try:
        return str(getattr(which, name)(*given, **how))
    except (kernels.BuildError, TypeError) as error:
        return str(error)

says, refused, kept = [], 0, 0
for _ in range(${launches}):
    make = choose([scale, numbers, copyRows, windows, gemm])
    given, how = make()
    if random.random() < 0.5: how["stream"] = choose([0, 7, 9])
    before = len(fast._kernels[make.__name__].ready)
    told = tried(fast, make.__name__, given, how)
    kept += len(fast._kernels[make.__name__].ready) == before and told == "None"
    for kernel in plain._kernels.values(): kernel.ready.clear()
    if told != tried(plain, make.__name__, given, how): print("told otherwise:", make.__name__, told)
    refused += told != "None"
launched = [line for line in open(os.environ["FAKE_CUDA_RECORD"]) if '"call":"launch"' in line]
differ = sum(a != b for a, b in zip(launched[::2], launched[1::2]))
print(json.dumps({"launched": len(launched) // 2, "odd": len(launched) % 2, "refused": refused, "kept": kept > len(launched) // 8, "differ": differ}))
`;
