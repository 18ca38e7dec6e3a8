import { access, constants, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { runChecked, systemRunner } from '../../hostd/platform/run.ts';

/**
 * Programs of others that check workflows or run them, at fixed versions, each installed once into build/tools by its own ecosystem's
 * client: `go install`, pip, apt. Nothing is installed outside of this checkout.
 */

const folder = path.resolve(import.meta.dirname, '../../build/tools');
const installTimeoutMs = 1_200_000;

interface Tool {
  version: string;
  /** The program in the tool's folder. */
  program: string;
  /** What this machine needs to have for it, and how to get that. */
  needs: { test: readonly [string, ...string[]]; hint: string };
  install: (into: string) => Promise<unknown>;
}

const needsGo: Tool['needs'] = { test: ['go', 'version'], hint: 'Go is not installed (https://go.dev/doc/install)' };
const needsPip: Tool['needs'] = {
  test: ['python3', '-m', 'pip', '--version'],
  hint: 'pip is not installed (apt-get install python3-pip)',
};
const needsApt: Tool['needs'] = {
  test: ['apt-get', '--version'],
  hint: 'shellcheck is not installed (your system has a package of it)',
};

const tools = {
  act: {
    ...{ version: '0.2.89', program: 'act', needs: needsGo },
    install: (into) => goInstall(into, 'github.com/nektos/act@v0.2.89'),
  },
  actionlint: {
    ...{ version: '1.7.12', program: 'actionlint', needs: needsGo },
    install: (into) => goInstall(into, 'github.com/rhysd/actionlint/cmd/actionlint@v1.7.12'),
  },
  zizmor: {
    ...{ version: '1.32.0', program: 'bin/zizmor', needs: needsPip },
    install: (into) =>
      run('python3', [
        ...['-m', 'pip', 'install', '-q', '--no-deps', '--disable-pip-version-check', '--no-warn-script-location'],
        ...['--target', into, 'zizmor==1.32.0'],
      ]),
  },
  // of the distribution, so its version is the distribution's
  shellcheck: {
    ...{ version: 'apt', program: 'usr/bin/shellcheck', needs: needsApt },
    install: unpackShellcheck,
  },
} satisfies Record<string, Tool>;

export type ToolName = keyof typeof tools;

/** The path of a tool, which is installed first if need be: minutes for one in Go. Fails with what is missing and where to get it. */
export async function tool(name: ToolName): Promise<string> {
  const { version, program, install }: Tool = tools[name];
  const installed = path.join(folder, `${name}-${version}`);
  if (await isProgram(path.join(installed, program))) return path.join(installed, program);
  const missing = await whatIsMissing(name);
  if (missing !== undefined) throw new Error(`${name}: ${missing}`);
  await mkdir(folder, { recursive: true });
  const into = await mkdtemp(path.join(folder, `${name}-`));
  try {
    await install(into);
    // another run may have been quicker
    await rename(into, installed).catch(async (error: unknown) => {
      if (!(await isProgram(path.join(installed, program)))) throw error;
    });
  } finally {
    await rm(into, { recursive: true, force: true });
  }
  return path.join(installed, program);
}

/** Why a tool can be neither found nor installed here; undefined when it can. */
export async function whatIsMissing(name: ToolName): Promise<string | undefined> {
  const { version, program, needs }: Tool = tools[name];
  if (await isProgram(path.join(folder, `${name}-${version}`, program))) return undefined;
  const [command, ...args] = needs.test;
  const found = await systemRunner.run(command, args).catch(() => undefined);
  return found?.code === 0 ? undefined : needs.hint;
}

async function isProgram(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}

function run(command: string, args: readonly string[], env: Record<string, string> = {}, cwd = folder) {
  return runChecked(systemRunner, command, args, { timeoutMs: installTimeoutMs, env: { ...process.env, ...env }, cwd });
}

function goInstall(into: string, module: string): Promise<unknown> {
  return run('go', ['install', module], { GOBIN: into });
}

async function unpackShellcheck(into: string): Promise<void> {
  const download = () => run('apt-get', ['-q', 'download', 'shellcheck'], {}, into);
  await download().catch(async () => {
    await run('apt-get', ['-q', 'update']);
    await download();
  });
  await run('sh', ['-c', 'dpkg -x shellcheck_*.deb .'], {}, into);
}
