const maxShown = 200;

/** A path of an archive relative to its root (then not empty), or what is wrong with it. */
export function cleanPath(entry: { name: string; nameIsText: boolean }): { name: string } | { problem: string } {
  if (!entry.nameIsText) return { problem: 'has a name that is not UTF-8' };
  if (entry.name.includes('\0')) return { problem: 'has a NUL in its name' };
  if (entry.name.startsWith('/')) return { problem: 'is an absolute name' };
  const components = entry.name.split('/').filter((component) => component !== '' && component !== '.');
  if (components.includes('..')) return { problem: 'leaves the folder' };
  return { name: components.join('/') };
}

/**
 * What is wrong with a symbolic link of this name to this target, if anything. Only `..` at the beginning are allowed, no more than the link is deep:
 * from a real folder these can't leave, and neither can what follows, whatever other links of this kind are on the way.
 */
export function linkProblem(name: string, target: string): string | undefined {
  if (target === '' || target.includes('\0')) return 'is a link to nothing';
  if (target.startsWith('/')) return 'is a link to an absolute path';
  const components = target.split('/').filter((component) => component !== '' && component !== '.');
  const upwards = components.findIndex((component) => component !== '..');
  const ups = upwards === -1 ? components.length : upwards;
  if (ups > name.split('/').length - 1) return 'is a link out of the folder';
  if (components.slice(ups).includes('..')) return 'is a link that goes down and up again';
  return undefined;
}

/** A name that a guest chose, for a message: in quotes, without control characters, not too long. */
export function shown(name: string): string {
  const short = name.length > maxShown ? `${name.slice(0, maxShown)}…` : name;
  return JSON.stringify(short).replaceAll(/[\u007f-\u009f\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
