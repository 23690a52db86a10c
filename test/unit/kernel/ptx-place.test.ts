// From a line of a kernel's PTX to the author's, where there is its text alone: a kernel that was kept on disk and would be another one today.
import { describe, expect, it } from "vitest";
import { placeInPtx } from "../../../src/kernel/ptx-place.ts";

const text = (file: string): string => `.version 8.0
.target sm_90a
.address_size 64

.visible .entry k(
  .param .b64 x
)
{
  .reg .pred %p<1>;
  .reg .b32 %r<2>;

  mov.b32 %r0, 0;
  .loc 2 7 3
  // about what follows
  setp.eq.b32 %p0, %r0, 1;
  @!%p0 mov.b32 %r1, %r0;
$end:
  .loc 1 9 5
  ret;
}

.file 1 "main.ts"
.file 2 "${file}"
`;

const at = (line: number, file = "helper.ts") =>
  placeInPtx(
    {
      ptx: text(file),
      entry: "k",
      artifact: () => {
        throw new Error("another kernel");
      },
    },
    line,
  );

describe("the place of a line of PTX", () => {
  it("is that of the last .loc before it, in the file that it numbers", () => {
    const span = { file: "helper.ts", line: 7, column: 3, length: 1 };
    expect(at(15)).toEqual({ instruction: "setp.eq.b32", spans: [span] });
    expect(at(16)).toEqual({ instruction: "mov.b32", spans: [span] });
    expect(at(19)).toEqual({ instruction: "ret", spans: [{ file: "main.ts", line: 9, column: 5, length: 1 }] });
  });

  it("has the file's name as it is, whatever stands in it", () => {
    expect(at(15, String.raw`C:\\a \"b\".ts`)?.spans[0]?.file).toBe(String.raw`C:\a "b".ts`);
  });

  it.each([
    ["an instruction before any .loc", 12],
    ["a .loc", 13],
    ["a comment", 14],
    ["a label", 17],
    ["a .file", 22],
    ["no line", 99],
  ])("%s has none", (_, line) => expect(at(line)).toBeUndefined());
});
