/** A QEMU build: the whole text names it exactly, the numbers choose between forms of options. */
export interface QemuVersion {
  /** For example `7.2.22 (Debian 1:7.2+dfsg-7+deb12u18+b3)`. */
  text: string;
  major: number;
  minor: number;
}

/** Reads the first line of `qemu-system-x86_64 --version`; undefined when it is something else. */
export function parseQemuVersion(output: string): QemuVersion | undefined {
  const match = /^QEMU emulator version ((\d+)\.(\d+)\S*(?: \(.*\))?)/.exec(output);
  const [, text, major, minor] = match ?? [];
  if (text === undefined) return undefined;
  return { text, major: Number(major), minor: Number(minor) };
}

export function isAtLeast(version: QemuVersion, major: number, minor: number): boolean {
  return version.major > major || (version.major === major && version.minor >= minor);
}

/** From 8.2 a private mapping can be made of a file opened read-only (`readonly=on,rom=off`); before, QEMU opens it for writing. */
export function mapsReadOnlyMemoryFiles(version: QemuVersion): boolean {
  return isAtLeast(version, 8, 2);
}

/** From 9.1 a plain file under `-incoming fd:N` is deprecated for `file:/dev/fdset/N`. */
export function takesIncomingFile(version: QemuVersion): boolean {
  return isAtLeast(version, 9, 1);
}
