import { randomBytes } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isOffshootError } from '../../errors/offshoot-error.ts';
import type { Guest } from '../../guest/guest.ts';
import type { Image } from '../../guest/image/image.ts';
import { faultPoint } from '../../platform/fault-points.ts';
import type { Vmm, VmLaunch, VmRecord, VmShape, VmSnapshotFiles } from '../../vmm/vmm.ts';
import type { HostContext } from '../host-context.ts';
import { freshIdentity } from '../ids.ts';
import { coldBoot, type BootedMachine } from './cold-boot.ts';
import { ingredientsOf, linkArguments, templateKey } from './template-key.ts';
import { removeTemplate, templateFiles, writeManifest, type Template } from './template-store.ts';

const warmUpMs = 30_000;
const syncMs = 30_000;

/** The journal's owner of everything that belongs to a template. */
export function templateOwner(id: string): string {
  return `template:${id}`;
}

interface Build {
  id: string;
  owner: string;
  /** Only for the user number that goes with it. */
  slot: number;
  uid: number;
  directory: string;
  files: VmSnapshotFiles;
}

/** Boots an image once and freezes it into a template. */
export class TemplateMaker {
  readonly #host: HostContext;

  constructor(host: HostContext) {
    this.#host = host;
  }

  /** Throws `boot-failed` or `host-disk-full`; nothing of a failed making stays. */
  async make(image: Image, shape: VmShape, vmm: Vmm): Promise<Template> {
    const { network, store, clock, events } = this.#host;
    const build = this.#plan(image, shape, vmm);
    await faultPoint('template.journaled');
    try {
      await this.#makeFolders(build);
      const machine = await this.#boot(image, shape, vmm, build);
      await this.#freeze(machine, build);
      await faultPoint('template.before-manifest');
      const ingredients = ingredientsOf(image.manifest, shape, vmm.features.restoreKey, network.link);
      const { link: _link, ...facts } = ingredients;
      const identity = { id: build.id, key: templateKey(ingredients), image: image.manifest.name };
      const template = await writeManifest(build.files, { ...facts, ...identity }, clock.wallMs());
      await this.#sweep(build);
      store.transaction(() => {
        this.#eraseMaking(build);
        store.counters.add('templates_made', 1);
        events.append('template.made', { data: { templateId: build.id, image: image.manifest.name, shape } });
      });
      await faultPoint('template.made');
      return template;
    } catch (error) {
      await this.#undo(build);
      throw error;
    } finally {
      this.#host.slots.free(build.slot);
    }
  }

  #plan(image: Image, shape: VmShape, vmm: Vmm): Build {
    const { network, store, slots, config, paths } = this.#host;
    const key = templateKey(ingredientsOf(image.manifest, shape, vmm.features.restoreKey, network.link));
    // Each making has a folder of its own: sandboxes may still stand on an earlier one with the same key.
    const id = `${key}-${randomBytes(4).toString('hex')}`;
    const slot = slots.take();
    const build: Build = {
      id,
      owner: templateOwner(id),
      slot,
      uid: config.uidBase + slot,
      directory: join(paths.builds, id),
      files: templateFiles(join(paths.templates, id)),
    };
    store.transaction(() => {
      store.resources.record({ owner: build.owner, kind: 'template', name: id, detail: {} });
      store.resources.record({ owner: build.owner, kind: 'build-directory', name: id, detail: {} });
      store.resources.record({ owner: build.owner, kind: 'vm', name: build.directory, detail: {} });
    });
    return build;
  }

  async #makeFolders(build: Build): Promise<void> {
    for (const directory of [build.directory, build.files.directory]) {
      await mkdir(directory, { recursive: true, mode: 0o700 });
    }
  }

  /** Boots with one retry: a hang at boot is chance, two are a fault. */
  async #boot(image: Image, shape: VmShape, vmm: Vmm, build: Build): Promise<BootedMachine> {
    const launch = this.#launch(image, shape, build);
    const onRecord = (record: VmRecord) => {
      this.#host.store.resources.update(build.owner, 'vm', build.directory, { record });
    };
    try {
      return await coldBoot(this.#host, vmm, launch, onRecord);
    } catch (error) {
      if (!isOffshootError(error) || error.code !== 'boot-failed') throw error;
      this.#host.log.warn(
        { image: image.manifest.name, shape, error: error.message },
        'a boot failed; trying once more',
      );
      await vmm.destroy(build.directory, undefined);
      await rm(build.directory, { recursive: true, force: true });
      await rm(build.files.directory, { recursive: true, force: true });
      await this.#makeFolders(build);
      return coldBoot(this.#host, vmm, launch, onRecord);
    }
  }

  #launch(image: Image, shape: VmShape, build: Build): VmLaunch {
    const { files, kernelArguments } = image.manifest;
    const { link } = this.#host.network;
    const file = (name: string) => join(image.directory, name);
    return {
      directory: build.directory,
      shape,
      uid: build.uid,
      gid: this.#host.config.vmmGid,
      // The card must be there; it leads nowhere.
      network: { guestMac: link.guestMac, mtu: link.mtu },
      start: {
        kind: 'cold',
        kernel: file(files.kernel),
        initramfs: file(files.initramfs),
        kernelArguments: [...kernelArguments, ...linkArguments(link)],
        baseDisk: { path: file(files.rootDisk), format: files.rootDisk.endsWith('.qcow2') ? 'qcow2' : 'raw' },
        memoryFile: build.files.memory,
      },
    };
  }

  async #freeze({ vm, guest }: BootedMachine, build: Build): Promise<void> {
    try {
      await faultPoint('template.after-boot');
      await warmUp(guest, this.#host.network.link.gateway);
      await faultPoint('template.after-warm-up');
      await guest.sync(syncMs);
      guest.disconnect();
      await vm.freezeInto(build.files);
      await faultPoint('template.after-freeze');
    } catch (error) {
      guest.disconnect();
      await vm.kill();
      throw error;
    }
  }

  /** What was only needed for the making. */
  async #sweep(build: Build): Promise<void> {
    await this.#host.vmm.destroy(build.directory, undefined);
    await rm(build.directory, { recursive: true, force: true });
  }

  #eraseMaking(build: Build): void {
    const { resources } = this.#host.store;
    resources.erase(build.owner, 'vm', build.directory);
    resources.erase(build.owner, 'build-directory', build.id);
  }

  async #undo(build: Build): Promise<void> {
    try {
      await this.#sweep(build);
      await removeTemplate(build.files.directory);
      this.#host.store.resources.eraseAll(build.owner);
    } catch (error) {
      // The journal still has it: the next start of hostd removes it.
      this.#host.log.error({ error, templateId: build.id }, 'a half-made template could not be removed');
    }
  }
}

/** What builds begin with: read from disk once, so that no sandbox has to; those that an image lacks are passed over. */
const usualCommands = [
  'd=$(mktemp -d) && cd "$d"',
  'for c in "echo" "env" "cat /dev/null" "ls -l ." "mkdir a" "touch a/b" "cp a/b c" "mv c d" "ln -s d e" "rm -r a" "chmod 755 d" "uname -a" \\',
  '  "id" "date" "head -c 1 /dev/zero" "tail -n 1 d" "sed -n 1p d" "grep -c x d" "sort d" "wc d" "find ." "tar -cf f d" "tr a b" \\',
  '  "nproc" "sleep 0" "bash -c :" "git --version"; do',
  '  env $c',
  'done >/dev/null 2>&1 </dev/null',
  'cd / && rm -rf "$d"',
].join('\n');

/** What every sandbox does first pages in code, files and folders: let them be in the template. The identity is overwritten by each restore. */
async function warmUp(guest: Guest, nameserver: string): Promise<void> {
  await guest.prepareResume(freshIdentity('sbx_template', nameserver), warmUpMs);
  const discard = { write: () => Promise.resolve() };
  const common = { env: {}, cwd: '/workspace', user: 'root', stdin: false, timeoutMs: warmUpMs };
  for (const spec of [{ shell: usualCommands }, { argv: ['/bin/true'] }, { shell: 'true' }, { argv: ['/bin/true'] }]) {
    const exec = guest.exec({ ...common, ...spec }, discard);
    await exec.result;
    exec.close();
  }
}
