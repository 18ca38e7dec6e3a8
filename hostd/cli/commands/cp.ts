import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { Sandbox } from '../../client/sandbox.ts';
import { OffshootError } from '../../errors/offshoot-error.ts';
import { clientCommand, connectionOf, repeated, type CommonOptions } from '../common.ts';
import { printJson } from '../print.ts';

export function addCpCommand(parent: Command): void {
  clientCommand(
    parent,
    'cp <source> <target>',
    'copy files: ID:PATH names a path in a sandbox, - standard input or output',
  )
    .option('--exclude <glob>', 'leave this out of a folder; may be repeated', repeated)
    .action(async (source: string, target: string, options: CommonOptions & { exclude?: string[] }) => {
      const from = remotePath(source);
      const to = remotePath(target);
      if ((from === undefined) === (to === undefined)) {
        throw new OffshootError('usage', {
          message: 'cp copies into or out of one sandbox.',
          hint: 'offshoot sandbox cp ./src ID:/workspace, or offshoot sandbox cp ID:/workspace/out ./out',
        });
      }
      const exclude = options.exclude ?? [];
      if (to !== undefined) {
        const { files } = await Sandbox.connect(to.id, connectionOf(options));
        if (source === '-') await files.write(to.path, process.stdin);
        else await files.upload(source, to.path, { exclude });
      }
      if (from !== undefined) {
        const { files } = await Sandbox.connect(from.id, connectionOf(options));
        if (target === '-') await pipeline(await files.readStream(from.path), process.stdout, { end: false });
        else await files.download(from.path, target, { exclude });
      }
      if (options.json === true && target !== '-') printJson({ source, target });
    });
}

function remotePath(text: string): { id: string; path: string } | undefined {
  const match = /^(sbx_[^:/]+):(.*)$/s.exec(text);
  if (match?.[1] === undefined) return undefined;
  return { id: match[1], path: match[2] === undefined || match[2] === '' ? '/workspace' : match[2] };
}
