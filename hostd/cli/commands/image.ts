import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { HostClient } from '../../client/host-client.ts';
import type { BuildProgressLine } from '../../client/images.ts';
import { OffshootError } from '../../errors/offshoot-error.ts';
import { clientCommand, commaSeparated, connectionOf, repeated, type CommonOptions } from '../common.ts';
import { printJson, printJsonLine, shortDuration, table } from '../print.ts';

interface BuildOptions extends CommonOptions {
  recipe?: string;
  from?: string;
  include?: string[];
  caFile?: string[];
  hostCa?: true;
  hostPackageConfig?: true;
  rebuild?: true;
}

export function addImageCommands(program: Command): void {
  const parent = program.command('image').description('build and list images');
  addBuildCommand(parent);
  clientCommand(parent, 'list', 'list images').action(async (options: CommonOptions) => {
    await using host = new HostClient(connectionOf(options));
    const images = await host.images.list();
    if (options.json === true) {
      printJson({ images });
      return;
    }
    const rows = images.map((image) => [
      image.name,
      image.suite,
      image.kernelVersion,
      `${image.storedMiB.toFixed(0)} MiB`,
      String(image.templates.length),
      shortDuration((Date.now() - Date.parse(image.createdAt)) / 1000),
    ]);
    process.stdout.write(table(['NAME', 'SUITE', 'KERNEL', 'STORED', 'TEMPLATES', 'AGE'], rows));
  });
  clientCommand(parent, 'inspect <name>', 'show everything about an image').action(
    async (name: string, options: CommonOptions) => {
      await using host = new HostClient(connectionOf(options));
      printJson(await host.images.get(name));
    },
  );
  clientCommand(parent, 'rm <name>', 'remove an image and its templates').action(
    async (name: string, options: CommonOptions) => {
      await using host = new HostClient(connectionOf(options));
      await host.images.remove(name);
      if (options.json === true) printJson({ removed: name });
    },
  );
}

function addBuildCommand(parent: Command): void {
  clientCommand(parent, 'build <name>', 'build an image, or do nothing when it is up to date')
    .option('--recipe <recipe>', 'what to build (default: the recipe of that name, else "default")')
    .option('--from <suite>', 'another suite of the distribution, for example bookworm')
    .option('--include <package,...>', 'further packages; may be repeated', commaSeparated)
    .option('--ca-file <file>', 'trust the certificates of this PEM file; may be repeated', repeated)
    .option('--host-ca', 'trust what this host trusts')
    .option('--host-package-config', "use this host's pip, npm and apt configuration")
    .option('--rebuild', 'build even when nothing changed')
    .action(async (name: string, options: BuildOptions) => {
      await using host = new HostClient(connectionOf(options));
      const extraCaCertificates = await Promise.all((options.caFile ?? []).map(readPem));
      const image = await host.images.build(
        {
          name,
          extraCaCertificates,
          hostCaBundle: options.hostCa === true,
          hostPackageConfig: options.hostPackageConfig === true,
          rebuild: options.rebuild === true,
          ...(options.recipe === undefined ? {} : { recipe: options.recipe }),
          ...(options.from === undefined ? {} : { from: options.from }),
          ...(options.include === undefined ? {} : { include: options.include }),
        },
        options.json === true
          ? (progress) => {
              printJsonLine({ progress });
            }
          : progressPrinter(),
      );
      if (options.json === true) printJsonLine({ image });
      else process.stdout.write(`${image.name} ${image.digest}\n`);
    });
}

/** Steps on lines of their own with the elapsed time; on a terminal the last log line is shown beneath and replaced. */
export function progressPrinter(
  stream: Pick<NodeJS.WriteStream, 'write' | 'isTTY' | 'columns'> = process.stderr,
): (progress: BuildProgressLine) => void {
  const startedMs = performance.now();
  let step = '';
  const clear = stream.isTTY ? '\r\u001b[K' : '';
  return (progress) => {
    const elapsed = shortDuration((performance.now() - startedMs) / 1000).padStart(4);
    if (progress.step !== step) {
      step = progress.step;
      const current = Math.min(progress.done + 1, progress.total);
      stream.write(`${clear}[${String(current)}/${String(progress.total)}] ${elapsed}  ${step}\n`);
    }
    if (progress.line !== undefined && stream.isTTY) {
      stream.write(`${clear}       ${progress.line.slice(0, Math.max(20, (stream.columns || 80) - 8))}`);
    }
  };
}

async function readPem(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: unknown) => {
    throw new OffshootError('local-file-error', { message: `${file} can not be read.`, cause: error });
  });
}
