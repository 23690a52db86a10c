import { expect, it } from "vitest";
import { linesBehind, outsideNote } from "../../../src/ptx/index.ts";

it("a note is found on the line before what it is about", () => {
  const comment = `// ${outsideNote.text}`;
  const text = [
    "ret;",
    `  ${comment}`,
    "  copy one;",
    "copy two;",
    `// not ${outsideNote.text}`,
    "copy three;",
    comment,
    "copy four;",
  ];
  expect([...linesBehind(outsideNote, text.join("\n"))]).toEqual([3, 8]);
  expect(linesBehind(outsideNote, "ret;\n").size).toBe(0);
});
