import type { InheritedFile } from './launch-spec.ts';

/** Arguments of QEMU and the descriptors they name. */
export interface CommandLinePart {
  args: string[];
  files: InheritedFile[];
}

/** The value of `-add-fd` that makes an inherited descriptor openable. */
export function fdset(number: number): string {
  return `fd=${String(number)},set=${String(number)}`;
}

/** The path under which QEMU opens it. */
export function fdsetPath(number: number): string {
  return `/dev/fdset/${String(number)}`;
}
