/** Bundled code lies flat in it. */
export const distFolder = import.meta.dirname;
