"""Launches the kernels of a build without Node: with arrays of the driver's own memory, and with PyTorch and CuPy where they are."""
import ctypes
import os
import random
import struct
import sys

sys.path.insert(0, sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__)))
import kernels  # noqa: E402


class Memory:
    """Memory of the device as an array, with `__cuda_array_interface__`."""

    driver = None

    @classmethod
    def call(cls, name, *arguments):
        code = getattr(cls.driver, name)(*arguments)
        if code != 0:
            raise RuntimeError(f"{name} gives {code}")

    @classmethod
    def begin(cls):
        cls.driver = ctypes.CDLL("libcuda.so.1")
        context = ctypes.c_void_p()
        cls.call("cuInit", ctypes.c_uint(0))
        cls.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), ctypes.c_int(0))
        cls.call("cuCtxSetCurrent", context)

    def __init__(self, typestr, shape, data=None):
        self.bytes = int(typestr[2:])
        for extent in shape:
            self.bytes *= extent
        address = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(self.bytes))
        if data is not None:
            self.call("cuMemcpyHtoD_v2", address, data, ctypes.c_size_t(self.bytes))
        self.address = address
        self.__cuda_array_interface__ = {"version": 2, "data": (address.value, False), "typestr": typestr, "shape": shape}

    def read(self, form):
        out = ctypes.create_string_buffer(self.bytes)
        self.call("cuCtxSynchronize")
        self.call("cuMemcpyDtoH_v2", out, self.address, ctypes.c_size_t(self.bytes))
        return struct.unpack(f"<{self.bytes // struct.calcsize(form)}{form}", out.raw)


def eighths(i, j):
    return (i * 7 + j * 3) % 11 - 5


def own_memory(k):
    wrong = 0
    for count in (1, 127, 1000, 100003):
        values = [i % 1000 / 8 for i in range(count)]
        x, y = Memory("<f4", (count,), struct.pack(f"<{count}f", *values)), Memory("<f4", (count,))
        k.scale(x, y, 3.0)
        wrong += sum(given != 3 * value for given, value in zip(y.read("f"), values))
    print(f"scale: {wrong} wrong")
    n = 512
    halves = lambda f: struct.pack(f"<{n * n}e", *(f(i, j) / 8 for i in range(n) for j in range(n)))
    a, b = Memory("<f2", (n, n), halves(eighths)), Memory("<f2", (n, n), halves(lambda i, j: eighths(j, i * 5)))
    d = Memory("<f2", (n, n))
    k.gemm(a, b, d)
    given = d.read("e")
    off, looked = 0, 4000
    for _ in range(looked):
        i, j = random.randrange(n), random.randrange(n)
        exact = sum(eighths(i, l) * eighths(j, l * 5) for l in range(n)) / 64
        off += abs(given[i * n + j] - exact) > abs(exact) * 2**-11 + 1e-7
    print(f"gemm: {off} of {looked} wrong")
    return wrong + off


def torch_tensors(k):
    try:
        import torch
    except ImportError:
        print("torch: skipped, it is not installed")
        return 0
    x = torch.arange(1001, device="cuda", dtype=torch.float32)
    y = torch.empty_like(x)
    with torch.cuda.stream(torch.cuda.Stream()):
        torch.cuda.current_stream().wait_stream(torch.cuda.default_stream())
        k.scale(x, y, 2.0)
        wrong = int((y != 2 * x).sum())
    a, b = (torch.randn(512, 512, device="cuda").half() for _ in range(2))
    d = torch.empty_like(a)
    k.gemm(a, b, d)
    far = float((d.float() - a.float() @ b.float()).abs().max())
    print(f"torch: {wrong} wrong, the product differs by at most {far}")
    return wrong + (far > 0.25)


def cupy_arrays(k):
    try:
        import cupy
    except ImportError:
        print("cupy: skipped, it is not installed")
        return 0
    x = cupy.arange(1001, dtype=cupy.float32)
    y = cupy.empty_like(x)
    k.scale(x, y, 2.0)
    wrong = int((y != 2 * x).sum())
    print(f"cupy: {wrong} wrong")
    return wrong


Memory.begin()
loaded = kernels.load()
sys.exit(1 if own_memory(loaded) + torch_tensors(loaded) + cupy_arrays(loaded) else 0)
