import { join } from 'node:path';

/** Where things are in the state directory. Folders on the way to a VMM's own can be passed (0711) but not listed. */
export interface StatePaths {
  root: string;
  sandboxes: string;
  templates: string;
  builds: string;
  /** Machines made ahead; they stay here when a sandbox takes them. */
  machines: string;
  /** What copies of sandboxes and paused ones stand on; folders by id. */
  checkpoints: string;
  /** Kept by name; folders by id. */
  snapshots: string;
}

export function statePaths(root: string): StatePaths {
  return {
    root,
    sandboxes: join(root, 'sandboxes'),
    templates: join(root, 'templates'),
    builds: join(root, 'builds'),
    machines: join(root, 'machines'),
    checkpoints: join(root, 'checkpoints'),
    snapshots: join(root, 'snapshots'),
  };
}

export interface SandboxPaths {
  directory: string;
  /** The VMM's: sockets, overlay, console. Gone with the machine. Elsewhere when the machine was made ahead: the journal knows. */
  vm: string;
  /** Default environment of execs, readable by root only; erased when the sandbox ends, which a database could not promise. */
  env: string;
  /** Outputs; kept with the tombstone. */
  execs: string;
}

export function sandboxPaths(state: StatePaths, sandboxId: string): SandboxPaths {
  const directory = join(state.sandboxes, sandboxId);
  return { directory, vm: join(directory, 'vm'), env: join(directory, 'env.json'), execs: join(directory, 'execs') };
}
