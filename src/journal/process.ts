/** A botctl on some machine. */
export type Process = { readonly host: string; readonly pid: number };
