import { runChecked, type RunOptions, type RunResult, type Runner } from '../../../platform/run.ts';

/**
 * Runs a program with its own mount and process namespaces that die with it, and it with hostd: a build that is killed half way
 * leaves neither mounts nor package tools at work. Rejects like runChecked.
 */
export function runContained(
  runner: Runner,
  command: string,
  args: readonly string[],
  options?: RunOptions,
): Promise<RunResult> {
  return runChecked(runner, 'setpriv', [...containment, command, ...args], options);
}

const containment = [
  ...['--pdeathsig', 'KILL', '--'],
  ...['unshare', '--mount', '--pid', '--fork', '--kill-child=KILL', '--mount-proc', '--'],
  // whatever the umask of hostd: the guest's files are for all its users
  ...['/bin/sh', '-c', 'umask 022; exec "$@"', 'contained'],
];

const enterRoot = `
mount -t proc proc "$1/proc"
mount --rbind /dev "$1/dev"
exec chroot "$1" /usr/bin/env -i HOME=/root LC_ALL=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$2" /bin/sh -euc "$3"
`;

/** Runs shell text as root inside another root directory, with /proc and /dev there. */
export function runInRoot(
  runner: Runner,
  root: string,
  text: string,
  options: RunOptions & { variable?: string } = {},
): Promise<RunResult> {
  const { variable = 'OFFSHOOT_BUILD=1', ...rest } = options;
  return runContained(runner, '/bin/sh', ['-euc', enterRoot, 'enter', root, variable, text], rest);
}
