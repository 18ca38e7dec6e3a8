import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Runner } from '../runner.ts';

/** An action in the workspace whose main and post are the given programs. */
export async function writeAction(runner: Runner, folder: string, main: string, post = ''): Promise<string> {
  const into = path.join(runner.workspace, folder);
  await mkdir(into, { recursive: true });
  const inputs = 'inputs: { some-input: { default: fallback, required: true }, two words: { default: 7 } }';
  const runs = `runs: { using: node24, main: main.mjs${post === '' ? '' : ', post: post.mjs'} }`;
  await writeFile(path.join(into, 'action.yml'), `name: ${folder}\n${inputs}\n${runs}\n`);
  await writeFile(path.join(into, 'main.mjs'), `import fs from 'node:fs';\n${main}`);
  await writeFile(path.join(into, 'post.mjs'), `import fs from 'node:fs';\n${post}`);
  return folder;
}
