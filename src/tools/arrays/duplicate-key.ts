/** Where the text that begins with a quotation mark there ends: behind the closing one. */
function endOfString(text: string, begin: number): number {
  let at = begin + 1;
  while (text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at + 1;
}

/** The first key that an object of a text of JSON has twice: `JSON.parse` keeps the last of them, and says nothing. The text has been parsed. */
export function duplicateKey(text: string): string | undefined {
  /** Of each object that is open; undefined for a list. */
  const open: (Set<string> | undefined)[] = [];
  for (let at = 0; at < text.length; at++) {
    const token = text[at];
    if (token === "{" || token === "[") open.push(token === "{" ? new Set() : undefined);
    else if (token === "}" || token === "]") open.pop();
    else if (token === '"') {
      const end = endOfString(text, at);
      let next = end;
      while (/\s/.test(text[next] ?? "")) next++;
      if (text[next] === ":") {
        const key = JSON.parse(text.slice(at, end)) as string;
        const keys = open.at(-1);
        if (keys?.has(key)) return key;
        keys?.add(key);
      }
      at = end - 1;
    }
  }
  return undefined;
}
