/** How the launcher opens a file for the VMM, which finds it as descriptor `number`. `console` is the pipe into the bounded log. */
export interface InheritedFile {
  kind: 'listen' | 'tap' | 'read' | 'read-write' | 'console';
  number: number;
  /** A path; a plain name for `listen`; an interface for `tap`; nothing for `console`. */
  target: string;
}

/** What a launcher is told; native/launcher/spec.h is its other side. */
export interface LaunchSpec {
  uid: number;
  gid: number;
  /** Supplementary groups: none, but for the one that may open /dev/kvm. */
  groups: readonly number[];
  /** Absent: a new, empty network namespace. */
  netnsPath?: string;
  files: readonly InheritedFile[];
  limits: Readonly<Partial<Record<'core' | 'nofile' | 'fsize' | 'memlock', number>>>;
  program: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
}

/** The text of `launch.spec`: `key=value` records, each ended by NUL. Throws when a value holds a NUL, which could smuggle a record in. */
export function encodeLaunchSpec(spec: LaunchSpec): string {
  const records = [
    ['uid', String(spec.uid)],
    ['gid', String(spec.gid)],
    ...spec.groups.map((group) => ['group', String(group)]),
    ...(spec.netnsPath === undefined ? [] : [['netns', spec.netnsPath]]),
    ...spec.files.map((file) => [file.kind, `${String(file.number)}:${file.target}`]),
    ...Object.entries(spec.limits).map(([name, value]) => ['limit', `${name}:${String(value)}`]),
    ...Object.entries(spec.env).map(([name, value]) => ['env', `${name}=${value}`]),
    ...[spec.program, ...spec.args].map((word) => ['arg', word]),
  ];
  return records
    .map(([key = '', value = '']) => {
      if (value.includes('\0')) throw new TypeError(`launch spec: ${key} holds a NUL byte`);
      return `${key}=${value}\0`;
    })
    .join('');
}
