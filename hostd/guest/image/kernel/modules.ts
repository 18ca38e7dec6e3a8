/** What a sandbox needs before its root disk is there, by module name; those that are built in or absent are skipped. */
export const earlyModules = [
  'virtio_mmio',
  'virtio_blk',
  'virtio_console',
  'virtio_net',
  'virtio_rng',
  'ext4',
  'crc32c_generic',
] as const;

/** depmod's `modules.dep`: path of each module, then the paths it needs, all relative to the version's folder. */
export function parseModulesDep(text: string): Map<string, string[]> {
  const modules = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const colon = line.indexOf(':');
    if (colon < 1) continue;
    modules.set(
      line.slice(0, colon),
      line
        .slice(colon + 1)
        .split(' ')
        .filter((path) => path !== ''),
    );
  }
  return modules;
}

/** `kernel/drivers/char/hw_random/virtio-rng.ko.xz` -> `virtio_rng`: the kernel takes - and _ for the same. */
export function moduleName(path: string): string {
  const file = path.slice(path.lastIndexOf('/') + 1);
  return file.replace(/\.ko(\.[a-z0-9]+)?$/, '').replaceAll('-', '_');
}

/** Paths of the wanted modules and all they need, each after what it needs. Names without a file are built in, or not in this kernel. */
export function loadOrder(dependencies: ReadonlyMap<string, readonly string[]>, wanted: readonly string[]): string[] {
  const byName = new Map([...dependencies.keys()].map((path) => [moduleName(path), path]));
  const ordered = new Set<string>();
  const visit = (path: string, above: readonly string[]) => {
    if (ordered.has(path)) return;
    if (above.includes(path)) throw new Error(`modules need each other: ${[...above, path].join(' -> ')}`);
    for (const needed of dependencies.get(path) ?? []) visit(needed, [...above, path]);
    ordered.add(path);
  };
  for (const name of wanted) {
    const path = byName.get(name);
    if (path !== undefined) visit(path, []);
  }
  return [...ordered];
}
