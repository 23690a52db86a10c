import { describe, expect, it } from "vitest";
import { Region } from "../../../../src/emulator/machine/memory.ts";
import { loadImage } from "../../../../src/emulator/program/image.ts";
import { loadProgram } from "../../../../src/emulator/program/program.ts";
import { ptxOf } from "../run-ptx.ts";

/** The opcodes of each segment of a body, where segments end so that others can come between two accesses. */
function segmentsOf(body: string): readonly string[] {
  const image = loadImage(ptxOf({ body: `BODY:\n${body}` }), "k.ptx", {
    allocate: (bytes) => new Region("global", 2 ** 40, bytes),
  });
  const { steps } = loadProgram(image, "k", "k", { watched: false, fine: true });
  const lists = steps.map((step) => (step.kind === "segment" ? step.instructions : [step.instruction]));
  return lists.map((list) => list.map((i) => i.opcode.form).join(" ")).slice(1);
}

describe("segments of a schedule that comes between accesses", () => {
  it.each([
    ["loads and stores", "ld.global.u32 %r1, [%in]; st.shared.u32 [%r2], %r1; add.u32 %r1, %r1, 1;", ["ld", "st", "add", "exit"]],
    [
      "atomics",
      "atom.global.add.u32 %r1, [%in], 1; atom.global.cas.b32 %r1, [%in], 1, 2; red.global.add.u32 [%in], 1;",
      ["atom", "atom.cas", "red", "exit"],
    ],
    ["what only the thread has", "ld.param.u64 %d1, [a]; ld.local.u32 %r1, [%d1]; add.u32 %r1, %r1, 1;", ["ld ld add", "exit"]],
    [
      "the stack of the thread",
      "stacksave.u64 %d1; alloca.u64 %d2, 16; stackrestore.u64 %d1; add.u32 %r1, %r1, 1;",
      ["stacksave alloca stackrestore add", "exit"],
    ],
  ])("%s", (_, body, expected) => expect(segmentsOf(body)).toEqual(expected));
});
