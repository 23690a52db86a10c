"""Writes each launch of a Triton kernel down as a case: its PTX, its launch, the bytes of its memory before and after.

A case is a folder as test/foreign/make.ts makes them. What Triton passes to a kernel is read off the compiled kernel: `src.signature`
and `metadata` say which arguments are parameters of the PTX (constants are not), a tensor descriptor is a tensor map followed by its
shape and strides, and two pointers to scratch memory end the list.
"""

import gc
import json
import re
import struct
from pathlib import Path

import torch
from triton.compiler.compiler import CompiledKernel

# CUtensorMapDataType
MAP_TYPES = ["u8", "u16", "u32", "i32", "u64", "i64", "f16", "f32", "f64", "bf16", "f32", "tf32", "tf32"]
SWIZZLES = ["none", "32B", "64B", "128B"]
TENSOR_TYPES = {
    "float64": "f64", "float32": "f32", "float16": "f16", "bfloat16": "bf16", "float8_e4m3fn": "e4m3", "float8_e5m2": "e5m2",
    "int64": "i64", "int32": "i32", "int16": "i16", "int8": "i8", "uint8": "u8", "bool": "u8",
}  # yapf: disable
INTEGERS = {
    "i1": "u8", "u1": "u8", "i8": "i8", "u8": "u8", "i16": "i16", "u16": "u16", "i32": "i32", "u32": "u32", "i64": "i64",
    "u64": "u64",
}  # yapf: disable
FLOATS = {"fp16": ("f16", "<e"), "fp32": ("f32", "<f"), "f32": ("f32", "<f"), "fp64": ("f64", "<d")}


def scalar(kind, value):
    """A number as `warpsmith emulate` takes it; floats by their bits."""
    if kind in INTEGERS:
        return f"{INTEGERS[kind]}:{int(value)}"
    if kind == "bf16":
        return f"bf16:0x{struct.unpack('<I', struct.pack('<f', value))[0] >> 16:x}"
    name, code = FLOATS[kind]
    return f"{name}:0x{int.from_bytes(struct.pack(code, value), 'little'):x}"


def extents(numbers):
    return "x".join(str(int(n)) for n in numbers)


class Memory:
    """The buffers that a launch can reach, by the address of their storage."""

    def __init__(self):
        self.buffers = {}
        self.extra = []

    def place(self, tensor):
        """The text for where a tensor begins."""
        storage = tensor.untyped_storage()
        name = self.buffers.setdefault(storage.data_ptr(), (f"b{len(self.buffers)}", tensor, storage))[0]
        offset = tensor.data_ptr() - storage.data_ptr()
        return f"@{name}" + (f"+{offset}" if offset else "")

    def follow(self):
        """Buffers of addresses, as grouped kernels take them: gives their contents as text, by name."""
        live = [t for t in gc.get_objects() if issubclass(type(t), torch.Tensor) and t.is_cuda and t.numel() > 0]
        by_address = {t.data_ptr(): t for t in live}
        found = {}
        for name, tensor, _ in list(self.buffers.values()):
            if tensor.dtype is not torch.int64 or tensor.numel() > 64:
                continue
            targets = [by_address.get(a) for a in tensor.flatten().tolist()]
            if targets and all(t is not None for t in targets):
                found[name] = "+".join(self.place(t) for t in targets).replace("+@", ",@")
        return found

    def bytes(self):
        torch.cuda.synchronize()
        taken = {}
        for name, _, storage in self.buffers.values():
            taken[name] = bytes(torch.tensor([], dtype=torch.uint8, device="cuda").set_(storage).cpu().numpy())
        return taken


def flatten(kinds, args):
    for kind, arg in zip(kinds, args):
        if isinstance(kind, tuple):
            yield from flatten(kind, arg)
        else:
            yield kind, arg


def parameters(kernel, args, memory):
    """The text of each parameter of the PTX but the scratch pointers."""
    texts = []
    maps = list(getattr(kernel.metadata, "tensordesc_meta", None) or [])
    for kind, arg in flatten(kernel.src.signature.values(), args):
        if kind == "constexpr":
            continue
        if kind.startswith("*"):
            texts.append("u64:0" if arg is None else memory.place(arg))
        elif kind.startswith("tensordesc"):
            texts += descriptor(arg, maps.pop(0) if maps else None, memory)
        else:
            texts.append(scalar(kind, arg))
    return texts


def descriptor(arg, meta, memory):
    sizes = [f"i32:{n}" for n in arg.shape] + [f"i64:{n}" for n in arg.strides]
    if meta is None:
        raise NotImplementedError("a tensor descriptor that is no tensor map")
    dtype = MAP_TYPES[meta["elem_type"] if meta["elem_type"] < 8 else {8: 10, 9: 8, 10: 9}.get(meta["elem_type"], meta["elem_type"])]
    oob = "nan" if arg.padding == "nan" else "zero"
    text = (f"tma:{memory.place(arg.base)}:{dtype}[{extents(arg.shape)}]:strides={extents(arg.strides)}"
            f":box={extents(meta['block_size'])}:swizzle={SWIZZLES[meta['swizzle']]}:l2=128B:oob={oob}")
    return [text, *sizes]


def scratch(launcher, programs, memory):
    """Memory that the runtime lends to every program."""
    texts = []
    for which in ("global_scratch_size", "profile_scratch_size"):
        size = getattr(launcher, which, 0)
        name = f"scratch{len(memory.extra)}"
        if size > 0:
            memory.extra.append(f"{name}=u8[{size * programs}]:zeros")
        texts.append(f"@{name}" if size > 0 else "u64:0")
    return texts


class Recorder:
    """Writes cases while it is in force. `case` names what is launched; None records nothing."""

    def __init__(self, out):
        self.out = Path(out)
        self.case = None
        self.source = ""
        self.allowance = None
        self.seen = set()
        self.written = []

    def start(self, case, source, allowance):
        self.case, self.source, self.allowance = case, source, allowance
        self.seen = set()

    def install(self):
        original, recorder = CompiledKernel._init_handles, self

        def init_handles(kernel):
            known = kernel._run
            original(kernel)
            if kernel._run is not known:
                kernel._run = recorder.wrap(kernel, kernel._run)

        CompiledKernel._init_handles = init_handles

    def wrap(self, kernel, launcher):

        def run(x, y, z, stream, function, packed, metadata, enter, leave, *args):
            launch = lambda: launcher(x, y, z, stream, function, packed, metadata, enter, leave, *args)
            if self.case is None or kernel.hash in self.seen:
                return launch()
            self.seen.add(kernel.hash)
            self.record(kernel, launcher, (x, y, z), args, launch)

        return run

    def record(self, kernel, launcher, grid, args, launch):
        memory = Memory()
        ctas = getattr(kernel.metadata, "num_ctas", 1)
        texts = parameters(kernel, args, memory)
        texts += scratch(launcher, grid[0] * grid[1] * grid[2] * ctas, memory)
        ptx = kernel.asm["ptx"]
        header = ptx[ptx.index(".entry"):].split(")", 1)[0]
        # Older versions pass fewer pointers to scratch memory.
        texts = texts[:header.count(".param")]
        addresses = memory.follow()
        before = memory.bytes()
        launch()
        after = memory.bytes()
        name = self.case if len(self.seen) == 1 else f"{self.case}-{len(self.seen)}"
        folder = self.out / name
        (folder / "triton").mkdir(parents=True, exist_ok=True)
        (folder / "kernel.ptx").write_text(ptx)
        buffers, changed = self.buffers(folder, memory, addresses, before, after)
        threads = re.search(r"\.reqntid\s+(\d+)", ptx)
        case = {
            "name": name, "source": self.source, "entry": kernel.metadata.name, "grid": [int(grid[0]) * ctas, int(grid[1]), int(grid[2])],
            "block": [int(threads.group(1)) if threads else 32 * kernel.metadata.num_warps], "cluster": [ctas],
            "smem": kernel.metadata.shared, "buffers": buffers, "args": texts,
            "allowances": {b: self.allowance for b in changed} if self.allowance else {},
        }  # yapf: disable
        (folder / "launch.json").write_text(json.dumps(case, indent=2) + "\n")
        self.written.append(name)
        print(f"{name}: {kernel.metadata.name}, {len(texts)} parameters, {sum(map(len, before.values()))} bytes", flush=True)

    def buffers(self, folder, memory, addresses, before, after):
        """Declares every buffer; those that the launch changed are results, with Triton's bytes beside."""
        texts, changed = list(memory.extra), []
        for name, tensor, _ in memory.buffers.values():
            dtype = TENSOR_TYPES[str(tensor.dtype).split(".")[1]]
            count = len(before[name]) // tensor.element_size()
            if name in addresses:
                texts.append(f"{name}=u64[{count}]:addresses={addresses[name]}")
                continue
            out = before[name] != after[name]
            (folder / f"{name}.bin").write_bytes(before[name])
            texts.append(f"{name}={dtype}[{count}]:file={name}.bin{':out' if out else ''}")
            if out:
                (folder / "triton" / f"{name}.bin").write_bytes(after[name])
                changed.append(name)
        return texts, changed
