"""Kernels of a warpsmith build, launched through the CUDA driver by ctypes. Written by `warpsmith build`: do not edit.

    from @NAME@ import load
    kernels = load()                 # this folder; the current CUDA context's device, else device 0
    kernels.@FIRST@(...)

Tensors: whatever has `data_ptr()`, `shape`, `stride()` and `dtype` (PyTorch), or `__cuda_array_interface__` (CuPy, Numba).
Errors are `BuildError`; their codes stand in Warpsmith's docs/errors.md.
"""
import ctypes
import hashlib
import json
import os
import struct
import sys
from threading import get_ident

BUILD_ID = "@ID@"
MANIFEST_VERSION = @VERSION@

_ELEMENT_BYTES = {
    "f64": 8, "i64": 8, "u64": 8, "f32": 4, "tf32": 4, "i32": 4, "u32": 4, "f16": 2, "bf16": 2, "i16": 2, "u16": 2,
    "e4m3": 1, "e5m2": 1, "i8": 1, "u8": 1, "bool": 1,
}
_TORCH_TYPES = {
    "float64": ("f64",), "float32": ("f32", "tf32"), "float16": ("f16",), "bfloat16": ("bf16",), "float8_e4m3fn": ("e4m3",),
    "float8_e5m2": ("e5m2",), "int64": ("i64",), "int32": ("i32",), "int16": ("i16",), "int8": ("i8",), "uint64": ("u64",),
    "uint32": ("u32",), "uint16": ("u16",), "uint8": ("u8",), "bool": ("bool",),
}
_ARRAY_TYPES = {
    "<f8": ("f64",), "<f4": ("f32", "tf32"), "<f2": ("f16",), "<V2": ("bf16",), "|V1": ("e4m3", "e5m2"), "<i8": ("i64",),
    "<i4": ("i32",), "<i2": ("i16",), "|i1": ("i8",), "<u8": ("u64",), "<u4": ("u32",), "<u2": ("u16",), "|u1": ("u8",),
    "|b1": ("bool",),
}
_INTEGERS = {"i8": 1, "u8": 1, "i16": 2, "u16": 2, "i32": 4, "u32": 4, "i64": 8, "u64": 8}
# Enumerations of cuda.h, and what the hardware takes.
_MAP_TYPES = {
    "u8": 0, "i8": 0, "bool": 0, "e4m3": 0, "e5m2": 0, "u16": 1, "i16": 1, "u32": 2, "i32": 3, "u64": 4, "i64": 5, "f16": 6,
    "f32": 7, "f64": 8, "bf16": 9, "tf32": 11,
}
_INTERLEAVE = {"none": 0, "16B": 1, "32B": 2}
_SWIZZLE = {"none": 0, "32B": 1, "64B": 2, "128B": 3}
_PROMOTION = {"none": 0, "64B": 1, "128B": 2, "256B": 3}
_GRID_LIMITS = (2**31 - 1, 65535, 65535)
_MAX_STRIDE = 2**40
_MAX_I32 = 2**31 - 1
# Prepared launches that a kernel keeps, and encodings of a tensor map by address.
_MOST_READY = 256
_MOST_MAPS = 64


class BuildError(RuntimeError):
    """What is wrong with a build, its device or a launch. `code` is that of docs/errors.md; None where the driver refuses."""

    def __init__(self, code, message):
        super().__init__(f"{code}  {message}" if code else message)
        self.code = code


class _Driver:
    """libcuda, loaded when a build is."""

    def __init__(self):
        names = ["nvcuda.dll"] if sys.platform == "win32" else ["libcuda.so.1", "libcuda.so"]
        self.library = None
        for name in names:
            try:
                self.library = ctypes.CDLL(name)
                break
            except OSError as error:
                reason = error
        if self.library is None:
            raise BuildError("W7733", f"The NVIDIA driver cannot be loaded: {reason}")
        self.call("cuInit", ctypes.c_uint(0))
        pointer, number = ctypes.c_void_p, ctypes.c_uint
        self.current = self.library.cuCtxGetCurrent
        self.current.argtypes = [pointer]
        self.launch = self.library.cuLaunchKernel
        self.launch.argtypes = [pointer, *[number] * 7, pointer, pointer, pointer]
        # Drivers before CUDA 11.8 have none; no kernel of Hopper runs there.
        self.launch_ex = getattr(self.library, "cuLaunchKernelEx", None)

    def try_call(self, name, *arguments):
        return getattr(self.library, name)(*arguments)

    def call(self, name, *arguments):
        code = self.try_call(name, *arguments)
        if code != 0:
            raise BuildError(None, f"the driver refuses {name}: {self.describe(code)}")

    def describe(self, code):
        text = ctypes.c_char_p()
        known = self.try_call("cuGetErrorName", ctypes.c_int(code), ctypes.byref(text)) == 0 and text.value
        return f"{code} ({text.value.decode()})" if known else str(code)

    def integer(self, name, *arguments):
        out = ctypes.c_int()
        self.call(name, ctypes.byref(out), *arguments)
        return out.value

    def handle(self, name, *arguments):
        out = ctypes.c_void_p()
        self.call(name, ctypes.byref(out), *arguments)
        return out


def _brackets(values):
    return "[" + ", ".join("?" if value is None else str(value) for value in values) + "]"


_libraries = {}
_raw_streams = []


def _library(kind):
    """The package that a type is of."""
    found = _libraries.get(kind)
    if found is None:
        found = _libraries[kind] = kind.__module__.split(".")[0]
    return found


def _torch_stream(value):
    """The handle of PyTorch's stream, without an object around it where PyTorch has that."""
    torch = sys.modules["torch"]
    if not _raw_streams:
        _raw_streams.append(getattr(torch._C, "_cuda_getCurrentRawStream", None))
    raw = _raw_streams[0]
    return raw(value.get_device()) if raw else torch.cuda.current_stream(value.device).cuda_stream


def _current_stream(value):
    """The stream that the library of a tensor works in at the moment; None where nobody says."""
    library = _library(type(value))
    if library == "torch" and "torch" in sys.modules:
        return _torch_stream(value)
    if library == "cupy" and "cupy" in sys.modules:
        return sys.modules["cupy"].cuda.get_current_stream().ptr
    interface = getattr(value, "__cuda_array_interface__", None) if not hasattr(value, "data_ptr") else None
    return interface.get("stream") if interface else None


def _stream_handle(stream):
    if type(stream) is int:
        return stream
    for name in ("cuda_stream", "ptr", "handle"):
        if hasattr(stream, name):
            return int(getattr(stream, name))
    return int(stream)


class _Tensor:
    """Where a tensor lies, whoever made it. Strides in elements."""

    def __init__(self, value):
        if hasattr(value, "data_ptr"):
            self.address = int(value.data_ptr())
            self.shape = [int(n) for n in value.shape]
            self.strides = [int(n) for n in value.stride()]
            self.given = str(value.dtype).split(".")[-1]
            self.types = _TORCH_TYPES.get(self.given, ())
            return
        interface = value.__cuda_array_interface__
        self.given = interface["typestr"]
        self.types = _ARRAY_TYPES.get(self.given, ())
        self.address = int(interface["data"][0])
        self.shape = [int(n) for n in interface["shape"]]
        size = int(self.given[2:])
        strides = interface.get("strides")
        if strides is not None:
            self.strides = [n // size if n % size == 0 else None for n in strides]
            return
        self.strides, step = [], 1
        for extent in reversed(self.shape):
            self.strides.insert(0, step)
            step *= extent


def _layout(value):
    """The address of a tensor, and all that a launch depends on beside it. A type error where it is none."""
    if hasattr(value, "data_ptr"):
        return value.data_ptr(), (value.shape, value.stride(), value.dtype, getattr(value, "device", None))
    interface = getattr(value, "__cuda_array_interface__", None)
    if interface is None:
        raise TypeError
    return interface["data"][0], (interface["shape"], interface.get("strides"), interface["typestr"], None)


def _is_tensor(value):
    return hasattr(value, "data_ptr") or hasattr(value, "__cuda_array_interface__")


def _bf16(value):
    """The nearest bf16, ties to even: of the 64-bit float, so that nothing is rounded twice."""
    if value != value:
        return 0x7FC0
    bits = struct.unpack("<I", _f32(value))[0]
    nearest = struct.unpack("<f", struct.pack("<I", bits))[0]
    low = bits & 0xFFFF
    up = low > 0x8000 or (low == 0x8000 and (abs(value) > abs(nearest) or (value == nearest and (bits >> 16) & 1)))
    return ((bits >> 16) + (1 if up else 0)) & 0xFFFF


def _f32(value):
    try:
        return struct.pack("<f", value)
    except OverflowError:
        return struct.pack("<f", float("inf") if value > 0 else float("-inf"))


def _f16(value):
    try:
        return struct.pack("<e", value)
    except OverflowError:
        return struct.pack("<e", float("inf") if value > 0 else float("-inf"))


def _scalar_bytes(kernel, parameter, value):
    kind, name = parameter["type"], parameter["name"]

    def refuse(expected):
        shown = "bool" if kind == "pred" else kind
        raise BuildError("W7736", f"{kernel}: '{name}' is of type {shown} and takes {expected}, not {value!r}")

    if kind == "pred":
        if not isinstance(value, bool):
            refuse("True or False")
        return bytes([1 if value else 0])
    if kind in _INTEGERS:
        size, signed = _INTEGERS[kind], kind[0] == "i"
        low, high = (-(2 ** (8 * size - 1)), 2 ** (8 * size - 1) - 1) if signed else (0, 2 ** (8 * size) - 1)
        if isinstance(value, bool) or not hasattr(value, "__index__") or not low <= value.__index__() <= high:
            refuse(f"a whole number from {low} to {high}")
        return value.__index__().to_bytes(size, "little", signed=signed)
    if isinstance(value, bool) or not (hasattr(value, "__float__") or hasattr(value, "__index__")):
        refuse("a number")
    number = float(value)
    if kind == "f64":
        return struct.pack("<d", number)
    if kind == "f32":
        return _f32(number)
    return _f16(number) if kind == "f16" else struct.pack("<H", _bf16(number))


def _numbers_in(formula, found):
    """The parameters whose own values a formula uses."""
    if isinstance(formula, int):
        return
    for part in formula.get("args", ()):
        _numbers_in(part, found)
    if "of" in formula and "shape" not in formula and "stride" not in formula:
        found.add(formula["of"])


class _Kernel:
    """A kernel of the build, in a context."""

    def __init__(self, driver, device, name, info, code):
        self.driver, self.device, self.name, self.info = driver, device, name, info
        self.module = self._load(code)
        self.function = driver.handle("cuModuleGetFunction", self.module, ctypes.c_char_p(info["entry"].encode()))
        if info["sharedBytes"] > 0:
            driver.call("cuFuncSetAttribute", self.function, ctypes.c_int(8), ctypes.c_int(info["sharedBytes"]))
        if info["nonPortableCluster"]:
            driver.call("cuFuncSetAttribute", self.function, ctypes.c_int(14), ctypes.c_int(1))
        sizing = set()
        for formula in info["grid"] or ():
            _numbers_in(formula, sizing)
        # The parameters that are tensors, and the numbers that the grid depends on.
        self.tensors = [of for of, p in enumerate(info["parameters"]) if p["kind"] != "scalar"]
        self.sizing = sorted(of for of in sizing if of not in self.tensors)
        self.ready = {}

    def _load(self, code):
        out = ctypes.c_void_p()
        load = self.driver.try_call
        if code["cubin"] is not None:
            data = ctypes.create_string_buffer(code["cubin"], len(code["cubin"]))
            if load("cuModuleLoadDataEx", ctypes.byref(out), data, ctypes.c_uint(0), None, None) == 0:
                return out
        # A driver that does not take the cubin, as it is older than the toolkit that made it, assembles the PTX.
        log = ctypes.create_string_buffer(16384)
        keys = (ctypes.c_int * 3)(5, 6, 13)
        values = (ctypes.c_void_p * 3)(ctypes.addressof(log), 16384, 1)
        data = ctypes.create_string_buffer(code["ptx"])
        result = load("cuModuleLoadDataEx", ctypes.byref(out), data, ctypes.c_uint(3), keys, values)
        if result != 0:
            lines = log.value.decode(errors="replace")
            raise BuildError(None, f"{self.name}: the driver refuses its code: {self.driver.describe(result)} {lines}".rstrip())
        return out

    def _check_tensor(self, parameter, value):
        name = parameter["name"]

        def refuse(what, given, expected):
            raise BuildError(
                "W7735",
                f"{self.name}: the {what} of '{name}' {'are' if what == 'strides' else 'is'} {given}, and the kernel was built for"
                f" {expected}",
            )

        self._check_place(name, getattr(value, "device", None))
        tensor = _Tensor(value)
        if parameter["dtype"] not in tensor.types:
            refuse("type", tensor.types[0] if tensor.types else tensor.given, parameter["dtype"])
        shape, strides = parameter["shape"], parameter["strides"]
        fits = len(shape) == len(tensor.shape) and all(n is None or n == m for n, m in zip(shape, tensor.shape))
        if not fits or any(n < 1 for n in tensor.shape):
            refuse("shape", _brackets(tensor.shape), _brackets(shape))
        lies = all(
            m is not None and m >= 0 and (n is None or n == m) or extent == 1
            for n, m, extent in zip(strides, tensor.strides, tensor.shape)
        )
        if not lies:
            refuse("strides", _brackets(tensor.strides), _brackets(strides))
        if tensor.address == 0 or tensor.address % parameter["alignment"] != 0:
            refuse("address", hex(tensor.address), f"a multiple of {parameter['alignment']}")
        return tensor

    def _check_place(self, name, device):
        """Of PyTorch's tensors, which say where they are."""
        kind, number = getattr(device, "type", "cuda"), getattr(device, "index", None)
        if kind != "cuda":
            raise BuildError("W7736", f"{self.name}: '{name}' lies in memory of {kind}, and kernels read that of a CUDA device")
        if isinstance(number, int) and number != self.device:
            raise BuildError(
                "W7736", f"{self.name}: '{name}' lies on CUDA device {number}, and the kernels were loaded on device {self.device}"
            )

    def _check(self, values):
        parameters = self.info["parameters"]
        checked = []
        for parameter, value in zip(parameters, values):
            if parameter["kind"] == "scalar":
                checked.append((value, _scalar_bytes(self.name, parameter, value)))
            elif _is_tensor(value):
                checked.append(self._check_tensor(parameter, value))
            else:
                names = ", ".join(p["name"] for p in parameters)
                raise BuildError(
                    "W7736",
                    f"{self.name} takes {len(parameters)} arguments ({names}), and {parameter['name']} is {value!r}: a tensor is"
                    " needed, with data_ptr() or __cuda_array_interface__",
                )
        return checked

    def _map_bytes(self, slot, tensor):
        info = slot["map"]
        dims, strides = list(info["dims"]), list(info["strides"])
        if slot["resized"]:
            dims, strides = self._resized(slot, tensor)
        rank = len(dims)
        room = ctypes.create_string_buffer(128 + 64)
        start = -ctypes.addressof(room) % 64
        target = ctypes.addressof(room) + start
        u64, u32, i32 = ctypes.c_uint64 * rank, ctypes.c_uint32 * rank, ctypes.c_int32
        head = [
            ctypes.c_void_p(target), i32(_MAP_TYPES[info["dtype"]]), ctypes.c_uint32(rank), ctypes.c_uint64(tensor.address),
            u64(*dims), u64(*strides, 0),
        ]
        tail = [
            i32(_INTERLEAVE[info["interleave"]]), i32(_SWIZZLE[info["swizzle"]]), i32(_PROMOTION[info["l2Promotion"]]),
            i32(1 if info["oobFill"] == "nan" else 0),
        ]
        steps = u32(*info["elementStrides"])
        if info["mode"] == "tiled":
            self.driver.call("cuTensorMapEncodeTiled", *head, u32(*info["box"]), steps, *tail)
        else:
            corner = i32 * (rank - 2)
            window = [corner(*info["lower"]), corner(*info["upper"])]
            counts = [ctypes.c_uint32(info["channels"]), ctypes.c_uint32(info["pixels"])]
            self.driver.call("cuTensorMapEncodeIm2col", *head, *window, *counts, steps, *tail)
        return ctypes.string_at(target, 128)

    def _resized(self, slot, tensor):
        """What the hardware is told of a tensor whose extents are the launch's: innermost first, strides in bytes."""
        info, name = slot["map"], self.info["parameters"][slot["of"]]["name"]
        size = _ELEMENT_BYTES[info["dtype"]]
        alignment = 32 if info["interleave"] == "32B" else 16
        strides = []
        for d, extent in enumerate(tensor.shape[:-1]):
            step = (tensor.strides[d] or 0) * size
            if extent == 1:
                step = -(-min(step, _MAX_STRIDE - 1024) // 32) * 32
            elif step % alignment != 0 or step >= _MAX_STRIDE:
                raise BuildError(
                    "W7735",
                    f"{self.name}: the strides of '{name}' are {_brackets(tensor.strides)}, and the kernel was built for rows that"
                    f" begin at multiples of {alignment} bytes",
                )
            strides.append(step)
        return list(reversed(tensor.shape)), list(reversed(strides))

    def _number(self, formula, values):
        if isinstance(formula, int):
            return formula
        if "op" in formula:
            a, b = (self._number(f, values) for f in formula["args"])
            op = formula["op"]
            quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1) if op in ("div", "rem") else 0
            return {
                "add": lambda: a + b, "sub": lambda: a - b, "mul": lambda: a * b, "div": lambda: quotient,
                "rem": lambda: a - quotient * b, "cdiv": lambda: -(-a // b), "min": lambda: min(a, b), "max": lambda: max(a, b),
            }[op]()
        value = values[formula["of"]]
        if "shape" in formula:
            return value.shape[formula["shape"]]
        return value.strides[formula["stride"]] if "stride" in formula else int(value[0])

    def _grid(self, given, values):
        if given is not None:
            grid = [given] if isinstance(given, int) else list(given)
        elif self.info["grid"] is None:
            raise BuildError("W7737", f"{self.name} has no grid: how many blocks it takes is not in its manifest; give grid=")
        else:
            grid = [self._number(formula, values) for formula in self.info["grid"]]
        grid = (grid + [1, 1, 1])[:3] if len(grid) <= 3 else grid
        good = len(grid) == 3 and all(isinstance(n, int) and 1 <= n <= most for n, most in zip(grid, _GRID_LIMITS))
        if not good or any(n % c != 0 for n, c in zip(grid, self.info["cluster"])):
            cluster = _brackets(self.info["cluster"])
            raise BuildError("W7737", f"{self.name}: the grid {_brackets(grid)} cannot be launched, with clusters of {cluster}")
        return grid

    def _parameter(self, slot, values):
        if slot["kind"] == "constant":
            return bytes.fromhex(slot["value"])
        value, kind = values[slot["of"]], slot["kind"]
        if kind == "scalar":
            return value[1]
        if kind == "address":
            return struct.pack("<Q", value.address)
        if kind == "map":
            return self._map_bytes(slot, value)
        number = (value.shape if kind == "shape" else value.strides)[slot["dimension"]] or 0
        if number > _MAX_I32:
            name = self.info["parameters"][slot["of"]]["name"]
            raise BuildError("W7735", f"{self.name}: the {kind} of '{name}' is {number}, and the kernel was built for at most 2147483647")
        return struct.pack("<i", number)

    def _key(self, given, grid, overlap_previous):
        """What a prepared launch is good for, and the addresses of the tensors. A type error where something cannot be a key."""
        key = [get_ident(), tuple(grid) if type(grid) is list else grid, overlap_previous]
        addresses = []
        for of in self.tensors:
            value = given[of]
            try:
                # A tensor of PyTorch says so with the fewest calls: this is most of what a launch costs.
                key += (value.shape, value.stride(), value.dtype, value.get_device())
                addresses.append(value.data_ptr())
            except AttributeError:
                address, layout = _layout(value)
                addresses.append(address)
                key.append(layout)
        for of in self.sizing:
            key.append(given[of])
        return tuple(key), addresses

    def _stream(self, given):
        """The stream of the first tensor whose library says one."""
        for of in self.tensors:
            stream = _current_stream(given[of])
            if stream is not None:
                return stream
        return 0

    def launch(self, given, stream, grid, overlap_previous):
        try:
            key, addresses = self._key(given, grid, overlap_previous)
            ready = self.ready.get(key)
        except TypeError:
            # Nothing that a launch takes, which the checks say, or shapes that are lists.
            ready = _Ready(self, given, grid, overlap_previous)
        else:
            if ready is None or not ready.takes(given, addresses):
                ready = _Ready(self, given, grid, overlap_previous)
                if len(self.ready) >= _MOST_READY:
                    self.ready.clear()
                self.ready[key] = ready
        ready.issue(_stream_handle(self._stream(given) if stream is None else stream))


class _Ready:
    """A launch whose arguments have been checked: its parameters lie where the driver reads them. One thread uses it."""

    def __init__(self, kernel, given, grid, overlap_previous):
        info = kernel.info
        values = kernel._check(given)
        if overlap_previous and not info["waitsForPrevious"]:
            raise BuildError("W7518", f"{kernel.name} never waits for the kernel before it: overlap_previous would let it run ahead")
        self.kernel, self.values, self.given = kernel, values, list(given)
        extents = kernel._grid(grid, values)
        # Each at a multiple of 64 bytes, as tensor maps need it.
        packed = [kernel._parameter(slot, values) for slot in info["slots"]]
        self.room = ctypes.create_string_buffer(sum(-(-len(p) // 64) * 64 for p in packed) + 64)
        place = ctypes.addressof(self.room) + -ctypes.addressof(self.room) % 64
        self.pointers = (ctypes.c_void_p * max(1, len(packed)))()
        self.places = []
        for i, part in enumerate(packed):
            ctypes.memmove(place, part, len(part))
            self.pointers[i] = place
            self.places.append(place)
            place += -(-len(part) // 64) * 64
        slots = list(enumerate(info["slots"]))
        self.tensors = [
            (of, info["parameters"][of]["alignment"], [(i, s) for i, s in slots if s["kind"] in ("address", "map") and s["of"] == of])
            for of in kernel.tensors
        ]
        self.addresses = [values[of].address for of in kernel.tensors]
        self.numbers = [(i, s["of"]) for i, s in slots if s["kind"] == "scalar"]
        self.maps = {}
        self._prepare(extents, bool(overlap_previous))

    def takes(self, given, addresses):
        """Puts other addresses and numbers in place; False where the checks have something to say."""
        if addresses != self.addresses and not self._move(addresses):
            return False
        for i, of in self.numbers:
            value = given[of]
            if value is self.given[of]:
                continue
            kernel = self.kernel
            part = _scalar_bytes(kernel.name, kernel.info["parameters"][of], value)
            ctypes.memmove(self.places[i], part, len(part))
            self.given[of] = value
        return True

    def _move(self, addresses):
        self.addresses = None
        for (of, alignment, slots), address in zip(self.tensors, addresses):
            tensor = self.values[of]
            if address == tensor.address:
                continue
            if address == 0 or address % alignment != 0:
                return False
            tensor.address = address
            for i, slot in slots:
                part = struct.pack("<Q", address) if slot["kind"] == "address" else self._map(i, slot, tensor)
                ctypes.memmove(self.places[i], part, len(part))
        self.addresses = addresses
        return True

    def _map(self, i, slot, tensor):
        key = (i, tensor.address)
        found = self.maps.get(key)
        if found is None:
            if len(self.maps) >= _MOST_MAPS:
                self.maps.clear()
            found = self.maps[key] = self.kernel._map_bytes(slot, tensor)
        return found

    def _prepare(self, grid, overlap):
        info = self.kernel.info
        cluster, shared = info["cluster"], info["sharedBytes"]
        clustered = cluster[0] * cluster[1] * cluster[2] > 1
        self.config = None
        self.arguments = (self.kernel.function, *grid, *info["block"], shared)
        if not clustered and not overlap and not info["cooperative"]:
            return
        wanted = []
        if clustered:
            wanted.append((4, *cluster))
        if overlap:
            wanted.append((6, 1, 0, 0))
        if info["cooperative"]:
            wanted.append((2, 1, 0, 0))
        # CUlaunchAttribute: its id, and from byte 8 its value of 64 bytes; CUlaunchConfig: extents, shared bytes, stream, attributes.
        self.attributes = ctypes.create_string_buffer(b"".join(struct.pack("<iIIII52x", i, 0, x, y, z) for i, x, y, z in wanted))
        config = struct.pack("<7I4xQQI4x", *grid, *info["block"], shared, 0, ctypes.addressof(self.attributes), len(wanted))
        self.config = ctypes.create_string_buffer(config, 56)
        self.stream = ctypes.c_uint64.from_buffer(self.config, 32)

    def issue(self, stream):
        driver = self.kernel.driver
        if self.config is None:
            name, code = "cuLaunchKernel", driver.launch(*self.arguments, stream, self.pointers, None)
        else:
            self.stream.value = stream
            name, code = "cuLaunchKernelEx", driver.launch_ex(self.config, self.kernel.function, self.pointers, None)
        if code != 0:
            raise BuildError(None, f"the driver refuses {name}: {driver.describe(code)}")


class _Build:
    """What is in the folder of a build, checked."""

    def __init__(self, folder):
        self.folder = folder
        path = os.path.join(folder, "manifest.json")

        def refuse(why):
            raise BuildError("W7730", f"The manifest {path} cannot be used: {why}")

        try:
            with open(path, "rb") as file:
                self.manifest = json.loads(file.read())
        except OSError as error:
            refuse(error.strerror)
        except ValueError:
            refuse("it is no JSON")
        if not isinstance(self.manifest, dict) or self.manifest.get("format") != "warpsmith-build":
            refuse("it is not of a build")
        version = self.manifest.get("version")
        if version != MANIFEST_VERSION:
            refuse(f"it has version {version}, and version {MANIFEST_VERSION} is read here")
        if self.manifest.get("id") != BUILD_ID:
            raise BuildError("W7734", f"The manifest {path} is of another build than the launcher that reads it")

    def code(self, info):
        return {kind: self._file(info[kind]) if info[kind] else None for kind in ("ptx", "cubin")}

    def _file(self, entry):
        path = os.path.join(self.folder, entry["file"])
        try:
            with open(path, "rb") as file:
                data = file.read()
        except OSError as error:
            raise BuildError("W7731", f"The file {path} of the build cannot be read: {error.strerror}") from None
        if hashlib.sha256(data).hexdigest() != entry["sha256"]:
            raise BuildError("W7732", f"The file {path} is not the one that was built: its hash is not the manifest's")
        return data


class _Context:
    """The context that the kernels live in: the current one, or the primary one of a device."""

    def __init__(self, driver, needed, device):
        self.driver = driver
        self.handle = ctypes.c_void_p()
        if device is None:
            driver.call("cuCtxGetCurrent", ctypes.byref(self.handle))
        if self.handle:
            number = driver.integer("cuCtxGetDevice")
        else:
            number = driver.integer("cuDeviceGet", ctypes.c_int(device or 0))
        version = driver.integer("cuDriverGetVersion")
        if version < needed["driver"]:
            oldest = f"{needed['driver'] // 1000}.{needed['driver'] % 1000 // 10}"
            given = f"{version // 1000}.{version % 1000 // 10}"
            raise BuildError("W7733", f"The kernels need a driver of CUDA {oldest}, and this one is of CUDA {given}")
        found = [driver.integer("cuDeviceGetAttribute", ctypes.c_int(which), ctypes.c_int(number)) for which in (75, 76)]
        if found != needed["computeCapability"]:
            name = ctypes.create_string_buffer(256)
            driver.call("cuDeviceGetName", name, ctypes.c_int(256), ctypes.c_int(number))
            wanted = ".".join(str(n) for n in needed["computeCapability"])
            raise BuildError(
                "W7733",
                f"The kernels were built for compute capability {wanted} ({needed['architecture']}, {needed['target']}), and"
                f" {name.value.decode()} has {found[0]}.{found[1]}",
            )
        self.device = number
        if not self.handle:
            self.handle = driver.handle("cuDevicePrimaryCtxRetain", ctypes.c_int(number))

    def is_current(self):
        here = ctypes.c_void_p()
        return self.driver.current(ctypes.byref(here)) == 0 and here.value == self.handle.value

    def __enter__(self):
        self.driver.call("cuCtxPushCurrent_v2", self.handle)

    def __exit__(self, *_):
        self.driver.call("cuCtxPopCurrent_v2", ctypes.byref(ctypes.c_void_p()))


class Kernels:
    """The kernels of this build on one device. Tensors are passed as they are; a launch returns before it has run.

    Of each kernel: `stream`: a handle, or an object of PyTorch or CuPy (default: that in which the tensors' library works at
    the moment, else the default stream); `grid`: blocks, required where the build has none; `overlap_previous`: let it start
    before the previous kernel of its stream ends.
    """

    def __init__(self, folder=None, device=None, **others):
        for name in others:
            raise BuildError("W2601", f"load() has no option '{name}'; it takes 'folder' and 'device'")
        number = device if device is None or isinstance(device, bool) else getattr(device, "__index__", lambda: True)()
        if isinstance(number, bool) or (number is not None and not 0 <= number < 2**31):
            raise BuildError("W7046", f"'device' of load() is the number of a CUDA device, from 0 on, not {device!r}")
        if folder is not None and not isinstance(folder, (str, os.PathLike)):
            raise BuildError("W7046", f"'folder' of load() is the path of a folder, not {folder!r}")
        build = _Build(os.path.dirname(os.path.abspath(__file__)) if folder is None else os.fspath(folder))
        self.manifest = build.manifest
        codes = {name: build.code(info) for name, info in self.manifest["kernels"].items()}
        driver = _Driver()
        self._context = _Context(driver, self.manifest["device"], number)
        with self._context:
            self._kernels = {
                name: _Kernel(driver, self._context.device, name, info, codes[name])
                for name, info in self.manifest["kernels"].items()
            }

    def _launch(self, name, given, stream, grid, overlap_previous):
        if self._context.is_current():
            self._kernels[name].launch(given, stream, grid, overlap_previous)
            return
        with self._context:
            self._kernels[name].launch(given, stream, grid, overlap_previous)

@KERNELS@

def load(folder=None, device=None, **others):
    """The kernels of a build: of this file's folder, on the device of the current CUDA context, else on device 0."""
    return Kernels(folder, device, **others)
