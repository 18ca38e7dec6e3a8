import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { makeBundle } from '../../action/bundle/make-bundle.ts';

const checkout = path.join(import.meta.dirname, '../..');

/** The action as a runner has it: its metadata and its bundle, made from the sources as they are now, with no node_modules near. */
export async function actionCopy(): Promise<{ folder: string; [Symbol.asyncDispose](): Promise<void> }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'offshoot-action-'));
  await mkdir(path.join(folder, 'action'));
  await Promise.all([
    makeBundle(checkout, path.join(folder, 'action/dist')),
    cp(path.join(checkout, 'action.yml'), path.join(folder, 'action.yml')),
  ]);
  return {
    folder,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
