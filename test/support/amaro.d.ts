/** Node's own type stripping as a package: it comes without types. */
declare module "amaro" {
  export function transformSync(
    text: string,
    options: { readonly mode: "strip-only" | "transform"; readonly filename?: string },
  ): { readonly code: string };
}
