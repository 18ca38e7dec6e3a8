import { mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { runChecked } from '../../../platform/run.ts';
import { readModule } from '../kernel/decompress.ts';
import { earlyModules, loadOrder, moduleName, parseModulesDep } from '../kernel/modules.ts';
import { extractVmlinux, KernelFormatError } from '../kernel/vmlinux.ts';
import { downloadedKernels, kernelDownloads } from './bootstrap.ts';
import { runInRoot } from './contain.ts';
import { rootOf, stepTimeoutMs, type BuildContext } from './context.ts';
import { placeFolder } from './place.ts';

/** The guest's modules: /modules/*.ko and /modules.list, which names them in load order. */
export function earlyModulesDirectory(context: BuildContext): string {
  return path.join(context.workDirectory, 'early');
}

/** Unpacks the kernel: its modules into the root, the bootable file to `kernelFile`, the early modules beside. Gives its version. */
export async function installKernel(context: BuildContext, kernelFile: string): Promise<string> {
  const unpacked = path.join(kernelDownloads(context), 'unpacked');
  for (const deb of await downloadedKernels(context)) {
    await runChecked(context.runner, 'dpkg-deb', ['-x', deb, unpacked], { timeoutMs: stepTimeoutMs });
  }
  const version = await kernelVersion(unpacked);
  await writeBootable(context, path.join(unpacked, 'boot', `vmlinuz-${version}`), kernelFile);
  const modules = path.join(rootOf(context), 'usr/lib/modules');
  await placeFolder(rootOf(context), 'usr/lib/modules');
  await rename(await modulesOf(unpacked, version), path.join(modules, version));
  await runInRoot(context.runner, rootOf(context), `depmod ${version}`, { timeoutMs: stepTimeoutMs });
  await writeEarlyModules(path.join(modules, version), earlyModulesDirectory(context));
  await rm(unpacked, { recursive: true, force: true });
  return version;
}

async function kernelVersion(unpacked: string): Promise<string> {
  const names = await readdir(path.join(unpacked, 'boot')).catch(() => []);
  const version = names.find((name) => name.startsWith('vmlinuz-'))?.slice('vmlinuz-'.length);
  if (version === undefined || !/^[\w.+~-]+$/.test(version)) throw new Error('the kernel package holds no kernel');
  return version;
}

/** Unpacked it boots about 1.3 s sooner under emulation; where that can't be, the package's own file does. */
async function writeBootable(context: BuildContext, vmlinuz: string, kernelFile: string): Promise<void> {
  const image = await readFile(vmlinuz);
  try {
    await writeFile(kernelFile, await extractVmlinux(image));
  } catch (error) {
    if (!(error instanceof KernelFormatError)) throw error;
    context.onLine(`the kernel stays compressed: ${error.message}`);
    await writeFile(kernelFile, image);
  }
}

/** Packages made since the /usr merge have usr/lib/modules, those before lib/modules. */
async function modulesOf(unpacked: string, version: string): Promise<string> {
  for (const parent of ['usr/lib/modules', 'lib/modules']) {
    const directory = path.join(unpacked, parent, version);
    if ((await readdir(directory).catch(() => [])).length > 0) return directory;
  }
  throw new Error(`no modules for kernel ${version} in its packages`);
}

async function writeEarlyModules(modules: string, into: string): Promise<void> {
  const order = loadOrder(parseModulesDep(await readFile(path.join(modules, 'modules.dep'), 'utf8')), earlyModules);
  await mkdir(path.join(into, 'modules'), { recursive: true });
  const names: string[] = [];
  for (const relative of order) {
    const name = `/modules/${moduleName(relative)}.ko`;
    await writeFile(path.join(into, name), await readModule(path.join(modules, relative)));
    names.push(name);
  }
  await writeFile(path.join(into, 'modules.list'), names.map((name) => `${name}\n`).join(''));
}
