import { elementTypes } from "../element-types.ts";

const quoted = elementTypes.map((name) => `"${name}"`);

/** The element types that there are, as a fix names them. */
export const elementTypesText = `${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}`;
