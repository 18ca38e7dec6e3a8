import { lstatSync, realpathSync } from 'node:fs';
import path from 'node:path';

/**
 * Folders of the runner that no artifact comes into, whatever the globs say: the workspace's own `.git` and `.github`, and every `.git` that was there before, since git runs
 * what is configured in them, and a later step may commit what is in the other.
 */
export class ClosedFolders {
  readonly #into: string;
  readonly #closed: Set<string>;
  readonly #wasThere = new Map<string, boolean>();

  /** Absolute; `into` exists. */
  constructor(workspace: string, into: string) {
    this.#into = real(into);
    const workspaces = [path.resolve(workspace), real(workspace)];
    this.#closed = new Set(
      workspaces.flatMap((folder) => ['.git', '.github'].map((name) => path.join(folder, name).toLowerCase())),
    );
  }

  /** Of a path beneath `into`. */
  has(name: string): boolean {
    const components = path.join(this.#into, name).split(path.sep);
    return components.some((component, index) => {
      const lower = component.toLowerCase();
      if (lower !== '.git' && lower !== '.github') return false;
      const folder = components.slice(0, index + 1).join(path.sep);
      return this.#closed.has(folder.toLowerCase()) || (lower === '.git' && this.#existed(folder));
    });
  }

  /** Before the first artifact came there. */
  #existed(folder: string): boolean {
    const known = this.#wasThere.get(folder);
    if (known !== undefined) return known;
    const isThere = lstatSync(folder, { throwIfNoEntry: false }) !== undefined;
    this.#wasThere.set(folder, isThere);
    return isThere;
  }
}

function real(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return path.resolve(folder);
  }
}
