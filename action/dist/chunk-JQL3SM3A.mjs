import { createRequire as createBundleRequire } from 'node:module';
const require = createBundleRequire(import.meta.url);
import {
  agentProtocolVersion,
  digestOf,
  extraBundle,
  guestBundle,
  missingCertificates,
  parseLenient,
  planBuild,
  readAgentBinary,
  readHostConfig,
  recipeDigestFrom,
  recipeDigestOf,
  renderAptForHost,
  renderDeb822,
  withoutCredentials
} from "./chunk-CXWLUTKE.mjs";
import {
  formatIpv4,
  formatIpv4Network,
  networkContains,
  networkSize,
  networksOverlap,
  parseIpv4,
  parseIpv4Network
} from "./chunk-UIMXNFRT.mjs";
import {
  installation
} from "./chunk-ZKOMBEYM.mjs";
import {
  countedSet,
  cutSet,
  lastingSets,
  loadRules,
  openDnsForwarder,
  outcomes,
  pinnedHostsSet,
  pinnedSet,
  rulesAnew,
  transports
} from "./chunk-275IQGQZ.mjs";
import {
  CommandError,
  runChecked,
  systemRunner
} from "./chunk-CIXUOV6D.mjs";
import {
  OffshootError,
  isOffshootError
} from "./chunk-XULKPRVQ.mjs";
import {
  InTurn,
  addressBits,
  closedRanges,
  embeddingNetworks,
  formatAddress,
  gateFolder,
  healthSchema,
  helperFiles,
  helperRoles,
  maxControlLineBytes,
  networkContains as networkContains2,
  ownRanges,
  parseLine,
  parseNetwork,
  pinDocumentSchema,
  policyAckSchema,
  protocolVersion,
  proxiedPorts,
  proxyListenSchema,
  readLines,
  refuseOlder,
  reportPageSchema,
  writeLine
} from "./chunk-DU43L6NR.mjs";
import {
  hostBootId,
  identifyProcess,
  isAlive,
  processIdentitySchema,
  signalProcess
} from "./chunk-LTHL2XHT.mjs";
import {
  external_exports
} from "./chunk-RXM3SW5I.mjs";

// hostd/vmm/qemu/open-qemu-vmm.ts
import { readFile as readFile7 } from "node:fs/promises";
import { join as join17 } from "node:path";

// hostd/vmm/qemu/command-line-part.ts
function fdset(number) {
  return `fd=${String(number)},set=${String(number)}`;
}
function fdsetPath(number) {
  return `/dev/fdset/${String(number)}`;
}

// hostd/vmm/qemu/disk-chain.ts
var firstLayerDescriptor = 20;
function diskChain(overlay, layers) {
  const nodes = layers.map((layer, index) => ({ ...layer, number: firstLayerDescriptor + index }));
  const args = nodes.toReversed().flatMap((layer, index, all) => {
    const { node, format, number } = layer;
    const options = blockNode({
      node,
      format,
      filename: fdsetPath(number),
      readOnly: true,
      backing: all[index - 1]?.node ?? null
    });
    return ["-add-fd", fdset(number), "-blockdev", JSON.stringify(options)];
  });
  const top = overlayNode(overlay, nodes[0]?.node ?? null);
  args.push("-blockdev", JSON.stringify(top), "-device", `virtio-blk-device,drive=${overlay.node}`);
  const files = nodes.map(({ number, path: path18 }) => ({ kind: "read", number, target: path18 }));
  return { args, files };
}
function overlayNode(overlay, backing) {
  return blockNode({ node: overlay.node, format: "qcow2", filename: overlay.file, readOnly: false, backing });
}
function blockNode({ node, format, filename, readOnly, backing }) {
  return {
    "node-name": node,
    driver: format,
    "read-only": readOnly,
    discard: "unmap",
    cache: { "no-flush": true },
    ...format === "raw" ? {} : { backing },
    file: { driver: "file", filename, discard: "unmap", cache: { "no-flush": true } }
  };
}

// hostd/vmm/qemu/machine-files.ts
import { join } from "node:path";
var machineFiles = {
  spec: "launch.spec",
  launcherPid: "launcher.pid",
  vmmPid: "vmm.pid",
  exit: "exit.json",
  qmpSocket: "qmp.sock",
  agentSocket: "agent.sock",
  /** What the driver has to know of the machine, whichever hostd asks; see machine-record.ts. */
  record: "machine.json",
  /** Copied for each new overlay. */
  overlaySeed: "seed.qcow2",
  /** The empty memory image of a machine that was booted cold. */
  memory: "memory",
  /** That of a machine that was booted cold, when the image's own is no whole number of pages. */
  initramfs: "initramfs",
  /** Where the VMM writes device state; empty until then, and the VMM's own, because it can make no file here. */
  devices: "devices.state",
  console: { head: "console.log", tail: "console.tail.log", older: "console.older.log" },
  vmmLog: { head: "vmm.log", tail: "vmm.tail.log", older: "vmm.older.log" }
};
function overlayFile(number) {
  return `overlay-${String(number)}.qcow2`;
}
function layerFile(fromBottom, format) {
  return `layer-${String(fromBottom)}.${format}`;
}
function agentSocketPath(directory) {
  return join(directory, machineFiles.agentSocket);
}
function qmpSocketPath(directory) {
  return join(directory, machineFiles.qmpSocket);
}

// hostd/vmm/qemu/qemu-version.ts
function parseQemuVersion(output2) {
  const match = /^QEMU emulator version ((\d+)\.(\d+)\S*(?: \(.*\))?)/.exec(output2);
  const [, text, major, minor] = match ?? [];
  if (text === void 0) return void 0;
  return { text, major: Number(major), minor: Number(minor) };
}
function isAtLeast(version, major, minor) {
  return version.major > major || version.major === major && version.minor >= minor;
}
function mapsReadOnlyMemoryFiles(version) {
  return isAtLeast(version, 8, 2);
}
function takesIncomingFile(version) {
  return isAtLeast(version, 9, 1);
}

// hostd/vmm/qemu/command-line.ts
var machineType = "microvm";
var machineOptions = `${machineType},acpi=on,pit=on,pic=on,rtc=on,pcie=off,usb=off,mem-merge=off,suppress-vmdesc=on,memory-backend=memory`;
var sandboxOptions = "on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny";
var translationBufferMiB = 64;
var commandLineVersion = 4;
var memoryDescriptor = 15;
var numbers = {
  qmp: 10,
  agent: 11,
  tap: 12,
  console: 13,
  memory: memoryDescriptor,
  devices: 16,
  kernel: 17,
  initramfs: 18
};
function qemuCommandLine(profile, plan) {
  const parts = [
    basics(profile, plan),
    channels(),
    link(plan),
    diskChain(plan.overlay, plan.layers),
    memory(profile, plan),
    boot(profile, plan)
  ];
  return { args: parts.flatMap((part) => part.args), files: parts.flatMap((part) => part.files) };
}
function basics(profile, { shape }) {
  const threads = shape.cpus > 1 ? ",thread=multi" : "";
  const accel = profile.accelerator === "kvm" ? "kvm" : `tcg,tb-size=${String(translationBufferMiB)}${threads}`;
  const args = [
    ...["-M", machineOptions, "-accel", accel, "-cpu", profile.cpuModel],
    ...["-smp", String(shape.cpus), "-m", `${String(shape.memoryMiB)}M`],
    ...["-nodefaults", "-no-user-config", "-display", "none", "-no-reboot", "-sandbox", sandboxOptions],
    ...["-global", "migration.send-configuration=off", "-device", "virtio-rng-device"]
  ];
  return { args, files: [] };
}
function channels() {
  const listening = (id, number) => `socket,id=${id},fd=${String(number)},server=on,wait=off`;
  const args = [
    ...["-chardev", listening("qmp", numbers.qmp), "-mon", "chardev=qmp,mode=control"],
    ...["-chardev", listening("agent", numbers.agent), "-device", "virtio-serial-device,max_ports=2"],
    ...["-device", "virtserialport,chardev=agent,name=offshoot.agent"],
    ...["-add-fd", fdset(numbers.console), "-chardev", `file,id=console,append=on,path=${fdsetPath(numbers.console)}`],
    ...["-serial", "chardev:console"]
  ];
  const files = [
    { kind: "listen", number: numbers.qmp, target: machineFiles.qmpSocket },
    { kind: "listen", number: numbers.agent, target: machineFiles.agentSocket },
    { kind: "console", number: numbers.console, target: "" }
  ];
  return { args, files };
}
function link({ link: card }) {
  if (card === void 0) return { args: [], files: [] };
  const device = `virtio-net-device,netdev=link,mac=${card.guestMac},host_mtu=${String(card.mtu)},guest_announce=off`;
  return {
    args: ["-netdev", `tap,id=link,fd=${String(numbers.tap)}`, "-device", device],
    files: [{ kind: "tap", number: numbers.tap, target: card.tapName }]
  };
}
function memory(profile, plan) {
  const size = `id=memory,size=${String(plan.shape.memoryMiB)}M,merge=off`;
  const path18 = `mem-path=/proc/self/fd/${String(numbers.memory)}`;
  switch (plan.memory.kind) {
    case "written-through":
      return {
        args: ["-object", `memory-backend-file,${size},${path18},share=on`],
        files: [{ kind: "read-write", number: numbers.memory, target: plan.memory.path }]
      };
    case "private-copy": {
      const access6 = mapsReadOnlyMemoryFiles(profile.version) ? ",readonly=on,rom=off" : "";
      return {
        args: ["-object", `memory-backend-file,${size},${path18},share=off${access6}`],
        files: [{ kind: "read", number: numbers.memory, target: plan.memory.path }]
      };
    }
  }
}
function boot(profile, { boot: how }) {
  if (how.kind === "restore") {
    const openable = takesIncomingFile(profile.version) ? ["-add-fd", fdset(numbers.devices)] : [];
    const args2 = [...openable, "-incoming", how.deferred ? "defer" : incomingUri(profile.version)];
    return { args: args2, files: [{ kind: "read", number: numbers.devices, target: how.devices }] };
  }
  const args = [
    "-kernel",
    `/proc/self/fd/${String(numbers.kernel)}`,
    "-initrd",
    `/proc/self/fd/${String(numbers.initramfs)}`
  ];
  args.push("-append", [...kernelArguments(profile), ...how.kernelArguments].join(" "));
  return {
    args,
    files: [
      { kind: "read", number: numbers.kernel, target: how.kernel },
      { kind: "read", number: numbers.initramfs, target: how.initramfs }
    ]
  };
}
function incomingUri(version) {
  return takesIncomingFile(version) ? `file:${fdsetPath(numbers.devices)}` : `fd:${String(numbers.devices)}`;
}
function kernelArguments(profile) {
  return [
    "console=ttyS0",
    "quiet",
    "reboot=t",
    "panic=-1",
    ...profile.accelerator === "tcg" ? emulatedArguments(profile) : []
  ];
}
function emulatedArguments({ tscKhz, version }) {
  const clock = tscKhz === void 0 ? [] : [`tsc_early_khz=${String(tscKhz)}`, "tsc=reliable"];
  const withoutCmpxchg16b = version.major < 8 ? ["clearcpuid=cx16"] : [];
  return [...clock, "norandmaps", "mitigations=off", "nowatchdog", ...withoutCmpxchg16b];
}

// hostd/vmm/qemu/compatibility.ts
var names = {
  snapshot: "format of snapshots",
  "command-line": "way of starting QEMU",
  qemu: "QEMU build",
  machine: "machine type",
  accel: "accelerator",
  cpu: "CPU model of the guest",
  host: "CPU of the host",
  flags: "set of features of the host’s CPU"
};
function restoreKeyOf(facts) {
  return Object.entries(facts).map(([name, value]) => `${name}=${String(value)}`).join(";");
}
function compatibilityOf(recorded, now) {
  if (recorded.restoreKey === now.restoreKey)
    return { restorable: "yes", reason: "The host and its QEMU are the same." };
  const [before, after] = [parseFacts(recorded.restoreKey), parseFacts(now.restoreKey)];
  const differing = Object.entries(names).filter(([name]) => before.get(name) !== after.get(name));
  const serious = differing.filter(([name]) => name !== "qemu" || seriesOf(recorded) !== seriesOf(now));
  if (recorded.name !== now.name || serious.length > 0 || differing.length === 0) {
    const words = serious.map(
      ([name, label]) => `${label} (${before.get(name) ?? "none"}, now ${after.get(name) ?? "none"})`
    );
    return { restorable: "no", reason: `It was saved with another ${words.join(", ") || "VMM"}.` };
  }
  const reason2 = `It was saved by QEMU ${recorded.version}, and this is ${now.version} of the same series.`;
  return { restorable: "probe", reason: reason2 };
}
function seriesOf({ version }) {
  const parsed = parseQemuVersion(`QEMU emulator version ${version}`);
  return parsed === void 0 ? version : `${String(parsed.major)}.${String(parsed.minor)}`;
}
function parseFacts(key) {
  return new Map(
    key.split(";").map((part) => {
      const at = part.indexOf("=");
      return [part.slice(0, at), part.slice(at + 1)];
    })
  );
}

// hostd/vmm/qemu/host-cpu.ts
import { createHash } from "node:crypto";
function parseCpuInfo(text) {
  const first = text.split("\n\n")[0] ?? "";
  const field = (name) => new RegExp(`^${name}\\s*:\\s*(.*)$`, "m").exec(first)?.[1]?.trim() ?? "";
  const flags = field("flags").split(/\s+/).toSorted().join(" ");
  return {
    model: `${field("vendor_id")} ${field("cpu family")}/${field("model")}/${field("stepping")} ${field("model name")}`,
    flagsDigest: createHash("sha256").update(flags).digest("hex").slice(0, 16)
  };
}

// hostd/vmm/qemu/machine-record.ts
import { readFile, rename as rename2, writeFile } from "node:fs/promises";
import { join as join2 } from "node:path";

// hostd/platform/durable-file.ts
import { open, rename } from "node:fs/promises";
import { dirname } from "node:path";
async function writeDurably(path18, content, mode = 420) {
  const beside = `${path18}.new`;
  const file = await open(beside, "w", mode);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(beside, path18);
  await syncDirectory(dirname(path18));
}
async function syncDirectory(path18) {
  const directory = await open(path18, "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

// hostd/vmm/qemu/machine-record.ts
var snapshotFormatVersion = 2;
var originSchema = external_exports.object({
  name: external_exports.literal("qemu"),
  version: external_exports.string(),
  machine: external_exports.string(),
  cpuModel: external_exports.string(),
  restoreKey: external_exports.string(),
  tier: external_exports.enum(["kvm", "emulated"])
});
var hardwareSchema = external_exports.object({
  origin: originSchema,
  cpus: external_exports.number().int(),
  memoryMiB: external_exports.number().int(),
  link: external_exports.object({ guestMac: external_exports.string(), mtu: external_exports.number().int() }).nullable()
});
var layerSchema = external_exports.object({
  node: external_exports.string(),
  /** Relative to the machine's folder. */
  path: external_exports.string(),
  format: external_exports.enum(["raw", "qcow2"]),
  /** No VMM can have kept a descriptor to write it with. */
  sealed: external_exports.boolean(),
  /** The set of descriptors through which QEMU opened it; null when it opened it by name. */
  fdset: external_exports.number().int().nullable()
});
var recordSchema = external_exports.object({
  formatVersion: external_exports.literal(snapshotFormatVersion),
  hardware: hardwareSchema,
  uid: external_exports.number().int(),
  gid: external_exports.number().int(),
  /** The disk, topmost first: the overlay in use and what is under it. */
  chain: external_exports.array(layerSchema).min(1),
  /** How many layers at the bottom are a template's, and are never merged into others. */
  foundation: external_exports.number().int(),
  nextOverlay: external_exports.number().int(),
  /** Its memory is a private mapping, so it can be duplicated. */
  capturable: external_exports.boolean(),
  /** It stands still because it was told to. */
  paused: external_exports.boolean(),
  /** The disk as it was when the machine was last saved and ended. */
  hibernated: external_exports.array(layerSchema).nullable()
});
async function readMachineRecord(directory) {
  const text = await readFile(join2(directory, machineFiles.record), "utf8").catch(() => "");
  const parsed = recordSchema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  const message = "The sandbox was started by another version of hostd, which kept no record of its disk.";
  throw new OffshootError("freeze-failed", { message, cause: parsed.error });
}
async function writeMachineRecord(directory, record, durable = false) {
  const path18 = join2(directory, machineFiles.record);
  const text = `${JSON.stringify(record, void 0, 2)}
`;
  if (durable) {
    await writeDurably(path18, text, 384);
    return;
  }
  await writeFile(`${path18}.new`, text, { mode: 384 });
  await rename2(`${path18}.new`, path18);
}
function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return void 0;
  }
}

// hostd/vmm/qemu/memory-freezer.ts
import { spawn } from "node:child_process";
import { open as open2, rm } from "node:fs/promises";

// hostd/vmm/qemu/line-reader.ts
import { createInterface } from "node:readline";
var LineReader = class {
  #lines = [];
  #interface;
  #ended = false;
  #wake = () => void 0;
  constructor(stream) {
    this.#interface = createInterface({ input: stream, crlfDelay: Infinity });
    stream.on("error", () => this.#interface.close());
    this.#interface.on("line", (line) => {
      this.#lines.push(line);
      this.#wake();
    });
    this.#interface.on("close", () => {
      this.#ended = true;
      this.#wake();
    });
  }
  /** The next line; undefined when the output has ended. One caller at a time. */
  async next() {
    while (this.#lines.length === 0 && !this.#ended) {
      await new Promise((resolve2) => {
        this.#wake = resolve2;
      });
    }
    return this.#lines.shift();
  }
};

// hostd/vmm/qemu/memory-freezer.ts
var readyTimeoutMs = 2e4;
var freezeTimeoutMs = 6e5;
var writeTimeoutMs = 18e5;
var endTimeoutMs = 1e4;
async function openMemoryFreezer(request) {
  if (request.signal?.aborted === true) throw new OffshootError("aborted", { cause: request.signal.reason });
  const freezer = await startHelper(request);
  await freezer.ready();
  return freezer;
}
async function startHelper(request) {
  const base = await open2(request.basePath, "r").catch((error) => fail("base", error));
  try {
    const image = await open2(request.imagePath, "wx+", 384).catch((error) => fail("image", error));
    try {
      const args = ["--pid", String(request.source.pid), "--start-ticks", String(request.source.startTicks)];
      args.push("--base-fd", "3", "--image-fd", "4", "--method", request.method);
      args.push("--min-available-mib", String(Math.ceil(request.minAvailableMiB)));
      const stdio = ["pipe", "pipe", "ignore", base.fd, image.fd];
      const helper = spawn(request.program, args, { stdio: [...stdio], env: {}, cwd: "/" });
      return await spawned(helper, request);
    } catch (error) {
      await rm(request.imagePath, { force: true });
      throw error;
    } finally {
      await image.close();
    }
  } finally {
    await base.close();
  }
}
async function spawned(helper, request) {
  const freezer = new MemoryFreezer(helper, request);
  await new Promise((resolve2, reject) => {
    helper.once("spawn", resolve2);
    helper.once("error", (error) => reject(freezeFailed("start", error.message, error)));
  });
  return freezer;
}
function fail(step2, error) {
  const code = error instanceof Error && "code" in error ? error.code : void 0;
  if (code === "ENOSPC" || code === "EDQUOT") throw new OffshootError("host-disk-full", { cause: error });
  throw freezeFailed(step2, error instanceof Error ? error.message : String(error), error);
}
function freezeFailed(step2, reason2, cause) {
  return new OffshootError("freeze-failed", {
    message: `The memory could not be duplicated: ${step2}: ${reason2}`,
    details: { step: step2, reason: reason2 },
    cause
  });
}
var MemoryFreezer = class {
  #helper;
  #request;
  #lines;
  #ended;
  #onAbort;
  #written = false;
  #method;
  #copyReason;
  constructor(helper, request) {
    this.#helper = helper;
    this.#request = request;
    this.#lines = new LineReader(helper.stdout);
    this.#ended = new Promise((resolve2) => helper.once("close", () => resolve2()));
    helper.stdin.on("error", () => void 0);
    this.#onAbort = () => this.#helper.kill("SIGTERM");
    request.signal?.addEventListener("abort", this.#onAbort);
    if (request.signal?.aborted === true) this.#onAbort();
  }
  /** Pid of the helper. */
  get pid() {
    return this.#helper.pid;
  }
  /** Why `freeze` copied instead of cloning; undefined before, or when it cloned. */
  get copyReason() {
    return this.#copyReason;
  }
  /** Resolves when the helper has found the source's memory. Part of `openMemoryFreezer`. */
  async ready() {
    await this.#answer(/^ready$/, readyTimeoutMs);
  }
  /**
   * Duplicates the memory; call it while the vCPUs stand still. After `clone` they may go on at once. So they may after `copy`: the
   * touched pages are written already. Rejects like `openMemoryFreezer`, the source as it was.
   */
  async freeze() {
    this.#helper.stdin.write("freeze\n");
    const [, method, , reason2] = await this.#answer(/^frozen (clone|copy)( (.*))?$/, freezeTimeoutMs);
    this.#method = method === "clone" ? "clone" : "copy";
    this.#copyReason = reason2;
    return this.#method;
  }
  /** Writes the rest of the image; the source may run and change. Rejects like `openMemoryFreezer`. The file is not synced. */
  async write() {
    this.#helper.stdin.write("write\n");
    const [, touched, image] = await this.#answer(/^written (\d+) (\d+)$/, writeTimeoutMs);
    this.#written = true;
    this.#request.signal?.removeEventListener("abort", this.#onAbort);
    return { touchedBytes: Number(touched), imageBytes: Number(image) };
  }
  /** Ends the helper and with it the duplicate; removes the image unless it is whole. Idempotent; resolves when all is gone. */
  async abandon() {
    this.#request.signal?.removeEventListener("abort", this.#onAbort);
    this.#helper.stdin.end();
    const timer = setTimeout(() => this.#helper.kill("SIGKILL"), endTimeoutMs);
    await this.#ended;
    clearTimeout(timer);
    if (!this.#written) await rm(this.#request.imagePath, { force: true });
  }
  async [Symbol.asyncDispose]() {
    await this.abandon();
  }
  async #answer(expected, timeoutMs2) {
    const timer = setTimeout(() => this.#helper.kill("SIGKILL"), timeoutMs2);
    const line = await this.#lines.next();
    clearTimeout(timer);
    const match = line === void 0 ? null : expected.exec(line);
    if (match !== null) return [...match];
    await this.abandon();
    throw this.#failure(line);
  }
  #failure(line) {
    const { signal } = this.#request;
    if (signal?.aborted === true) return new OffshootError("aborted", { cause: signal.reason });
    const [, step2 = "helper", reason2 = line ?? `it ended without a word (${this.#end()})`] = /^failed (\S+) (.*)$/.exec(line ?? "") ?? [];
    const message = `The memory could not be duplicated: ${step2}: ${reason2}`;
    if (step2 === "space") return new OffshootError("host-disk-full", { message, details: { step: step2, reason: reason2 } });
    if (step2 === "memory") return new OffshootError("capacity-exhausted", { message, details: { step: step2, reason: reason2 } });
    return freezeFailed(step2, reason2);
  }
  #end() {
    return this.#helper.signalCode ?? `exit code ${String(this.#helper.exitCode)}`;
  }
};
async function probeFreezeMethod(program2, runner) {
  try {
    const { stdout, stderr, code } = await runner.run(program2, ["--probe"], { timeoutMs: 1e4, env: {} });
    const line = stdout.split("\n")[0] ?? "";
    if (code === 0 && line === "clone") return { method: "clone", reason: "a process was duplicated" };
    const said = line.replace(/^(copy|failed) /, "") || stderr.trim().slice(0, 300) || `exit code ${String(code)}`;
    return { method: "copy", reason: said };
  } catch (error) {
    return { method: "copy", reason: error instanceof Error ? error.message : String(error) };
  }
}

// hostd/vmm/qemu/probe-kvm.ts
import { constants } from "node:fs";
import { access, mkdtemp, readFile as readFile2, rm as rm2, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join as join3 } from "node:path";
var passedLine = "offshoot-kvm-probe: passed";
var failedLine = "offshoot-kvm-probe: failed at ";
var steps = {
  i: "taking exceptions",
  c: "CPUID",
  m: "setting MSRs",
  f: "floating point state",
  p: "switching page tables",
  u: "user mode",
  t: "timer interrupts",
  s: "running at full speed",
  x: "an exception nobody expected"
};
async function probeKvm(runner, options) {
  const device = options.device ?? "/dev/kvm";
  const status = await stat(device).catch(() => void 0);
  if (status === void 0)
    return broken(`there is no ${device} (no virtualization in the CPU or BIOS, or the kvm module is not loaded)`);
  if (!await mayOpen(device)) return broken(`${device} can not be opened: permission denied`);
  const folder = await mkdtemp(join3(tmpdir(), "offshoot-kvm-probe-"));
  const booted = await bootPayload(runner, options, join3(folder, "serial")).finally(
    () => rm2(folder, { recursive: true, force: true })
  );
  const gid = groupFor(status);
  if (!booted.works || gid === void 0) return booted;
  if (gid === "nobody")
    return broken(`it works, but ${device} opens for root only: chgrp kvm ${device} && chmod 660 ${device}`);
  return { ...booted, gid };
}
async function bootPayload(runner, options, serialPath) {
  const args = [
    ...["-M", machineOptions, "-accel", "kvm", "-cpu", options.cpuModel, "-m", "128M"],
    ...["-nodefaults", "-no-user-config", "-display", "none", "-no-reboot"],
    ...["-object", "memory-backend-ram,id=memory,size=128M", "-bios", options.payload],
    ...["-device", "isa-debug-exit,iobase=0xf4,iosize=4", "-serial", `file:${serialPath}`]
  ];
  const began = performance.now();
  const run = await runner.run(options.qemuProgram, args, { timeoutMs: options.deadlineMs }).catch((error) => error);
  const elapsedMs = Math.round(performance.now() - began);
  const serial = await readFile2(serialPath, "utf8").catch(() => "");
  if (serial.includes(passedLine))
    return { works: true, reason: `a test payload booted under KVM in ${String(elapsedMs)} ms` };
  const failedAt = serial.indexOf(failedLine);
  if (failedAt >= 0) return broken(`a test payload failed at ${stepName(serial.charAt(failedAt + failedLine.length))}`);
  const reached = serial === "" ? "it did not begin" : `it got as far as ${stepName(serial.charAt(serial.length - 1))}`;
  if (run instanceof Error)
    return broken(`a test payload gave no answer within ${String(options.deadlineMs)} ms: ${reached}`);
  const words = firstWords(run.stderr);
  return broken(`QEMU ended before a test payload was through (${reached}): ${words}`);
}
function firstWords(stderr) {
  const lines2 = stderr.split("\n").map((line) => line.replace(/^qemu-system-\w+: (error: )?/, "").trim());
  const telling = lines2.filter((line) => line !== "" && !line.startsWith("warning:"));
  return telling[0]?.slice(0, 300) ?? "without a word";
}
function stepName(letter) {
  return steps[letter] ?? `step ${letter}`;
}
function broken(reason2) {
  return { works: false, reason: reason2 };
}
async function mayOpen(path18) {
  return access(path18, constants.R_OK | constants.W_OK).then(
    () => true,
    () => false
  );
}
function groupFor({ mode, gid }) {
  if ((mode & 6) === 6) return void 0;
  return (mode & 48) === 48 && gid !== 0 ? gid : "nobody";
}

// hostd/vmm/qemu/probe.ts
import { constants as constants2 } from "node:fs";
import { access as access2 } from "node:fs/promises";
import { join as join4 } from "node:path";
var neededCommands = [
  ...["stop", "cont", "quit", "query-status", "xen-save-devices-state", "migrate-incoming"],
  ...["blockdev-add", "blockdev-del", "blockdev-snapshot", "block-stream", "block-job-cancel"],
  ...["query-block", "query-block-jobs", "query-named-block-nodes", "query-fdsets", "remove-fd"]
];
var oldest = { major: 7, minor: 2 };
var timeoutMs = 1e4;
var install = "apt-get install qemu-system-x86 qemu-utils";
async function probeQemu(runner, given) {
  const program2 = given ?? await findProgram("qemu-system-x86_64");
  if (program2 === void 0) return { problem: "qemu-system-x86_64 is not installed", mend: install };
  if (await findProgram("qemu-img") === void 0) return { problem: "qemu-img is not installed", mend: install };
  const version = parseQemuVersion(await output(runner, program2, ["--version"]));
  if (version === void 0) return { problem: `${program2} does not tell its version`, mend: install };
  if (version.major < oldest.major || version.major === oldest.major && version.minor < oldest.minor) {
    return {
      problem: `QEMU ${version.text} is too old: 7.2 is needed`,
      mend: "Upgrade to Debian 12, Ubuntu 24.04 or newer."
    };
  }
  const machines = await output(runner, program2, ["-M", "help"]);
  if (!new RegExp(`^${machineType}\\b`, "m").test(machines)) {
    return { problem: `${program2} has no machine ${machineType}`, mend: install };
  }
  const missing = await missingCommands(runner, program2);
  if (missing instanceof Error)
    return { problem: `${program2} does not run as sandboxes need it: ${missing.message}`, mend: install };
  if (missing.length > 0) return { problem: `${program2} lacks the QMP commands ${missing.join(", ")}`, mend: install };
  return { program: program2, version };
}
var commandsSchema = external_exports.object({ return: external_exports.array(external_exports.object({ name: external_exports.string() })) });
async function missingCommands(runner, program2) {
  const args = [
    "-M",
    "none",
    "-nodefaults",
    "-no-user-config",
    "-nographic",
    "-sandbox",
    sandboxOptions,
    "-qmp",
    "stdio"
  ];
  const input = ["qmp_capabilities", "query-commands", "quit"].map((execute) => `${JSON.stringify({ execute })}
`).join("");
  try {
    const run = await runner.run(program2, args, { input, timeoutMs });
    for (const line of run.stdout.split("\n")) {
      const commands = commandsSchema.safeParse(parseJson2(line));
      if (!commands.success) continue;
      const names3 = new Set(commands.data.return.map(({ name }) => name));
      return neededCommands.filter((name) => !names3.has(name));
    }
    return new Error(run.stderr.trim().slice(0, 300) || "no answer on its monitor");
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
async function output(runner, program2, args) {
  return runner.run(program2, args, { timeoutMs }).then(
    (run) => run.stdout,
    () => ""
  );
}
async function findProgram(name) {
  for (const folder of [...(process.env["PATH"] ?? "").split(":"), "/usr/local/bin", "/usr/bin"]) {
    if (!folder.startsWith("/")) continue;
    const path18 = join4(folder, name);
    const runs = await access2(path18, constants2.X_OK).then(
      () => true,
      () => false
    );
    if (runs) return path18;
  }
  return void 0;
}
function parseJson2(text) {
  try {
    return JSON.parse(text);
  } catch {
    return void 0;
  }
}

// hostd/vmm/qemu/qemu-vmm.ts
import { access as access3, chmod as chmod5, chown as chown6, rm as rm10, writeFile as writeFile4 } from "node:fs/promises";
import { join as join16 } from "node:path";

// hostd/vmm/qemu/capture-files.ts
import { chmod as chmod4, chown as chown4, copyFile as copyFile4, open as open4, readdir, rename as rename3, rm as rm4 } from "node:fs/promises";
import { dirname as dirname2, join as join8 } from "node:path";

// hostd/vmm/qemu/overlay.ts
import { constants as constants3 } from "node:fs";
import { chmod, chown, copyFile, link as link2 } from "node:fs/promises";
async function createOverlay(runner, path18, base, diskMiB) {
  const size = diskMiB === void 0 ? [] : [`${String(diskMiB)}M`];
  await runChecked(runner, "qemu-img", [
    "create",
    "-q",
    "-f",
    "qcow2",
    "-F",
    base.format,
    "-b",
    base.path,
    path18,
    ...size
  ]);
}
async function copyOverlay(seed, path18, owner) {
  await copyFile(seed, path18, constants3.COPYFILE_FICLONE | constants3.COPYFILE_EXCL);
  await ownOverlay(path18, owner);
}
async function ownOverlay(path18, { uid, gid }) {
  await chown(path18, uid, gid);
  await chmod(path18, 384);
}
async function sealFile(path18) {
  await chown(path18, 0, 0);
  await chmod(path18, 256);
}
async function linkOrStay(from, to) {
  try {
    await link2(from, to);
    return to;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EXDEV") return from;
    throw error;
  }
}

// hostd/vmm/qemu/plan-machine.ts
import { chown as chown3, copyFile as copyFile3, rm as rm3, stat as stat4, writeFile as writeFile3 } from "node:fs/promises";
import { join as join7, relative as relative2 } from "node:path";

// hostd/vmm/qemu/memory-image.ts
import { chmod as chmod2, chown as chown2, open as open3, truncate } from "node:fs/promises";
async function createEmptyImage(path18, memoryMiB) {
  const file = await open3(path18, "wx", 384);
  await file.truncate(memoryMiB * 2 ** 20).finally(() => file.close());
}
async function openToVmms(path18, image) {
  await truncate(path18, image.memoryMiB * 2 ** 20);
  await chown2(path18, 0, image.gid);
  await chmod2(path18, mapsReadOnlyMemoryFiles(image.version) ? 416 : 432);
}

// hostd/vmm/qemu/snapshot-record.ts
import { readFile as readFile3, stat as stat2, writeFile as writeFile2 } from "node:fs/promises";
import { join as join5, relative, resolve } from "node:path";
function snapshotRecordPath(directory) {
  return join5(directory, "machine.json");
}
var attestedFile = "attested.json";
var layerSchema2 = external_exports.object({
  /** Relative to the snapshot's folder, so that a state directory can be moved. */
  path: external_exports.string(),
  format: external_exports.enum(["raw", "qcow2"]),
  /** No VMM can have kept a descriptor to write it with. */
  sealed: external_exports.boolean()
});
var stampSchema = external_exports.object({ sizeBytes: external_exports.number().int(), mtimeNs: external_exports.string(), ctimeNs: external_exports.string() });
var recordSchema2 = external_exports.object({
  formatVersion: external_exports.literal(snapshotFormatVersion),
  hardware: hardwareSchema,
  /** Topmost first: the frozen layer and what is under it. Empty when the disk stayed in the machine's folder. */
  layers: external_exports.array(layerSchema2),
  /** How many layers at the bottom are a template's. */
  foundation: external_exports.number().int(),
  /** As the memory image was left. Nanoseconds as text: they do not fit a number. */
  memoryStamp: stampSchema
});
function absoluteLayer(directory, { path: path18, format, sealed: sealed2 }) {
  return { path: resolve(directory, path18), format, sealed: sealed2 };
}
async function stampMemory(path18) {
  const status = await stat2(path18, { bigint: true });
  return { sizeBytes: Number(status.size), mtimeNs: String(status.mtimeNs), ctimeNs: String(status.ctimeNs) };
}
async function writeSnapshotRecord(directory, record) {
  const path18 = snapshotRecordPath(directory);
  const layers = record.layers.map((layer) => ({ ...layer, path: relative(directory, layer.path) }));
  const whole = { formatVersion: snapshotFormatVersion, ...record, layers };
  await writeFile2(path18, `${JSON.stringify(whole, void 0, 2)}
`, { mode: 384 });
  return path18;
}
async function readDiskRecord(files) {
  const text = await readFile3(snapshotRecordPath(files.directory), "utf8").catch((error) => {
    throw refusal("snapshot-missing", `The snapshot in ${files.directory} is not whole.`, error);
  });
  const parsed = recordSchema2.safeParse(parseJson3(text));
  if (!parsed.success)
    throw refusal("snapshot-missing", `The record of the snapshot in ${files.directory} is damaged.`, parsed.error);
  const layers = parsed.data.layers.map((layer) => ({ ...layer, path: resolve(files.directory, layer.path) }));
  return { ...parsed.data, layers };
}
async function readSnapshotRecord(files) {
  const record = await readDiskRecord(files);
  const stamp = await stampMemory(files.memory).catch((error) => {
    throw refusal("snapshot-missing", `The memory image of the snapshot in ${files.directory} is missing.`, error);
  });
  if (sameStamp(stamp, record.memoryStamp)) return record;
  const attested = await readAttested(files.directory);
  if (attested !== void 0 && sameStamp(stamp, attested)) return record;
  throw refusal(
    "snapshot-tampered",
    `The memory image of the snapshot in ${files.directory} was changed after it was made.`
  );
}
async function attestMemory(files) {
  const stamp = await stampMemory(files.memory);
  if (sameStamp(stamp, (await readDiskRecord(files)).memoryStamp)) return;
  await writeDurably(join5(files.directory, attestedFile), JSON.stringify(stamp), 384);
}
async function readAttested(directory) {
  const text = await readFile3(join5(directory, attestedFile), "utf8").catch(() => "");
  return stampSchema.safeParse(parseJson3(text)).data;
}
function sameStamp(one, other) {
  return one.sizeBytes === other.sizeBytes && one.mtimeNs === other.mtimeNs && one.ctimeNs === other.ctimeNs;
}
function requireSameHardware(saved, wanted) {
  const differing = [
    ...saved.cpus === wanted.cpus ? [] : ["cpus"],
    ...saved.memoryMiB === wanted.memoryMiB ? [] : ["memoryMiB"],
    ...saved.link?.guestMac === wanted.link?.guestMac ? [] : ["guestMac"],
    ...saved.link?.mtu === wanted.link?.mtu ? [] : ["mtu"]
  ];
  if (differing.length === 0) return;
  throw refusal("snapshot-mismatch", `The snapshot was made with another ${differing.join(", ")}.`);
}
function refusal(reason2, message, cause) {
  const hint = "Remove the snapshot; a template is then made anew.";
  return new OffshootError("boot-failed", { message, hint, details: { reason: reason2 }, cause });
}
function parseJson3(text) {
  try {
    return JSON.parse(text);
  } catch {
    return void 0;
  }
}

// hostd/vmm/qemu/whole-pages.ts
import { copyFile as copyFile2, chmod as chmod3, stat as stat3, truncate as truncate2 } from "node:fs/promises";
import { join as join6 } from "node:path";
var pageBytes = 4096;
async function initramfsOfWholePages(path18, directory) {
  const { size } = await stat3(path18);
  if (size % pageBytes === 0) return path18;
  const padded = join6(directory, machineFiles.initramfs);
  await copyFile2(path18, padded);
  await truncate2(padded, Math.ceil(size / pageBytes) * pageBytes);
  await chmod3(padded, 292);
  return padded;
}

// hostd/vmm/qemu/plan-machine.ts
var privateTapName = "offshoot0";
async function planCold(launch, start, parts) {
  const { directory, shape, uid, gid } = launch;
  const seed = join7(directory, machineFiles.overlaySeed);
  const { layers, foundation } = await coldLayers(launch, start, parts.runner);
  if (start.disk !== void 0) await linkOrCopy(start.disk.overlaySeed, seed);
  await copyOverlay(seed, join7(directory, overlayFile(0)), launch);
  const memory2 = start.memoryFile ?? join7(directory, machineFiles.memory);
  await createEmptyImage(memory2, shape.memoryMiB);
  if (start.memoryFile === void 0)
    await openToVmms(memory2, { memoryMiB: shape.memoryMiB, gid, version: parts.version });
  else await prepareSaving(start.memoryFile, directory, { uid, gid });
  const kind = start.memoryFile === void 0 ? "private-copy" : "written-through";
  const boot2 = { ...start, initramfs: await initramfsOfWholePages(start.initramfs, directory) };
  return planned(launch, parts, { layers, foundation, overlay: 0, memory: { kind, path: memory2 }, boot: boot2 });
}
function planned(launch, { origin }, facts) {
  const { shape, uid, gid, network } = launch;
  const overlay = { node: `overlay-${String(facts.overlay)}`, file: overlayFile(facts.overlay) };
  const layers = facts.layers.map((layer, index) => ({
    ...layer,
    node: `layer-${String(facts.layers.length - 1 - index)}`
  }));
  const chain = [
    { node: overlay.node, path: overlay.file, format: "qcow2", sealed: false, fdset: null },
    ...layers.map((layer, index) => ({
      ...layer,
      path: relative2(launch.directory, layer.path),
      fdset: firstLayerDescriptor + index
    }))
  ];
  const link6 = network === void 0 ? null : { guestMac: network.guestMac, mtu: network.mtu };
  const record = {
    formatVersion: snapshotFormatVersion,
    hardware: { origin, cpus: shape.cpus, memoryMiB: shape.memoryMiB, link: link6 },
    ...{ uid, gid, chain, foundation: facts.foundation },
    nextOverlay: facts.overlay + 1,
    capturable: facts.memory.kind === "private-copy",
    paused: false,
    hibernated: null
  };
  const { memory: memory2, boot: boot2 } = facts;
  return { plan: { shape, link: linkOf(launch), overlay, layers, memory: memory2, boot: boot2 }, record };
}
async function linkLayers(directory, layers) {
  return Promise.all(
    layers.map(async (layer, index) => {
      const name = layerFile(layers.length - 1 - index, layer.format);
      return { ...layer, path: await linkOrStay(layer.path, join7(directory, name)) };
    })
  );
}
async function linkOrCopy(from, to) {
  if (await linkOrStay(from, to) === from) await copyFile3(from, to);
}
async function coldLayers(launch, { baseDisk, disk }, runner) {
  const { directory, shape } = launch;
  if (disk !== void 0) {
    const { layers, foundation } = await readDisk(disk);
    return { layers: await linkLayers(directory, layers), foundation };
  }
  await requireRoomForBase(baseDisk, shape.diskMiB);
  await createOverlay(runner, join7(directory, machineFiles.overlaySeed), baseDisk, shape.diskMiB);
  return { layers: await linkLayers(directory, [{ ...baseDisk, sealed: true }]), foundation: 1 };
}
async function readDisk(disk) {
  const record = await readDiskRecord(disk);
  if (record.layers.length > 0) return record;
  const message = "This state of a sandbox has no disk of its own to boot from.";
  throw new OffshootError("boot-failed", { message, details: { reason: "snapshot-missing" } });
}
async function prepareSaving(memory2, directory, owner) {
  await chown3(memory2, owner.uid, owner.gid);
  await prepareDevicesFile(directory, owner);
}
async function prepareDevicesFile(directory, owner) {
  const devices = join7(directory, machineFiles.devices);
  await rm3(devices, { force: true });
  await writeFile3(devices, "", { mode: 384, flag: "wx" });
  await ownOverlay(devices, owner);
}
async function requireRoomForBase(baseDisk, diskMiB) {
  if (baseDisk.format !== "raw") return;
  const baseMiB = Math.ceil((await stat4(baseDisk.path)).size / 2 ** 20);
  if (baseMiB <= diskMiB) return;
  const message = `The disk (${String(diskMiB)} MiB) is smaller than that of its image (${String(baseMiB)} MiB).`;
  throw new OffshootError("boot-failed", { message, details: { reason: "disk-too-small", imageDiskMiB: baseMiB } });
}
function linkOf({ network }) {
  if (network === void 0) return void 0;
  return { guestMac: network.guestMac, mtu: network.mtu, tapName: network.tapName ?? privateTapName };
}

// hostd/vmm/qemu/capture-files.ts
var copyTimeoutMs = 30 * 6e4;
async function linkDisk(directory, record, into) {
  await linkOrCopy(join8(directory, machineFiles.overlaySeed), into.overlaySeed);
  return Promise.all(
    record.chain.map(async (machineLayer, index) => {
      const layer = absoluteLayer(directory, machineLayer);
      const name = layerFile(record.chain.length - 1 - index, layer.format);
      return { ...layer, path: await linkOrStay(layer.path, index === 0 ? into.disk : join8(into.directory, name)) };
    })
  );
}
async function takeDevices(directory, into) {
  await copyFile4(join8(directory, machineFiles.devices), into.devices);
  await chown4(into.devices, 0, 0);
  await chmod4(into.devices, 384);
}
async function makeDurable(runner, into, layers, signal) {
  const own = [...layers.filter(({ sealed: sealed2 }) => !sealed2).map(({ path: path18 }) => path18), into.overlaySeed];
  for (const path18 of own) await replaceByCopy(runner, path18, signal);
  await syncFiles([...layers.map(({ path: path18 }) => path18), into.overlaySeed, into.devices, into.memory]);
  return layers.map((layer) => ({ ...layer, sealed: true }));
}
async function syncFiles(paths) {
  for (const path18 of paths) {
    const file = await open4(path18, "r");
    await file.sync().finally(() => file.close());
  }
  for (const directory of new Set(paths.map((path18) => dirname2(path18)))) await syncDirectory(directory);
}
async function removeCapture(into) {
  const layers = (await readdir(into.directory).catch(() => [])).filter((name) => /^layer-\d+\./.test(name));
  const paths = [into.memory, into.devices, into.disk, into.overlaySeed, snapshotRecordPath(into.directory)];
  const copies = [...paths, ...layers.map((name) => join8(into.directory, name))].map((path18) => `${path18}.new`);
  await Promise.all(
    [...paths, ...copies, ...layers.map((name) => join8(into.directory, name))].map((path18) => rm4(path18, { force: true }))
  );
}
async function replaceByCopy(runner, path18, signal) {
  const copy = `${path18}.new`;
  const args = ["--reflink=auto", "--sparse=always", "--", path18, copy];
  await runChecked(runner, "cp", args, { timeoutMs: copyTimeoutMs, ...signal === void 0 ? {} : { signal } });
  await chmod4(copy, 256);
  await rename3(copy, path18);
}

// hostd/vmm/qemu/exit-record.ts
import { open as open5, readFile as readFile4 } from "node:fs/promises";
import { constants as constants4 } from "node:os";
import { join as join9 } from "node:path";
var tailBytes = 4096;
var exitSchema = external_exports.object({
  exitCode: external_exports.number().int().nullable(),
  signalNumber: external_exports.number().int().nullable(),
  cpuSeconds: external_exports.number(),
  peakMemoryKiB: external_exports.number(),
  killRequested: external_exports.boolean()
});
async function readExit(directory) {
  const text = await readFile4(join9(directory, machineFiles.exit), "utf8").catch(() => void 0);
  if (text === void 0) return void 0;
  const parsed = exitSchema.safeParse(parseJson4(text));
  if (!parsed.success) return void 0;
  const record = parsed.data;
  const consoleText = await readTail(directory, machineFiles.console);
  return {
    exitCode: record.exitCode,
    signal: record.signalNumber === null ? null : signalName(record.signalNumber),
    cpuSeconds: record.cpuSeconds,
    peakMemoryMiB: Math.ceil(record.peakMemoryKiB / 1024),
    cause: causeOf(record, consoleText),
    consoleTail: await readConsoleTail(directory)
  };
}
async function unrecordedExit(directory) {
  const consoleTail = await readConsoleTail(directory);
  return { exitCode: null, signal: null, cpuSeconds: 0, peakMemoryMiB: 0, cause: "unknown", consoleTail };
}
function causeOf(record, consoleText) {
  if (record.killRequested) return "killed-by-us";
  if (record.signalNumber === constants4.signals.SIGKILL) return "vmm-killed";
  if (record.signalNumber !== null || record.exitCode !== 0) return "vmm-crashed";
  return consoleText.includes("Kernel panic") ? "guest-panic" : "guest-shutdown";
}
async function readConsoleTail(directory) {
  const [guest, vmm] = await Promise.all([
    readTail(directory, machineFiles.console),
    readTail(directory, machineFiles.vmmLog)
  ]);
  const said = vmm.trim() === "" ? "" : `
VMM: ${vmm.trim().slice(-tailBytes / 2)}`;
  return (guest.slice(-(tailBytes - said.length)) + said).slice(-tailBytes);
}
async function readTail(directory, parts) {
  let text = "";
  for (const name of [parts.tail, parts.older, parts.head]) {
    text = await readLast(join9(directory, name), 2 * tailBytes) + text;
    if (text.length >= tailBytes) break;
  }
  return text.replaceAll("\r", "").replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, "�");
}
async function readLast(path18, most) {
  const file = await open5(path18).catch(() => void 0);
  if (file === void 0) return "";
  try {
    const { size } = await file.stat();
    const bytes = Buffer.alloc(Math.min(size, most));
    const { bytesRead } = await file.read(bytes, 0, bytes.length, size - bytes.length);
    return bytes.toString("utf8", 0, bytesRead);
  } finally {
    await file.close();
  }
}
function signalName(number) {
  const found = Object.entries(constants4.signals).find(([, value]) => value === number);
  return found === void 0 ? `signal ${String(number)}` : found[0];
}
function parseJson4(text) {
  try {
    return JSON.parse(text);
  } catch {
    return void 0;
  }
}

// hostd/vmm/qemu/unix-socket.ts
import { open as open6 } from "node:fs/promises";
import { createConnection } from "node:net";
import { basename, dirname as dirname3 } from "node:path";
var maxSocketPathBytes = 107;
async function connectUnix(path18) {
  if (Buffer.byteLength(path18) <= maxSocketPathBytes) return connected(path18);
  const folder = await open6(dirname3(path18), "r");
  try {
    return await connected(`/proc/self/fd/${String(folder.fd)}/${basename(path18)}`);
  } finally {
    await folder.close();
  }
}
function connected(path18) {
  return new Promise((resolve2, reject) => {
    const socket = createConnection({ path: path18 });
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.off("error", reject);
      resolve2(socket);
    });
  });
}

// hostd/vmm/qemu/qmp-client.ts
var maxLineBytes = 1 << 20;
var messageSchema = external_exports.union([
  external_exports.object({ QMP: external_exports.unknown() }),
  external_exports.object({ return: external_exports.unknown(), id: external_exports.number().int() }),
  external_exports.object({ error: external_exports.object({ class: external_exports.string(), desc: external_exports.string() }), id: external_exports.number().int().optional() }),
  external_exports.object({ event: external_exports.string(), data: external_exports.record(external_exports.string(), external_exports.unknown()).optional() })
]);
var QmpError = class extends Error {
  command;
  errorClass;
  constructor(command, errorClass, description) {
    super(`${command}: ${description}`);
    this.name = "QmpError";
    this.command = command;
    this.errorClass = errorClass;
  }
};
var QmpClient = class _QmpClient {
  #socket;
  #onEvent;
  #greeting = Promise.withResolvers();
  #pending = /* @__PURE__ */ new Map();
  #nextId = 1;
  #unread = [];
  #unreadBytes = 0;
  #ended;
  constructor(socket, onEvent) {
    this.#socket = socket;
    this.#onEvent = onEvent;
    this.#greeting.promise.catch(() => void 0);
    socket.on("data", (bytes) => this.#take(bytes));
    socket.on("error", (error) => this.#end(error));
    socket.on("close", () => this.#end(new Error("the VMM closed its monitor")));
  }
  /** Connects and negotiates. Rejects when QEMU does not greet within `timeoutMs`. */
  static async connect(path18, timeoutMs2, onEvent = () => void 0) {
    const client = new _QmpClient(await connectUnix(path18), onEvent);
    const timer = setTimeout(
      () => client.#end(new Error(`no greeting from the VMM within ${String(timeoutMs2)} ms`)),
      timeoutMs2
    );
    try {
      await client.#greeting.promise;
      await client.execute("qmp_capabilities", {}, external_exports.unknown(), timeoutMs2);
      return client;
    } catch (error) {
      client.close();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }
  /** Runs one command; the answer is checked against `schema`. Rejects with a QmpError when QEMU refuses, with another Error on time-out or loss. */
  async execute(command, args, schema, timeoutMs2 = 1e4) {
    if (this.#ended !== void 0) throw this.#ended;
    const id = this.#nextId++;
    const answer = await new Promise((resolve2, reject) => {
      const timer = setTimeout(() => {
        this.#pending.delete(id);
        reject(new Error(`${command}: no answer within ${String(timeoutMs2)} ms`));
      }, timeoutMs2);
      this.#pending.set(id, { command, resolve: resolve2, reject, timer });
      this.#socket.write(`${JSON.stringify({ execute: command, arguments: args, id })}
`);
    });
    return schema.parse(answer);
  }
  /** Ends the session; the machine goes on. */
  close() {
    this.#end(new Error("the monitor session was closed"));
  }
  #end(error) {
    if (this.#ended !== void 0) return;
    this.#ended = error;
    this.#socket.destroy();
    this.#greeting.reject(error);
    for (const { command, reject, timer } of this.#pending.values()) {
      clearTimeout(timer);
      reject(new Error(`${command}: ${error.message}`, { cause: error }));
    }
    this.#pending.clear();
  }
  #take(bytes) {
    let rest = bytes;
    for (let end = rest.indexOf(10); end >= 0 && this.#ended === void 0; end = rest.indexOf(10)) {
      const line = Buffer.concat([...this.#unread, rest.subarray(0, end)]);
      this.#unread = [];
      this.#unreadBytes = 0;
      rest = rest.subarray(end + 1);
      this.#dispatch(line.toString("utf8"));
    }
    this.#unread.push(rest);
    this.#unreadBytes += rest.length;
    if (this.#unreadBytes > maxLineBytes) this.#end(new Error("the VMM sent an endless line"));
  }
  #dispatch(line) {
    const parsed = messageSchema.safeParse(parseJson5(line));
    if (!parsed.success) {
      this.#end(new Error("the VMM sent a message that is not QMP"));
      return;
    }
    const message = parsed.data;
    if ("QMP" in message) this.#greeting.resolve(void 0);
    else if ("event" in message) this.#onEvent({ name: message.event, data: message.data ?? {} });
    else if ("error" in message) {
      const pending = this.#settle(message.id);
      pending?.reject(new QmpError(pending.command, message.error.class, message.error.desc));
    } else this.#settle(message.id)?.resolve(message.return);
  }
  #settle(id) {
    if (id === void 0) return void 0;
    const pending = this.#pending.get(id);
    clearTimeout(pending?.timer);
    this.#pending.delete(id);
    return pending;
  }
};
function parseJson5(line) {
  try {
    return JSON.parse(line);
  } catch {
    return void 0;
  }
}

// hostd/vmm/qemu/terminate.ts
import { readFile as readFile5, rm as rm5 } from "node:fs/promises";
import { join as join10 } from "node:path";
var defaultTimes = { politeMs: 2e3, goneMs: 15e3 };
async function terminateMachine(directory, record, times = defaultTimes) {
  await rm5(join10(directory, machineFiles.spec), { force: true });
  const launchers = dedupe([await recordedProcess(directory, machineFiles.launcherPid), await ofThisBoot(record)]);
  for (const launcher of launchers) await signalProcess(launcher, "SIGTERM");
  if (!await allGone(launchers, times.politeMs)) {
    for (const launcher of launchers) await signalProcess(launcher, "SIGKILL");
  }
  const vmm = await recordedProcess(directory, machineFiles.vmmPid);
  const all = vmm === void 0 ? launchers : [...launchers, vmm];
  if (vmm !== void 0) await signalProcess(vmm, "SIGKILL");
  if (await allGone(all, times.goneMs)) return;
  const pids = all.map((process2) => process2.pid).join(", ");
  throw new Error(`processes ${pids} of ${directory} are still there ${String(times.goneMs)} ms after SIGKILL`);
}
async function recordedProcess(directory, file) {
  const text = await readFile5(join10(directory, file), "utf8").catch(() => "");
  const [, pid, startTicks, bootId] = /^(\d+) (\d+) (\S+)\s*$/.exec(text) ?? [];
  if (pid === void 0 || bootId !== await hostBootId()) return void 0;
  return { pid: Number(pid), startTicks: Number(startTicks) };
}
async function ofThisBoot(record) {
  return record !== void 0 && record.bootId === await hostBootId() ? record.launcher : void 0;
}
function dedupe(identities) {
  const known = identities.filter((identity2) => identity2 !== void 0);
  return known.filter(
    (identity2, at) => known.findIndex((other) => other.pid === identity2.pid && other.startTicks === identity2.startTicks) === at
  );
}
async function allGone(identities, timeoutMs2) {
  const began = performance.now();
  for (; ; ) {
    const alive = await Promise.all(identities.map(isAlive));
    if (!alive.includes(true)) return true;
    const waitedMs = performance.now() - began;
    if (waitedMs >= timeoutMs2) return false;
    await new Promise((resolve2) => setTimeout(resolve2, waitedMs < 100 ? 2 : 25));
  }
}

// hostd/vmm/qemu/machine-monitor.ts
var defaultConnectTimeoutMs = 1e4;
var statusSchema = external_exports.object({ status: external_exports.string(), running: external_exports.boolean() });
var anything = external_exports.unknown();
var MachineMonitor = class {
  #directory;
  #connectTimeoutMs;
  #last = Promise.resolve();
  constructor(directory, connectTimeoutMs = defaultConnectTimeoutMs) {
    this.#directory = directory;
    this.#connectTimeoutMs = connectTimeoutMs;
  }
  /** Runs `work` in a session of its own, after those that asked before. Throws `sandbox-not-running` when the VMM has ended. */
  async session(work, onEvent) {
    const turn = this.#last.then(() => this.#run(work, onEvent));
    this.#last = turn.catch(() => void 0);
    return turn;
  }
  async #run(work, onEvent) {
    try {
      const qmp = await QmpClient.connect(qmpSocketPath(this.#directory), this.#connectTimeoutMs, onEvent);
      try {
        return await work(qmp);
      } finally {
        qmp.close();
      }
    } catch (error) {
      if (await this.#vmmLives()) throw error;
      throw new OffshootError("sandbox-not-running", { message: "The VMM of the sandbox has ended.", cause: error });
    }
  }
  async #vmmLives() {
    const vmm = await recordedProcess(this.#directory, machineFiles.vmmPid);
    return vmm !== void 0 && await isAlive(vmm);
  }
};
async function readStatus(qmp) {
  return qmp.execute("query-status", {}, statusSchema);
}

// hostd/vmm/qemu/feed-capture.ts
var loadTimeoutMs = 3e4;
var startTimeoutMs = 6e4;
async function feedCapture(directory, version, capture) {
  await new MachineMonitor(directory, startTimeoutMs).session(async (qmp) => {
    await capture.complete;
    await qmp.execute("migrate-incoming", { uri: incomingUri(version) }, anything, loadTimeoutMs);
  });
}

// hostd/vmm/qemu/freeze.ts
import { chown as chown5, mkdir, rename as rename4, copyFile as copyFile5, rm as rm6 } from "node:fs/promises";
import { join as join11 } from "node:path";

// hostd/platform/fault-points.ts
var named = process.env.OFFSHOOT_FAULT;
var remaining = Number(process.env.OFFSHOOT_FAULT_AFTER ?? "0");
var handler;
function faultPoint(point) {
  if (named === point && remaining-- <= 0) process.kill(process.pid, "SIGKILL");
  return handler?.(point);
}

// hostd/vmm/qemu/duplicate.ts
var saveTimeoutMs = 3e4;
async function duplicate(qmp, { freezer, current, next }, { running, wake }) {
  const lap = stopwatch();
  try {
    if (running) await qmp.execute("stop", {}, anything, saveTimeoutMs);
    const stopMs = lap();
    await saveDevices(qmp);
    const saveMs = lap();
    await faultPoint("capture.stopped");
    const method = await freezer.freeze();
    const freezeMs = lap();
    await faultPoint("capture.frozen");
    await qmp.execute("blockdev-snapshot", { node: current.node, overlay: next.node }, anything);
    await faultPoint("capture.switched");
    if (wake) await qmp.execute("cont", {}, anything);
    const switchMs = lap();
    return { method, pausedMs: stopMs + saveMs + freezeMs + switchMs, parts: { stopMs, saveMs, freezeMs, switchMs } };
  } catch (error) {
    if (running) await qmp.execute("cont", {}, anything).catch(() => void 0);
    throw error;
  }
}
async function saveDevices(qmp) {
  const filename = machineFiles.devices;
  await qmp.execute("xen-save-devices-state", { filename, live: false }, anything, saveTimeoutMs);
}
function stopwatch() {
  let last = performance.now();
  return () => {
    const now = performance.now();
    const lapMs = now - last;
    last = now;
    return lapMs;
  };
}

// hostd/vmm/qemu/freeze.ts
var saveTimeoutMs2 = 3e4;
async function saveAndQuit(monitor) {
  await monitor.session(async (qmp) => {
    await qmp.execute("stop", {}, anything, saveTimeoutMs2);
    const { status } = await readStatus(qmp);
    if (status !== "paused") throw new Error(`the machine can't be saved in the state ${status}`);
    await saveDevices(qmp);
    await qmp.execute("quit", {}, anything, saveTimeoutMs2).catch(() => void 0);
  });
}
async function completeSnapshot({ into, machineDirectory, version }) {
  const machine = await readMachineRecord(machineDirectory);
  const [overlay, ...below] = machine.chain.map((layer) => absoluteLayer(machineDirectory, layer));
  if (overlay === void 0) throw new Error("the record of the machine names no disk");
  await mkdir(into.directory, { recursive: true });
  await moveFile(join11(machineDirectory, machineFiles.devices), into.devices);
  await moveFile(overlay.path, into.disk);
  await moveFile(join11(machineDirectory, machineFiles.overlaySeed), into.overlaySeed);
  for (const path18 of [into.devices, into.disk]) await sealFile(path18);
  await chown5(into.overlaySeed, 0, 0);
  const linked = await Promise.all(
    below.map(async (layer, index) => {
      const name = layerFile(below.length - 1 - index, layer.format);
      return { ...layer, path: await linkOrStay(layer.path, join11(into.directory, name)) };
    })
  );
  const { hardware, gid } = machine;
  await openToVmms(into.memory, { memoryMiB: hardware.memoryMiB, gid, version });
  await syncFiles([into.memory, into.devices, into.disk, into.overlaySeed]);
  const layers = [{ path: into.disk, format: "qcow2", sealed: true }, ...linked];
  const memoryStamp = await stampMemory(into.memory);
  await syncFiles([
    await writeSnapshotRecord(into.directory, { hardware, layers, foundation: layers.length, memoryStamp })
  ]);
}
async function moveFile(from, to) {
  try {
    await rename4(from, to);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EXDEV")) throw error;
    await copyFile5(from, to);
    await rm6(from);
  }
}

// hostd/vmm/qemu/launch-machine.ts
var fileSlackMiB = 1024;
function launchSpec(host, launch, plan) {
  const largestMiB = Math.max(launch.shape.diskMiB, launch.shape.memoryMiB) + fileSlackMiB;
  const netnsPath = launch.network?.netnsPath;
  return {
    uid: launch.uid,
    gid: launch.gid,
    groups: host.kvmGid === void 0 ? [] : [host.kvmGid],
    ...netnsPath === void 0 ? {} : { netnsPath },
    limits: { core: 0, nofile: 1024, fsize: largestMiB * 2 ** 20, memlock: 0 },
    program: host.profile.program,
    // One malloc arena instead of one per thread: some MiB less for each machine.
    env: { PATH: "/usr/bin:/bin", MALLOC_ARENA_MAX: "1" },
    ...qemuCommandLine(host.profile, plan)
  };
}

// hostd/vmm/qemu/reconcile.ts
import { readdir as readdir2, rm as rm7 } from "node:fs/promises";
import { join as join12 } from "node:path";

// hostd/vmm/qemu/block-jobs.ts
import { setTimeout as sleep } from "node:timers/promises";
var jobsSchema = external_exports.array(external_exports.object({ device: external_exports.string() }));
var goneMs = 1e4;
async function stopJobs(qmp) {
  const deadline = performance.now() + goneMs;
  let asked = false;
  for (; ; ) {
    const jobs = await qmp.execute("query-block-jobs", {}, jobsSchema);
    if (jobs.length === 0) return;
    if (performance.now() > deadline) throw new Error("a job on the disk does not end");
    if (!asked) await Promise.all(jobs.map(({ device }) => cancel(qmp, device)));
    asked = true;
    await sleep(2);
  }
}
async function cancel(qmp, device) {
  await qmp.execute("block-job-cancel", { device, force: true }, anything).catch((error) => {
    if (!(error instanceof QmpError)) throw error;
  });
}

// hostd/vmm/qemu/reconcile.ts
var disksSchema = external_exports.array(
  external_exports.object({
    inserted: external_exports.object({ "node-name": external_exports.string(), backing_file_depth: external_exports.number().int() }).optional()
  })
);
var setsSchema = external_exports.array(external_exports.object({ "fdset-id": external_exports.number().int() }));
var nodesSchema = external_exports.array(external_exports.object({ "node-name": external_exports.string() }));
async function reconcile(qmp, directory) {
  const record = await readMachineRecord(directory);
  const { status } = await readStatus(qmp);
  if (status === "paused" && !record.paused) await qmp.execute("cont", {}, anything);
  await stopJobs(qmp);
  const now = { ...record, ...await readChain(qmp, record) };
  await writeMachineRecord(directory, now);
  await dropUnused(qmp, directory, now);
}
async function readChain(qmp, record) {
  const disks = await qmp.execute("query-block", {}, disksSchema);
  const disk = disks.find(({ inserted }) => inserted !== void 0)?.inserted;
  if (disk === void 0) throw new Error("the machine has no disk");
  const top = disk["node-name"];
  let { chain, nextOverlay } = record;
  if (top === `overlay-${String(nextOverlay)}`) {
    chain = [{ node: top, path: `${top}.qcow2`, format: "qcow2", sealed: false, fdset: null }, ...chain];
    nextOverlay += 1;
  }
  if (chain[0]?.node !== top) throw new Error(`the machine writes to ${top}, which its record does not know`);
  if (disk.backing_file_depth === chain.length - 1) return { chain, nextOverlay };
  if (disk.backing_file_depth === record.foundation) return { chain: merged({ ...record, chain }), nextOverlay };
  throw new Error(
    `the machine has ${String(disk.backing_file_depth)} layers and its record ${String(chain.length - 1)}`
  );
}
function merged({ chain, foundation }) {
  return [...chain.slice(0, 1), ...chain.slice(chain.length - foundation)];
}
async function dropUnused(qmp, directory, record) {
  const used = new Set(record.chain.map(({ node }) => node));
  const nodes = await qmp.execute("query-named-block-nodes", { flat: true }, nodesSchema);
  const unused = nodes.map((node) => node["node-name"]).filter((name) => /^(overlay|layer)-\d+$/.test(name) && !used.has(name));
  await deleteNodes(qmp, unused);
  const sets = new Set(record.chain.map(({ fdset: fdset2 }) => fdset2));
  for (const { "fdset-id": fdset2 } of await qmp.execute("query-fdsets", {}, setsSchema)) {
    if (fdset2 >= firstLayerDescriptor && !sets.has(fdset2))
      await qmp.execute("remove-fd", { "fdset-id": fdset2 }, anything);
  }
  const kept = new Set([...record.chain, ...record.hibernated ?? []].map(({ path: path18 }) => path18));
  for (const name of await readdir2(directory)) {
    if (/^(overlay|layer)-\d+\.(qcow2|raw)$/.test(name) && !kept.has(name)) await rm7(join12(directory, name));
  }
}
async function deleteNodes(qmp, names3) {
  let left = [...names3];
  while (left.length > 0) {
    const refused = [];
    for (const name of left) {
      await qmp.execute("blockdev-del", { "node-name": name }, anything).catch((error) => {
        if (!(error instanceof QmpError)) throw error;
        refused.push(name);
      });
    }
    if (refused.length === left.length) throw new Error(`QEMU does not let go of ${refused.join(", ")}`);
    left = refused;
  }
}

// hostd/vmm/qemu/compaction.ts
var longChain = 6;
var longestChain = 12;
function layersToMerge({ chain, foundation }) {
  return chain.length - 1 - foundation;
}
async function compactChain(monitor, directory, signal) {
  const ended = Promise.withResolvers();
  const onEvent = ({ name }) => {
    if (name === "BLOCK_JOB_COMPLETED" || name === "BLOCK_JOB_CANCELLED") ended.resolve(void 0);
  };
  const onAbort = () => ended.resolve(void 0);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    await monitor.session(async (qmp) => {
      if (signal.aborted) return;
      const record = await readMachineRecord(directory);
      const base = record.chain.at(-record.foundation);
      const [top] = record.chain;
      if (top === void 0 || base === void 0 || layersToMerge(record) < 1) return;
      await writeMachineRecord(directory, { ...record, hibernated: null });
      const job = { "job-id": "compact", device: top.node, "base-node": base.node };
      await qmp.execute("block-stream", job, anything);
      await ended.promise;
      await faultPoint("compact.streamed");
      await reconcile(qmp, directory);
    }, onEvent);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

// hostd/vmm/qemu/freeze-error.ts
function asFreezeError(error, signal) {
  if (signal?.aborted === true)
    return error instanceof OffshootError && error.code === "aborted" ? error : aborted(error);
  if (!(error instanceof Error) || error instanceof OffshootError) return error;
  const code = "code" in error ? error.code : void 0;
  const text = error instanceof CommandError ? error.result.stderr : error.message;
  if (code === "ENOSPC" || code === "EDQUOT" || /No space left on device|Disk quota exceeded/.test(text)) {
    return new OffshootError("host-disk-full", { cause: error });
  }
  const message = `The sandbox could not be duplicated: ${error.message}`;
  return new OffshootError("freeze-failed", { message, cause: error });
}
function aborted(cause) {
  return new OffshootError("aborted", { cause });
}

// hostd/vmm/qemu/hibernate.ts
import { join as join14 } from "node:path";

// hostd/vmm/qemu/capture-preparation.ts
import { rm as rm8 } from "node:fs/promises";
import { join as join13 } from "node:path";
async function prepareCapture(source, qmp, record, into, how) {
  const { directory } = source;
  const [current] = record.chain;
  if (current === void 0) throw new Error("the record of the machine names no disk");
  const opening = openFreezer(source, record, into, how);
  const [opened, ...others] = await Promise.allSettled([
    opening,
    linkDisk(directory, record, into),
    addOverlay(directory, qmp, record),
    prepareDevicesFile(directory, record)
  ]);
  const failed = [opened, ...others].find((result) => result.status === "rejected");
  const [linked, added] = others;
  if (opened.status === "fulfilled" && linked.status === "fulfilled" && added.status === "fulfilled" && failed === void 0) {
    return { freezer: opened.value, current, next: added.value, layers: linked.value };
  }
  if (opened.status === "fulfilled") await opened.value.abandon();
  throw failed?.reason;
}
async function openFreezer(source, record, into, { method, options }) {
  const vmm = await recordedProcess(source.directory, machineFiles.vmmPid);
  if (vmm === void 0) throw new Error("there is no record of the VMM");
  const { minAvailableMiB, signal } = options;
  const freezer = await source.openFreezer({
    source: vmm,
    basePath: `/proc/${String(vmm.pid)}/fd/${String(memoryDescriptor)}`,
    imagePath: into.memory,
    method,
    minAvailableMiB,
    ...signal === void 0 ? {} : { signal }
  });
  try {
    const { memoryMiB } = record.hardware;
    await openToVmms(into.memory, { memoryMiB, gid: record.gid, version: source.version });
    return freezer;
  } catch (error) {
    await freezer.abandon();
    throw error;
  }
}
async function addOverlay(directory, qmp, record) {
  const file = overlayFile(record.nextOverlay);
  const node = `overlay-${String(record.nextOverlay)}`;
  const path18 = join13(directory, file);
  await rm8(path18, { force: true });
  await copyOverlay(join13(directory, machineFiles.overlaySeed), path18, record);
  await qmp.execute("blockdev-add", overlayNode({ node, file }, null), anything);
  return { node, path: file, format: "qcow2", sealed: false, fdset: null };
}

// hostd/vmm/qemu/qemu-capture.ts
var QemuCapture = class {
  files;
  pausedMs;
  method;
  complete;
  saved;
  pauseParts;
  constructor(facts) {
    this.files = facts.files;
    this.pausedMs = facts.pausedMs;
    this.method = facts.method;
    this.complete = facts.complete;
    this.saved = facts.saved;
    this.pauseParts = facts.pauseParts;
    this.complete.catch(() => void 0);
  }
};

// hostd/vmm/qemu/machine-capture.ts
async function captureMachine(tools2, qmp, into, options) {
  const { directory } = tools2;
  let freezer;
  try {
    options.signal?.throwIfAborted();
    const record = await readMachineRecord(directory);
    requireCapturable(record);
    const { running } = await readStatus(qmp);
    const prepared = await prepareCapture(tools2, qmp, record, into, { method: tools2.method, options });
    freezer = prepared.freezer;
    await faultPoint("capture.prepared");
    options.signal?.throwIfAborted();
    const wake = running && options.wake;
    const { pausedMs, method, parts, woken } = await duplicateBetween(qmp, prepared, { running, wake, options });
    await writeMachineRecord(directory, switched(record, prepared, running ? !wake : record.paused));
    await faultPoint("capture.woken");
    await sealFile(into.disk);
    await takeDevices(directory, into);
    await woken;
    return new QemuCapture({
      ...{ files: into, method, pauseParts: parts },
      pausedMs: running ? pausedMs : 0,
      saved: { hardware: record.hardware, layers: prepared.layers, foundation: record.foundation },
      complete: finish(tools2, { record, prepared, into, options })
    });
  } catch (error) {
    await freezer?.abandon();
    await removeCapture(into);
    await reconcile(qmp, directory).catch(() => void 0);
    throw asFreezeError(error, options.signal);
  }
}
async function duplicateBetween(qmp, prepared, { running, wake, options }) {
  const wakeUp = () => {
    const woken = options.afterWake?.();
    woken?.catch(() => void 0);
    return woken;
  };
  try {
    await options.beforeStop?.();
    const duplicated = await duplicate(qmp, prepared, { running, wake });
    return { ...duplicated, woken: wakeUp() };
  } catch (error) {
    await wakeUp();
    throw error;
  }
}
function requireCapturable({ capturable }) {
  if (capturable) return;
  throw new OffshootError("freeze-failed", { message: "A template in the making can not be duplicated." });
}
function switched(record, { next }, paused) {
  return { ...record, chain: [next, ...record.chain], nextOverlay: record.nextOverlay + 1, paused };
}
async function finish(tools2, { record, prepared, into, options }) {
  try {
    const { touchedBytes, imageBytes } = await prepared.freezer.write();
    await faultPoint("capture.written");
    const layers = options.durable ? await makeDurable(tools2.runner, into, prepared.layers, options.signal) : prepared.layers;
    options.signal?.throwIfAborted();
    await recordSnapshot(into, { record, layers, durable: options.durable });
    return { imageMiB: toMiB(imageBytes), touchedMiB: toMiB(touchedBytes) };
  } catch (error) {
    await prepared.freezer.abandon();
    await removeCapture(into);
    throw asFreezeError(error, options.signal);
  }
}
async function recordSnapshot(into, { record, layers, durable }) {
  const memoryStamp = await stampMemory(into.memory);
  const { hardware, foundation } = record;
  const path18 = await writeSnapshotRecord(into.directory, { hardware, foundation, layers: [...layers], memoryStamp });
  if (durable) await syncFiles([path18]);
}
function toMiB(bytes) {
  return Math.ceil(bytes / 2 ** 20);
}

// hostd/vmm/qemu/hibernate.ts
var quitMs = 1e4;
async function hibernateMachine(source, qmp, into, ended) {
  const { directory } = source;
  let freezer;
  let saved = false;
  try {
    const record = await readMachineRecord(directory);
    const { status } = await readStatus(qmp);
    if (status !== "paused" || !record.paused) throw new Error(`the machine is not paused but ${status}`);
    await prepareDevicesFile(directory, record);
    await saveDevices(qmp);
    await faultPoint("hibernate.saved");
    freezer = await openFreezer(source, record, into, { method: "copy", options: { minAvailableMiB: 0 } });
    await freezer.freeze();
    const { imageBytes, touchedBytes } = await freezer.write();
    await takeDevices(directory, into);
    const chain = sealed(record.chain);
    const layers = await linkDisk(directory, { ...record, chain }, into);
    await syncFiles([into.memory, into.devices, into.overlaySeed, ...overlaysOf(directory, record)]);
    await recordSnapshot(into, { record, layers, durable: true });
    await writeMachineRecord(directory, { ...record, hibernated: chain }, true);
    await faultPoint("hibernate.written");
    saved = true;
    await quit(qmp, directory, ended);
    await syncFiles(overlaysOf(directory, record));
    await sealFile(into.disk);
    await faultPoint("hibernate.ended");
    return { imageMiB: toMiB(imageBytes), touchedMiB: toMiB(touchedBytes) };
  } catch (error) {
    await freezer?.abandon();
    if (!saved) await removeCapture(into);
    throw asFreezeError(error);
  }
}
async function quit(qmp, directory, ended) {
  await qmp.execute("quit", {}, anything, quitMs).catch(() => void 0);
  const late = new Promise((resolve2) => setTimeout(resolve2, quitMs, "late").unref());
  if (await Promise.race([ended, late]) === "late") await terminateMachine(directory, void 0);
}
function sealed(chain) {
  return chain.map((layer) => layer.fdset === null ? { ...layer, sealed: true } : layer);
}
function overlaysOf(directory, { chain }) {
  return chain.filter(({ fdset: fdset2 }) => fdset2 === null).map(({ path: path18 }) => join14(directory, path18));
}

// hostd/vmm/qemu/machine-control.ts
var defaultQuietMs = 3e3;
var MachineControl = class {
  #tools;
  #monitor;
  #over = new AbortController();
  #captures = Promise.resolve();
  #compaction;
  #quiet;
  constructor(tools2) {
    this.#tools = tools2;
    this.#monitor = new MachineMonitor(tools2.directory);
  }
  async pause() {
    await this.#interrupt();
    await this.#monitor.session(async (qmp) => {
      await qmp.execute("stop", {}, anything);
      await this.#change({ paused: true });
    });
  }
  async resume() {
    await this.#monitor.session(async (qmp) => {
      await this.#change({ paused: false });
      await qmp.execute("cont", {}, anything);
    });
    this.compactSoon();
  }
  /** One at a time, its image included. */
  capture(into, options) {
    const capture = this.#captures.then(() => this.#capture(into, options));
    this.#captures = capture.then(({ complete }) => complete).catch(() => void 0);
    return capture;
  }
  /** `ended` resolves when the VMM has. */
  async hibernate(into, ended) {
    await this.#captures;
    await this.#interrupt();
    return this.#monitor.session((qmp) => hibernateMachine(this.#tools, qmp, into, ended));
  }
  /** Takes up what an earlier hostd left half done. */
  async recover() {
    await this.#monitor.session((qmp) => reconcile(qmp, this.#tools.directory));
    this.compactSoon();
  }
  /** Merges the disk's layers once the machine has been left alone for a while, if there are many. */
  compactSoon() {
    clearTimeout(this.#quiet);
    if (this.#over.signal.aborted) return;
    this.#quiet = setTimeout(
      () => void this.#compact(longChain).catch(() => void 0),
      this.#tools.quietMs ?? defaultQuietMs
    );
    this.#quiet.unref();
  }
  /** No more work of its own: the machine has ended, or hostd goes. */
  release() {
    this.#over.abort();
    clearTimeout(this.#quiet);
    this.#compaction?.giveUp.abort();
  }
  async #capture(into, options) {
    await this.#interrupt();
    try {
      await this.#compact(longestChain);
      const method = await this.#tools.method();
      const tools2 = { ...this.#tools, method };
      const capture = await this.#monitor.session((qmp) => captureMachine(tools2, qmp, into, options));
      void capture.complete.catch(() => void 0).then(() => this.compactSoon());
      return capture;
    } catch (error) {
      throw asFreezeError(error, options.signal);
    }
  }
  async #compact(most) {
    const record = await readMachineRecord(this.#tools.directory);
    if (layersToMerge(record) <= most || this.#over.signal.aborted) return;
    const giveUp = new AbortController();
    const work = compactChain(this.#monitor, this.#tools.directory, giveUp.signal);
    this.#compaction = { work, giveUp };
    await work.finally(() => this.#compaction = void 0);
  }
  async #interrupt() {
    clearTimeout(this.#quiet);
    this.#compaction?.giveUp.abort();
    await this.#compaction?.work.catch(() => void 0);
  }
  async #change(change) {
    const { directory } = this.#tools;
    const record = await readMachineRecord(directory);
    await writeMachineRecord(directory, { ...record, ...change });
  }
};

// hostd/vmm/qemu/plan-restore.ts
import { readdir as readdir3, rm as rm9 } from "node:fs/promises";
import { join as join15 } from "node:path";
async function planRestore(launch, start, parts) {
  const { shape, network } = launch;
  const saved = start.capture instanceof QemuCapture ? start.capture.saved : await readWhole(start);
  const { restorable, reason: reason2 } = compatibilityOf(saved.hardware.origin, parts.origin);
  if (restorable === "no") throw refusal("snapshot-mismatch", `The snapshot can not be restored here. ${reason2}`);
  const link6 = network === void 0 ? null : { guestMac: network.guestMac, mtu: network.mtu };
  requireSameHardware(saved.hardware, { cpus: shape.cpus, memoryMiB: shape.memoryMiB, link: link6 });
  const disk = start.overlay === "continue" ? await continuedDisk(launch) : await freshDisk(launch, start, saved);
  const { snapshot, capture } = start;
  const result = planned(launch, parts, {
    ...disk,
    foundation: saved.foundation,
    memory: { kind: "private-copy", path: snapshot.memory },
    boot: { kind: "restore", devices: snapshot.devices, deferred: capture !== void 0 }
  });
  return start.overlay === "continue" ? keepHibernated(launch, result) : result;
}
async function readWhole({ snapshot, capture }) {
  await capture?.complete;
  return readSnapshotRecord(snapshot);
}
async function freshDisk(launch, { snapshot }, saved) {
  const seed = join15(launch.directory, machineFiles.overlaySeed);
  const layers = await linkLayers(launch.directory, saved.layers);
  await linkOrCopy(snapshot.overlaySeed, seed);
  await copyOverlay(seed, join15(launch.directory, overlayFile(0)), launch);
  return { layers, overlay: 0 };
}
async function continuedDisk({ directory, uid, gid }) {
  const record = await readMachineRecord(directory).catch((error) => {
    throw refusal("overlay-missing", "The machine’s own disk is not in its folder.", error);
  });
  const vmm = await recordedProcess(directory, machineFiles.vmmPid);
  if (vmm !== void 0 && await isAlive(vmm)) throw refusal("still-running", "The machine has not ended.");
  const saved = record.hibernated;
  if (saved === null) throw refusal("overlay-missing", "The machine was not saved with its disk in its folder.");
  const kept = new Set(saved.map(({ path: path18 }) => path18));
  for (const name of await readdir3(directory)) {
    if (/^overlay-\d+\.qcow2$/.test(name) && !kept.has(name)) await rm9(join15(directory, name));
  }
  const [top] = saved;
  if (top !== void 0) await sealFile(join15(directory, top.path));
  const overlay = 1 + Math.max(...saved.map(({ path: path18 }) => Number(/^overlay-(\d+)\./.exec(path18)?.[1] ?? -1)));
  await copyOverlay(join15(directory, machineFiles.overlaySeed), join15(directory, overlayFile(overlay)), { uid, gid });
  return { layers: saved.map((layer) => absoluteLayer(directory, layer)), overlay };
}
async function keepHibernated({ directory }, result) {
  const { hibernated } = await readMachineRecord(directory);
  return { ...result, record: { ...result.record, hibernated } };
}

// hostd/vmm/qemu/launch-spec.ts
function encodeLaunchSpec(spec) {
  const records = [
    ["uid", String(spec.uid)],
    ["gid", String(spec.gid)],
    ...spec.groups.map((group) => ["group", String(group)]),
    ...spec.netnsPath === void 0 ? [] : [["netns", spec.netnsPath]],
    ...spec.files.map((file) => [file.kind, `${String(file.number)}:${file.target}`]),
    ...Object.entries(spec.limits).map(([name, value]) => ["limit", `${name}:${String(value)}`]),
    ...Object.entries(spec.env).map(([name, value]) => ["env", `${name}=${value}`]),
    ...[spec.program, ...spec.args].map((word) => ["arg", word])
  ];
  return records.map(([key = "", value = ""]) => {
    if (value.includes("\0")) throw new TypeError(`launch spec: ${key} holds a NUL byte`);
    return `${key}=${value}\0`;
  }).join("");
}

// hostd/vmm/qemu/qemu-vm.ts
import { watch } from "node:fs";

// hostd/vmm/qemu/usage.ts
import { readFile as readFile6 } from "node:fs/promises";
var ticksPerSecond = 100;
async function processUsage(pid) {
  const folder = `/proc/${String(pid)}`;
  const [stat10, status, rollup] = await Promise.all(
    ["stat", "status", "smaps_rollup"].map((name) => readFile6(`${folder}/${name}`, "utf8"))
  );
  return parseUsage(stat10 ?? "", status ?? "", rollup ?? "");
}
function parseUsage(stat10, status, rollup) {
  const fields = stat10.slice(stat10.lastIndexOf(")") + 2).split(" ");
  const [userTicks, systemTicks] = [Number(fields[11]), Number(fields[12])];
  return {
    cpuSeconds: (userTicks + systemTicks) / ticksPerSecond,
    peakMemoryMiB: Math.ceil(kibibytes(status, "VmHWM") / 1024),
    residentMiB: Math.ceil((kibibytes(rollup, "Pss") + kibibytes(rollup, "SwapPss")) / 1024)
  };
}
function kibibytes(text, name) {
  const match = new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(text);
  return Number(match?.[1] ?? 0);
}

// hostd/vmm/qemu/qemu-vm.ts
var pollMs = 1e3;
var lastStepsMs = 2e3;
var QemuVm = class {
  record;
  agentSocketPath;
  exited;
  #control;
  #freeze;
  #released = new AbortController();
  #forget;
  #hibernating = false;
  constructor(options) {
    this.record = options.record;
    this.agentSocketPath = agentSocketPath(options.record.directory);
    this.#control = options.control;
    this.#freeze = options.freeze;
    this.#forget = options.started?.forget ?? (() => void 0);
    const gone = options.started?.ended ?? launcherGone(options.record, this.#released.signal);
    this.exited = gone.then(() => {
      this.#control.release();
      return this.#exit();
    });
  }
  async usage() {
    return processUsage((await this.#vmm()).pid);
  }
  consoleTail() {
    return readConsoleTail(this.record.directory);
  }
  async freezeInto(into) {
    if (this.#freeze === void 0) throw new Error("this machine was not started to be frozen");
    await this.#freeze(into);
  }
  pause() {
    return this.#control.pause();
  }
  resume() {
    return this.#control.resume();
  }
  capture(into, options) {
    return this.#control.capture(into, options);
  }
  async hibernateInto(into) {
    this.#hibernating = true;
    try {
      return await this.#control.hibernate(into, this.exited);
    } catch (error) {
      this.#hibernating = false;
      throw error;
    }
  }
  async kill() {
    await terminateMachine(this.record.directory, this.record);
    return this.#exit();
  }
  release() {
    this.#released.abort();
    this.#control.release();
    this.#forget();
  }
  // A machine that was saved ended because it was told to; to its launcher it looks as if the guest had shut down.
  async #exit() {
    const { directory } = this.record;
    const exit = await readExit(directory) ?? await unrecordedExit(directory);
    return this.#hibernating && exit.cause === "guest-shutdown" ? { ...exit, cause: "killed-by-us" } : exit;
  }
  async #vmm() {
    const vmm = await recordedProcess(this.record.directory, machineFiles.vmmPid);
    if (vmm !== void 0 && await isAlive(vmm)) return vmm;
    throw new OffshootError("sandbox-not-running", { message: "The VMM of the sandbox has ended." });
  }
};
async function launcherGone(record, released) {
  let wake = () => void 0;
  let quick = 0;
  released.addEventListener("abort", () => wake(), { once: true });
  const watcher = watchFolder(record.directory, (name) => {
    if (name !== machineFiles.exit) return;
    quick = performance.now() + lastStepsMs;
    wake();
  });
  try {
    while (!released.aborted && await isAlive(record.launcher)) {
      await new Promise((resolve2) => {
        const timer = setTimeout(resolve2, performance.now() < quick ? 5 : pollMs);
        timer.unref();
        wake = () => {
          clearTimeout(timer);
          resolve2();
        };
      });
    }
  } finally {
    watcher?.close();
  }
  if (released.aborted) await new Promise(() => void 0);
}
function watchFolder(directory, onName) {
  try {
    const watcher = watch(directory, { persistent: false }, (_event, name) => onName(name));
    watcher.on("error", () => watcher.close());
    return watcher;
  } catch {
    return void 0;
  }
}

// hostd/vmm/qemu/start-launcher.ts
import { spawn as spawn2 } from "node:child_process";
var LauncherError = class extends Error {
  constructor(message) {
    super(message);
    this.name = "LauncherError";
  }
};
async function startLauncher(program2, directory, onIdentity, timeoutMs2 = 1e4) {
  const child = spawn2(program2, [directory], { detached: true, stdio: ["ignore", "pipe", "ignore"], env: {}, cwd: "/" });
  const ended = new Promise((resolve2) => {
    child.once("exit", () => resolve2());
    child.once("error", () => resolve2());
  });
  const answer = firstLine(child.stdout, timeoutMs2);
  answer.catch(() => void 0);
  await new Promise((resolve2, reject) => {
    child.once("spawn", resolve2);
    child.once("error", reject);
  });
  try {
    const launcher = child.pid === void 0 ? void 0 : await identifyProcess(child.pid);
    if (launcher !== void 0) onIdentity(launcher);
    const line = await answer;
    const ready = /^ready (\d+) (\d+) (\d+) (\d+)$/.exec(line);
    if (ready === null) throw new LauncherError(line.replace(/^failed /, "") || "the launcher ended without a word");
    const [, pid, ticks, vmmPid, vmmTicks] = ready.map(Number);
    return { launcher: identity(pid, ticks), vmm: identity(vmmPid, vmmTicks), ended, forget: () => child.unref() };
  } catch (error) {
    child.kill("SIGTERM");
    throw error;
  }
}
function identity(pid = 0, startTicks = 0) {
  return { pid, startTicks };
}
function firstLine(stream, timeoutMs2) {
  return new Promise((resolve2, reject) => {
    let text = "";
    const finish2 = () => {
      clearTimeout(timer);
      stream.destroy();
      resolve2(text.split("\n")[0] ?? "");
    };
    const timer = setTimeout(() => {
      stream.destroy();
      reject(new Error(`the launcher did not answer within ${String(timeoutMs2)} ms`));
    }, timeoutMs2);
    stream.on("data", (chunk) => {
      text += chunk.toString("utf8");
      if (text.includes("\n")) finish2();
    });
    stream.on("end", finish2);
    stream.on("error", finish2);
  });
}

// hostd/vmm/qemu/start-error.ts
function asOffshootError(error) {
  if (!(error instanceof Error) || error instanceof OffshootError) return error;
  const code = "code" in error ? error.code : void 0;
  const text = error instanceof CommandError ? error.result.stderr : error.message;
  if (code === "ENOSPC" || code === "EDQUOT" || /No space left on device|Disk quota exceeded/.test(text)) {
    return new OffshootError("host-disk-full", { cause: error });
  }
  if (code === "ENOENT" && "syscall" in error && String(error.syscall).startsWith("spawn")) {
    return new OffshootError("tool-missing", { message: error.message, cause: error });
  }
  const reason2 = error instanceof LauncherError ? "launcher" : "vmm";
  return new OffshootError("boot-failed", {
    message: `The machine did not start: ${error.message}`,
    details: { reason: reason2 },
    cause: error
  });
}

// hostd/vmm/qemu/qemu-vmm.ts
var QemuVmm = class {
  features;
  emulatedFallback;
  #options;
  constructor(options) {
    this.#options = options;
    this.features = options.features;
    this.emulatedFallback = options.emulatedFallback;
  }
  async start(launch, onRecord) {
    try {
      return await this.#start(launch, onRecord);
    } catch (error) {
      throw asOffshootError(error);
    }
  }
  /** A machine that an earlier hostd left standing still, or half duplicated, goes on. */
  async adopt(record) {
    if (record.bootId !== await hostBootId()) return void 0;
    if (!await isAlive(record.launcher)) return readExit(record.directory);
    const control = this.#control(record.directory);
    await control.recover().catch(() => void 0);
    return new QemuVm({ record, control });
  }
  compatibility(recorded) {
    return compatibilityOf(recorded, this.#origin);
  }
  async isWhole(files) {
    try {
      const { layers } = await readSnapshotRecord(files);
      await Promise.all([files.devices, ...layers.map(({ path: path18 }) => path18)].map((path18) => access3(path18)));
      return true;
    } catch {
      return false;
    }
  }
  attest(files) {
    return attestMemory(files);
  }
  freezeMethod() {
    return this.#options.freezeMethod();
  }
  async destroy(directory, record) {
    await terminateMachine(directory, record);
  }
  get #origin() {
    const { name, version, machine, cpuModel, restoreKey: restoreKey2, isolation } = this.features;
    return { name, version, machine, cpuModel, restoreKey: restoreKey2, tier: isolation.tier };
  }
  async #start(launch, onRecord) {
    const { directory, gid } = launch;
    await chown6(directory, 0, gid);
    await chmod5(directory, 456);
    const { plan, record: machine } = await this.#plan(launch);
    await writeMachineRecord(directory, machine);
    const spec = encodeLaunchSpec(launchSpec(this.#options, launch, plan));
    await writeFile4(join16(directory, machineFiles.spec), spec, { mode: 384, flag: "wx" });
    const bootId = await hostBootId();
    const recordOf = (launcher) => ({ launcher, bootId, directory });
    const started = await startLauncher(
      this.#options.launcherProgram,
      directory,
      (identity2) => onRecord(recordOf(identity2))
    );
    return this.#running(launch, recordOf(started.launcher), started);
  }
  async #plan(launch) {
    const { runner, profile } = this.#options;
    const parts = { runner, version: profile.version, origin: this.#origin };
    const { start, directory } = launch;
    if (start.kind === "cold") return planCold(launch, start, parts);
    if (start.overlay === "continue") {
      for (const name of [machineFiles.spec, machineFiles.exit]) await rm10(join16(directory, name), { force: true });
    }
    return planRestore(launch, start, parts).catch(async (error) => {
      await start.capture?.complete;
      throw error;
    });
  }
  async #running(launch, record, started) {
    const { start, directory } = launch;
    const control = this.#control(directory);
    if (start.kind === "restore" && start.capture !== void 0) {
      try {
        await feedCapture(directory, this.#options.profile.version, start.capture);
      } catch (error) {
        await terminateMachine(directory, record);
        throw await asChildError(error, directory);
      }
    }
    const savable = start.kind === "cold" && start.memoryFile !== void 0;
    const freeze = (into) => this.#freeze(launch, vm, into);
    const vm = new QemuVm({ record, started, control, ...savable ? { freeze } : {} });
    control.compactSoon();
    return vm;
  }
  #control(directory) {
    const { profile, runner, openFreezer: openFreezer2 } = this.#options;
    const method = async () => (await this.freezeMethod()).method;
    return new MachineControl({ directory, version: profile.version, runner, openFreezer: openFreezer2, method });
  }
  async #freeze({ start, directory }, vm, into) {
    if (start.kind !== "cold" || start.memoryFile !== into.memory) {
      throw new Error("freezeInto: the memory file is not the one this machine was started with");
    }
    try {
      await saveAndQuit(new MachineMonitor(directory));
      const exit = await vm.exited;
      if (exit.exitCode !== 0)
        throw new Error(`the VMM ended with ${exit.signal ?? `exit code ${String(exit.exitCode)}`} while it was saved`);
      await completeSnapshot({ machineDirectory: directory, into, version: this.#options.profile.version });
    } catch (error) {
      await vm.kill();
      await removeCapture(into);
      throw asOffshootError(error);
    }
  }
};
async function asChildError(error, directory) {
  if (!isOffshootError(error) || error.code !== "sandbox-not-running") return error;
  const details = { reason: "vmm", console: await readConsoleTail(directory) };
  return new OffshootError("boot-failed", { message: "The VMM ended before it was restored.", details, cause: error });
}

// hostd/vmm/qemu/open-qemu-vmm.ts
var defaultKvmDeadlineMs = 3e3;
var cpuModels = { kvm: "host", tcg: "max,erms=off,fsrm=off,la57=off" };
async function reportQemu(options) {
  const qemu = await probeQemu(options.runner, options.qemuProgram);
  if (!("program" in qemu)) return { qemu, kvm: { works: false, reason: qemu.problem } };
  if (options.kvm === "off") return { qemu, kvm: { works: false, reason: "KVM is turned off in the configuration" } };
  const kvm = await probeKvm(options.runner, {
    qemuProgram: qemu.program,
    payload: join17(options.nativeDirectory, "kvm-probe.bin"),
    cpuModel: cpuModels.kvm,
    deadlineMs: options.kvmDeadlineMs ?? defaultKvmDeadlineMs
  });
  return { qemu, kvm };
}
async function openQemuVmm(options) {
  const { qemu, kvm } = await reportQemu(options);
  if (!("program" in qemu)) throw new OffshootError("tool-missing", { message: `${qemu.problem}.`, hint: qemu.mend });
  const host = parseCpuInfo(await readFile7("/proc/cpuinfo", "utf8"));
  const freezeMethod = once(() => probeFreezeMethod(join17(options.nativeDirectory, "freeze"), options.runner));
  const emulated = makeVmm(options, {
    qemu,
    host,
    freezeMethod,
    tscKhz: await measureTscKhz(options),
    accelerator: "tcg",
    isolation: { tier: "emulated", reason: kvm.works ? "KVM passed the probe but did not boot a kernel" : kvm.reason }
  });
  if (!kvm.works) return emulated;
  const parts = {
    qemu,
    host,
    freezeMethod,
    tscKhz: void 0,
    accelerator: "kvm",
    isolation: { tier: "kvm", reason: kvm.reason }
  };
  return makeVmm(options, {
    ...parts,
    emulatedFallback: emulated,
    ...kvm.gid === void 0 ? {} : { kvmGid: kvm.gid }
  });
}
var maxGuestCpus = 64;
function makeVmm(options, parts) {
  const { qemu, accelerator, emulatedFallback, kvmGid } = parts;
  const cpuModel = cpuModels[accelerator];
  return new QemuVmm({
    profile: { program: qemu.program, version: qemu.version, accelerator, cpuModel, tscKhz: parts.tscKhz },
    features: {
      name: "qemu",
      version: qemu.version.text,
      machine: machineType,
      cpuModel,
      isolation: parts.isolation,
      maxCpus: maxGuestCpus,
      restoreKey: restoreKey(qemu, accelerator, cpuModel, parts.host)
    },
    launcherProgram: join17(options.nativeDirectory, "launcher"),
    runner: options.runner,
    openFreezer: (request) => openMemoryFreezer({ program: join17(options.nativeDirectory, "freeze"), ...request }),
    freezeMethod: parts.freezeMethod,
    ...emulatedFallback === void 0 ? {} : { emulatedFallback },
    ...kvmGid === void 0 ? {} : { kvmGid }
  });
}
function restoreKey(qemu, accelerator, cpuModel, host) {
  return restoreKeyOf({
    snapshot: String(snapshotFormatVersion),
    "command-line": String(commandLineVersion),
    qemu: qemu.version.text,
    machine: machineType,
    accel: accelerator,
    cpu: cpuModel,
    host: host.model,
    ...accelerator === "kvm" ? { flags: host.flagsDigest } : {}
  });
}
function once(work) {
  let result;
  return () => result ??= work();
}
async function measureTscKhz({ runner, nativeDirectory }) {
  const run = await runner.run(join17(nativeDirectory, "tsc-khz"), [], { timeoutMs: 5e3 }).catch((error) => {
    const message = `The native programs are missing from ${nativeDirectory}.`;
    throw new OffshootError("tool-missing", { message, hint: "Build them: make -s -C hostd/vmm/native", cause: error });
  });
  const khz = Number(run.stdout.trim());
  return run.code === 0 && Number.isSafeInteger(khz) && khz > 0 ? khz : void 0;
}

// hostd/guest/protocol/frame.ts
var frameType = {
  resync: 1,
  resyncAck: 2,
  open: 16,
  data: 18,
  ack: 19,
  eof: 20,
  end: 21,
  close: 22,
  control: 23,
  resume: 24,
  ping: 32,
  pong: 33
};
var startByte = 245;
var headerBytes = 20;
var trailerBytes = 4;
var maxGuestPayloadBytes = 65536;
var maxHostPayloadBytes = 16384;
var maxPingBytes = 64;
var moreFollowsFlag = 1;
var resyncTag = 1380275033;
var channels2 = { input: 0, stdout: 1, stderr: 2 };
var guestOpenedBit = 2147483648;
var maxOpenBytes = 2 * 1024 * 1024;
var maxOpenFields = 4096;
var maxStreams = 256;
var initialInputLimitBytes = 65536;
var ProtocolViolation = class extends Error {
  constructor(message) {
    super(message);
    this.name = "ProtocolViolation";
  }
};
function wholePayload(frame) {
  const [first] = frame.payload;
  if (first === void 0) return Buffer.alloc(0);
  return frame.payload.length === 1 ? first : Buffer.concat(frame.payload);
}
function readCount(bytes, position) {
  const high = bytes.readUInt32LE(position + 4);
  if (high >= 2097152) throw new ProtocolViolation("a byte count is beyond 2^53");
  return high * 4294967296 + bytes.readUInt32LE(position);
}
function writeCount(bytes, count, position) {
  bytes.writeUInt32LE(count % 4294967296, position);
  bytes.writeUInt32LE(Math.floor(count / 4294967296), position + 4);
}

// hostd/guest/channel/dialer.ts
import { setTimeout as sleep2 } from "node:timers/promises";

// hostd/guest/channel/carrier.ts
import { closeSync, constants as constants5, openSync } from "node:fs";
import { createConnection as createConnection2 } from "node:net";
import { basename as basename2, dirname as dirname4 } from "node:path";
var maxSocketPathBytes2 = 107;
function openCarrier(socketPath) {
  if (Buffer.byteLength(socketPath) <= maxSocketPathBytes2) return connected2(createConnection2(socketPath));
  let folder;
  try {
    folder = openSync(dirname4(socketPath), constants5.O_RDONLY | constants5.O_DIRECTORY);
  } catch (error) {
    return Promise.reject(error);
  }
  const shortPath = `/proc/self/fd/${String(folder)}/${basename2(socketPath)}`;
  return connected2(createConnection2(shortPath)).finally(() => closeSync(folder));
}
function connected2(socket) {
  return new Promise((resolve2, reject) => {
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.off("error", reject);
      resolve2(socket);
    });
  });
}

// hostd/guest/channel/dialer.ts
var firstDelayMs = 5;
var longestDelayMs = 200;
var startDelayMs = 4;
var startAttempts = 250;
var goneMs2 = 2e3;
var failingMs = 3e4;
var leastFailures = 5;
var Dialer = class {
  #socketPath;
  #stopped;
  #failures = 0;
  #failingSinceMs = 0;
  #goneSinceMs;
  #everConnected = false;
  constructor(socketPath, stopped) {
    this.#socketPath = socketPath;
    this.#stopped = stopped;
  }
  /** A session came to life: earlier failures are forgotten. */
  succeeded() {
    this.#failures = 0;
    this.#goneSinceMs = void 0;
    this.#everConnected = true;
  }
  /** The next connection; undefined when the socket is gone for good or the signal fired. Before the first success it dials for ever. */
  async dial() {
    for (; ; ) {
      if (this.#stopped.aborted) return void 0;
      if (this.#failures > 0) await this.#pause();
      if (this.#stopped.aborted) return void 0;
      if (this.#failures === 0) this.#failingSinceMs = performance.now();
      this.#failures += 1;
      try {
        const socket = await openCarrier(this.#socketPath);
        this.#goneSinceMs = void 0;
        if (!this.#stopped.aborted && !this.#hopeless()) return socket;
        socket.destroy();
      } catch (error) {
        if (isGone(error)) this.#goneSinceMs ??= performance.now();
        else this.#goneSinceMs = void 0;
      }
      if (this.#hopeless()) return void 0;
    }
  }
  #hopeless() {
    if (!this.#everConnected || this.#failures < leastFailures) return false;
    const nowMs = performance.now();
    if (this.#goneSinceMs !== void 0 && nowMs - this.#goneSinceMs > goneMs2) return true;
    return nowMs - this.#failingSinceMs > failingMs;
  }
  async #pause() {
    const growingMs = Math.min(longestDelayMs, firstDelayMs * 2 ** Math.min(this.#failures - 1, 10));
    const delayMs = !this.#everConnected && this.#failures <= startAttempts ? startDelayMs : growingMs;
    await sleep2(delayMs, void 0, { signal: this.#stopped }).catch(() => void 0);
  }
};
function isGone(error) {
  const code = error.code;
  return code === "ENOENT" || code === "ECONNREFUSED" || code === "ENOTDIR";
}

// hostd/guest/channel/stream-setup.ts
var StreamLostError = class extends Error {
  constructor() {
    super("the agent has lost the stream");
    this.name = "StreamLostError";
  }
};

// hostd/guest/channel/errors.ts
function closedError(reason2, violation) {
  const details = { reason: reason2 };
  switch (reason2) {
    case "carrier-gone":
      return new OffshootError("guest-unresponsive", { message: "The sandbox is gone.", details });
    case "disconnected":
      return new OffshootError("shutting-down", { message: "hostd has let go of the sandbox.", details });
    case "protocol":
      return protocolError(violation ?? new ProtocolViolation("unknown"));
  }
}
function protocolError(violation) {
  return new OffshootError("guest-protocol", {
    message: `The agent in the sandbox broke the protocol: ${violation.message}.`,
    details: { reason: "protocol" },
    cause: violation
  });
}
function tooManyStreams() {
  return new OffshootError("too-many-streams", {
    message: `The sandbox has ${String(maxStreams)} execs and transfers open, as many as its agent takes.`,
    details: { reason: "too-many-streams" }
  });
}
function unresponsive(operation, timeoutMs2) {
  return new OffshootError("guest-unresponsive", {
    message: `The sandbox did not answer ${operation} within ${String(timeoutMs2)} ms.`,
    details: { reason: "timeout", operation, timeoutMs: timeoutMs2 }
  });
}
function aborted2(cause) {
  return new OffshootError("aborted", cause === void 0 ? {} : { cause });
}
function streamError(error, path18) {
  const details = path18 === void 0 ? {} : { path: path18 };
  if (error instanceof ProtocolViolation) return protocolError(error);
  if (error instanceof StreamLostError)
    return new OffshootError("guest-file-error", {
      message: "The agent has lost the transfer.",
      details: { reason: "stream-lost", ...details }
    });
  return error;
}
var fileCodes = /* @__PURE__ */ new Map([
  ["not-found", "guest-file-not-found"],
  ["no-space", "guest-disk-full"],
  ["unsafe-path", "unsafe-archive"],
  ["too-many-streams", "too-many-streams"],
  ["invalid", "invalid-request"]
]);
function fileError(end, path18) {
  return new OffshootError(fileCodes.get(end.error) ?? "guest-file-error", {
    message: end.message === "" ? `${path18}: ${end.error}` : end.message,
    details: { reason: end.error, path: path18 }
  });
}

// hostd/guest/protocol/fields.ts
function encodeFields(fields) {
  const values = fields.map(([, value]) => Buffer.isBuffer(value) ? value : Buffer.from(String(value)));
  let size = 0;
  for (const [index, [key]] of fields.entries()) size += 5 + key.length + (values[index]?.length ?? 0);
  const bytes = Buffer.allocUnsafe(size);
  let position = 0;
  for (const [index, [key]] of fields.entries()) {
    const value = values[index] ?? Buffer.alloc(0);
    position = bytes.writeUInt8(key.length, position);
    position += bytes.write(key, position, "latin1");
    position = bytes.writeUInt32LE(value.length, position);
    position += value.copy(bytes, position);
  }
  return bytes;
}
var keyPattern = /^[a-z0-9][a-z0-9-]*$/;
function decodeFields(bytes, maxFields) {
  const fields = [];
  let position = 0;
  while (position < bytes.length) {
    if (fields.length === maxFields) throw new ProtocolViolation(`more than ${String(maxFields)} fields`);
    const keyEnd = position + 1 + bytes.readUInt8(position);
    if (keyEnd + 4 > bytes.length) throw new ProtocolViolation("a field is cut short");
    const key = bytes.toString("latin1", position + 1, keyEnd);
    if (!keyPattern.test(key)) throw new ProtocolViolation("a field has a malformed key");
    const valueEnd = keyEnd + 4 + bytes.readUInt32LE(keyEnd);
    if (valueEnd > bytes.length) throw new ProtocolViolation("a field is cut short");
    fields.push({ key, value: bytes.subarray(keyEnd + 4, valueEnd) });
    position = valueEnd;
  }
  return fields;
}
function fieldTexts(fields) {
  const texts = /* @__PURE__ */ new Map();
  for (const { key, value } of fields) if (!texts.has(key)) texts.set(key, value.toString("utf8"));
  return Object.fromEntries(texts);
}

// hostd/guest/protocol/frame-encoder.ts
var empty = Buffer.alloc(0);
function encodeFrame(tag, head, payload = empty) {
  const bytes = Buffer.allocUnsafe(headerBytes + payload.length + trailerBytes);
  writeFrame(bytes, 0, tag, head, payload);
  return bytes;
}
function encodeData(tag, streamId, offset, parts) {
  const frames = parts.flatMap((part) => cut(part));
  const size = frames.reduce((sum, frame) => sum + headerBytes + frame.length + trailerBytes, 0);
  const bytes = Buffer.allocUnsafe(size);
  let position = 0;
  let sent = offset;
  for (const frame of frames) {
    position = writeFrame(bytes, position, tag, { type: frameType.data, streamId, offset: sent }, frame);
    sent += frame.length;
  }
  return bytes;
}
function encodeOpen(tag, streamId, limit, fields) {
  if (fields.length > maxOpenBytes) throw new RangeError("OPEN fields are beyond the bound");
  const pieces = cut(fields);
  return Buffer.concat(
    pieces.map((piece, index) => {
      const flags = index < pieces.length - 1 ? moreFollowsFlag : 0;
      return encodeFrame(tag, { type: frameType.open, streamId, offset: limit, flags }, piece);
    })
  );
}
function encodeCount(tag, head, count) {
  const payload = Buffer.allocUnsafe(8);
  writeCount(payload, count, 0);
  return encodeFrame(tag, head, payload);
}
function cut(bytes) {
  if (bytes.length <= maxHostPayloadBytes) return [bytes];
  const pieces = [];
  for (let start = 0; start < bytes.length; start += maxHostPayloadBytes)
    pieces.push(bytes.subarray(start, start + maxHostPayloadBytes));
  return pieces;
}
function writeFrame(bytes, position, tag, head, payload) {
  bytes[position] = startByte;
  bytes[position + 1] = head.type;
  bytes[position + 2] = channels2.input;
  bytes[position + 3] = head.flags ?? 0;
  bytes.writeUInt32LE(payload.length, position + 4);
  bytes.writeUInt32LE(head.streamId, position + 8);
  writeCount(bytes, head.offset, position + 12);
  payload.copy(bytes, position + headerBytes);
  return bytes.writeUInt32LE(tag, position + headerBytes + payload.length);
}

// hostd/guest/protocol/resync.ts
var magic = Buffer.from("offshoot-resync\n");
var nonceBytes = 16;
var lowestVersion = 1;
var highestVersion = 1;
var padding = Buffer.alloc(headerBytes + maxHostPayloadBytes + trailerBytes);
function encodeResync(nonce) {
  const versions = Buffer.alloc(4);
  versions.writeUInt16LE(lowestVersion, 0);
  versions.writeUInt16LE(highestVersion, 2);
  const payload = Buffer.concat([magic, nonce, versions]);
  return encodeFrame(resyncTag, { type: frameType.resync, streamId: 0, offset: 0 }, payload);
}
function sessionTag(nonce) {
  return nonce.readUInt32LE(0);
}
var ResyncHunter = class {
  /** Bytes thrown away so far. */
  discardedBytes = 0;
  /** Magic and nonce: what only the answer holds. */
  #mark;
  #carry = Buffer.alloc(0);
  #answer;
  #answerFill = 0;
  constructor(nonce) {
    this.#mark = Buffer.concat([magic, nonce]);
  }
  push(chunk) {
    let rest = this.#carry.length === 0 ? chunk : Buffer.concat([this.#carry, chunk]);
    this.#carry = Buffer.alloc(0);
    while (rest.length > 0) {
      if (this.#answer === void 0) {
        const start = this.#hunt(rest);
        if (start === void 0) return void 0;
        rest = rest.subarray(start);
        this.#answer = Buffer.allocUnsafe(headerBytes + rest.readUInt32LE(4) + trailerBytes);
        this.#answerFill = 0;
      }
      const answer = this.#answer;
      const taken = rest.copy(answer, this.#answerFill);
      this.#answerFill += taken;
      rest = rest.subarray(taken);
      if (this.#answerFill < answer.length) return void 0;
      this.#answer = void 0;
      if (answer.readUInt32LE(answer.length - trailerBytes) === resyncTag)
        return { fields: answer.subarray(prefixBytes, answer.length - trailerBytes), rest };
      this.discardedBytes += answer.length;
    }
    return void 0;
  }
  /** Where an answer begins in `bytes`. The end of them, where one may have begun, is carried over. */
  #hunt(bytes) {
    for (let mark = bytes.indexOf(this.#mark); mark >= 0; mark = bytes.indexOf(this.#mark, mark + 1)) {
      const start = mark - headerBytes;
      if (start < 0 || !isAnswerHeader(bytes, start)) continue;
      this.discardedBytes += start;
      return start;
    }
    const carried = Math.min(bytes.length, prefixBytes - 1);
    this.discardedBytes += bytes.length - carried;
    this.#carry = Buffer.from(bytes.subarray(bytes.length - carried));
    return void 0;
  }
};
function isAnswerHeader(bytes, at) {
  for (let index = 0; index < headerBytes; index += 1) {
    const isLength = index >= 4 && index < 8;
    if (!isLength && bytes[at + index] !== answerHeader[index]) return false;
  }
  const payloadBytes = bytes.readUInt32LE(at + 4);
  return payloadBytes >= magic.length + nonceBytes && payloadBytes <= maxGuestPayloadBytes;
}
var prefixBytes = headerBytes + magic.length + nonceBytes;
var answerHeader = Buffer.alloc(headerBytes);
answerHeader[0] = startByte;
answerHeader[1] = frameType.resyncAck;
answerHeader[2] = channels2.input;

// hostd/guest/protocol/hello.ts
var decimal = external_exports.string().regex(/^\d{1,15}$/).transform(Number);
var shortText = external_exports.string().max(256);
var streamSchema = external_exports.object({
  id: decimal.pipe(external_exports.number().min(1).max(4294967295)),
  kind: external_exports.string().regex(/^[a-z0-9-]{1,64}$/),
  received: decimal,
  limit: decimal,
  base: decimal,
  length: decimal,
  ended: external_exports.enum(["0", "1"]).default("0")
});
var helloSchema = external_exports.object({
  version: decimal.pipe(external_exports.number().min(lowestVersion).max(highestVersion)),
  agent: shortText,
  "boot-id": shortText.default(""),
  generation: decimal.default(0)
});
var maxCapabilities = 64;
var maxHelloFields = maxStreams + maxCapabilities + 32;
function parseHello(fields) {
  const decoded = decodeFields(fields, maxHelloFields);
  const head = check(helloSchema, fieldTexts(decoded), "RESYNC_ACK");
  const streams = decoded.filter(({ key }) => key === "stream").map(({ value }) => parseStream(value));
  if (streams.length > maxStreams) throw new ProtocolViolation("RESYNC_ACK lists too many streams");
  if (new Set(streams.map(({ id }) => id)).size < streams.length)
    throw new ProtocolViolation("RESYNC_ACK lists a stream twice");
  return {
    protocolVersion: head.version,
    agentBuild: head.agent,
    capabilities: new Set(decoded.filter(({ key }) => key === "capability").map(({ value }) => value.toString())),
    streams,
    bootId: head["boot-id"],
    generation: head.generation
  };
}
function parseStream(value) {
  const stream = check(streamSchema, fieldTexts(decodeFields(value, 32)), "a stream of RESYNC_ACK");
  if (stream.base > stream.length) throw new ProtocolViolation("a stream keeps more than it has produced");
  if (stream.limit < stream.received) throw new ProtocolViolation("a stream takes less than it has received");
  return {
    id: stream.id,
    kind: stream.kind,
    receivedBytes: stream.received,
    inputLimitBytes: stream.limit,
    baseOffset: stream.base,
    lengthBytes: stream.length,
    ended: stream.ended === "1"
  };
}
function check(schema, value, what) {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new ProtocolViolation(`${what}: ${issue?.path.join(".") ?? ""}: ${issue?.message ?? "malformed"}`);
}

// hostd/guest/protocol/results.ts
var maxEndFields = 64;
function parseEnd(payload) {
  const texts = fieldTexts(decodeFields(payload, maxEndFields));
  if (texts["error"] === void 0) {
    if (texts["ok"] !== "1") throw new ProtocolViolation("END has neither ok nor error");
    return { ok: true, texts };
  }
  if (!/^[a-z0-9-]{1,64}$/.test(texts["error"])) throw new ProtocolViolation("END has a malformed error code");
  return { ok: false, error: texts["error"], message: cleanText(texts["message"] ?? ""), texts };
}
var maxMessageLength = 300;
function cleanText(text) {
  const line = text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]+/g, " ").trim();
  return line.length <= maxMessageLength ? line : `${line.slice(0, maxMessageLength)}...`;
}
var flag = external_exports.enum(["0", "1"]).default("0");
var execSchema = external_exports.object({
  "exit-code": decimal.pipe(external_exports.number().max(255)).optional(),
  signal: decimal.pipe(external_exports.number().min(1).max(64)).optional(),
  "timed-out": flag,
  "oom-killed": flag,
  "user-us": decimal.default(0),
  "system-us": decimal.default(0),
  "max-rss-kib": decimal.default(0)
});
var failureCodes = /* @__PURE__ */ new Set([
  "command-not-found",
  "not-executable",
  "cwd-missing",
  "user-missing",
  "spawn-failed"
]);
function parseExecResult(end) {
  const fields = check(execSchema, end.texts, "END of an exec");
  if (end.ok && fields["exit-code"] === void 0 === (fields.signal === void 0))
    throw new ProtocolViolation("END of an exec has neither or both of exit-code and signal");
  return {
    exitCode: fields["exit-code"] ?? null,
    signalNumber: fields.signal ?? null,
    timedOut: fields["timed-out"] === "1",
    oomKilled: fields["oom-killed"] === "1",
    ...end.ok ? {} : { failure: parseFailure(end.error, end.message) },
    userCpuMs: fields["user-us"] / 1e3,
    systemCpuMs: fields["system-us"] / 1e3,
    maxRssKiB: fields["max-rss-kib"]
  };
}
function parseFailure(error, message) {
  if (isFailureCode(error)) return { code: error, message };
  return { code: "spawn-failed", message: `${error}: ${message}` };
}
function isFailureCode(error) {
  return failureCodes.has(error);
}
var entryTypes = {
  f: "file",
  d: "directory",
  l: "symlink",
  p: "fifo",
  s: "socket",
  c: "char-device",
  b: "block-device"
};
var entrySchema = external_exports.object({
  name: external_exports.string().max(4096).default(""),
  type: external_exports.enum(["f", "d", "l", "p", "s", "c", "b"]),
  size: decimal,
  mode: external_exports.string().regex(/^[0-7]{1,7}$/),
  uid: decimal,
  gid: decimal,
  "mtime-ns": external_exports.string().regex(/^-?\d{1,20}$/),
  target: external_exports.string().max(4096).optional()
});
function parseFileEntry(texts) {
  const fields = check(entrySchema, texts, "a file entry");
  return {
    name: fields.name,
    type: entryTypes[fields.type],
    sizeBytes: fields.size,
    mode: Number.parseInt(fields.mode, 8) & 4095,
    uid: fields.uid,
    gid: fields.gid,
    mtimeMs: Number(BigInt(fields["mtime-ns"]) / 1000n) / 1e3,
    ...fields.target === void 0 ? {} : { target: fields.target }
  };
}
function parseListBlock(block) {
  return parseFileEntry(fieldTexts(decodeFields(block, 32)));
}
var metricsSchema = external_exports.object({
  "memory-total-kib": decimal,
  "memory-available-kib": decimal,
  "disk-total-kib": decimal,
  "disk-free-kib": decimal,
  processes: decimal,
  load1: external_exports.string().regex(/^\d{1,6}(\.\d{1,6})?$/).transform(Number),
  "uptime-ms": decimal,
  "clock-ns": external_exports.string().regex(/^\d{1,20}$/)
});
function parseMetrics(texts) {
  const fields = check(metricsSchema, texts, "metrics");
  return {
    memoryTotalKiB: fields["memory-total-kib"],
    memoryAvailableKiB: fields["memory-available-kib"],
    diskTotalKiB: fields["disk-total-kib"],
    diskFreeKiB: fields["disk-free-kib"],
    processes: fields.processes,
    load1: fields.load1,
    uptimeMs: fields["uptime-ms"],
    clockMs: Number(BigInt(fields["clock-ns"]) / 1000000n)
  };
}
var countsSchema = external_exports.object({
  size: decimal.default(0),
  entries: decimal.default(0),
  bytes: decimal.default(0),
  skipped: decimal.default(0)
});
function parseCounts(texts) {
  return check(countsSchema, texts, "END of a transfer");
}

// hostd/guest/channel/input-queue.ts
var maxInFlightBytes = 1024 * 1024;
var InputQueue = class {
  consumedBytes;
  #sentOffset;
  #highestSent;
  #queuedOffset;
  #limit;
  #pieces = [];
  /** The first piece that may have bytes to send. */
  #sendIndex = 0;
  #closed = false;
  constructor(startOffset) {
    this.consumedBytes = startOffset;
    this.#sentOffset = startOffset;
    this.#highestSent = startOffset;
    this.#queuedOffset = startOffset;
    this.#limit = startOffset + initialInputLimitBytes;
  }
  /** Bytes queued and not yet consumed by the guest. */
  get backlogBytes() {
    return this.#queuedOffset - this.consumedBytes;
  }
  get closed() {
    return this.#closed;
  }
  /** The final length once the input is closed and all of it has been sent: EOF may go. */
  get finalOffset() {
    return this.#closed && this.#sentOffset === this.#queuedOffset ? this.#queuedOffset : void 0;
  }
  /** Resolves when the guest has consumed the bytes. */
  push(bytes) {
    if (bytes.length === 0) return Promise.resolve();
    return new Promise((resolve2, reject) => {
      this.#pieces.push({ bytes, startOffset: this.#queuedOffset, resolve: resolve2, reject });
      this.#queuedOffset += bytes.length;
    });
  }
  close() {
    this.#closed = true;
  }
  /** What may be sent now, counted as sent. */
  take() {
    const limit = Math.min(this.#limit, this.consumedBytes + maxInFlightBytes, this.#queuedOffset);
    if (this.#sentOffset >= limit) return void 0;
    const batch = { offset: this.#sentOffset, parts: [] };
    while (this.#sentOffset < limit) {
      const piece = this.#pieces[this.#sendIndex];
      if (piece === void 0) break;
      const endOffset = piece.startOffset + piece.bytes.length;
      const partEnd = Math.min(endOffset, limit);
      if (partEnd > this.#sentOffset) {
        batch.parts.push(piece.bytes.subarray(this.#sentOffset - piece.startOffset, partEnd - piece.startOffset));
        this.#sentOffset = partEnd;
      }
      if (partEnd === endOffset) this.#sendIndex += 1;
    }
    this.#highestSent = Math.max(this.#highestSent, this.#sentOffset);
    return batch;
  }
  /** ACK: true when it moved anything. Throws ProtocolViolation. */
  acknowledge(consumedBytes, limit) {
    if (consumedBytes > this.#sentOffset) throw new ProtocolViolation("ACK of input that was never sent");
    if (limit < consumedBytes) throw new ProtocolViolation("ACK with a limit below what it acknowledges");
    const moved = consumedBytes > this.consumedBytes || limit > this.#limit;
    this.#limit = Math.max(this.#limit, limit);
    this.#consume(consumedBytes);
    return moved;
  }
  /** A new session: the guest has `receivedBytes` and takes more up to `limit`. Throws ProtocolViolation. */
  resume(receivedBytes, limit) {
    if (receivedBytes > this.#highestSent) throw new ProtocolViolation("a stream received input that was never sent");
    if (receivedBytes < this.consumedBytes) throw new ProtocolViolation("a stream has lost input it acknowledged");
    this.#consume(receivedBytes);
    this.#sentOffset = receivedBytes;
    this.#sendIndex = 0;
    this.#limit = limit;
  }
  /** The stream never arrived: everything is sent again from the start. */
  restart() {
    this.#sentOffset = this.consumedBytes;
    this.#sendIndex = 0;
    this.#limit = this.consumedBytes + initialInputLimitBytes;
  }
  fail(error) {
    this.#closed = true;
    for (const piece of this.#pieces.splice(0)) piece.reject(error);
    this.#sendIndex = 0;
    this.#queuedOffset = this.#sentOffset;
  }
  #consume(offset) {
    if (offset <= this.consumedBytes) return;
    this.consumedBytes = offset;
    let done = 0;
    for (const piece of this.#pieces) {
      if (piece.startOffset + piece.bytes.length > offset) break;
      piece.resolve();
      done += 1;
    }
    this.#pieces.splice(0, done);
    this.#sendIndex = Math.max(0, this.#sendIndex - done);
  }
};

// hostd/guest/channel/backlog.ts
var gatherBytes = 16 * 1024;
var maxPieceBytes = 64 * 1024;
var channelCount = 4;
var Backlog = class {
  lengthBytes = 0;
  #buffers = [];
  #firstOffset = 0;
  /** Lengths with their channel, as `length * channelCount + channel`: plain numbers, since a hostile guest can make a million runs. */
  #runs = [];
  #firstRun = 0;
  #gather;
  #gatherFill = 0;
  push(channel, bytes) {
    this.lengthBytes += bytes.length;
    const last = this.#runs.at(-1);
    if (last !== void 0 && this.#runs.length > this.#firstRun && last % channelCount === channel)
      this.#runs[this.#runs.length - 1] = last + bytes.length * channelCount;
    else this.#runs.push(bytes.length * channelCount + channel);
    if (bytes.length * 4 >= bytes.buffer.byteLength) {
      this.#flushGather();
      this.#buffers.push(bytes);
      return;
    }
    for (let start = 0; start < bytes.length; ) {
      this.#gather ??= Buffer.allocUnsafeSlow(gatherBytes);
      const copied = bytes.copy(this.#gather, this.#gatherFill, start);
      this.#gatherFill += copied;
      start += copied;
      if (this.#gatherFill === gatherBytes) this.#flushGather();
    }
  }
  /** The next bytes of one channel, at most 64 KiB. */
  shift() {
    const run = this.#runs[this.#firstRun];
    if (run === void 0) return void 0;
    const channel = run % channelCount;
    const length = Math.min((run - channel) / channelCount, maxPieceBytes);
    this.#runs[this.#firstRun] = run - length * channelCount;
    if (this.#runs[this.#firstRun] === channel) this.#dropRun();
    this.lengthBytes -= length;
    return { channel, bytes: this.#takeBytes(length) };
  }
  clear() {
    this.#buffers.length = 0;
    this.#runs = [];
    this.#firstRun = 0;
    this.#firstOffset = 0;
    this.#gather = void 0;
    this.#gatherFill = 0;
    this.lengthBytes = 0;
  }
  #takeBytes(length) {
    const parts = [];
    for (let missing = length; missing > 0; ) {
      if (this.#buffers.length === 0) this.#flushGather();
      const [first] = this.#buffers;
      if (first === void 0) throw new Error("backlog: fewer bytes than its runs say");
      const part = first.subarray(this.#firstOffset, this.#firstOffset + missing);
      parts.push(part);
      missing -= part.length;
      this.#firstOffset += part.length;
      if (this.#firstOffset < first.length) continue;
      this.#buffers.shift();
      this.#firstOffset = 0;
    }
    const [only] = parts;
    return parts.length === 1 && only !== void 0 ? only : Buffer.concat(parts);
  }
  #dropRun() {
    this.#firstRun += 1;
    if (this.#firstRun < 1024 || this.#firstRun * 2 < this.#runs.length) return;
    this.#runs = this.#runs.slice(this.#firstRun);
    this.#firstRun = 0;
  }
  #flushGather() {
    if (this.#gather === void 0 || this.#gatherFill === 0) return;
    this.#buffers.push(this.#gather.subarray(0, this.#gatherFill));
    this.#gather = void 0;
    this.#gatherFill = 0;
  }
};

// hostd/guest/channel/output-window.ts
var windowBytes = 1024 * 1024;
var ackStepBytes = 128 * 1024;
var maxInFlight = 64;
var OutputWindow = class {
  #consumedBytes;
  #wireOffset;
  #handedOffset;
  #receivedOffset;
  #limit;
  #acknowledged;
  #failed = false;
  #deliveries = [];
  #backlog = new Backlog();
  #consume;
  #onConsumed;
  #onFailed;
  constructor(startOffset, consume, onConsumed, onFailed) {
    this.#consumedBytes = startOffset;
    this.#wireOffset = startOffset;
    this.#handedOffset = startOffset;
    this.#receivedOffset = startOffset;
    this.#acknowledged = startOffset;
    this.#limit = startOffset + windowBytes;
    this.#consume = consume;
    this.#onConsumed = onConsumed;
    this.#onFailed = onFailed;
  }
  /**
   * What may be acknowledged: everything before it was consumed. After a cut the consumer can be ahead of what the guest
   * has sent again; that is acknowledged only as it comes.
   */
  get ackOffset() {
    return Math.min(this.#consumedBytes, this.#wireOffset);
  }
  /** Where the guest may send up to when that much is acknowledged. */
  get nextLimit() {
    return this.ackOffset + windowBytes;
  }
  /** All that was received has been consumed. */
  get idle() {
    return this.#consumedBytes === this.#receivedOffset;
  }
  /** An acknowledgement is worth a frame: a large step, or the sink has caught up. */
  get ackDue() {
    return this.ackUrgent || this.#ackStep > 0 && this.ackOffset === this.#wireOffset;
  }
  get ackUrgent() {
    return this.#ackStep >= ackStepBytes;
  }
  get #ackStep() {
    return this.#failed ? 0 : this.ackOffset - this.#acknowledged;
  }
  /** The caller has told the guest of `ackOffset` and `nextLimit`. */
  acknowledged() {
    this.#acknowledged = this.ackOffset;
    this.#limit = this.nextLimit;
  }
  /**
   * A new session: the guest sends again from `consumedBytes`, or from its base where that is later. Bytes that the
   * consumer has had are skipped when they come again.
   */
  resume(baseOffset, lengthBytes, gapAllowed) {
    if (lengthBytes < this.#receivedOffset) throw new ProtocolViolation("a stream has become shorter");
    if (baseOffset > this.#consumedBytes) {
      if (!gapAllowed) throw new ProtocolViolation("a stream has lost bytes that were not acknowledged");
      this.#consumedBytes = baseOffset;
      this.#handedOffset = baseOffset;
      this.#receivedOffset = baseOffset;
    }
    this.#wireOffset = this.#consumedBytes;
    this.acknowledged();
  }
  /** DATA. Throws ProtocolViolation when it does not continue the stream or exceeds the window. */
  receive(channel, offset, parts) {
    if (offset !== this.#wireOffset) throw new ProtocolViolation("DATA does not continue its stream");
    for (const part of parts) {
      const start = this.#wireOffset;
      this.#wireOffset += part.length;
      if (this.#wireOffset > this.#limit) throw new ProtocolViolation("DATA exceeds the window");
      const known = Math.max(0, this.#receivedOffset - start);
      if (known >= part.length) {
        this.#onConsumed();
        continue;
      }
      this.#receivedOffset = this.#wireOffset;
      if (this.#failed) continue;
      const fresh = known === 0 ? part : part.subarray(known);
      if (this.#deliveries.length >= maxInFlight || this.#backlog.lengthBytes > 0) this.#backlog.push(channel, fresh);
      else this.#hand(channel, fresh);
    }
  }
  /** END. Throws ProtocolViolation unless all of the output has come. */
  finish(lengthBytes) {
    if (lengthBytes !== this.#wireOffset || lengthBytes !== this.#receivedOffset)
      throw new ProtocolViolation("END does not match the output");
  }
  #hand(channel, bytes) {
    const offset = this.#handedOffset;
    this.#handedOffset += bytes.length;
    const delivery = { endOffset: this.#handedOffset, done: false };
    let promise;
    try {
      promise = this.#consume(channel, offset, bytes);
    } catch (error) {
      this.#fail(error);
      return;
    }
    if (promise === void 0 && this.#deliveries.length === 0) {
      this.#consumedBytes = delivery.endOffset;
      this.#onConsumed();
      return;
    }
    this.#deliveries.push(delivery);
    if (promise === void 0) {
      delivery.done = true;
      return;
    }
    promise.then(
      () => {
        delivery.done = true;
        this.#settle();
      },
      (error) => this.#fail(error)
    );
  }
  #settle() {
    let settled = 0;
    for (const delivery of this.#deliveries) {
      if (!delivery.done) break;
      this.#consumedBytes = delivery.endOffset;
      settled += 1;
    }
    if (settled === 0 || this.#failed) return;
    this.#deliveries.splice(0, settled);
    while (this.#deliveries.length < maxInFlight) {
      const piece = this.#backlog.shift();
      if (piece === void 0) break;
      this.#hand(piece.channel, piece.bytes);
    }
    this.#onConsumed();
  }
  #fail(error) {
    if (this.#failed) return;
    this.#failed = true;
    this.#backlog.clear();
    this.#onFailed(error);
  }
};

// hostd/guest/channel/stream-controls.ts
var StreamControls = class {
  #pending = /* @__PURE__ */ new Map();
  #confirm;
  /** `confirm` calls back when all that was sent before has arrived. */
  constructor(confirm) {
    this.#confirm = confirm;
  }
  /** The payloads to send again in a new session. */
  get pending() {
    return this.#pending.values();
  }
  /** Sends by `send`, then asks whether it has arrived. */
  add(name, payload, send) {
    this.#pending.set(name, payload);
    send(payload);
    this.#confirm(() => {
      if (this.#pending.get(name) === payload) this.#pending.delete(name);
    });
  }
  clear() {
    this.#pending.clear();
  }
};

// hostd/guest/channel/stream-frames.ts
function sendOpen(transport, streamId, limit, fields) {
  transport.send(encodeOpen(transport.tag, streamId, limit, fields));
}
function sendData(transport, streamId, batch) {
  transport.send(encodeData(transport.tag, streamId, batch.offset, batch.parts));
}
function sendGrant(transport, type, streamId, offset, limit) {
  transport.send(encodeCount(transport.tag, { type, streamId, offset }, limit));
}
function sendEof(transport, streamId, finalOffset) {
  transport.send(encodeFrame(transport.tag, { type: frameType.eof, streamId, offset: finalOffset }));
}
function sendControl(transport, streamId, fields) {
  transport.send(encodeFrame(transport.tag, { type: frameType.control, streamId, offset: 0 }, fields));
}
function sendClose(transport, streamId) {
  transport.send(encodeFrame(transport.tag, { type: frameType.close, streamId, offset: 0 }));
}
function sendEcho(transport, type, offset, payload) {
  transport.send(encodeFrame(transport.tag, { type, streamId: 0, offset }, payload));
}

// hostd/guest/channel/guest-stream.ts
var GuestStream = class {
  id;
  /** Resolves with the guest's END once all output was consumed; rejects when the stream failed. */
  ended;
  input;
  /** Called when the guest has consumed input. */
  onInputConsumed = () => void 0;
  #onClosed;
  #output;
  #fields;
  #transport;
  #confirmed;
  #fresh = true;
  #closed = false;
  #eofSent = false;
  #ackScheduled = false;
  #end;
  #settled = false;
  #controls;
  #resolveEnded = () => void 0;
  #rejectEnded = () => void 0;
  constructor(setup) {
    this.id = setup.id;
    this.#controls = new StreamControls(setup.confirm);
    this.#onClosed = setup.onClosed;
    this.#fields = setup.fields;
    this.#confirmed = setup.fields === void 0;
    this.input = new InputQueue(setup.adopted?.inputOffset ?? 0);
    this.#output = new OutputWindow(
      setup.adopted?.outputOffset ?? 0,
      setup.consume,
      () => this.#consumed(),
      (error) => this.fail(error)
    );
    this.ended = new Promise((resolve2, reject) => {
      this.#resolveEnded = resolve2;
      this.#rejectEnded = reject;
    });
    this.ended.catch(() => void 0);
  }
  /** True once END came or the stream failed: nothing more goes in. */
  get over() {
    return this.#settled || this.#end !== void 0;
  }
  /** A session has begun; `listed` is what the agent says of this stream. Throws ProtocolViolation. */
  attach(transport, listed) {
    this.#transport = transport;
    this.#eofSent = false;
    if (listed === void 0) this.#openAgain(transport);
    else this.#resume(transport, listed);
    this.#fresh = false;
    if (this.over) return;
    for (const payload of this.#controls.pending) sendControl(transport, this.id, payload);
    this.pump();
  }
  detach() {
    this.#transport = void 0;
  }
  /** A frame of this stream; false when it brought nothing. Throws ProtocolViolation. */
  take(frame) {
    this.#confirmed = true;
    this.#fields = void 0;
    switch (frame.type) {
      case frameType.data:
        if (this.#end !== void 0) throw new ProtocolViolation("DATA after END");
        this.#output.receive(frame.channel, frame.offset, frame.payload);
        return true;
      case frameType.ack:
        return this.#takeAck(frame);
      case frameType.end:
        return this.#takeEnd(frame);
      default:
        return false;
    }
  }
  /** Queues input; resolves when the guest has consumed it. The caller checks `over` and `input.closed`. */
  write(bytes) {
    const consumed = this.input.push(bytes);
    this.pump();
    return consumed;
  }
  endInput() {
    this.input.close();
    this.pump();
  }
  /** Sends CONTROL at least once; a newer one under the same name replaces one that is not known to have arrived. */
  control(name, fields) {
    if (this.over || this.#closed) return;
    this.#controls.add(name, encodeFields(fields), (payload) => {
      if (this.#transport !== void 0) sendControl(this.#transport, this.id, payload);
    });
  }
  /** Tells the guest to forget the stream, and forgets it. Idempotent. */
  close() {
    if (this.#closed) return;
    this.#closed = true;
    if (this.#transport !== void 0) sendClose(this.#transport, this.id);
    this.#transport = void 0;
    this.#onClosed();
    this.fail(new StreamLostError());
  }
  /** Rejects what waits on the stream. The guest is not told: close() does that. */
  fail(error) {
    if (!this.#settled) {
      this.#settled = true;
      this.#rejectEnded(error);
    }
    this.input.fail(error);
    this.#controls.clear();
  }
  /** Sends what may be sent of the input, then EOF. */
  pump() {
    const transport = this.#transport;
    if (transport === void 0 || this.over) return;
    const batch = this.input.take();
    if (batch !== void 0) sendData(transport, this.id, batch);
    const finalOffset = this.input.finalOffset;
    if (finalOffset === void 0 || this.#eofSent) return;
    this.#eofSent = true;
    sendEof(transport, this.id, finalOffset);
  }
  /** Sends the acknowledgement that is due, unless the guest is not reading. */
  flush() {
    const transport = this.#transport;
    if (transport === void 0 || this.#end !== void 0 || !this.#output.ackDue || transport.congested) return;
    this.#output.acknowledged();
    sendGrant(transport, frameType.ack, this.id, this.#output.ackOffset, this.#output.nextLimit);
  }
  #openAgain(transport) {
    if (this.#end !== void 0) return;
    if (this.#fields === void 0 || this.#confirmed) {
      this.fail(new StreamLostError());
      return;
    }
    this.input.restart();
    sendOpen(transport, this.id, this.#output.nextLimit, this.#fields());
  }
  #resume(transport, listed) {
    this.#confirmed = true;
    this.#fields = void 0;
    if (!this.over) this.input.resume(listed.receivedBytes, listed.inputLimitBytes);
    this.onInputConsumed();
    if (this.#end !== void 0) return;
    this.#output.resume(listed.baseOffset, listed.lengthBytes, this.#fresh);
    sendGrant(transport, frameType.resume, this.id, this.#output.ackOffset, this.#output.nextLimit);
  }
  #takeAck(frame) {
    if (this.over) return false;
    const moved = this.input.acknowledge(frame.offset, readCount(wholePayload(frame), 0));
    if (!moved) return false;
    this.pump();
    this.onInputConsumed();
    return true;
  }
  #takeEnd(frame) {
    if (this.#end !== void 0) return false;
    this.#output.finish(frame.offset);
    this.#end = parseEnd(wholePayload(frame));
    this.#controls.clear();
    this.#settleEnd();
    return true;
  }
  #consumed() {
    if (this.#end !== void 0) {
      this.#settleEnd();
      return;
    }
    if (this.#output.ackUrgent) this.flush();
    else if (!this.#ackScheduled && this.#output.ackDue) {
      this.#ackScheduled = true;
      setImmediate(() => {
        this.#ackScheduled = false;
        this.flush();
      });
    }
  }
  #settleEnd() {
    if (this.#end === void 0 || !this.#output.idle || this.#settled) return;
    this.#settled = true;
    this.#resolveEnded(this.#end);
    this.input.fail(new StreamLostError());
  }
};

// hostd/guest/channel/pings.ts
var Pings = class {
  #lastToken = 0n;
  #onItsWay;
  #waiting = /* @__PURE__ */ new Map();
  /** Sends a ping as soon as there is a session without one. Returns a function that forgets it. */
  send(transport, answered) {
    this.#lastToken += 1n;
    const token = this.#lastToken;
    this.#waiting.set(token, answered);
    if (transport !== void 0 && this.#onItsWay === void 0) this.#ping(transport);
    return () => this.#waiting.delete(token);
  }
  /** PONG; false when it is not the awaited one. */
  take(transport, payload) {
    if (payload.length !== 8 || payload.readBigUInt64LE() !== this.#onItsWay) return false;
    const answeredUpTo = this.#onItsWay;
    this.#onItsWay = void 0;
    for (const [token, answered] of [...this.#waiting]) {
      if (token > answeredUpTo) break;
      this.#waiting.delete(token);
      answered();
    }
    if (this.#waiting.size > 0 && this.#onItsWay === void 0) this.#ping(transport);
    return true;
  }
  /** A new session: what was on its way may be lost. */
  resume(transport) {
    this.#onItsWay = void 0;
    if (this.#waiting.size > 0) this.#ping(transport);
  }
  #ping(transport) {
    this.#onItsWay = this.#lastToken;
    const payload = Buffer.allocUnsafe(8);
    payload.writeBigUInt64LE(this.#lastToken);
    sendEcho(transport, frameType.ping, 0, payload);
  }
};

// hostd/guest/channel/session.ts
import { randomBytes } from "node:crypto";

// hostd/guest/protocol/frame-decoder.ts
var viewBytes = 4096;
var FrameDecoder = class {
  /** Padding bytes seen between frames, in all. */
  paddingBytes = 0;
  #tag;
  #onFrame;
  #header = Buffer.alloc(headerBytes);
  #headerFill = 0;
  #frame;
  #parts = [];
  #missing = 0;
  #gather;
  #gatherFill = 0;
  #trailer = Buffer.alloc(trailerBytes);
  #trailerFill = 0;
  constructor(tag, onFrame) {
    this.#tag = tag;
    this.#onFrame = onFrame;
  }
  /** Bytes held for a frame that is not complete. */
  get heldBytes() {
    const views = this.#parts.reduce((sum, part) => sum + part.length, 0);
    return this.#headerFill + views + (this.#gather === void 0 ? 0 : this.#gather.length) + this.#trailerFill;
  }
  push(chunk) {
    let position = 0;
    while (position < chunk.length) {
      position = this.#frame === void 0 ? this.#takeHeader(chunk, position) : this.#takeBody(chunk, position);
    }
  }
  #takeHeader(chunk, start) {
    let position = start;
    if (this.#headerFill === 0) {
      while (position < chunk.length && chunk[position] === 0) position += 1;
      this.paddingBytes += position - start;
      if (position === chunk.length) return position;
      if (chunk[position] !== startByte) throw new ProtocolViolation("a frame has a wrong start byte");
      if (chunk.length - position >= headerBytes) return this.#begin(chunk, position, position + headerBytes);
    }
    const taken = chunk.copy(this.#header, this.#headerFill, position);
    this.#headerFill += taken;
    if (this.#headerFill < headerBytes) return position + taken;
    this.#headerFill = 0;
    return this.#begin(this.#header, 0, position + taken);
  }
  #begin(bytes, at, next) {
    const frame = readHeader(bytes, at);
    this.#frame = frame;
    this.#parts = [];
    this.#missing = frame.payloadBytes;
    return next;
  }
  #takeBody(chunk, start) {
    let position = start;
    if (this.#missing > 0) {
      const piece = chunk.subarray(position, position + this.#missing);
      this.#missing -= piece.length;
      position += piece.length;
      this.#keep(piece);
      if (this.#missing > 0) return position;
    }
    if (this.#trailerFill === 0 && chunk.length - position >= trailerBytes) {
      this.#finish(chunk.readUInt32LE(position));
      return position + trailerBytes;
    }
    const taken = chunk.copy(this.#trailer, this.#trailerFill, position);
    this.#trailerFill += taken;
    if (this.#trailerFill === trailerBytes) this.#finish(this.#trailer.readUInt32LE(0));
    return position + taken;
  }
  #keep(piece) {
    const whole = this.#missing === 0 && this.#gather === void 0;
    if (whole || piece.length >= viewBytes) {
      this.#flushGather();
      this.#parts.push(piece);
      return;
    }
    if (this.#gather !== void 0 && this.#gatherFill + piece.length > this.#gather.length) this.#flushGather();
    this.#gather ??= Buffer.allocUnsafe(Math.min(piece.length + this.#missing, 4 * viewBytes));
    this.#gatherFill += piece.copy(this.#gather, this.#gatherFill);
    if (this.#missing === 0) this.#flushGather();
  }
  #flushGather() {
    if (this.#gather === void 0) return;
    this.#parts.push(this.#gather.subarray(0, this.#gatherFill));
    this.#gather = void 0;
    this.#gatherFill = 0;
  }
  #finish(trailer) {
    const frame = this.#frame;
    if (frame === void 0 || trailer !== this.#tag) throw new ProtocolViolation("a frame has a wrong trailer");
    frame.payload = this.#parts;
    this.#frame = void 0;
    this.#parts = [];
    this.#trailerFill = 0;
    this.#onFrame(frame);
  }
};
function readHeader(bytes, at) {
  const frame = {
    type: bytes.readUInt8(at + 1),
    channel: bytes.readUInt8(at + 2),
    flags: bytes.readUInt8(at + 3),
    payloadBytes: bytes.readUInt32LE(at + 4),
    streamId: bytes.readUInt32LE(at + 8),
    offset: readCount(bytes, at + 12),
    payload: []
  };
  const isData = frame.type === frameType.data;
  const knownChannel = isData ? frame.channel === channels2.stdout || frame.channel === channels2.stderr : frame.channel === channels2.input;
  if (!knownChannel) throw new ProtocolViolation("a frame has a wrong channel");
  if (frame.flags !== 0 && frame.type !== frameType.open) throw new ProtocolViolation("a frame has unknown flags");
  checkLength(frame);
  const isSession = frame.type === frameType.ping || frame.type === frameType.pong;
  if (isSession !== (frame.streamId === 0)) throw new ProtocolViolation("a frame has a wrong stream id");
  return frame;
}
function checkLength({ type, payloadBytes }) {
  const bounds = lengthBounds.get(type);
  if (bounds === void 0) throw new ProtocolViolation(`a frame has the unknown type ${String(type)}`);
  if (payloadBytes < bounds[0] || payloadBytes > bounds[1])
    throw new ProtocolViolation(`a frame of type ${String(type)} has the wrong length ${String(payloadBytes)}`);
}
var lengthBounds = /* @__PURE__ */ new Map([
  [frameType.open, [0, maxGuestPayloadBytes]],
  [frameType.data, [1, maxGuestPayloadBytes]],
  [frameType.ack, [8, 8]],
  [frameType.eof, [0, 0]],
  [frameType.end, [0, maxGuestPayloadBytes]],
  [frameType.ping, [0, maxPingBytes]],
  [frameType.pong, [0, maxPingBytes]]
]);

// hostd/guest/channel/work-budget.ts
var burst = 1e5;
var perSecond = 1e4;
var IdleFrameBudget = class {
  #left = burst;
  #filledAtMs = performance.now();
  spend() {
    this.#left -= 1;
    if (this.#left >= 0) return;
    const nowMs = performance.now();
    this.#left = Math.min(burst, Math.floor((nowMs - this.#filledAtMs) * perSecond / 1e3)) - 1;
    this.#filledAtMs = nowMs;
    if (this.#left < 0) throw new ProtocolViolation("the guest floods the channel with idle frames");
  }
};
var sliceMs = 8;
var TurnSlice = class {
  #startMs;
  begin() {
    if (this.#startMs !== void 0) return;
    this.#startMs = performance.now();
    setImmediate(() => {
      this.#startMs = void 0;
    });
  }
  get spent() {
    return this.#startMs !== void 0 && performance.now() - this.#startMs > sliceMs;
  }
};

// hostd/guest/channel/session.ts
var firstAnswerMs = 1e3;
var congestedBytes = 256 * 1024;
var maxPaddingBytes = 64 * 1024;
var maxDiscardedBytes = 300 * 1024 * 1024;
var Session = class {
  tag = 0;
  /** Resolves when the carrier is gone or after end(); with the violation when the guest broke the protocol. */
  ended;
  #socket;
  #events;
  #slice = new TurnSlice();
  #violation;
  #hunter;
  #decoder;
  #discardedBytes = 0;
  #resend;
  #over = false;
  constructor(socket, midStream, events) {
    this.#socket = socket;
    this.#events = events;
    this.ended = new Promise((resolve2) => {
      socket.on("close", () => {
        this.#over = true;
        clearTimeout(this.#resend);
        resolve2(this.#violation);
      });
    });
    socket.on("error", () => void 0);
    socket.on("end", () => this.end());
    socket.on("drain", () => events.onDrain());
    socket.on("data", (chunk) => this.#take(chunk));
    this.#resync(midStream, firstAnswerMs);
  }
  get congested() {
    return this.#socket.writableLength > congestedBytes;
  }
  send(bytes) {
    if (!this.#over) this.#socket.write(bytes);
  }
  /** Writes made until the end of `batch` leave in one system call. */
  together(batch) {
    this.#socket.cork();
    try {
      batch();
    } finally {
      this.#socket.uncork();
    }
  }
  /** Closes the carrier. What was sent and not yet taken by the kernel is lost. */
  end() {
    this.#over = true;
    this.#socket.destroy();
  }
  #resync(padded, answerMs) {
    const nonce = randomBytes(nonceBytes);
    this.#discardedBytes += this.#hunter?.discardedBytes ?? 0;
    this.#hunter = new ResyncHunter(nonce);
    this.tag = sessionTag(nonce);
    this.together(() => {
      if (padded) this.send(padding);
      this.send(encodeResync(nonce));
    });
    this.#awaitAnswer(answerMs);
  }
  /** Asks again with a new nonce, ever less often, but never while the last question has not even left. */
  #awaitAnswer(answerMs) {
    this.#resend = setTimeout(() => {
      if (this.#socket.writableLength > 0) this.#awaitAnswer(answerMs);
      else this.#resync(true, answerMs * 2);
    }, answerMs);
  }
  #take(chunk) {
    if (this.#over) return;
    this.#slice.begin();
    try {
      if (this.#decoder === void 0) this.#hunt(chunk);
      else this.#decode(this.#decoder, chunk);
    } catch (error) {
      if (!(error instanceof ProtocolViolation)) throw error;
      this.#violation = error;
      this.end();
      return;
    }
    if (!this.#slice.spent || this.#over) return;
    this.#socket.pause();
    setImmediate(() => this.#socket.resume());
  }
  #hunt(chunk) {
    const hunter = this.#hunter;
    const answer = hunter?.push(chunk);
    if (this.#discardedBytes + (hunter?.discardedBytes ?? 0) > maxDiscardedBytes)
      throw new ProtocolViolation("the guest sends without end and does not answer RESYNC");
    if (answer === void 0) return;
    clearTimeout(this.#resend);
    const hello = parseHello(answer.fields);
    this.#decoder = new FrameDecoder(this.tag, this.#events.onFrame);
    this.together(() => this.#events.onHello(hello));
    if (answer.rest.length > 0) this.#decode(this.#decoder, answer.rest);
  }
  #decode(decoder, chunk) {
    decoder.push(chunk);
    if (decoder.paddingBytes > maxPaddingBytes) throw new ProtocolViolation("the guest sends padding without end");
  }
};

// hostd/guest/channel/violations.ts
var tolerated = 2;
var spanMs = 6e4;
var Violations = class {
  last;
  #atMs = [];
  /** True when it was once too often. */
  add(violation) {
    const nowMs = performance.now();
    this.last = violation;
    this.#atMs.push(nowMs);
    while ((this.#atMs[0] ?? nowMs) < nowMs - spanMs) this.#atMs.shift();
    return this.#atMs.length > tolerated;
  }
};

// hostd/guest/channel/channel.ts
var doubtPauseMs = 1e4;
var GuestChannel = class {
  closed;
  /** Resolves with the first agent's answer; rejects when the channel closes before. */
  ready;
  #streams = /* @__PURE__ */ new Map();
  /** Streams of an earlier host that nobody has taken up or dropped. */
  #strays = /* @__PURE__ */ new Map();
  #pings = new Pings();
  #dialer;
  #stop = new AbortController();
  #hello;
  #session;
  #live;
  #budget = new IdleFrameBudget();
  #midStream;
  #highestId = 0;
  #violations = new Violations();
  #doubtedAtMs = -Infinity;
  #closedWith;
  #resolveReady = () => void 0;
  #rejectReady = () => void 0;
  constructor(socketPath, midStream) {
    this.#midStream = midStream;
    this.#dialer = new Dialer(socketPath, this.#stop.signal);
    this.ready = new Promise((resolve2, reject) => {
      this.#resolveReady = resolve2;
      this.#rejectReady = reject;
    });
    this.ready.catch(() => void 0);
    this.closed = this.#run();
  }
  get hello() {
    return this.#hello;
  }
  /** Throws when the channel is closed or has as many streams as the protocol allows. */
  openStream(setup) {
    if (this.#closedWith !== void 0) throw this.#closedWith;
    if (this.#streams.size + this.#strays.size >= maxStreams) throw tooManyStreams();
    return this.#add(setup);
  }
  /** Takes up a stream of an earlier host; undefined when the agent has none of this id and kind. */
  adoptStream(id, kind, outputOffset, consume) {
    const stray = this.#strays.get(id);
    if (this.#closedWith !== void 0 || stray?.kind !== kind) return void 0;
    this.#strays.delete(id);
    return this.#add({ id, consume, adopted: { outputOffset, inputOffset: stray.receivedBytes } }, stray);
  }
  reserveStreamId(floor = 0) {
    this.#highestId = Math.max(this.#highestId, floor) + 1;
    if (this.#highestId >= guestOpenedBit) throw new RangeError("stream ids are used up");
    return this.#highestId;
  }
  /** Calls back when the guest has answered; returns a function that gives up waiting. */
  ping(answered) {
    return this.#pings.send(this.#live, answered);
  }
  /**
   * The guest let a deadline pass. If the session itself is what is stuck (an agent that waits for RESYNC says nothing),
   * a new one mends it, and costs a busy guest little.
   */
  doubt() {
    const nowMs = performance.now();
    if (this.#live === void 0 || nowMs - this.#doubtedAtMs < doubtPauseMs) return;
    this.#doubtedAtMs = nowMs;
    this.#live.end();
  }
  closeStrays() {
    for (const id of this.#strays.keys()) this.#sendClose(id);
    this.#strays.clear();
  }
  /** The agent has dropped them by itself. */
  forgetStrays() {
    this.#strays.clear();
  }
  /** Ends the channel; the guest goes on. Idempotent. */
  disconnect() {
    this.#stop.abort();
    this.#session?.end();
  }
  async #run() {
    const reason2 = await this.#runSessions();
    const error = closedError(reason2, this.#violations.last);
    this.#closedWith = error;
    this.#rejectReady(error);
    for (const stream of this.#streams.values()) stream.fail(error);
    this.#streams.clear();
    return reason2;
  }
  async #runSessions() {
    for (; ; ) {
      const socket = await this.#dialer.dial();
      if (this.#stop.signal.aborted) return "disconnected";
      if (socket === void 0) return "carrier-gone";
      const violation = await this.#runSession(socket);
      if (this.#stop.signal.aborted) return "disconnected";
      if (violation !== void 0 && this.#violations.add(violation)) return "protocol";
    }
  }
  async #runSession(socket) {
    this.#budget = new IdleFrameBudget();
    const session = new Session(socket, this.#midStream, {
      onHello: (hello) => this.#begin(session, hello),
      onFrame: (frame) => this.#take(frame),
      onDrain: () => this.#flush()
    });
    this.#session = session;
    this.#midStream = true;
    const violation = await session.ended;
    this.#session = void 0;
    this.#live = void 0;
    for (const stream of this.#streams.values()) stream.detach();
    return violation;
  }
  #begin(session, hello) {
    const isFirst = this.#hello === void 0;
    const listed = new Map(hello.streams.map((stream) => [stream.id, stream]));
    for (const id of listed.keys()) if (id < guestOpenedBit) this.#highestId = Math.max(this.#highestId, id);
    this.#hello = hello;
    this.#live = session;
    this.#strays = new Map([...listed].filter(([id]) => isFirst || this.#strays.has(id)));
    for (const stream of [...this.#streams.values()]) stream.attach(session, listed.get(stream.id));
    for (const id of listed.keys()) if (!this.#streams.has(id) && !this.#strays.has(id)) this.#sendClose(id);
    this.#pings.resume(session);
    this.#dialer.succeeded();
    this.#resolveReady(hello);
  }
  #take(frame) {
    if (frame.type === frameType.pong) {
      if (this.#live === void 0 || !this.#pings.take(this.#live, wholePayload(frame))) this.#budget.spend();
      return;
    }
    const stream = this.#streams.get(frame.streamId);
    if (stream !== void 0 && frame.type !== frameType.open) {
      if (!stream.take(frame)) this.#budget.spend();
      return;
    }
    this.#budget.spend();
    if (frame.type === frameType.ping) this.#answerPing(frame);
    else if (frame.type === frameType.open) this.#refuse(frame);
    else if (frame.streamId > this.#highestId) throw new ProtocolViolation("a frame of a stream nobody opened");
  }
  #answerPing(frame) {
    const session = this.#live;
    if (session === void 0 || session.congested) return;
    sendEcho(session, frameType.pong, frame.offset, wholePayload(frame));
  }
  /** This host takes no streams from the guest: no kind of the protocol is opened from there yet. */
  #refuse(frame) {
    if (frame.streamId < guestOpenedBit)
      throw new ProtocolViolation("the guest opened a stream with an id of the host");
    if (this.#live?.congested === false) this.#sendClose(frame.streamId);
  }
  #flush() {
    for (const stream of this.#streams.values()) stream.flush();
  }
  #add(setup, listed) {
    if (this.#streams.has(setup.id)) throw new RangeError(`stream ${String(setup.id)} is in use`);
    this.#highestId = Math.max(this.#highestId, setup.id);
    const stream = new GuestStream({
      ...setup,
      confirm: (arrived) => this.ping(arrived),
      onClosed: () => this.#streams.delete(setup.id)
    });
    this.#streams.set(setup.id, stream);
    if (this.#live !== void 0) stream.attach(this.#live, listed);
    return stream;
  }
  #sendClose(id) {
    if (this.#live !== void 0) sendClose(this.#live, id);
  }
};

// hostd/guest/channel/open-fields.ts
function openFields(kind, parameters) {
  const fields = [["kind", kind], ...parameters];
  if (fields.length > maxOpenFields)
    throw invalid(`Arguments and environment have more than ${String(maxOpenFields)} entries in all.`);
  for (const [key, value] of fields)
    if (typeof value === "string" && value.includes("\0"))
      throw invalid(`The ${names2.get(key) ?? key} holds a NUL character, which no program can be given.`);
  const encoded = encodeFields(fields);
  if (encoded.length > maxOpenBytes)
    throw invalid(
      `Command, arguments and environment take ${String(encoded.length)} bytes; the sandbox takes ${String(maxOpenBytes)}.`,
      "Send the script as a file, or large content through stdin."
    );
  return encoded;
}
var names2 = /* @__PURE__ */ new Map([
  ["arg", "argument"],
  ["env", "environment"],
  ["shell", "command"],
  ["cwd", "working directory"]
]);
function invalid(message, hint) {
  return new OffshootError("invalid-request", {
    message,
    ...hint === void 0 ? {} : { hint },
    details: { issues: [{ message }] }
  });
}
function execParameters(spec) {
  return [
    ...(spec.argv ?? []).map((argument) => ["arg", argument]),
    ...optional("shell", spec.shell),
    ...Object.entries(spec.env).map(([name, value]) => ["env", `${name}=${value}`]),
    ["cwd", spec.cwd],
    ["user", spec.user],
    ...spec.pty === void 0 ? [] : ptyParameters(spec.pty),
    ...flag2("stdin", spec.stdin),
    ...optional("timeout-ms", spec.timeoutMs)
  ];
}
function ptyParameters(pty) {
  return [
    ["pty", 1],
    ["rows", pty.rows],
    ["cols", pty.cols]
  ];
}
function optional(key, value) {
  return value === void 0 ? [] : [[key, value]];
}
function flag2(key, on) {
  return on === true ? [[key, 1]] : [];
}

// hostd/guest/channel/exec.ts
function startExec(channel, spec, sink, streamId) {
  const fields = openFields("exec", execParameters(spec));
  const id = streamId ?? channel.reserveStreamId();
  return new ChannelExec(channel.openStream({ id, fields: () => fields, consume: toSink(sink) }), spec.stdin);
}
function adoptExec(channel, streamId, receivedBytes, sink) {
  const stream = channel.adoptStream(streamId, "exec", receivedBytes, toSink(sink));
  return stream === void 0 ? void 0 : new ChannelExec(stream, true);
}
function toSink(sink) {
  return (channel, offset, bytes) => {
    const name = channel === channels2.stderr ? "stderr" : "stdout";
    return sink.write(name, offset, bytes);
  };
}
var lostResult = {
  exitCode: null,
  signalNumber: null,
  timedOut: false,
  oomKilled: false,
  failure: { code: "stream-lost", message: "The agent has lost the exec." },
  userCpuMs: 0,
  systemCpuMs: 0,
  maxRssKiB: 0
};
var ChannelExec = class {
  streamId;
  result;
  #stream;
  #takesInput;
  #closed = false;
  constructor(stream, takesInput) {
    this.streamId = stream.id;
    this.#stream = stream;
    this.#takesInput = takesInput;
    this.result = this.#settle();
    this.result.catch(() => void 0);
  }
  get inputConsumedBytes() {
    return this.#stream.input.consumedBytes;
  }
  async write(bytes) {
    if (this.#stream.over) throw new OffshootError("exec-ended");
    if (!this.#takesInput || this.#stream.input.closed) throw new OffshootError("exec-input-closed");
    try {
      await this.#stream.write(bytes);
    } catch (error) {
      throw error instanceof StreamLostError ? new OffshootError("exec-ended") : error;
    }
  }
  endInput() {
    if (this.#takesInput) this.#stream.endInput();
  }
  resize(rows, cols) {
    this.#stream.control("resize", [
      ["rows", rows],
      ["cols", cols]
    ]);
  }
  signal(signalNumber) {
    this.#stream.control(`signal-${String(signalNumber)}`, [["signal", signalNumber]]);
  }
  close() {
    this.#closed = true;
    this.#stream.close();
  }
  async #settle() {
    try {
      const end = await this.#stream.ended;
      if (!end.ok && end.error === "too-many-streams") throw tooManyStreams();
      return parseExecResult(end);
    } catch (error) {
      if (error instanceof ProtocolViolation) throw protocolError(error);
      if (!(error instanceof StreamLostError)) throw error;
      if (this.#closed) throw aborted2();
      return lostResult;
    }
  }
};

// hostd/guest/channel/files.ts
import { setImmediate as nextTurn } from "node:timers/promises";

// hostd/guest/channel/transfer.ts
import { finished, Readable } from "node:stream";
function openTransfer(channel, transfer, consume) {
  const { kind, path: path18, signal } = transfer;
  if (signal?.aborted === true) throw aborted2(signal.reason);
  if (channel.hello?.capabilities.has(kind) !== true)
    throw new OffshootError("guest-file-error", {
      message: `The agent of this sandbox knows no ${kind}.`,
      details: { reason: "unknown-kind", path: path18 }
    });
  const fields = openFields(kind, [["path", path18], ...transfer.parameters]);
  const stream = channel.openStream({ id: channel.reserveStreamId(), fields: () => fields, consume });
  const onAbort = () => stream.fail(aborted2(signal?.reason));
  signal?.addEventListener("abort", onAbort, { once: true });
  stream.ended.finally(() => signal?.removeEventListener("abort", onAbort)).catch(() => void 0);
  return stream;
}
async function finishTransfer(stream, transfer) {
  let end;
  try {
    end = await stream.ended;
  } catch (error) {
    throw streamError(error, transfer.path);
  } finally {
    stream.close();
  }
  if (!end.ok) throw fileError(end, transfer.path);
  return end.texts;
}
var pauseAboveBytes = 256 * 1024;
var resumeBelowBytes = 128 * 1024;
function feed(content, stream) {
  const onData = (chunk) => {
    stream.write(Buffer.from(chunk)).catch(() => void 0);
    if (stream.input.backlogBytes > pauseAboveBytes) content.pause();
  };
  stream.onInputConsumed = () => {
    if (!stream.over && content.isPaused() && stream.input.backlogBytes < resumeBelowBytes) content.resume();
  };
  const forget = finished(content, { writable: false }, (error) => {
    if (error != null) stream.fail(aborted2(error));
    else stream.endInput();
  });
  stream.ended.catch(() => void 0).finally(() => {
    forget();
    content.off("data", onData);
    content.pause();
  });
  content.on("data", onData);
}
var OutputReadable = class extends Readable {
  #waiting = [];
  #onDestroy = () => void 0;
  constructor() {
    super({ highWaterMark: 256 * 1024 });
  }
  consume = (_channel, _offset, bytes) => {
    if (this.push(bytes)) return void 0;
    return new Promise((resolve2) => {
      this.#waiting.push(resolve2);
    });
  };
  onDestroy(callback) {
    this.#onDestroy = callback;
  }
  _read() {
    for (const resolve2 of this.#waiting.splice(0)) resolve2();
  }
  _destroy(error, callback) {
    this.#onDestroy();
    callback(error);
  }
};

// hostd/guest/channel/files.ts
var maxListBytes = 32 * 1024 * 1024;
var maxListEntries = 1e5;
var entriesPerTurn = 500;
var ChannelFiles = class {
  #channel;
  constructor(channel) {
    this.#channel = channel;
  }
  read(path18, options = {}) {
    return this.#download({ kind: "read-file", path: path18, parameters: [], signal: options.signal });
  }
  async archive(path18, options = {}) {
    if (options.include?.length && this.#channel.hello?.capabilities.has("include") !== true) throw noInclude(path18);
    const includes = (options.include ?? []).map((pattern) => ["include", pattern]);
    const excludes = (options.exclude ?? []).map((pattern) => ["exclude", pattern]);
    const parameters = [...includes, ...excludes, ...flag2("sparse", options.sparse)];
    return this.#download({ kind: "tar-out", path: path18, parameters, signal: options.signal });
  }
  async write(path18, content, options = {}) {
    const parameters = [...optional("mode", options.mode?.toString(8)), ...flag2("parents", options.parents)];
    const texts = await this.#upload({ kind: "write-file", path: path18, parameters, signal: options.signal }, content);
    return { sizeBytes: checked(() => parseCounts(texts)).size };
  }
  async extract(path18, archive, options = {}) {
    const parameters = optional("owner", options.owner);
    const texts = await this.#upload({ kind: "tar-in", path: path18, parameters, signal: options.signal }, archive);
    const { entries, bytes, skipped } = checked(() => parseCounts(texts));
    return { entries, bytes, skipped };
  }
  async stat(path18, options = {}) {
    const transfer = { kind: "stat", path: path18, parameters: [], signal: options.signal };
    const stream = openTransfer(this.#channel, transfer, () => void 0);
    const texts = await finishTransfer(stream, transfer);
    return checked(() => parseFileEntry(texts));
  }
  async list(path18, options = {}) {
    const parameters = flag2("recursive", options.recursive);
    const transfer = { kind: "list", path: path18, parameters, signal: options.signal };
    const parts = [];
    let receivedBytes = 0;
    const stream = openTransfer(this.#channel, transfer, (_channel, _offset, bytes) => {
      receivedBytes += bytes.length;
      if (receivedBytes > maxListBytes) throw tooManyEntries(path18);
      parts.push(Buffer.from(bytes));
      return void 0;
    });
    await finishTransfer(stream, transfer);
    return parseList(Buffer.concat(parts), path18);
  }
  async #upload(transfer, content) {
    const stream = openTransfer(this.#channel, transfer, () => void 0);
    feed(content, stream);
    return finishTransfer(stream, transfer);
  }
  async #download(transfer) {
    const output2 = new OutputReadable();
    let begun = () => void 0;
    const firstBytes = new Promise((resolve2) => {
      begun = resolve2;
    });
    const stream = openTransfer(this.#channel, transfer, (channel, offset, bytes) => {
      begun();
      return output2.consume(channel, offset, bytes);
    });
    output2.onDestroy(() => stream.close());
    const finished2 = finishTransfer(stream, transfer);
    finished2.then(
      () => output2.push(null),
      (error) => output2.destroy(error)
    );
    output2.on("error", () => void 0);
    await Promise.race([firstBytes, finished2]);
    return output2;
  }
};
async function parseList(bytes, path18) {
  const entries = [];
  for (let position = 0; position < bytes.length; ) {
    const start = position + 4;
    const end = start <= bytes.length ? start + bytes.readUInt32LE(position) : Infinity;
    if (end > bytes.length) throw streamError(new ProtocolViolation("a list entry is cut short"));
    if (entries.length === maxListEntries) throw tooManyEntries(path18);
    const block = bytes.subarray(start, end);
    entries.push(checked(() => parseListBlock(block)));
    position = end;
    if (entries.length % entriesPerTurn === 0) await nextTurn();
  }
  return entries;
}
function checked(parse) {
  try {
    return parse();
  } catch (error) {
    throw streamError(error);
  }
}
function noInclude(path18) {
  return new OffshootError("guest-file-error", {
    message: "The agent of this sandbox is of an older Offshoot and can not choose files by include globs.",
    hint: "Download without include. Sandboxes of snapshots keep their agent: take the snapshot anew.",
    details: { reason: "unknown-parameter", parameter: "include", path: path18 }
  });
}
function tooManyEntries(path18) {
  return new OffshootError("guest-file-error", {
    message: `${path18} has too many entries to list at once.`,
    hint: `Up to ${String(maxListEntries)} entries can be listed; list sub-folders, or download an archive.`,
    details: { reason: "too-many-entries", path: path18 }
  });
}

// hostd/guest/channel/requests.ts
async function ask(channel, kind, parameters, timeoutMs2) {
  if (channel.hello?.capabilities.has(kind) !== true)
    return { ok: false, error: "unknown-kind", message: `The agent knows no ${kind}.`, texts: {} };
  const stream = channel.openStream({
    id: channel.reserveStreamId(),
    fields: () => openFields(kind, parameters()),
    consume: () => {
      throw new ProtocolViolation(`${kind} has no data`);
    }
  });
  const timer = setTimeout(() => {
    stream.fail(unresponsive(kind, timeoutMs2));
    stream.close();
    channel.doubt();
  }, timeoutMs2);
  try {
    return await stream.ended;
  } catch (error) {
    if (error instanceof ProtocolViolation) throw protocolError(error);
    if (!(error instanceof StreamLostError)) throw error;
    throw new OffshootError("guest-unresponsive", { message: `The agent has lost ${kind}.`, details: { kind } });
  } finally {
    clearTimeout(timer);
    stream.close();
  }
}
function expectOk(kind, end) {
  if (end.ok) return end.texts;
  const code = end.error === "no-space" ? "guest-disk-full" : "guest-protocol";
  throw new OffshootError(code, {
    message: `${kind} failed: ${end.error}: ${end.message}`,
    details: { reason: end.error }
  });
}
async function metrics(channel, timeoutMs2) {
  const texts = expectOk("metrics", await ask(channel, "metrics", () => [], timeoutMs2));
  try {
    return parseMetrics(texts);
  } catch (error) {
    throw error instanceof ProtocolViolation ? protocolError(error) : error;
  }
}
async function sync(channel, timeoutMs2) {
  expectOk("sync", await ask(channel, "sync", () => [], timeoutMs2));
}
async function shutdown(channel, timeoutMs2) {
  expectOk("shutdown", await ask(channel, "shutdown", () => [], timeoutMs2));
}
async function freezeWorkload(channel, timeoutMs2) {
  const agentTimeoutMs = withinDeadline(timeoutMs2);
  const end = await ask(channel, "freeze-workload", () => [["timeout-ms", agentTimeoutMs]], timeoutMs2);
  if (!end.ok && end.error === "timeout")
    throw new OffshootError("guest-unresponsive", {
      message: `Processes in the sandbox could not be stopped within ${String(agentTimeoutMs)} ms; they go on.`,
      details: { reason: "not-frozen", operation: "freeze-workload", timeoutMs: agentTimeoutMs }
    });
  expectOk("freeze-workload", end);
}
async function thawWorkload(channel, timeoutMs2) {
  expectOk("thaw-workload", await ask(channel, "thaw-workload", () => [], timeoutMs2));
}
function withinDeadline(timeoutMs2) {
  return Math.max(1, Math.floor(timeoutMs2 * 0.8));
}
var maxHooksMs = 8e3;
var stepPattern = /^[a-z-]{1,32}$/;
async function prepareResume(channel, identity2, timeoutMs2) {
  const parameters = () => [
    ["entropy", identity2.entropy],
    ["clock-ns", `${String(Date.now())}000000`],
    ...optional("hostname", identity2.hostname),
    ...optional("machine-id", identity2.machineId),
    ...optional("boot-id", identity2.bootId),
    ...flag2("drop-streams", identity2.dropStreams),
    ...optional("generation", identity2.generation),
    ...optional("nameserver", identity2.nameserver),
    ...copiedParameters(identity2.copied, timeoutMs2)
  ];
  const end = await ask(channel, "prepare-resume", parameters, timeoutMs2);
  if (!end.ok) {
    const step2 = stepPattern.exec(end.texts["step"] ?? "")?.[0];
    throw new OffshootError("boot-failed", {
      message: `The sandbox could not take up its identity: ${end.error}: ${end.message}`,
      details: { reason: end.error, ...step2 === void 0 ? {} : { step: step2 } }
    });
  }
  if (identity2.dropStreams) channel.forgetStrays();
}
function copiedParameters(copied, timeoutMs2) {
  if (copied !== true) return [];
  return [...flag2("copied", true), ["hooks-timeout-ms", Math.min(maxHooksMs, withinDeadline(timeoutMs2))]];
}
async function ping(channel, timeoutMs2) {
  let timer;
  let giveUp;
  const answered = new Promise((resolve2, reject) => {
    giveUp = channel.ping(resolve2);
    timer = setTimeout(() => {
      reject(unresponsive("ping", timeoutMs2));
      channel.doubt();
    }, timeoutMs2);
  });
  const closed = channel.closed.then((reason2) => Promise.reject(closedError(reason2)));
  try {
    await Promise.race([answered, closed]);
  } finally {
    clearTimeout(timer);
    giveUp?.();
    closed.catch(() => void 0);
  }
}

// hostd/guest/channel/channel-guest.ts
var ChannelGuest = class {
  files;
  closed;
  #channel;
  #firstHello;
  constructor(channel, firstHello) {
    this.#channel = channel;
    this.#firstHello = firstHello;
    this.files = new ChannelFiles(channel);
    this.closed = channel.closed;
  }
  get hello() {
    return this.#channel.hello ?? this.#firstHello;
  }
  prepareResume(identity2, timeoutMs2) {
    return prepareResume(this.#channel, identity2, timeoutMs2);
  }
  freezeWorkload(timeoutMs2) {
    return freezeWorkload(this.#channel, timeoutMs2);
  }
  thawWorkload(timeoutMs2) {
    return thawWorkload(this.#channel, timeoutMs2);
  }
  exec(spec, sink, streamId) {
    return startExec(this.#channel, spec, sink, streamId);
  }
  adoptExec(streamId, receivedBytes, sink) {
    return adoptExec(this.#channel, streamId, receivedBytes, sink);
  }
  reserveStreamId(floor) {
    return this.#channel.reserveStreamId(floor);
  }
  metrics(timeoutMs2) {
    return metrics(this.#channel, timeoutMs2);
  }
  sync(timeoutMs2) {
    return sync(this.#channel, timeoutMs2);
  }
  shutdown(timeoutMs2) {
    return shutdown(this.#channel, timeoutMs2);
  }
  ping(timeoutMs2) {
    return ping(this.#channel, timeoutMs2);
  }
  closeStrays() {
    this.#channel.closeStrays();
  }
  disconnect() {
    this.#channel.disconnect();
  }
};

// hostd/guest/channel/connector.ts
var ChannelConnector = class {
  /**
   * Dials until the agent has answered. Fails with `guest-unresponsive` at helloTimeoutMs, `guest-protocol` when the
   * agent breaks the protocol again and again, `aborted` by the signal.
   */
  async connect(options) {
    const { signal, helloTimeoutMs } = options;
    if (signal?.aborted === true) throw aborted2(signal.reason);
    const channel = new GuestChannel(options.socketPath, options.midStream);
    let giveUp = () => void 0;
    const given = new Promise((_resolve, reject) => {
      giveUp = reject;
    });
    const timer = setTimeout(() => giveUp(unresponsive("the first contact", helloTimeoutMs)), helloTimeoutMs);
    const onAbort = () => giveUp(aborted2(signal?.reason));
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      return new ChannelGuest(channel, await Promise.race([channel.ready, given]));
    } catch (error) {
      channel.disconnect();
      throw error;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    }
  }
};

// hostd/guest/image/image-store.ts
import { mkdir as mkdir13, rm as rm22 } from "node:fs/promises";
import path16 from "node:path";

// hostd/guest/image/build-lock.ts
import { mkdirSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep3 } from "node:timers/promises";
var retryMs = 200;
async function lockBuilds(directory, onWait = () => void 0) {
  mkdirSync(directory, { recursive: true });
  const database = new DatabaseSync(path.join(directory, ".build-lock"));
  for (let attempt = 0; ; attempt++) {
    try {
      database.exec("PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE");
      return { release: () => database.close() };
    } catch (error) {
      if (!/locked|busy/i.test(String(error))) {
        database.close();
        throw error;
      }
      if (attempt === 0) onWait();
      await sleep3(retryMs);
    }
  }
}

// hostd/guest/image/build/build-root.ts
import { mkdir as mkdir9, readdir as readdir9, rm as rm18 } from "node:fs/promises";
import path10 from "node:path";

// hostd/guest/image/apt/package-cache.ts
import { link as link3, mkdir as mkdir2, readdir as readdir4, rm as rm11, stat as stat5, utimes } from "node:fs/promises";
import path2 from "node:path";
var cacheLimitBytes = 1024 * 1024 * 1024;
async function linkPackages(cache, archives) {
  await mkdir2(cache, { recursive: true });
  for (const name of await debFiles(cache)) {
    await linkUnlessThere(path2.join(cache, name), path2.join(archives, name));
  }
}
async function keepPackages(archives, cache) {
  await mkdir2(cache, { recursive: true });
  const now = /* @__PURE__ */ new Date();
  for (const name of await debFiles(archives)) {
    const kept = path2.join(cache, name);
    if (await linkUnlessThere(path2.join(archives, name), kept)) await utimes(kept, now, now);
  }
}
async function trimCache(cache, limitBytes = cacheLimitBytes) {
  const files = await Promise.all(
    (await debFiles(cache)).map(async (name) => ({
      file: path2.join(cache, name),
      stats: await stat5(path2.join(cache, name))
    }))
  );
  files.sort((a, b) => b.stats.mtimeMs - a.stats.mtimeMs);
  let bytes = 0;
  for (const { file, stats } of files) {
    bytes += stats.size;
    if (bytes > limitBytes) await rm11(file, { force: true });
  }
}
async function debFiles(directory) {
  const names3 = await readdir4(directory).catch(() => []);
  return names3.filter((name) => name.endsWith(".deb")).sort();
}
async function linkUnlessThere(from, to) {
  try {
    await link3(from, to);
    return true;
  } catch (error) {
    const code = error.code ?? "";
    if (["EEXIST", "ENOENT", "EXDEV", "EMLINK"].includes(code)) return false;
    throw error;
  }
}

// hostd/guest/image/build/bootstrap.ts
import { mkdir as mkdir3, readdir as readdir5, rm as rm12, writeFile as writeFile5 } from "node:fs/promises";
import path4 from "node:path";

// hostd/guest/image/build/contain.ts
function runContained(runner, command, args, options) {
  return runChecked(runner, "setpriv", [...containment, command, ...args], options);
}
var containment = [
  ...["--pdeathsig", "KILL", "--"],
  ...["unshare", "--mount", "--pid", "--fork", "--kill-child=KILL", "--mount-proc", "--"],
  // whatever the umask of hostd: the guest's files are for all its users
  ...["/bin/sh", "-c", 'umask 022; exec "$@"', "contained"]
];
var enterRoot = `
mount -t proc proc "$1/proc"
mount --rbind /dev "$1/dev"
exec chroot "$1" /usr/bin/env -i HOME=/root LC_ALL=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$2" /bin/sh -euc "$3"
`;
function runInRoot(runner, root, text, options = {}) {
  const { variable = "OFFSHOOT_BUILD=1", ...rest } = options;
  return runContained(runner, "/bin/sh", ["-euc", enterRoot, "enter", root, variable, text], rest);
}

// hostd/guest/image/build/context.ts
import path3 from "node:path";
function rootOf(context) {
  return path3.join(context.workDirectory, "root");
}
var stepTimeoutMs = 45 * 6e4;

// hostd/guest/image/build/bootstrap.ts
var dpkgOptions = [
  "path-exclude=/usr/share/doc/*",
  "path-include=/usr/share/doc/*/copyright",
  "path-exclude=/usr/share/man/*",
  "path-exclude=/usr/share/info/*",
  "path-exclude=/usr/share/lintian/*",
  "path-exclude=/usr/share/locale/*",
  "force-unsafe-io"
];
function kernelDownloads(context) {
  return path4.join(context.workDirectory, "kernel");
}
function archivesOf(root) {
  return path4.join(root, "var/cache/apt/archives");
}
async function bootstrap(context) {
  const { plan, workDirectory } = context;
  const [root, kernel] = [rootOf(context), kernelDownloads(context)];
  await mkdir3(archivesOf(root), { recursive: true });
  await mkdir3(kernel, { recursive: true });
  await linkPackages(context.packageCache, archivesOf(root));
  const settings = path4.join(workDirectory, "apt.conf");
  await writeFile5(settings, `${renderAptForHost(context.host.aptSettings)}APT::Sandbox::User "root";
Acquire::Languages "none";
`, {
    mode: 384
  });
  await runContained(context.runner, "mmdebstrap", await bootstrapArguments(context, settings), {
    timeoutMs: stepTimeoutMs,
    onLine: context.onLine,
    env: {
      ...process.env,
      OFFSHOOT_KERNEL_PACKAGE: plan.suite.kernelPackage,
      OFFSHOOT_KERNEL_INTO: kernel,
      OFFSHOOT_PACKAGE_CACHE: context.packageCache
    }
  });
  await rm12(path4.join(root, "etc/apt/apt.conf.d/99mmdebstrap"), { force: true });
}
async function bootstrapArguments(context, settings) {
  const { plan, workDirectory } = context;
  const sources = path4.join(workDirectory, "offshoot.sources");
  if (plan.aptSources !== void 0) await writeFile5(sources, renderDeb822(plan.aptSources), { mode: 384 });
  return [
    "--mode=root",
    "--format=directory",
    "--variant=minbase",
    `--include=${plan.packages.join(",")}`,
    `--aptopt=${settings}`,
    ...dpkgOptions.map((option) => `--dpkgopt=${option}`),
    // The .deb files stay until they are moved to the cache; the root is not empty because they lie in it from the start.
    "--skip=check/empty,essential/unlink,cleanup/apt/cache",
    `--customize-hook=${installation.downloadKernelScript}`,
    plan.suite.name,
    rootOf(context),
    ...plan.aptSources === void 0 ? [] : [sources]
  ];
}
async function downloadedKernels(context) {
  const directory = kernelDownloads(context);
  return (await readdir5(directory)).filter((name) => name.endsWith(".deb")).map((name) => path4.join(directory, name));
}

// hostd/guest/image/build/disk.ts
import { open as open7 } from "node:fs/promises";
async function makeDisk(context, file) {
  const handle = await open7(file, "wx", 420);
  await handle.truncate(context.plan.recipe.diskMiB * 1024 * 1024);
  await handle.close();
  await runChecked(
    context.runner,
    "mkfs.ext4",
    [
      ...["-q", "-F", "-b", "4096", "-m", "0", "-L", "offshoot", "-O", "64bit,^orphan_file", "-J", "size=32"],
      ...["-E", "lazy_itable_init=0,lazy_journal_init=0,root_owner=0:0", "-d", rootOf(context), file]
    ],
    { timeoutMs: stepTimeoutMs, onLine: context.onLine }
  );
}

// hostd/guest/image/build/initramfs.ts
import { mkdir as mkdir5, readFile as readFile8, rm as rm14, writeFile as writeFile7 } from "node:fs/promises";
import path6 from "node:path";

// hostd/guest/image/build/place.ts
import { chmod as chmod6, mkdir as mkdir4, rm as rm13, stat as stat6, writeFile as writeFile6 } from "node:fs/promises";
import path5 from "node:path";
async function placeFile(root, guestPath, content, mode = 420) {
  const target = path5.join(root, guestPath);
  await placeFolder(root, path5.dirname(guestPath));
  await rm13(target, { force: true });
  await writeFile6(target, content, { flag: "wx" });
  await chmod6(target, mode);
}
async function placeFolder(root, guestPath) {
  let folder = root;
  for (const part of guestPath.split("/").filter((name) => name !== "")) {
    folder = path5.join(folder, part);
    if (await stat6(folder).catch(() => void 0) !== void 0) continue;
    await mkdir4(folder);
    await chmod6(folder, 493);
  }
}

// hostd/guest/image/build/initramfs.ts
async function packArchive(runner, directory, names3, archive) {
  await runChecked(
    runner,
    "cpio",
    ["--create", "--format=newc", "--quiet", "--owner=+0:+0", "--reproducible", `--file=${archive}`],
    { cwd: directory, input: names3.map((name) => `${name}
`).join("") }
  );
}
async function makeInitramfs(runner, parts, file) {
  const staging = path6.join(parts.workDirectory, "init-staging");
  await mkdir5(staging, { recursive: true });
  await placeFile(staging, "init", parts.agent, 493);
  const agentArchive = path6.join(parts.workDirectory, "agent.cpio");
  await packArchive(runner, staging, ["init"], agentArchive);
  await writeFile7(file, Buffer.concat([await readFile8(agentArchive), await readFile8(parts.modulesArchive)]));
  await rm14(staging, { recursive: true, force: true });
  await rm14(agentArchive);
}

// hostd/guest/image/build/kernel.ts
import { mkdir as mkdir6, readFile as readFile10, readdir as readdir6, rename as rename5, rm as rm15, writeFile as writeFile8 } from "node:fs/promises";
import path7 from "node:path";

// hostd/guest/image/kernel/decompress.ts
import { spawn as spawn3 } from "node:child_process";
import { readFile as readFile9 } from "node:fs/promises";
import { gunzipSync, zstdDecompressSync } from "node:zlib";
function runCheckedBytes(command, args, input) {
  return new Promise((resolve2, reject) => {
    const child = spawn3(command, args, { stdio: ["pipe", "pipe", "pipe"] });
    const [output2, errors] = [[], []];
    child.stdout.on("data", (chunk) => output2.push(chunk));
    child.stderr.on("data", (chunk) => errors.push(chunk));
    child.stdin.on("error", () => void 0);
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0) resolve2(Buffer.concat(output2));
      else reject(new Error(`${command}: exit code ${String(code)}: ${Buffer.concat(errors).toString("utf8").trim()}`));
    });
    child.stdin.end(input);
  });
}
async function readModule(path18) {
  const bytes = await readFile9(path18);
  if (path18.endsWith(".xz")) return runCheckedBytes("xz", ["-dc"], bytes);
  if (path18.endsWith(".zst")) return zstdDecompressSync(bytes);
  if (path18.endsWith(".gz")) return gunzipSync(bytes);
  return bytes;
}

// hostd/guest/image/kernel/modules.ts
var earlyModules = [
  "virtio_mmio",
  "virtio_blk",
  "virtio_console",
  "virtio_net",
  "virtio_rng",
  "ext4",
  "crc32c_generic"
];
function parseModulesDep(text) {
  const modules = /* @__PURE__ */ new Map();
  for (const line of text.split("\n")) {
    const colon = line.indexOf(":");
    if (colon < 1) continue;
    modules.set(
      line.slice(0, colon),
      line.slice(colon + 1).split(" ").filter((path18) => path18 !== "")
    );
  }
  return modules;
}
function moduleName(path18) {
  const file = path18.slice(path18.lastIndexOf("/") + 1);
  return file.replace(/\.ko(\.[a-z0-9]+)?$/, "").replaceAll("-", "_");
}
function loadOrder(dependencies, wanted) {
  const byName = new Map([...dependencies.keys()].map((path18) => [moduleName(path18), path18]));
  const ordered = /* @__PURE__ */ new Set();
  const visit = (path18, above) => {
    if (ordered.has(path18)) return;
    if (above.includes(path18)) throw new Error(`modules need each other: ${[...above, path18].join(" -> ")}`);
    for (const needed of dependencies.get(path18) ?? []) visit(needed, [...above, path18]);
    ordered.add(path18);
  };
  for (const name of wanted) {
    const path18 = byName.get(name);
    if (path18 !== void 0) visit(path18, []);
  }
  return [...ordered];
}

// hostd/guest/image/kernel/vmlinux.ts
import { zstdDecompressSync as zstdDecompressSync2, gunzipSync as gunzipSync2 } from "node:zlib";
var KernelFormatError = class extends Error {
  name = "KernelFormatError";
};
var headerMagic = "HdrS";
var lowestProtocol = 520;
function bzImagePayload(image) {
  if (image.length < 592 || image.toString("latin1", 514, 518) !== headerMagic) {
    throw new KernelFormatError("not a bzImage: no boot header");
  }
  if (image.readUInt16LE(518) < lowestProtocol) throw new KernelFormatError("boot protocol older than 2.08");
  const setupSectors = image[497] || 4;
  const start = (setupSectors + 1) * 512 + image.readUInt32LE(584);
  const length = image.readUInt32LE(588);
  if (length < 8 || start + length > image.length) throw new KernelFormatError("the payload lies outside the file");
  return image.subarray(start, start + length);
}
function detectCompression(payload) {
  const starts = (hex) => payload.subarray(0, hex.length / 2).toString("hex") === hex;
  if (starts("28b52ffd")) return "zstd";
  if (starts("02214c18")) return "lz4";
  if (starts("fd377a585a00")) return "xz";
  if (starts("1f8b08")) return "gzip";
  if (starts("7f454c46")) return "none";
  throw new KernelFormatError(`unknown compression (${payload.subarray(0, 6).toString("hex")})`);
}
async function extractVmlinux(image) {
  const payload = bzImagePayload(image);
  const compression = detectCompression(payload);
  const kernel = await decompress(payload, compression);
  if (kernel.length < 64 || kernel.toString("latin1", 1, 4) !== "ELF")
    throw new KernelFormatError("the payload is no ELF file");
  if (!hasPvhNote(kernel)) throw new KernelFormatError("the kernel has no PVH entry point");
  return kernel;
}
async function decompress(payload, compression) {
  const body = payload.subarray(0, payload.length - 4);
  const expected = payload.readUInt32LE(payload.length - 4);
  switch (compression) {
    case "none":
      return payload;
    case "gzip":
      return gunzipSync2(payload);
    case "zstd":
      return checked2(zstdDecompressSync2(body), expected);
    case "lz4":
      return checked2(await runCheckedBytes("lz4", ["-dc"], body), expected);
    case "xz":
      return checked2(await runCheckedBytes("xz", ["-dc"], body), expected);
  }
}
function checked2(kernel, expectedBytes) {
  if (kernel.length === expectedBytes) return kernel;
  throw new KernelFormatError(`decompressed to ${String(kernel.length)} bytes instead of ${String(expectedBytes)}`);
}
var noteSegment = 4;
var pvhEntryNote = 18;
function hasPvhNote(elf) {
  if (elf.length < 64 || elf[4] !== 2 || elf[5] !== 1) return false;
  const tableOffset = Number(elf.readBigUInt64LE(32));
  const [entrySize, entries] = [elf.readUInt16LE(54), elf.readUInt16LE(56)];
  if (entrySize < 56 || tableOffset + entrySize * entries > elf.length) return false;
  for (let index = 0; index < entries; index++) {
    const header = elf.subarray(tableOffset + index * entrySize, tableOffset + (index + 1) * entrySize);
    if (header.readUInt32LE(0) !== noteSegment) continue;
    const offset = Number(header.readBigUInt64LE(8));
    if (notesHavePvhEntry(elf.subarray(offset, offset + Number(header.readBigUInt64LE(32))))) return true;
  }
  return false;
}
function notesHavePvhEntry(notes) {
  const aligned = (size) => size + 3 & ~3;
  let at = 0;
  while (at + 12 <= notes.length) {
    const [nameSize, descriptionSize, type] = [
      notes.readUInt32LE(at),
      notes.readUInt32LE(at + 4),
      notes.readUInt32LE(at + 8)
    ];
    const name = notes.toString("latin1", at + 12, at + 12 + Math.max(0, nameSize - 1));
    if (name === "Xen" && type === pvhEntryNote) return true;
    at += 12 + aligned(nameSize) + aligned(descriptionSize);
  }
  return false;
}

// hostd/guest/image/build/kernel.ts
function earlyModulesDirectory(context) {
  return path7.join(context.workDirectory, "early");
}
async function installKernel(context, kernelFile) {
  const unpacked = path7.join(kernelDownloads(context), "unpacked");
  for (const deb of await downloadedKernels(context)) {
    await runChecked(context.runner, "dpkg-deb", ["-x", deb, unpacked], { timeoutMs: stepTimeoutMs });
  }
  const version = await kernelVersion(unpacked);
  await writeBootable(context, path7.join(unpacked, "boot", `vmlinuz-${version}`), kernelFile);
  const modules = path7.join(rootOf(context), "usr/lib/modules");
  await placeFolder(rootOf(context), "usr/lib/modules");
  await rename5(await modulesOf(unpacked, version), path7.join(modules, version));
  await runInRoot(context.runner, rootOf(context), `depmod ${version}`, { timeoutMs: stepTimeoutMs });
  await writeEarlyModules(path7.join(modules, version), earlyModulesDirectory(context));
  await rm15(unpacked, { recursive: true, force: true });
  return version;
}
async function kernelVersion(unpacked) {
  const names3 = await readdir6(path7.join(unpacked, "boot")).catch(() => []);
  const version = names3.find((name) => name.startsWith("vmlinuz-"))?.slice("vmlinuz-".length);
  if (version === void 0 || !/^[\w.+~-]+$/.test(version)) throw new Error("the kernel package holds no kernel");
  return version;
}
async function writeBootable(context, vmlinuz, kernelFile) {
  const image = await readFile10(vmlinuz);
  try {
    await writeFile8(kernelFile, await extractVmlinux(image));
  } catch (error) {
    if (!(error instanceof KernelFormatError)) throw error;
    context.onLine(`the kernel stays compressed: ${error.message}`);
    await writeFile8(kernelFile, image);
  }
}
async function modulesOf(unpacked, version) {
  for (const parent of ["usr/lib/modules", "lib/modules"]) {
    const directory = path7.join(unpacked, parent, version);
    if ((await readdir6(directory).catch(() => [])).length > 0) return directory;
  }
  throw new Error(`no modules for kernel ${version} in its packages`);
}
async function writeEarlyModules(modules, into) {
  const order = loadOrder(parseModulesDep(await readFile10(path7.join(modules, "modules.dep"), "utf8")), earlyModules);
  await mkdir6(path7.join(into, "modules"), { recursive: true });
  const names3 = [];
  for (const relative3 of order) {
    const name = `/modules/${moduleName(relative3)}.ko`;
    await writeFile8(path7.join(into, name), await readModule(path7.join(modules, relative3)));
    names3.push(name);
  }
  await writeFile8(path7.join(into, "modules.list"), names3.map((name) => `${name}
`).join(""));
}

// hostd/guest/image/build/npm-packages.ts
import { mkdir as mkdir7, readdir as readdir7, rm as rm16, symlink } from "node:fs/promises";
import path8 from "node:path";
async function installNpmPackages(context) {
  const { npmPackages } = context.plan.recipe;
  const downloads = path8.join(context.workDirectory, "npm");
  for (const [index, entry] of npmPackages.entries()) {
    const into = path8.join(downloads, String(index));
    await mkdir7(into, { recursive: true });
    const pinned = `${entry.name}@${entry.version}`;
    await runChecked(context.runner, "npm", ["pack", pinned, "--ignore-scripts", "--pack-destination", into], {
      cwd: into,
      timeoutMs: stepTimeoutMs
    });
    const tarball = (await readdir7(into)).find((name) => name.endsWith(".tgz"));
    if (tarball === void 0) throw new Error(`npm pack ${pinned} left no file`);
    context.onLine(`${pinned} -> ${entry.into}`);
    await unpack(context, entry, path8.join(into, tarball));
  }
  await rm16(downloads, { recursive: true, force: true });
}
async function unpack(context, entry, tarball) {
  const root = rootOf(context);
  const into = path8.join(root, entry.into);
  await placeFolder(root, entry.into);
  const members = entry.keep === void 0 ? [] : entry.keep.map((name) => `package/${name}`);
  await runChecked(
    context.runner,
    "tar",
    ["-xzf", tarball, "-C", into, "--strip-components=1", "--no-same-owner", ...members],
    { timeoutMs: stepTimeoutMs }
  );
  const commands = path8.join(root, "usr/local/bin");
  await placeFolder(root, "usr/local/bin");
  for (const [command, file] of Object.entries(entry.commands ?? {})) {
    const link6 = path8.join(commands, command);
    await rm16(link6, { force: true });
    await symlink(path8.relative("/usr/local/bin", path8.join(entry.into, file)), link6);
  }
}

// hostd/guest/image/build/settle.ts
import { mkdir as mkdir8, readFile as readFile11, readdir as readdir8, rm as rm17 } from "node:fs/promises";
import path9 from "node:path";
async function settleRoot(context, kernelVersion2) {
  await trustCertificates(context);
  await writeConfiguration(context, kernelVersion2);
  for (const step2 of context.plan.recipe.steps) {
    context.onLine(step2.name);
    await runInRoot(context.runner, rootOf(context), step2.run, { timeoutMs: stepTimeoutMs, onLine: context.onLine });
  }
  await cleanRoot(rootOf(context));
}
async function trustCertificates(context) {
  const root = rootOf(context);
  const present = parseLenient(await readFile11(path9.join(root, guestBundle), "utf8").catch(() => ""));
  const missing = missingCertificates(context.plan.certificates, present);
  for (const { fingerprint, pem } of missing) {
    await placeFile(root, `/usr/local/share/ca-certificates/offshoot-${fingerprint.slice(0, 16)}.crt`, pem);
  }
  if (context.plan.certificates.length > 0) {
    await placeFile(root, extraBundle, missing.map((certificate) => certificate.pem).join(""));
  }
  if (missing.length === 0) return;
  context.onLine(`${String(missing.length)} more certificate authorities`);
  await runInRoot(context.runner, root, "update-ca-certificates", { timeoutMs: stepTimeoutMs, onLine: context.onLine });
}
async function writeConfiguration(context, kernelVersion2) {
  const root = rootOf(context);
  const { plan } = context;
  const environment = Object.entries(plan.environment).map(([name, value]) => `${name}=${value}
`);
  const about = {
    suite: plan.suite.name,
    kernel: kernelVersion2,
    packages: plan.packages,
    npmPackages: plan.recipe.npmPackages.map(({ name, version }) => `${name}@${version}`),
    rootDigest: plan.rootDigest
  };
  const files = {
    "/etc/offshoot/env": environment.join(""),
    "/etc/offshoot/image.json": `${JSON.stringify(about, null, 2)}
`,
    "/etc/hostname": "offshoot\n",
    "/etc/hosts": "127.0.0.1 localhost offshoot\n::1 localhost ip6-localhost ip6-loopback\n",
    "/etc/resolv.conf": "",
    "/etc/machine-id": "",
    "/etc/fstab": "/dev/vda / ext4 defaults 0 0\n",
    "/etc/dpkg/dpkg.cfg.d/offshoot": dpkgOptions.map((option) => `${option}
`).join(""),
    ...plan.guestFiles
  };
  for (const [name, text] of Object.entries(files)) await placeFile(root, name, text);
  await rm17(path9.join(root, "etc/dpkg/dpkg.cfg.d/99mmdebstrap"), { force: true });
  if (plan.aptSources !== void 0) await replaceSources(root, plan.suite.distribution, plan.aptSources);
  await placeFolder(root, "workspace");
}
async function replaceSources(root, distribution, sources) {
  const parts = path9.join(root, "etc/apt/sources.list.d");
  for (const name of await readdir8(parts)) await rm17(path9.join(parts, name));
  await rm17(path9.join(root, "etc/apt/sources.list"), { force: true });
  await placeFile(root, `/etc/apt/sources.list.d/${distribution}.sources`, renderDeb822(withoutCredentials(sources)));
  for (const { signedBy } of sources) {
    if (signedBy?.startsWith("/") === true) await copyKeyring(root, signedBy);
  }
}
async function copyKeyring(root, keyring) {
  const there = await readFile11(path9.join(root, keyring)).catch(() => void 0);
  if (there === void 0) await placeFile(root, keyring, await readFile11(keyring));
}
async function cleanRoot(root) {
  const archives = archivesOf(root);
  const emptied = ["boot", "tmp", "var/tmp", "run", "var/lib/apt/lists", "var/cache/debconf", "var/log", "root/.npm", "root/.cache"];
  const caches = ["var/cache/apt/pkgcache.bin", "var/cache/apt/srcpkgcache.bin", "var/lib/dpkg/status-old", "var/cache/ldconfig/aux-cache"];
  for (const name of emptied) {
    const directory = path9.join(root, name);
    for (const entry of await readdir8(directory).catch(() => [])) await rm17(path9.join(directory, entry), { recursive: true, force: true });
  }
  for (const name of caches) await rm17(path9.join(root, name), { force: true });
  for (const name of await readdir8(archives).catch(() => [])) await rm17(path9.join(archives, name), { recursive: true, force: true });
  await mkdir8(path9.join(archives, "partial"), { recursive: true });
  await mkdir8(path9.join(root, "var/lib/apt/lists/partial"), { recursive: true });
  await mkdir8(path9.join(root, "var/log/apt"), { recursive: true });
}

// hostd/guest/image/build/build-root.ts
var imageFiles = {
  rootDisk: "root.ext4",
  kernel: "vmlinux",
  initramfs: "initramfs.cpio",
  modules: "modules.cpio"
};
var scratchName = "scratch";
var rootSteps = ["packages", "node", "kernel", "configuration", "disk"];
function createRootBuilder(runner) {
  return {
    async build({ plan, host, directory, packageCache, onLine, onStep }) {
      const workDirectory = path10.join(directory, scratchName);
      await mkdir9(workDirectory, { recursive: true });
      const context = { plan, host, runner, workDirectory, packageCache, onLine };
      onStep("packages");
      await bootstrap(context);
      onStep("node");
      await installNpmPackages(context);
      onStep("kernel");
      const kernelVersion2 = await installKernel(context, path10.join(directory, imageFiles.kernel));
      await salvagePackages(directory, packageCache);
      onStep("configuration");
      await settleRoot(context, kernelVersion2);
      onStep("disk");
      await makeDisk(context, path10.join(directory, imageFiles.rootDisk));
      await packModules(runner, earlyModulesDirectory(context), path10.join(directory, imageFiles.modules));
      await rm18(workDirectory, { recursive: true, force: true });
      return { kernelVersion: kernelVersion2 };
    }
  };
}
async function salvagePackages(directory, packageCache) {
  const scratch = { workDirectory: path10.join(directory, scratchName) };
  await keepPackages(archivesOf(path10.join(scratch.workDirectory, "root")), packageCache);
  await keepPackages(path10.join(scratch.workDirectory, "kernel"), packageCache);
  await trimCache(packageCache);
}
async function packModules(runner, early, archive) {
  const modules = (await readdir9(path10.join(early, "modules"))).sort().map((name) => `modules/${name}`);
  await packArchive(runner, early, ["modules", ...modules, "modules.list"], archive);
}

// hostd/guest/image/host-tools.ts
import { access as access4, constants as constants6, statfs } from "node:fs/promises";
import path11 from "node:path";
var tools = {
  mmdebstrap: "mmdebstrap",
  "apt-get": "apt",
  "dpkg-deb": "dpkg",
  "mkfs.ext4": "e2fsprogs",
  cpio: "cpio",
  xz: "xz-utils",
  lz4: "lz4",
  setpriv: "util-linux",
  unshare: "util-linux",
  npm: "npm"
};
var requiredFreeMiB = 3072;
async function checkHost(stateDirectory, env = process.env, uid = process.getuid?.()) {
  if (uid !== 0) {
    throw new OffshootError("not-root", {
      message: "Building an image needs root: it unpacks packages with their owners and enters the new root.",
      hint: "Run it with sudo."
    });
  }
  for (const [tool, debianPackage] of Object.entries(tools)) {
    if (await isOnPath(tool, env["PATH"] ?? "")) continue;
    throw new OffshootError("tool-missing", {
      message: `Building an image needs ${tool}.`,
      hint: `Install it: apt-get install ${debianPackage}`,
      details: { tool, package: debianPackage }
    });
  }
  const { bavail, bsize } = await statfs(stateDirectory);
  const freeMiB = Math.floor(bavail * bsize / 1024 / 1024);
  if (freeMiB < requiredFreeMiB) throw diskFull(stateDirectory, freeMiB);
}
function diskFull(stateDirectory, freeMiB) {
  return new OffshootError("host-disk-full", {
    message: `Building an image needs ${String(requiredFreeMiB)} MiB free in ${stateDirectory}; there are ${String(freeMiB)}.`,
    details: { freeMiB, requiredFreeMiB }
  });
}
async function isOnPath(tool, searchPath) {
  for (const directory of searchPath.split(path11.delimiter)) {
    const found = await access4(path11.join(directory, tool), constants6.X_OK).then(
      () => true,
      () => false
    );
    if (found) return true;
  }
  return false;
}

// hostd/guest/image/image-folders.ts
import { randomBytes as randomBytes2 } from "node:crypto";
import { open as open8, readFile as readFile12, readdir as readdir10, rename as rename6, rm as rm19, stat as stat7 } from "node:fs/promises";
import path12 from "node:path";

// hostd/guest/image/image.ts
var imageManifestSchema = external_exports.object({
  formatVersion: external_exports.literal(1),
  name: external_exports.string(),
  /** Changes with every build; a template belongs to one digest. */
  digest: external_exports.string(),
  suite: external_exports.string(),
  architecture: external_exports.literal("amd64"),
  include: external_exports.array(external_exports.string()),
  /** Digest of what the caller asked for; another one under the same name is another image. */
  requestDigest: external_exports.string(),
  /** Digest of all that goes into the root disk (recipe, suite, packages, certificates, configuration): the same means it can be reused. */
  rootDigest: external_exports.string(),
  /** Digest of the root disk's inputs and the agent: the same means nothing to rebuild. */
  recipeDigest: external_exports.string(),
  kernelVersion: external_exports.string(),
  agentBuild: external_exports.string(),
  agentProtocol: external_exports.number().int(),
  diskMiB: external_exports.number().int(),
  /** Allocated on the host's disk. */
  storedMiB: external_exports.number(),
  /** Below it the kernel does not reach a ready agent. */
  minMemoryMiB: external_exports.number().int(),
  /** What this kernel wants on its command line whatever the machine. */
  kernelArguments: external_exports.array(external_exports.string()),
  createdAt: external_exports.iso.datetime(),
  files: external_exports.object({ rootDisk: external_exports.string(), kernel: external_exports.string(), initramfs: external_exports.string(), modules: external_exports.string() }),
  /** Sizes by file name, to notice a damaged image without reading it. */
  fileSizesBytes: external_exports.record(external_exports.string(), external_exports.number().int())
});

// hostd/guest/image/image-folders.ts
var manifestName = "manifest.json";
var buildingPrefix = ".building-";
var replacedPrefix = ".replaced-";
var namePattern = /^[a-z0-9][a-z0-9._-]{0,62}$/;
function checkImageName(name) {
  if (namePattern.test(name)) return;
  throw new OffshootError("invalid-request", {
    message: `${JSON.stringify(name.slice(0, 80))} is no image name: lower-case letters, digits, dots, dashes and underscores, at most 63.`
  });
}
function newBuildFolder(images, name) {
  return path12.join(images, `${buildingPrefix}${randomBytes2(6).toString("hex")}-${name}`);
}
async function imageNames(images) {
  const entries = await readdir10(images, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory() && namePattern.test(entry.name)).map((entry) => entry.name);
}
async function readImage(images, name) {
  const directory = path12.join(images, name);
  const known = namePattern.test(name) && (await stat7(directory).catch(() => void 0))?.isDirectory() === true;
  if (!known) {
    throw new OffshootError("image-not-found", {
      message: `There is no image named ${JSON.stringify(name.slice(0, 80))}.`
    });
  }
  const manifest = await readManifest(directory);
  const reason2 = manifest === void 0 ? `${manifestName} is missing or not valid` : await damage(directory, manifest);
  if (manifest !== void 0 && reason2 === void 0) return { directory, manifest };
  throw new OffshootError("image-broken", {
    message: `The image ${name} is damaged: ${reason2 ?? "unknown"}.`,
    hint: `Build it again: offshoot image build ${name} --rebuild.`,
    details: { image: name, reason: reason2 }
  });
}
async function readManifest(directory) {
  try {
    const parsed = imageManifestSchema.safeParse(
      JSON.parse(await readFile12(path12.join(directory, manifestName), "utf8"))
    );
    return parsed.success ? parsed.data : void 0;
  } catch {
    return void 0;
  }
}
async function damage(directory, manifest) {
  for (const file of Object.values(manifest.files)) {
    const size = (await stat7(path12.join(directory, file)).catch(() => void 0))?.size;
    if (size === void 0) return `${file} is missing`;
    const expected = manifest.fileSizesBytes[file];
    if (size !== expected) return `${file} has ${String(size)} bytes instead of ${String(expected)}`;
  }
  return void 0;
}
async function publish(images, name, building) {
  for (const file of await readdir10(building)) await syncPath(path12.join(building, file));
  await syncPath(building);
  const target = path12.join(images, name);
  const replaced = path12.join(images, `${replacedPrefix}${randomBytes2(6).toString("hex")}-${name}`);
  await rename6(target, replaced).catch(ignoreMissing);
  await rename6(building, target);
  await syncPath(images);
  await rm19(replaced, { recursive: true, force: true });
}
async function sweepFolders(images, beforeRemoval) {
  for (const entry of await readdir10(images).catch(() => [])) {
    const leftover = path12.join(images, entry);
    const name = /^\.building-[0-9a-f]{12}-(.+)$/.exec(entry)?.[1];
    if (name !== void 0) {
      const finished2 = await readManifest(leftover) !== void 0;
      const missing = await stat7(path12.join(images, name)).catch(() => void 0) === void 0;
      if (finished2 && missing) {
        await publish(images, name, leftover);
        continue;
      }
      await beforeRemoval(leftover);
    }
    if (name !== void 0 || entry.startsWith(replacedPrefix)) await rm19(leftover, { recursive: true, force: true });
  }
}
async function syncPath(target) {
  const handle = await open8(target, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
function ignoreMissing(error) {
  if (error.code !== "ENOENT") throw error;
}

// hostd/guest/image/make-image.ts
import { chmod as chmod7, link as link4, mkdir as mkdir11, rm as rm20, stat as stat8, writeFile as writeFile9 } from "node:fs/promises";
import { randomUUID } from "node:crypto";
import path14 from "node:path";

// hostd/guest/image/build-failure.ts
var noSpace = /ENOSPC|No space left on device|don't have enough free space|not enough space/i;
function buildFailure(error, at) {
  if (isOffshootError(error)) return error;
  const text = error instanceof Error ? error.message : String(error);
  const details = { image: at.image, step: at.step, log: at.log, lines: at.lines.slice(-20) };
  if (noSpace.test(text) || at.lines.some((line) => noSpace.test(line))) {
    return new OffshootError("host-disk-full", {
      message: `The disk filled up while the image ${at.image} was built (step ${at.step}).`,
      details,
      cause: error
    });
  }
  return new OffshootError("image-build-failed", {
    message: `The image ${at.image} could not be built: step ${at.step}: ${reason(error, at.lines)}`,
    hint: `The whole log is ${at.log}. A second try continues with what was downloaded.`,
    details,
    cause: error
  });
}
function reason(error, lines2) {
  if (error instanceof CommandError) {
    const said = error.result.stderr.trim().split("\n").at(-1) ?? "";
    return said === "" ? lines2.at(-1) ?? error.message.slice(0, 600) : said.slice(-600);
  }
  return (error instanceof Error ? error.message : String(error)).slice(0, 600);
}

// hostd/guest/image/build-log.ts
import { createWriteStream } from "node:fs";
import { mkdir as mkdir10 } from "node:fs/promises";
import path13 from "node:path";
var keptLines = 60;
var BuildLog = class _BuildLog {
  path;
  lastLines = [];
  #stream;
  constructor(file, stream) {
    this.path = file;
    this.#stream = stream;
  }
  /** Starts the file anew. */
  static async create(file) {
    await mkdir10(path13.dirname(file), { recursive: true });
    const stream = createWriteStream(file);
    stream.on("error", () => void 0);
    return new _BuildLog(file, stream);
  }
  write(line) {
    this.#stream.write(`${line}
`);
    this.lastLines.push(line);
    if (this.lastLines.length > keptLines) this.lastLines.shift();
  }
  close() {
    return new Promise((resolve2) => this.#stream.end(resolve2));
  }
};

// hostd/guest/image/make-image.ts
var steps2 = [...rootSteps, "initramfs", "finish"];
async function makeImage(wanted, options) {
  const { images, runner, report } = options;
  const building = newBuildFolder(images, wanted.name);
  const log = await BuildLog.create(options.log);
  let current = steps2[0];
  const begin = (step2) => {
    current = step2;
    log.write(`== ${step2}`);
    report({ step: step2, done: steps2.indexOf(step2), total: steps2.length });
  };
  const onLine = (line) => {
    log.write(line);
    report({ step: current, done: steps2.findIndex((step2) => step2 === current), total: steps2.length, line });
  };
  try {
    await mkdir11(building);
    const kernelVersion2 = await reuseRoot(wanted, images, building) ?? (await buildRoot(wanted, options, building, onLine, begin)).kernelVersion;
    begin("initramfs");
    const at = (file) => path14.join(building, file);
    await makeInitramfs(
      runner,
      { agent: wanted.agent.bytes, modulesArchive: at(imageFiles.modules), workDirectory: building },
      at(imageFiles.initramfs)
    );
    begin("finish");
    await writeManifest(building, wanted, kernelVersion2);
    await publish(images, wanted.name, building);
    report({ step: "done", done: steps2.length, total: steps2.length });
    return await readImage(images, wanted.name);
  } catch (error) {
    await salvagePackages(building, options.packageCache).catch(() => void 0);
    await rm20(building, { recursive: true, force: true });
    throw buildFailure(error, { image: wanted.name, step: current, log: log.path, lines: log.lastLines });
  } finally {
    await log.close();
  }
}
async function buildRoot(wanted, options, building, onLine, onStep) {
  const { plan, host } = wanted;
  return options.rootBuilder.build({
    plan,
    host,
    directory: building,
    packageCache: options.packageCache,
    onLine,
    onStep
  });
}
async function reuseRoot(wanted, images, building) {
  if (wanted.rebuild) return void 0;
  const present = await readImage(images, wanted.name).catch(() => void 0);
  if (present?.manifest.rootDigest !== wanted.plan.rootDigest) return void 0;
  for (const file of [imageFiles.rootDisk, imageFiles.kernel, imageFiles.modules]) {
    await link4(path14.join(present.directory, file), path14.join(building, file));
  }
  return present.manifest.kernelVersion;
}
async function writeManifest(building, wanted, kernelVersion2) {
  const { plan, agent } = wanted;
  const fileSizesBytes = {};
  let storedBytes = 0;
  for (const file of Object.values(imageFiles)) {
    const target = path14.join(building, file);
    await chmod7(target, 420);
    const stats = await stat8(target);
    fileSizesBytes[file] = stats.size;
    storedBytes += stats.blocks * 512;
  }
  const facts = {
    formatVersion: 1,
    name: wanted.name,
    suite: plan.suite.name,
    architecture: "amd64",
    include: [...wanted.include],
    requestDigest: plan.requestDigest,
    rootDigest: plan.rootDigest,
    recipeDigest: wanted.recipeDigest,
    kernelVersion: kernelVersion2,
    agentBuild: agent.build,
    agentProtocol: agentProtocolVersion,
    diskMiB: plan.recipe.diskMiB,
    storedMiB: Math.ceil(storedBytes / 1024 / 1024),
    minMemoryMiB: plan.suite.minMemoryMiB,
    kernelArguments: plan.recipe.kernelArguments,
    createdAt: (/* @__PURE__ */ new Date()).toISOString(),
    files: imageFiles,
    fileSizesBytes
  };
  const manifest = { ...facts, digest: digestOf({ facts, build: randomUUID() }) };
  await rm20(path14.join(building, scratchName), { recursive: true, force: true });
  await chmod7(building, 493);
  await writeFile9(path14.join(building, manifestName), `${JSON.stringify(manifest, null, 2)}
`, { mode: 420 });
}

// hostd/guest/image/renew-agent.ts
import { randomUUID as randomUUID2 } from "node:crypto";
import { chmod as chmod8, link as link5, mkdir as mkdir12, rm as rm21, stat as stat9, writeFile as writeFile10 } from "node:fs/promises";
import path15 from "node:path";
async function renewAgent(image, agent, { images, runner }) {
  const { manifest } = image;
  const building = newBuildFolder(images, manifest.name);
  const at = (file) => path15.join(building, file);
  try {
    await mkdir12(building);
    const { initramfs, ...taken } = manifest.files;
    for (const file of Object.values(taken)) await link5(path15.join(image.directory, file), at(file));
    const parts = { agent: agent.bytes, modulesArchive: at(taken.modules), workDirectory: building };
    await makeInitramfs(runner, parts, at(initramfs));
    await chmod8(at(initramfs), 420);
    const { digest: _earlier, ...before } = manifest;
    const facts = {
      ...before,
      recipeDigest: recipeDigestFrom(manifest, agent.digest),
      agentBuild: agent.build,
      agentProtocol: agentProtocolVersion,
      fileSizesBytes: { ...manifest.fileSizesBytes, [initramfs]: (await stat9(at(initramfs))).size }
    };
    const renewed = { ...facts, digest: digestOf({ facts, build: randomUUID2() }) };
    await chmod8(building, 493);
    await writeFile10(at(manifestName), `${JSON.stringify(renewed, null, 2)}
`, { mode: 420 });
    await publish(images, manifest.name, building);
    return await readImage(images, manifest.name);
  } catch (error) {
    await rm21(building, { recursive: true, force: true });
    const { code, message } = buildFailure(error, { image: manifest.name, step: "agent", log: "", lines: [] });
    throw new OffshootError(code, {
      message,
      ...code === "image-build-failed" && {
        hint: `Build it again: offshoot image build ${manifest.name} --rebuild.`
      },
      details: { image: manifest.name, step: "agent" },
      cause: error
    });
  }
}

// hostd/guest/image/image-store.ts
function createImageStore(options) {
  return new FolderImageStore(options);
}
var FolderImageStore = class {
  #options;
  #running = /* @__PURE__ */ new Map();
  #images;
  #packageCache;
  constructor(options) {
    const runner = options.runner ?? systemRunner;
    this.#options = {
      runner,
      rootBuilder: createRootBuilder(runner),
      hostConfig: (forGuests) => readHostConfig(runner, forGuests),
      checkHost,
      ...options,
      agentPath: options.agentPath
    };
    this.#images = path16.join(options.stateDirectory, "images");
    this.#packageCache = path16.join(options.stateDirectory, "cache/apt");
  }
  async list() {
    const images = await Promise.allSettled((await imageNames(this.#images)).map((name) => this.get(name)));
    return images.flatMap((image) => image.status === "fulfilled" ? [image.value] : []);
  }
  get(name) {
    return readImage(this.#images, name);
  }
  async current(name) {
    const agent = await readAgentBinary(this.#options.agentPath);
    const image = await this.get(name);
    if (image.manifest.agentBuild === agent.build) return image;
    const lock = await lockBuilds(this.#images);
    try {
      const meanwhile = await this.get(name);
      if (meanwhile.manifest.agentBuild === agent.build) return meanwhile;
      return await renewAgent(meanwhile, agent, { images: this.#images, runner: this.#options.runner });
    } finally {
      lock.release();
    }
  }
  async remove(name) {
    checkImageName(name);
    await rm22(path16.join(this.#images, name), { recursive: true, force: true });
  }
  async build(request, onProgress) {
    checkImageName(request.name);
    const host = await this.#options.hostConfig(request.hostPackageConfig);
    const plan = await planBuild(request, host);
    const agent = await readAgentBinary(this.#options.agentPath);
    const recipeDigest = recipeDigestOf(plan, agent.digest);
    return this.#share(
      { name: request.name, rebuild: request.rebuild, include: request.include, host, plan, agent, recipeDigest },
      onProgress
    );
  }
  /** One build per name at a time: a second caller who wants the same joins it. */
  async #share(wanted, onProgress) {
    const running = this.#running.get(wanted.name);
    if (running !== void 0) {
      if (running.recipeDigest !== wanted.recipeDigest)
        throw imageExists(wanted.name, "is being built with another recipe");
      running.listeners.add(onProgress);
      return running.image;
    }
    const listeners = /* @__PURE__ */ new Set([onProgress]);
    const report = (progress) => {
      for (const listener of listeners) listener(progress);
    };
    const image = this.#buildUnlessThere(wanted, report).finally(() => this.#running.delete(wanted.name));
    this.#running.set(wanted.name, { recipeDigest: wanted.recipeDigest, listeners, image });
    return image;
  }
  async #buildUnlessThere(wanted, report) {
    const ready = async () => wanted.rebuild ? void 0 : this.#matching(wanted);
    const early = await ready();
    if (early !== void 0) return early;
    await mkdir13(this.#images, { recursive: true });
    const lock = await lockBuilds(this.#images, () => {
      report({ step: "waiting for another build", done: 0, total: 1 });
    });
    try {
      await sweepFolders(this.#images, (directory) => salvagePackages(directory, this.#packageCache));
      const meanwhile = await ready();
      if (meanwhile !== void 0) return meanwhile;
      await this.#options.checkHost(this.#options.stateDirectory);
      return await makeImage(wanted, {
        images: this.#images,
        packageCache: this.#packageCache,
        log: path16.join(this.#options.stateDirectory, "logs", `image-${wanted.name}.log`),
        runner: this.#options.runner,
        rootBuilder: this.#options.rootBuilder,
        report
      });
    } finally {
      lock.release();
    }
  }
  /** The image when it is what is wanted; undefined when it has to be made. Throws `image-exists` when it is something else. */
  async #matching(wanted) {
    const image = await this.get(wanted.name).catch(() => void 0);
    if (image === void 0) return void 0;
    if (image.manifest.recipeDigest === wanted.recipeDigest) return image;
    if (image.manifest.requestDigest === wanted.plan.requestDigest) return void 0;
    throw imageExists(wanted.name, "exists and was asked for with another recipe");
  }
};
function imageExists(name, how) {
  return new OffshootError("image-exists", { message: `The image ${name} ${how}.`, details: { image: name } });
}

// hostd/platform/make-folder.ts
import { mkdirSync as mkdirSync2, statSync } from "node:fs";
import { dirname as dirname5 } from "node:path";
function makeFolder(path18, mode = 493) {
  if (statSync(path18, { throwIfNoEntry: false })?.isDirectory() === true) return;
  const above = dirname5(path18);
  if (above !== path18) makeFolder(above, mode);
  try {
    mkdirSync2(path18, { mode });
  } catch (error) {
    if (statSync(path18, { throwIfNoEntry: false })?.isDirectory() !== true) throw error;
  }
}

// hostd/net/egress/gate/control-client.ts
import { once as once2 } from "node:events";
import { connect } from "node:net";
var replySchema = external_exports.object({
  id: external_exports.int().nullable(),
  result: external_exports.unknown().optional(),
  error: external_exports.object({ message: external_exports.string() }).optional()
});
var HelperRefusal = class extends Error {
  constructor(message) {
    super(message);
    this.name = "HelperRefusal";
  }
};
var HelperGone = class extends Error {
  constructor(message) {
    super(message);
    this.name = "HelperGone";
  }
};
var ControlClient = class _ControlClient {
  #socket;
  #waiting = /* @__PURE__ */ new Map();
  #nextId = 0;
  /** Resolves when the connection has ended, by whatever. */
  closed;
  constructor(socket, maxLineBytes2) {
    this.#socket = socket;
    readLines(socket, maxLineBytes2, (line) => {
      this.#take(line);
    });
    this.closed = new Promise((resolve2) => {
      socket.once("close", () => {
        for (const { reject } of this.#waiting.values()) reject(new HelperGone("the helper is gone"));
        this.#waiting.clear();
        resolve2();
      });
    });
  }
  /** Rejects with the system's error when nobody listens there. */
  static async connect(path18, maxLineBytes2) {
    const socket = connect(path18);
    await once2(socket, "connect");
    return new _ControlClient(socket, maxLineBytes2);
  }
  /** Rejects with HelperRefusal, or with HelperGone when the connection ends or no answer comes in time. */
  async call(method, params, result, timeoutMs2) {
    if (this.#socket.destroyed) throw new HelperGone("the helper is gone");
    const id = this.#nextId += 1;
    const replied = new Promise((resolve2, reject) => this.#waiting.set(id, { resolve: resolve2, reject }));
    const timer = setTimeout(() => {
      this.#waiting.get(id)?.reject(new HelperGone(`no answer to ${method} within ${String(timeoutMs2)} ms`));
    }, timeoutMs2);
    try {
      writeLine(this.#socket, { id, method, params });
      return result.parse(await replied);
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(id);
    }
  }
  close() {
    this.#socket.destroy();
  }
  #take(line) {
    const reply = replySchema.safeParse(parseLine(line));
    if (!reply.success || reply.data.id === null) return;
    const waiting = this.#waiting.get(reply.data.id);
    if (reply.data.error === void 0) waiting?.resolve(reply.data.result);
    else waiting?.reject(new HelperRefusal(reply.data.error.message));
  }
};

// hostd/net/egress/gate/helper-keeper.ts
import { setTimeout as sleep5 } from "node:timers/promises";

// hostd/net/egress/gate/start-helper.ts
import { spawn as spawn4 } from "node:child_process";
import { closeSync as closeSync2, openSync as openSync2 } from "node:fs";
import { readFile as readFile13 } from "node:fs/promises";
import path17 from "node:path";
import { setTimeout as sleep4 } from "node:timers/promises";
var lookMs = 20;
var startMs = 18e4;
var endMs = 5e3;
async function connectHelper(files) {
  return ControlClient.connect(files.controlSocket, maxControlLineBytes).catch(() => void 0);
}
async function startHelper2(files, command) {
  const [program2, ...args] = command;
  if (program2 === void 0) throw new Error("no program");
  const log = openSync2(files.log, "w", 384);
  const compileCache = process.env["NODE_COMPILE_CACHE"] ?? path17.join(files.folder, "compile-cache");
  const env = { PATH: process.env["PATH"], NODE_COMPILE_CACHE: compileCache };
  const child = spawn4(program2, [...args, files.folder], { detached: true, stdio: ["ignore", log, log], cwd: "/", env });
  closeSync2(log);
  child.unref();
  let ending;
  child.once("error", (error) => {
    ending = String(error);
  });
  child.once("exit", (code, signal) => {
    ending = `it ended with ${signal ?? `code ${String(code)}`}`;
  });
  const deadlineMs = performance.now() + startMs;
  while (ending === void 0 && performance.now() < deadlineMs) {
    const client = await connectHelper(files);
    if (client !== void 0) return client;
    await sleep4(lookMs);
  }
  if (ending === void 0) child.kill("SIGKILL");
  await killHelper(await identityIn(files));
  const said = await readFile13(files.log, "utf8").catch(() => "");
  throw new Error(`${ending ?? `it did not listen within ${String(startMs)} ms`}: ${said.trim().slice(-1e3)}`);
}
async function untilEnded(helper) {
  const deadlineMs = performance.now() + endMs;
  while (await isAlive(helper)) {
    if (performance.now() > deadlineMs) await signalProcess(helper, "SIGKILL");
    await sleep4(lookMs);
  }
}
async function killHelper(helper) {
  if (helper === void 0) return;
  await signalProcess(helper, "SIGKILL");
  await untilEnded(helper);
}
async function identityIn(files) {
  try {
    return processIdentitySchema.parse(JSON.parse(await readFile13(files.identity, "utf8")));
  } catch {
    return void 0;
  }
}

// hostd/net/egress/gate/helper-keeper.ts
var defaultWatch = { everyMs: 5e3, patienceMs: 1e4, waitMs: 3e4 };
var healthMs = 1e4;
var callMs = 15e3;
var longestPauseMs = 5e3;
var secondChanceMs = 2e3;
var HelperKeeper = class {
  #options;
  #watched;
  #ready = Promise.withResolvers();
  #client;
  #helper;
  #isStopped = false;
  #kept;
  constructor(options) {
    this.#options = options;
    this.#watched = options.watch ?? defaultWatch;
    this.#kept = this.#keep();
  }
  /** Waits for the helper when it is being started, and asks again when it died over the question. Rejects with HelperRefusal when it would not, with HelperGone when there was none for half a minute. */
  async call(method, params, result, waitMs = this.#watched.waitMs) {
    const deadlineMs = performance.now() + waitMs;
    for (; ; ) {
      const client = await this.#readyBefore(deadlineMs);
      try {
        return await client.call(method, params, result, callMs);
      } catch (error) {
        if (!(error instanceof HelperGone) || performance.now() > deadlineMs || this.#isStopped) throw error;
      }
    }
  }
  /** undefined when there is none now, or it dies over the question. Rejects with HelperRefusal. */
  async callIfUp(method, params, result) {
    try {
      return await this.#client?.call(method, params, result, callMs);
    } catch (error) {
      if (error instanceof HelperGone) return void 0;
      throw error;
    }
  }
  /** `waitMs`: how long one that is being started is waited for. */
  health(waitMs) {
    return this.call("health", {}, healthSchema, waitMs);
  }
  /** The helper lives on where `keep`; else resolves when it is gone. */
  async stop(keep) {
    this.#isStopped = true;
    this.#ready.promise.catch(() => void 0);
    this.#ready.reject(new HelperGone(`the ${this.#options.role} was let go`));
    const helper = this.#helper;
    if (!keep) await this.#client?.call("end", {}, external_exports.null(), healthMs).catch(() => void 0);
    this.#client?.close();
    await this.#kept;
    if (!keep) {
      if (helper !== void 0) await untilEnded(helper);
      await killHelper(await identityIn(this.#options.files));
    }
  }
  async #keep() {
    let pauseMs = 100;
    while (!this.#isStopped) {
      let client;
      try {
        client = await this.#obtain();
        if (this.#stopping()) {
          client.close();
          return;
        }
        await this.#options.instruct(client);
        pauseMs = 100;
        this.#client = client;
        this.#ready.resolve(client);
        if (this.#stopping()) client.close();
        await this.#watch(client);
      } catch (error) {
        client?.close();
        if (!this.#stopping()) this.#tell("failed", String(error));
        if (error instanceof HelperRefusal && !this.#stopping()) await killHelper(this.#helper);
        await sleep5(this.#stopping() ? 0 : pauseMs);
        pauseMs = Math.min(longestPauseMs, pauseMs * 2);
      }
    }
  }
  /** Else it would be taken for a constant within the loop. */
  #stopping() {
    return this.#isStopped;
  }
  async #obtain() {
    const { files, command } = this.#options;
    const living = await connectHelper(files);
    if (living !== void 0 && await this.#isOfUse(living)) {
      this.#tell("adopted");
      return living;
    }
    const client = await startHelper2(files, command);
    if (!await this.#isOfUse(client)) throw new Error("it is not what was started");
    this.#tell("started");
    return client;
  }
  /** One of another version, or one that does not answer, is ended. */
  async #isOfUse(client) {
    const health = await client.call("health", {}, healthSchema, healthMs).catch(() => void 0);
    if (health?.protocolVersion === protocolVersion && health.role === this.#options.role) {
      this.#helper = { pid: health.pid, startTicks: health.startTicks };
      return true;
    }
    if (health !== void 0) await client.call("end", {}, external_exports.null(), healthMs).catch(() => void 0);
    client.close();
    const helper = health ?? await identityIn(this.#options.files);
    if (helper !== void 0) await (health === void 0 ? killHelper(helper) : untilEnded(helper));
    return false;
  }
  /** Resolves when the connection has ended. */
  async #watch(client) {
    const { everyMs, patienceMs } = this.#watched;
    const answers = (waitMs) => client.call("health", {}, healthSchema, waitMs).then(
      () => true,
      () => false
    );
    const timer = setInterval(() => {
      void (async () => {
        if (await answers(patienceMs) || await answers(Math.min(patienceMs, secondChanceMs))) return;
        if (this.#isStopped || this.#client !== client) return;
        this.#tell("hung");
        await killHelper(this.#helper);
        client.close();
      })();
    }, everyMs);
    await client.closed;
    clearInterval(timer);
    this.#client = void 0;
    if (this.#isStopped) return;
    this.#ready = Promise.withResolvers();
    if (await this.#isDead()) this.#tell("died");
  }
  /** Its connections end a moment before the process does. */
  async #isDead() {
    const helper = this.#helper;
    for (let looks = 0; helper !== void 0 && looks < 15; looks += 1) {
      if (!await isAlive(helper)) return true;
      await sleep5(20);
    }
    return helper === void 0;
  }
  async #readyBefore(deadlineMs) {
    const late = new AbortController();
    const timeout = sleep5(Math.max(0, deadlineMs - performance.now()), void 0, { signal: late.signal }).then(() => {
      throw new HelperGone(`there was no ${this.#options.role} for too long`);
    });
    timeout.catch(() => void 0);
    try {
      return await Promise.race([this.#ready.promise, timeout]);
    } finally {
      late.abort();
    }
  }
  #tell(kind, message) {
    const { role, onEvent } = this.#options;
    const pid = this.#helper?.pid;
    onEvent({ role, kind, ...pid === void 0 ? {} : { pid }, ...message === void 0 ? {} : { message } });
  }
};

// hostd/net/egress/gate/gate.ts
var instructMs = 3e4;
var openMs = 24e4;
async function openGate(options) {
  makeFolder(gateFolder(options.stateDirectory), 448);
  const gate = new ProcessGate(options);
  try {
    await gate.opened(options.watch?.waitMs ?? openMs);
  } catch (error) {
    await gate.stop(options.sandboxes.length > 0);
    throw error;
  }
  return gate;
}
var ProcessGate = class {
  #dns;
  #wanted;
  #listeners;
  #resolver;
  #proxy;
  #turn = new InTurn();
  constructor({ stateDirectory, commands, sandboxes, own, dns, listeners, onEvent, watch: watch2 }) {
    this.#dns = dns;
    this.#wanted = { sandboxes: new Map(sandboxes.map((sandbox) => [sandbox.sandboxId, sandbox])), own };
    this.#listeners = listeners;
    const keeper = (role, instruct) => {
      const files = helperFiles(gateFolder(stateDirectory), role);
      return new HelperKeeper({ role, files, command: commands[role], instruct, onEvent, watch: watch2 });
    };
    this.#resolver = keeper("resolver", async (client) => {
      await client.call("setPolicies", everything(this.#wanted), policyAckSchema, instructMs);
      await client.call("listen", this.#dns, external_exports.null(), instructMs);
    });
    this.#proxy = keeper("proxy", async (client) => {
      await client.call("setPolicies", everything(this.#wanted), policyAckSchema, instructMs);
      const bound = await client.call("listen", { listeners: this.#listeners }, proxyListenSchema, instructMs);
      this.#listeners = bound.listeners;
    });
  }
  get listeners() {
    return this.#listeners;
  }
  setPolicy(sandbox) {
    return this.#change(({ sandboxes, own }) => {
      refuseOlder(sandboxes.get(sandbox.sandboxId), sandbox);
      const wanted = { sandboxes: new Map(sandboxes).set(sandbox.sandboxId, sandbox), own };
      return { wanted, document: { sandboxes: [sandbox], others: "keep", own: [...own], phase: "final" } };
    });
  }
  remove(sandboxId) {
    return this.#turn.do(async () => {
      const sandboxes = new Map(this.#wanted.sandboxes);
      sandboxes.delete(sandboxId);
      this.#wanted = { ...this.#wanted, sandboxes };
      await helped(`${sandboxId} was not forgotten`, async () => {
        await this.#proxy.call("dropSandbox", { sandboxId }, external_exports.null());
        await this.#resolver.call("dropSandbox", { sandboxId }, external_exports.null());
      });
    });
  }
  pinsOf(sandboxId) {
    return helped(
      `Pins of ${sandboxId} are not known`,
      () => this.#resolver.call("pins", { sandboxId }, pinDocumentSchema)
    );
  }
  async restorePins(sandboxId, document) {
    await helped(
      `Pins of ${sandboxId} were not restored`,
      () => this.#resolver.call("restorePins", { sandboxId, document }, external_exports.null())
    );
  }
  listen(listeners) {
    return this.#turn.do(
      () => helped("The proxy does not listen", async () => {
        const bound = await this.#proxy.call("listen", { listeners }, proxyListenSchema);
        this.#listeners = bound.listeners;
        return bound.listeners;
      })
    );
  }
  async setOwnAddresses(own) {
    await this.#change(({ sandboxes }) => {
      const wanted = { sandboxes, own };
      return { wanted, document: everything(wanted) };
    });
  }
  async report(since = {}) {
    const keepers = { resolver: this.#resolver, proxy: this.#proxy };
    const pages = await helped(
      "There is no report",
      () => Promise.all(
        helperRoles.map(async (helper) => {
          const page = await keepers[helper].call("report", { since: since[helper] }, reportPageSchema);
          return { helper, ...page };
        })
      )
    );
    return {
      cursor: Object.fromEntries(pages.map(({ helper, cursor }) => [helper, cursor])),
      rows: pages.flatMap(({ helper, cursor, rows }) => rows.map((row) => ({ ...row, helper, epoch: cursor.epoch }))),
      more: pages.some(({ more }) => more)
    };
  }
  health() {
    return this.opened();
  }
  /** Resolves when both do what is asked of them. */
  async opened(waitMs) {
    const [resolver, proxy] = await helped(
      "Resolver and proxy do not answer",
      () => Promise.all([this.#resolver.health(waitMs), this.#proxy.health(waitMs)])
    );
    return { resolver, proxy };
  }
  async stop(keep) {
    await Promise.all([this.#proxy.stop(keep), this.#resolver.stop(keep)]);
  }
  /** What a helper refuses is no longer wanted: those that start later would refuse it, too, and be of no use to any sandbox. */
  #change(next) {
    return this.#turn.do(
      () => helped("The egress policy is not in force", async () => {
        const before = this.#wanted;
        const { wanted, document } = next(before);
        this.#wanted = wanted;
        try {
          return await this.#apply(document);
        } catch (error) {
          if (error instanceof HelperRefusal) this.#wanted = before;
          throw error;
        }
      })
    );
  }
  /**
   * What the proxy lets through it decides by one view alone from the name to the address; the resolver can only give it fewer names, and
   * pins follow the resolver's view alone. So whatever the two have at a moment - the old policy, the new one, or what both allow - nothing
   * passes that neither policy allows. The order is for what passes and is told meanwhile: first the proxy keeps to what both allow and cuts
   * the rest, so that what is being taken away is refused by its right reason and before its name stops to resolve; then the resolver
   * changes; then the proxy opens what is new, which resolves by now.
   */
  async #apply(document) {
    const narrowed = await this.#proxy.callIfUp("setPolicies", { ...document, phase: "narrow" }, policyAckSchema);
    await this.#resolver.call("setPolicies", document, policyAckSchema);
    const { cut: cut2 } = await this.#proxy.call("setPolicies", document, policyAckSchema);
    return { cut: cut2 + (narrowed?.cut ?? 0) };
  }
};
function everything({ sandboxes, own }) {
  return { sandboxes: [...sandboxes.values()], others: "drop", own: [...own], phase: "final" };
}
async function helped(what, work) {
  try {
    return await work();
  } catch (cause) {
    throw new OffshootError("network-setup-failed", {
      message: `${what}: ${cause instanceof Error ? cause.message : String(cause)}`,
      hint: "The folder gate in the state directory has what resolver and proxy said last: resolver.log and proxy.log.",
      cause
    });
  }
}

// hostd/net/egress/gate/helper-flags.ts
var helperFlags = ["--max-semi-space-size=1", "--max-old-space-size=64"];
function helperNode() {
  const quiet = "--disable-warning=ExperimentalWarning";
  const inherited = process.execArgv.filter((flag3) => flag3 !== quiet);
  return [process.execPath, quiet, ...inherited, ...helperFlags];
}

// hostd/net/linux-network.ts
import { readdir as readdir12 } from "node:fs/promises";

// hostd/platform/settle-all.ts
async function settleAll(work) {
  await Promise.allSettled(work);
  return await Promise.all(work);
}

// hostd/net/egress/egress-side.ts
import { setTimeout as sleep6 } from "node:timers/promises";

// hostd/net/ip-json.ts
var linksSchema = external_exports.array(
  external_exports.object({
    ifname: external_exports.string(),
    mtu: external_exports.number(),
    master: external_exports.string().optional()
  })
);
var addressesSchema = external_exports.array(
  external_exports.object({
    ifname: external_exports.string(),
    addr_info: external_exports.array(external_exports.object({ local: external_exports.string().optional(), prefixlen: external_exports.number(), scope: external_exports.string().optional() }))
  })
);
var routesSchema = external_exports.array(
  external_exports.object({
    dst: external_exports.string(),
    dev: external_exports.string().optional(),
    gateway: external_exports.string().optional(),
    metrics: external_exports.array(external_exports.object({ mtu: external_exports.number().optional() })).optional(),
    nexthops: external_exports.array(external_exports.object({ dev: external_exports.string().optional() })).optional()
  })
);
async function listLinks(runner) {
  return linksSchema.parse(await ipJson(runner, ["link", "show"]));
}
async function listBridges(runner) {
  return linksSchema.parse(await ipJson(runner, ["link", "show", "type", "bridge"]));
}
async function listAddresses(runner, interfaceName) {
  const found = addressesSchema.parse(await ipJson(runner, ["-4", "addr", "show", "dev", interfaceName]));
  return found.flatMap(
    (one) => one.addr_info.flatMap((info) => info.local === void 0 ? [] : [`${info.local}/${String(info.prefixlen)}`])
  );
}
async function listOwnAddresses(runner) {
  const found = addressesSchema.parse(await ipJson(runner, ["addr", "show"]));
  const all = found.flatMap(
    (one) => one.addr_info.flatMap(({ local, scope }) => scope === "global" && local !== void 0 ? [local] : [])
  );
  return [...new Set(all)].sort();
}
async function listRoutes(runner) {
  return routesSchema.parse(await ipJson(runner, ["-4", "route", "show", "table", "main"]));
}
async function ipJson(runner, args) {
  const { stdout } = await runChecked(runner, "ip", ["-j", ...args]);
  const parsed = stdout.trim() === "" ? [] : JSON.parse(stdout);
  return Array.isArray(parsed) ? parsed.filter((entry) => Object.keys(entry).length > 0) : parsed;
}

// hostd/net/egress/policy/reachable-networks.ts
function reachableNetworks(policy, host) {
  if (policy.mode === "none") return [];
  const closed = [...closedRanges, ...ownRanges(host.own)].map(({ network }) => network);
  return policy.rules.flatMap((rule) => {
    if (rule.kind !== "address") return [];
    const network = parseNetwork(`${rule.network}/${String(rule.prefixLength)}`);
    if (network === void 0) throw new TypeError(`no network: ${rule.text}`);
    const holes = [...closed.filter((range) => !networkContains2(range, network)), ...embeddingNetworks];
    const { family, port, transport } = rule;
    return withoutHoles(network, holes).map((part) => ({ family, network: formatNetwork(part), port, transport }));
  });
}
function closedNetworks(family, host) {
  const networks = [...closedRanges, ...ownRanges(host.own)].flatMap(
    ({ network }) => network.family === family ? [network] : []
  );
  return networks.filter(
    (network, index) => !networks.some(
      (other, at) => at !== index && networkContains2(other, network) && (at < index || !networkContains2(network, other))
    )
  ).toSorted((one, other) => one.base < other.base ? -1 : 1).map(formatNetwork);
}
function withoutHoles(network, holes) {
  if (holes.some((hole) => networkContains2(hole, network))) return [];
  const inside = holes.filter((hole) => networkContains2(network, hole));
  if (inside.length === 0) return [network];
  return halves(network).flatMap((half) => withoutHoles(half, inside));
}
function halves({ family, base, prefixLength }) {
  const size = 1n << BigInt(addressBits(family) - prefixLength - 1);
  return [base, base + size].map((start) => ({ family, base: start, prefixLength: prefixLength + 1 }));
}
function formatNetwork({ family, base, prefixLength }) {
  return `${formatAddress({ family, value: base })}/${String(prefixLength)}`;
}

// hostd/net/plan.ts
import { createHash as createHash2 } from "node:crypto";
var maxBridgePorts = 1e3;
var reservedAddresses = 7;
var netnsDirectory = "/run/netns";
var tapName = "tap0";
var uplinkName = "up0";
var gatewayMac = "02:6f:66:66:00:01";
var guestMac = "02:6f:66:66:00:02";
function planNetwork(config, mtu) {
  const { instance, subnet } = config;
  const linkBase = subnet.base + networkSize(subnet) - 4;
  return {
    instance,
    subnet: formatIpv4Network(subnet),
    bridgeName: `ob-${instance}`,
    bridgeAddress: formatIpv4(subnet.base + 1),
    bridgeMac: bridgeMacOf(instance),
    prefixLength: subnet.prefixLength,
    tableName: `offshoot_${instance}`,
    ruleComment: `offshoot:${instance}`,
    netnsPrefix: `offshoot-${instance}-`,
    vethPrefix: `ov-${instance}-`,
    dnsPort: config.dnsPort,
    policyDnsPort: config.policyDnsPort,
    maxFlowsPerSandbox: config.maxFlowsPerSandbox,
    capacity: Math.min(maxBridgePorts, networkSize(subnet) - reservedAddresses),
    link: {
      address: formatIpv4(linkBase + 2),
      prefixLength: 30,
      gateway: formatIpv4(linkBase + 1),
      guestMac,
      mtu
    }
  };
}
function bridgeMacOf(instance) {
  const digest = createHash2("sha256").update(instance).digest("hex");
  return `02:6f:66:${digest.slice(0, 2)}:${digest.slice(2, 4)}:${digest.slice(4, 6)}`;
}
function planSlot(plan, subnetBase, slot) {
  if (!Number.isInteger(slot) || slot < 0 || slot >= plan.capacity) {
    throw new OffshootError("network-setup-failed", {
      message: `The subnet ${plan.subnet} has no slot ${String(slot)}; it has ${String(plan.capacity)}.`,
      hint: "Configure a larger network.subnet, or run fewer sandboxes.",
      details: { slot, capacity: plan.capacity }
    });
  }
  const { netnsName, vethName } = slotNames(plan, slot);
  const hostSideAddress = formatIpv4(subnetBase + 2 + slot);
  return { slot, netnsName, netnsPath: `${netnsDirectory}/${netnsName}`, tapName, hostSideAddress, vethName };
}
function slotNames(plan, slot) {
  return { netnsName: `${plan.netnsPrefix}${String(slot)}`, vethName: `${plan.vethPrefix}${String(slot)}` };
}
function slotOfName(prefix, name) {
  if (!name.startsWith(prefix)) return void 0;
  const digits = name.slice(prefix.length);
  return /^(0|[1-9]\d{0,4})$/.test(digits) ? Number(digits) : void 0;
}

// hostd/net/slot-rules.ts
var dnsQueriesPerSecond = 500;
function closedRanges2(plan) {
  return closedNetworks(4, { own: [plan.subnet] });
}
function slotRules(plan, slot, mode) {
  const parts = mode === "none" ? [fromGuest(plan), refuseAll] : [open9(plan, slot)];
  return `table inet offshoot {
${[refuse, ...parts].join("")}}
`;
}
var refuse = `  chain refuse {
    meta l4proto tcp reject with tcp reset
    reject with icmp admin-prohibited
  }
`;
function fromGuest(plan, alsoAccepted = "") {
  return `  chain source {
    type filter hook prerouting priority raw; policy drop;
    iifname "${tapName}" ip saddr ${plan.link.address} accept
${alsoAccepted}  }
`;
}
var refuseAll = `  chain input {
    type filter hook input priority filter; policy drop;
    iifname "${tapName}" goto refuse
  }
  chain forward {
    type filter hook forward priority filter; policy drop;
    iifname "${tapName}" goto refuse
  }
`;
function open9(plan, slot) {
  const { link: link6, bridgeAddress, dnsPort } = plan;
  const asked = `iifname "${tapName}" ip daddr ${link6.gateway}`;
  const answered = `ct status dnat ip daddr ${bridgeAddress}`;
  return `${fromGuest(plan, `    iifname "${uplinkName}" ip daddr ${slot.hostSideAddress} accept
`)}  chain inward {
    type nat hook prerouting priority dstnat; policy accept;
    ${asked} udp dport 53 dnat ip to ${bridgeAddress}:${String(dnsPort)}
    ${asked} tcp dport 53 dnat ip to ${bridgeAddress}:${String(dnsPort)}
  }
  chain input {
    type filter hook input priority filter; policy drop;
    ${asked} icmp type echo-request limit rate 20/second accept
    iifname "${tapName}" goto refuse
  }
  chain forward {
    type filter hook forward priority filter; policy drop;
    iifname "${uplinkName}" ct state established,related accept
    iifname "${uplinkName}" drop
    ct state invalid drop
    ct state new ct count over ${String(plan.maxFlowsPerSandbox)} goto refuse
    ${answered} udp dport ${String(dnsPort)} limit rate over ${String(dnsQueriesPerSecond)}/second burst ${String(dnsQueriesPerSecond)} packets drop
    ${answered} accept
    ip daddr { ${closedRanges2(plan).join(", ")} } goto refuse
    oifname "${uplinkName}" accept
  }
  chain outward {
    type nat hook postrouting priority srcnat; policy accept;
    oifname "${uplinkName}" snat ip to ${slot.hostSideAddress}
  }
`;
}

// hostd/net/egress/firewall/proxy-namespace.ts
import { readdir as readdir11 } from "node:fs/promises";

// hostd/net/nft-json.ts
var chainSchema = external_exports.object({
  family: external_exports.string(),
  table: external_exports.string(),
  name: external_exports.string(),
  type: external_exports.string().optional(),
  hook: external_exports.string().optional(),
  policy: external_exports.string().optional()
});
var ruleSchema = external_exports.object({
  family: external_exports.string(),
  table: external_exports.string(),
  chain: external_exports.string(),
  handle: external_exports.number(),
  comment: external_exports.string().optional(),
  // Versions differ in what they print here for statements that they don't know.
  expr: external_exports.array(external_exports.unknown())
});
var listingSchema = external_exports.object({
  nftables: external_exports.array(external_exports.object({ chain: chainSchema.optional(), rule: ruleSchema.optional() }))
});
async function listChains(runner) {
  return (await listing(runner, ["list", "chains"])).flatMap((entry) => entry.chain ?? []);
}
async function listRules(runner, chain) {
  const entries = await listing(runner, ["list", "chain", chain.family, chain.table, chain.name]);
  return entries.flatMap((entry) => entry.rule ?? []);
}
async function listing(runner, args) {
  const { stdout } = await runChecked(runner, "nft", ["-j", ...args]);
  return listingSchema.parse(JSON.parse(stdout)).nftables;
}

// hostd/net/setup-error.ts
function setupError(doing, cause) {
  if (isOffshootError(cause)) return cause;
  if (isMissingProgram(cause)) {
    return new OffshootError("tool-missing", {
      message: `${doing} failed: ${cause.path} is not installed.`,
      hint: "apt-get install iproute2 nftables util-linux",
      cause
    });
  }
  const reason2 = cause instanceof CommandError ? cause.result.stderr.trim() : String(cause);
  return new OffshootError("network-setup-failed", {
    message: `${doing} failed: ${reason2.slice(0, 2e3)}`,
    details: { doing, reason: reason2.slice(0, 2e3) },
    cause
  });
}
function isMissingProgram(error) {
  if (!(error instanceof Error)) return false;
  const { code, syscall, path: path18 } = error;
  return code === "ENOENT" && syscall?.startsWith("spawn") === true && path18 !== void 0;
}
async function step(doing, work) {
  try {
    return await work();
  } catch (error) {
    throw setupError(doing, error);
  }
}

// hostd/net/egress/firewall/proxy-plan.ts
var proxyLinkName = "up0";
function planProxy(plan) {
  const gateway = parseIpv4(plan.link.gateway);
  const bridge = parseIpv4(plan.bridgeAddress);
  if (gateway === void 0 || bridge === void 0) throw new TypeError("the plan has no addresses");
  const address = gateway - 2;
  const lastSlotAddress = bridge + plan.capacity;
  if (address <= lastSlotAddress) throw new TypeError(`the subnet ${plan.subnet} has no address left for the proxy`);
  const netnsName = `${plan.netnsPrefix}proxy`;
  return {
    netnsName,
    netnsPath: `${netnsDirectory}/${netnsName}`,
    vethName: `${plan.vethPrefix}proxy`,
    address: formatIpv4(address),
    mac: plan.bridgeMac.replace(/^02:6f:66/, "02:6f:67")
  };
}
function slotToProxyBatch(slot, proxy, uplink) {
  return [
    `route replace ${proxy.address}/32 dev ${uplink} src ${slot.hostSideAddress}`,
    `neigh replace ${proxy.address} lladdr ${proxy.mac} dev ${uplink} nud permanent`
  ];
}

// hostd/net/slot-commands.ts
function outsideBatch(plan, slot) {
  const mtu = String(plan.link.mtu);
  return lines([
    `netns add ${slot.netnsName}`,
    `link add name ${slot.vethName} mtu ${mtu} type veth peer name ${uplinkName} mtu ${mtu} netns ${slot.netnsName}`,
    ...attachCommands(plan, slot.vethName)
  ]);
}
function attachCommands(plan, vethName) {
  return [
    `link set dev ${vethName} addrgenmode none`,
    `link set dev ${vethName} master ${plan.bridgeName}`,
    `link set dev ${vethName} type bridge_slave isolated on`,
    `link set dev ${vethName} up`
  ];
}
function insideBatch(plan, slot, uid) {
  const { link: link6 } = plan;
  return lines([
    `tuntap add dev ${tapName} mode tap user ${String(uid)}`,
    `link set dev ${tapName} address ${gatewayMac} mtu ${String(link6.mtu)}`,
    `addr add ${link6.gateway}/${String(link6.prefixLength)} dev ${tapName}`,
    `addr add ${slot.hostSideAddress} peer ${plan.bridgeAddress}/32 dev ${uplinkName}`,
    `link set dev ${tapName} up`,
    `link set dev ${uplinkName} up`,
    `neigh replace ${link6.address} lladdr ${link6.guestMac} dev ${tapName} nud permanent`,
    `neigh replace ${plan.bridgeAddress} lladdr ${plan.bridgeMac} dev ${uplinkName} nud permanent`,
    `route add default via ${plan.bridgeAddress} dev ${uplinkName}`,
    ...slotToProxyBatch(slot, planProxy(plan), uplinkName)
  ]);
}
var insideScript = `set -e
echo 1 > /proc/sys/net/ipv4/ip_forward
if [ -e /proc/sys/net/ipv6/conf/all/disable_ipv6 ]; then
  echo 1 > /proc/sys/net/ipv6/conf/all/disable_ipv6
  echo 1 > /proc/sys/net/ipv6/conf/default/disable_ipv6
fi
echo 0 > /proc/sys/net/ipv4/icmp_ratelimit
nft -f -
printf %s "$1" | ip -batch -`;
function removeBatch(slot) {
  return lines([`link del dev ${slot.vethName}`, `netns del ${slot.netnsName}`]);
}
function lines(commands) {
  return `${commands.join("\n")}
`;
}

// hostd/net/egress/firewall/proxy-rules.ts
function proxyRules(plan, proxy, listenerPorts) {
  const fromSandbox = `iifname "${proxyLinkName}" ip saddr ${plan.subnet} ip saddr != { ${plan.bridgeAddress}, ${proxy.address} }`;
  const listeners = listenerPorts.length === 0 ? "" : listenerRule(fromSandbox, proxy, listenerPorts);
  return `table inet offshoot
delete table inet offshoot
table inet offshoot {
  chain refuse {
    meta l4proto tcp reject with tcp reset
    reject with icmp admin-prohibited
  }
  chain input {
    type filter hook input priority filter; policy drop;
    meta nfproto != ipv4 drop
    ct state established,related accept
${listeners}    goto refuse
  }
  chain forward {
    type filter hook forward priority filter; policy drop;
  }
  chain output {
    type filter hook output priority filter; policy drop;
    meta nfproto != ipv4 drop
    ct state established,related accept
    ip daddr { 127.0.0.0/8, ${plan.subnet} } goto refuse
    oifname "${proxyLinkName}" ip saddr ${proxy.address} meta l4proto tcp accept
    goto refuse
  }
}
`;
}
function listenerRule(fromSandbox, proxy, ports) {
  return `    ${fromSandbox} ip daddr ${proxy.address} tcp dport { ${[...new Set(ports)].join(", ")} } accept
`;
}
var passageComment = "offshoot proxy";
function proxyPassage(plan, proxy) {
  const onBridge = `iifname "${plan.bridgeName}"`;
  const acrossBridge = `${onBridge} oifname "${plan.bridgeName}"`;
  const toProxy = `ip saddr ${plan.subnet} ip daddr ${proxy.address} meta l4proto tcp accept`;
  const fromProxy = `ip saddr ${proxy.address} ip daddr ${plan.subnet} ip daddr != ${plan.bridgeAddress}`;
  return [
    { chain: "guard", rule: `${onBridge} ${toProxy}` },
    { chain: "guard", rule: `${onBridge} ${fromProxy} accept` },
    { chain: "forward", rule: `${acrossBridge} ${toProxy}` },
    { chain: "forward", rule: `${acrossBridge} ${fromProxy} ct state established,related accept` }
  ];
}

// hostd/net/egress/firewall/proxy-namespace.ts
var insideScript2 = `set -e
echo 0 > /proc/sys/net/ipv4/ip_forward
if [ -e /proc/sys/net/ipv6/conf/all/disable_ipv6 ]; then
  echo 1 > /proc/sys/net/ipv6/conf/all/disable_ipv6
  echo 1 > /proc/sys/net/ipv6/conf/default/disable_ipv6
fi
[ "$2" = keep ] && nft list chain inet offshoot output > /dev/null 2>&1 || nft "$1"
exec ip -batch -`;
var ProxyNamespace = class {
  proxy;
  #runner;
  #plan;
  /** Throws TypeError where the plan leaves the proxy no address. */
  constructor(runner, plan) {
    this.#runner = runner;
    this.#plan = plan;
    this.proxy = planProxy(plan);
  }
  /**
   * Makes what is missing and mends what is not as it should be; programs in the namespace stay in it. Lets sandboxes in on these TCP
   * ports of the proxy and no others; with `keep` on those that they are let in on now, if any. To be called when bridge and host rules
   * stand, and after each time they were mended. Throws `network-setup-failed`, `tool-missing`.
   */
  async ensure(listenerPorts) {
    await step("Making the network of the proxy", async () => {
      try {
        await this.#make(listenerPorts);
      } catch (firstError) {
        if (isOffshootError(firstError)) throw firstError;
        await this.#remove();
        await this.#make(listenerPorts);
      }
    });
    await step("Letting the proxy through the rules of the host", () => this.#ensurePassage());
  }
  /** Resolves when namespace and link are gone; the passage goes with the host's table. Tolerates absence. Throws `network-setup-failed`, `tool-missing`. */
  async remove() {
    await step("Removing the network of the proxy", () => this.#remove());
  }
  async #make(listenerPorts) {
    const { netnsName, netnsPath, vethName, address, mac } = this.proxy;
    const { bridgeName, bridgeAddress, bridgeMac, subnet, link: link6 } = this.#plan;
    const mtu = String(link6.mtu);
    const names3 = await readdir11(netnsDirectory).catch(() => []);
    const links = await listLinks(this.#runner);
    const outside = [
      ...names3.includes(netnsName) ? [] : [`netns add ${netnsName}`],
      ...links.some((one) => one.ifname === vethName) ? [] : [`link add name ${vethName} mtu ${mtu} type veth peer name ${proxyLinkName} mtu ${mtu} netns ${netnsName}`],
      `link set dev ${vethName} addrgenmode none`,
      `link set dev ${vethName} master ${bridgeName}`,
      // Sandboxes' ports are isolated: they may talk to this one, not to each other.
      `link set dev ${vethName} type bridge_slave isolated off`,
      `link set dev ${vethName} up`
    ];
    await runChecked(this.#runner, "ip", ["-batch", "-"], { input: lines(outside) });
    const inside = [
      // The rules' refusals of what programs here dial come back by it; nothing else passes on it.
      "link set dev lo up",
      `link set dev ${proxyLinkName} address ${mac} mtu ${mtu}`,
      `addr replace ${address}/32 dev ${proxyLinkName}`,
      `link set dev ${proxyLinkName} up`,
      `neigh replace ${bridgeAddress} lladdr ${bridgeMac} dev ${proxyLinkName} nud permanent`,
      `route replace ${subnet} dev ${proxyLinkName} src ${address}`,
      `route replace default via ${bridgeAddress} dev ${proxyLinkName} src ${address}`
    ];
    const isKept = listenerPorts === "keep";
    const rules = proxyRules(this.#plan, this.proxy, isKept ? [] : listenerPorts);
    const args = [`--net=${netnsPath}`, "--", "sh", "-c", insideScript2, "sh", rules, isKept ? "keep" : "anew"];
    await runChecked(this.#runner, "nsenter", args, { input: lines(inside) });
  }
  async #ensurePassage() {
    const { tableName } = this.#plan;
    const passage2 = proxyPassage(this.#plan, this.proxy);
    const chains2 = (await listChains(this.#runner)).filter(({ table }) => table === tableName);
    const present = (await Promise.all(
      chains2.filter(({ name }) => passage2.some(({ chain }) => chain === name)).map((chain) => listRules(this.#runner, chain))
    )).flatMap((rules) => rules.filter(({ comment }) => comment === passageComment));
    if (present.length === passage2.length) return;
    const document = [
      ...present.map(({ chain, handle }) => `delete rule inet ${tableName} ${chain} handle ${String(handle)}`),
      ...passage2.map(({ chain, rule }) => `insert rule inet ${tableName} ${chain} ${rule} comment "${passageComment}"`)
    ];
    await runChecked(this.#runner, "nft", ["-f", "-"], { input: lines(document) });
  }
  async #remove() {
    const { netnsName, vethName } = this.proxy;
    const input = lines([`link del dev ${vethName}`, `netns del ${netnsName}`]);
    const { stderr } = await this.#runner.run("ip", ["-force", "-batch", "-"], { input });
    const problems = stderr.split("\n").filter((line) => line !== "" && !isAbsence(line));
    if (problems.length > 0) throw new Error(problems.join("; "));
  }
};
function isAbsence(line) {
  return /Cannot find device|No such file or directory|^Command failed -:\d+$/.test(line);
}

// hostd/net/egress/firewall/filter-networks.ts
function openedNetworks(policy, host, transport) {
  const byPort = /* @__PURE__ */ new Map();
  for (const opened of reachableNetworks(policy, host)) {
    if (opened.family !== 4 || opened.transport !== transport) continue;
    byPort.set(opened.port, [...byPort.get(opened.port) ?? [], opened.network]);
  }
  const ofPort = [...byPort].flatMap(
    ([port, networks]) => port === "any" ? [] : withoutOverlaps(networks).map((network) => ({ port, network }))
  );
  return { anyPort: withoutOverlaps(byPort.get("any") ?? []), ofPort };
}
function shutToNames(policy, host) {
  const mayBePrivate = policy.rules.some((rule) => rule.kind === "name" && rule.allowPrivate);
  const shut = closedRanges.filter(({ kind }) => kind !== "private" || !mayBePrivate);
  return disjoint([...shut, ...ownRanges(host.own)].map(({ network }) => network).filter(({ family }) => family === 4));
}
function withoutOverlaps(networks) {
  return disjoint(
    networks.map((text) => {
      const network = parseNetwork(text);
      if (network === void 0) throw new TypeError(`no network: ${text}`);
      return network;
    })
  );
}
function disjoint(networks) {
  const kept = [];
  for (const network of networks.toSorted(byBaseThenWidest)) {
    const last = kept.at(-1);
    if (last === void 0 || !networkContains2(last, network)) kept.push(network);
  }
  return kept.map(({ family, base, prefixLength }) => {
    return `${formatAddress({ family, value: base })}/${String(prefixLength)}`;
  });
}
function byBaseThenWidest(one, other) {
  if (one.base !== other.base) return one.base < other.base ? -1 : 1;
  return one.prefixLength - other.prefixLength;
}

// hostd/net/egress/firewall/slot-policy-rules.ts
var dnsQueriesPerSecond2 = 500;
function slotPolicyRules(plan, slot, policy, host, helpers) {
  if (policy.mode !== "enforce" && policy.mode !== "audit") throw new TypeError(`no rules for mode ${policy.mode}`);
  const ownToo = { own: [...host.own, plan.subnet] };
  const sets = [...networkSets(policy, ownToo), ...helperSets(policy, helpers)];
  return [
    "add table inet offshoot\n",
    ...lastingSets.map(({ name, definition }) => `add set inet offshoot ${name} ${definition}
`),
    "flush table inet offshoot\n",
    // Made anew rather than flushed: nft 1.0.6 compares new intervals with those that it is about to flush.
    ...sets.map(({ name, definition, elements }) => setAnew(name, definition, elements)),
    `table inet offshoot {
${chains(plan, slot, policy, helpers)}}
`
  ].join("");
}
function networkSets(policy, host) {
  const networks = "{ type ipv4_addr; flags interval; }";
  const opened = transports.flatMap((transport) => {
    const { anyPort, ofPort } = openedNetworks(policy, host, transport);
    return [
      { name: `networks_${transport}`, definition: networks, elements: anyPort },
      {
        name: `ports_${transport}`,
        definition: "{ type inet_service . ipv4_addr; flags interval; }",
        elements: ofPort.map(({ port, network }) => `${String(port)} . ${network}`)
      }
    ];
  });
  return [
    ...opened,
    { name: "closed", definition: networks, elements: closedNetworks(4, host) },
    { name: "shut_to_names", definition: networks, elements: shutToNames(policy, host) }
  ];
}
function helperSets(policy, { resolver, proxy }) {
  const definition = "{ type ipv4_addr . inet_service . inet_service; }";
  const dns = `${resolver.address} . 53 . ${String(resolver.port)}`;
  const led = [...proxiedPorts(policy).keys()].map((port) => {
    return `${proxy.address} . ${String(port)} . ${String(listenerOf(proxy, port))}`;
  });
  return [
    { name: "helpers_tcp", definition, elements: [dns, ...led] },
    { name: "helpers_udp", definition, elements: [dns] },
    {
      name: "proxied_tcp",
      definition: "{ type inet_service; }",
      elements: [...proxiedPorts(policy).keys()].map(String)
    }
  ];
}
function listenerOf(proxy, port) {
  const listener = proxy.listeners.get(port);
  if (listener === void 0) throw new TypeError(`the proxy has no listener for port ${String(port)}`);
  return listener;
}
function setAnew(name, definition, elements) {
  const add = `add set inet offshoot ${name} ${definition}
`;
  const fill = elements.length === 0 ? "" : `add element inet offshoot ${name} { ${elements.join(", ")} }
`;
  return `${add}delete set inet offshoot ${name}
${add}${fill}`;
}
function chains(plan, slot, policy, helpers) {
  const { link: link6 } = plan;
  const { resolver, proxy } = helpers;
  const fromGuest2 = `iifname "${tapName}"`;
  const fromOutside = `iifname "${uplinkName}"`;
  const isReply = `${fromOutside} ct state established ct direction reply`;
  const toResolver = `dnat ip to ${resolver.address}:${String(resolver.port)}`;
  const listeners = [...proxiedPorts(policy).keys()].map(
    (port) => `${String(port)} : ${String(listenerOf(proxy, port))}`
  );
  const isAudit = policy.mode === "audit";
  return `  chain refuse {
    meta l4proto tcp reject with tcp reset
    reject with icmp admin-prohibited
  }
  chain denied {
${countIn("denied")}    goto refuse
  }
${transports.map((transport) => judgedChain(transport, isAudit)).join("")}  chain judged {
    meta l4proto vmap { tcp : jump judged_tcp, udp : jump judged_udp }
${isAudit ? "    goto audited\n" : ""}  }
  chain cut {
    meta l4proto tcp update @${cutSet} { ct original ip daddr . ct original proto-src . ct original proto-dst limit rate 1/minute burst 3 packets } accept
    reject with tcp reset
  }
  chain audited {
    ct status dnat return
    ct original ip daddr @closed return
${countIn("audited")}    accept
  }
  chain source {
    type filter hook prerouting priority raw; policy drop;
    ${fromGuest2} ip saddr ${link6.address} accept
    ${fromOutside} ip daddr ${slot.hostSideAddress} accept
  }
  chain inward {
    type nat hook prerouting priority dstnat; policy accept;
    iifname != "${tapName}" accept
    ip daddr ${link6.gateway} udp dport 53 ${toResolver}
    ip daddr ${link6.gateway} tcp dport 53 ${toResolver}
    ip daddr ${link6.gateway} accept
    ip daddr @networks_tcp accept
    tcp dport . ip daddr @ports_tcp accept
    ip daddr @shut_to_names accept
    meta l4proto tcp dnat ip to ${proxy.address} : tcp dport map { ${listeners.join(", ")} }
  }
  chain input {
    type filter hook input priority filter; policy drop;
    ${fromGuest2} ip daddr ${link6.gateway} icmp type echo-request limit rate 20/second accept
    ${fromGuest2} goto denied
  }
  chain forward {
    type filter hook forward priority filter; policy drop;
    ${fromOutside} ct state related icmp type { destination-unreachable, time-exceeded, parameter-problem } accept
    ${isReply} jump judged
    ${isReply} meta l4proto tcp goto cut
    ${fromOutside} drop
    ct state invalid drop
    ct state new ct count over ${String(plan.maxFlowsPerSandbox)} goto refuse
    ct status dnat meta l4proto udp limit rate over ${String(dnsQueriesPerSecond2)}/second burst ${String(dnsQueriesPerSecond2)} packets drop
    jump judged
    goto denied
  }
  chain outward {
    type nat hook postrouting priority srcnat; policy accept;
    oifname "${uplinkName}" snat ip to ${slot.hostSideAddress}
  }
`;
}
function judgedChain(transport, isAudit) {
  const of = `meta l4proto ${transport}`;
  const pastProxy = `    ${of} ct original proto-dst @proxied_tcp return
`;
  return `  chain judged_${transport} {
    ${of} ct status dnat ct reply ip saddr . ct original proto-dst . ct reply proto-src @helpers_${transport} accept
    ct status dnat return
    ${of} ct original ip daddr @networks_${transport} accept
    ${of} ct original proto-dst . ct original ip daddr @ports_${transport} accept
${transport === "tcp" && !isAudit ? pastProxy : ""}    ${of} ct original ip daddr . ct original proto-dst @${pinnedSet(transport)} accept
    ${of} ct original ip daddr @${pinnedHostsSet(transport)} accept
  }
`;
}
function countIn(outcome) {
  const destination = "ct original ip daddr . ct original proto-dst";
  const ofTransports = transports.map((transport) => {
    return `    meta l4proto ${transport} update @${countedSet(outcome, transport)} { ${destination} }
`;
  });
  const others = `    meta l4proto != { tcp, udp } update @${countedSet(outcome, "other")} { ct original ip daddr . meta l4proto }
`;
  return [...ofTransports, others].join("");
}

// hostd/net/egress/policy/held-mode.ts
function heldMode(mode, hasRules) {
  return mode === "open" && hasRules ? "audit" : mode;
}
function isHeldByName(mode, hasRules) {
  const held = heldMode(mode, hasRules);
  return held === "enforce" || held === "audit";
}

// hostd/net/egress/egress-side.ts
var forgetMs = 1e3;
var EgressSide = class {
  #options;
  #namespace;
  #slots = /* @__PURE__ */ new Map();
  #turn = new InTurn();
  #gate;
  #own = [];
  constructor(options) {
    this.#options = options;
    this.#namespace = new ProxyNamespace(options.runner, options.plan);
  }
  /** Opens the gate with what sandboxes of an earlier hostd may, whose rules are loaded anew: they may be of another version. */
  async open(living, onEvent) {
    const { openGate: openGate2, plan, dns } = this.#options;
    if (openGate2 === void 0 || this.#gate !== void 0) return;
    await this.#namespace.ensure("keep");
    this.#own = await listOwnAddresses(this.#options.runner);
    const upstreams = dns.upstreams === void 0 ? {} : { upstreams: [...dns.upstreams] };
    const ruled = living.filter(({ egress }) => isRuled(egress.policy));
    this.#gate = await openGate2(this.#namespace.proxy.netnsPath, {
      sandboxes: ruled.flatMap(({ slot, egress }) => gatePolicy(slot, egress) ?? []),
      own: this.#allOwn,
      dns: { address: plan.bridgeAddress, port: plan.policyDnsPort, resolvConf: dns.resolvConf, ...upstreams },
      listeners: this.#listenersFor(living.map(({ egress }) => egress.policy)),
      onEvent
    });
    await this.#letIn(this.#gate);
    for (const { slot, egress } of living) {
      this.#slots.set(slot.slot, { slot, egress, rules: "", told: isRuled(egress.policy) });
    }
    await this.#reload();
  }
  /** To be called after each time that the host's side was mended. */
  async ensure() {
    const gate = this.#gate;
    if (gate === void 0) return;
    await this.#turn.do(() => this.#letIn(gate));
    const own = await listOwnAddresses(this.#options.runner);
    if (own.join() === this.#own.join()) return;
    this.#own = own;
    await gate.setOwnAddresses(this.#allOwn);
    await this.#reload();
  }
  /** The rules of a new slot, for its empty netns; the proxy listens where they lead. */
  async prepare(slot, egress) {
    this.#slots.set(slot.slot, { slot, egress, rules: "", told: false });
    await this.#listenFor(egress.policy);
    const rules = this.#document(slot, egress.policy);
    this.#slots.set(slot.slot, { slot, egress, rules, told: false });
    return rules;
  }
  /** Tells resolver and proxy of a new slot; nothing gets by a name before. */
  async admit(slot, egress) {
    const made = this.#slots.get(slot.slot);
    const policy = gatePolicy(slot, egress);
    if (made === void 0 || policy === void 0 || !isRuled(egress.policy)) return;
    this.#slots.set(slot.slot, { ...made, told: true });
    await this.#gate?.setPolicy(policy);
  }
  /** Another policy, or a first sandbox, for a slot there is. When it fails, some of both may be in force, and the next one mends it. */
  async change(slot, egress) {
    const before = this.#slots.get(slot.slot);
    const told = before?.told === true || isRuled(egress.policy);
    this.#slots.set(slot.slot, { slot, egress, rules: "", told });
    await this.#listenFor(egress.policy);
    const rules = this.#document(slot, egress.policy);
    const policy = told ? gatePolicy(slot, egress) : void 0;
    const load = async () => {
      if (rules !== before?.rules) await this.#load(slot, egress.policy, rules);
    };
    const tell = async () => {
      if (policy !== void 0) await this.#gate?.setPolicy(policy);
    };
    await (isRuled(egress.policy) ? load().then(tell) : tell().then(load));
    this.#slots.set(slot.slot, { slot, egress, rules, told });
  }
  /** A slot that goes. */
  async forget(slot) {
    const known = this.#slots.get(slot);
    this.#slots.delete(slot);
    const id = known?.egress.sandbox?.id;
    if (known?.told !== true || id === void 0 || this.#gate === void 0) return;
    const late = new AbortController();
    const patience = sleep6(forgetMs, void 0, { signal: late.signal }).catch(() => void 0);
    await Promise.race([this.#gate.remove(id).catch(() => void 0), patience]);
    late.abort();
  }
  get gate() {
    return this.#gate;
  }
  async close(keep) {
    const gate = this.#gate;
    this.#gate = void 0;
    await gate?.stop(keep);
    if (!keep) await this.#namespace.remove();
  }
  get #allOwn() {
    return [...this.#own, this.#options.plan.subnet];
  }
  #document(slot, policy) {
    const { plan } = this.#options;
    const ruled = effective(policy);
    if (ruled.mode === "open" || ruled.mode === "none") return slotRules(plan, slot, ruled.mode);
    if (this.#gate === void 0) {
      throw new OffshootError("network-setup-failed", {
        message: `Nothing here can keep a sandbox to mode ${ruled.mode}.`
      });
    }
    const layers = proxiedPorts(ruled);
    const led = this.#gate.listeners.filter(({ forPort, layer }) => layers.get(forPort) === layer);
    const helpers = {
      resolver: { address: plan.bridgeAddress, port: plan.policyDnsPort },
      proxy: {
        address: this.#namespace.proxy.address,
        listeners: new Map(led.map(({ forPort, port }) => [forPort, port]))
      }
    };
    return slotPolicyRules(plan, slot, ruled, { own: this.#own }, helpers);
  }
  async #load(slot, policy, rules) {
    const document = isRuled(policy) ? rules : rulesAnew(rules);
    await loadRules(this.#options.runner, slot.netnsPath, document);
  }
  /** What is in force, with the addresses and listeners of now. A netns that is gone has nothing to be ruled. */
  async #reload() {
    for (const ruled of [...this.#slots.values()]) {
      const { slot, egress, rules: before } = ruled;
      if (this.#slots.get(slot.slot) !== ruled) continue;
      const rules = this.#document(slot, egress.policy);
      this.#slots.set(slot.slot, { ...ruled, rules });
      if (rules !== before) await this.#load(slot, egress.policy, rules).catch(() => void 0);
    }
  }
  /** Has the proxy listen on all ports that policies in force, and this one, lead to it. */
  async #listenFor(policy) {
    const gate = this.#gate;
    if (gate === void 0 || !isRuled(policy)) return;
    const has = (listeners, wanted) => listeners.some(({ forPort, layer }) => forPort === wanted.forPort && layer === wanted.layer);
    if (this.#listenersFor([policy]).every((wanted) => has(gate.listeners, wanted))) return;
    await this.#turn.do(async () => {
      const policies = [...this.#slots.values()].map(({ egress }) => egress.policy);
      await gate.listen(this.#listenersFor([...policies, policy]));
      await this.#letIn(gate);
    });
  }
  #listenersFor(policies) {
    const { address } = this.#namespace.proxy;
    const known = this.#gate?.listeners ?? [];
    const wanted = /* @__PURE__ */ new Map();
    for (const policy of [{ mode: "enforce", rules: [] }, ...policies]) {
      for (const [forPort, layer] of proxiedPorts(policy)) {
        const open10 = known.find((one) => one.forPort === forPort && one.layer === layer);
        wanted.set(`${layer} ${String(forPort)}`, open10 ?? { address, port: 0, forPort, layer });
      }
    }
    return [...wanted.values()];
  }
  async #letIn(gate) {
    await this.#namespace.ensure(gate.listeners.map(({ port }) => port));
  }
};
function effective({ mode, rules }) {
  return { mode: heldMode(mode, rules.length > 0), rules };
}
function isRuled({ mode, rules }) {
  return isHeldByName(mode, rules.length > 0);
}
function gatePolicy({ hostSideAddress, netnsPath }, { policy, sandbox }) {
  if (sandbox === void 0) return void 0;
  const { id: sandboxId, revision } = sandbox;
  return { sandboxId, sourceAddress: hostSideAddress, netnsPath, policy: effective(policy), revision };
}

// hostd/net/egress/firewall/counted-traffic.ts
var elementSchema = external_exports.object({
  elem: external_exports.object({
    val: external_exports.object({ concat: external_exports.tuple([external_exports.string(), external_exports.union([external_exports.string(), external_exports.number()])]) }),
    counter: external_exports.object({ packets: external_exports.number(), bytes: external_exports.number() })
  })
});
var listingSchema2 = external_exports.object({
  nftables: external_exports.array(
    external_exports.object({ set: external_exports.object({ name: external_exports.string(), elem: external_exports.array(elementSchema).default([]) }).optional() })
  )
});
var listScript = 'set -e; for name in "$@"; do nft -j list set inet offshoot "$name"; echo; done';
var protocols = [...transports, "other"];
async function countedTraffic(runner, netnsPath) {
  const sets = outcomes.flatMap((outcome) => protocols.map((protocol) => countedSet(outcome, protocol)));
  const args = [`--net=${netnsPath}`, "--", "sh", "-c", listScript, "sh", ...sets];
  const { stdout } = await runChecked(runner, "nsenter", args);
  return parseCountedTraffic(stdout);
}
function parseCountedTraffic(text) {
  const documents = text.split("\n").filter((line) => line.trim() !== "");
  return documents.flatMap(
    (line) => listingSchema2.parse(JSON.parse(line)).nftables.flatMap(({ set }) => set === void 0 ? [] : rowsOf(set))
  );
}
function rowsOf(set) {
  const outcome = outcomes.find((one) => set.name.startsWith(`${one}_`));
  const transport = transports.find((one) => set.name.endsWith(`_${one}`));
  if (outcome === void 0) return [];
  return set.elem.map(({ elem: { val, counter } }) => {
    const [address, second] = val.concat;
    const where = transport === void 0 ? { protocol: String(second) } : { port: Number(second), protocol: transport };
    return { outcome, address, ...where, ...counter };
  });
}

// hostd/net/host-bridge.ts
import { readFile as readFile14, writeFile as writeFile11 } from "node:fs/promises";
var largestDefaultMtu = 1500;
async function uplinkMtu(runner) {
  const [routes, links] = await Promise.all([listRoutes(runner), listLinks(runner)]);
  const mtus = routes.filter((route) => route.dst === "default").flatMap((route) => {
    const devices = [route.dev, ...(route.nexthops ?? []).map((hop) => hop.dev)];
    const ofDevices = links.filter((link6) => devices.includes(link6.ifname)).map((link6) => link6.mtu);
    return [...ofDevices, ...(route.metrics ?? []).flatMap((metric) => metric.mtu ?? [])];
  });
  return Math.min(largestDefaultMtu, ...mtus);
}
async function ensureBridge(runner, plan) {
  const links = await listLinks(runner);
  const exists = links.some((link7) => link7.ifname === plan.bridgeName);
  if (exists) await refuseForeignBridge(runner, plan, links);
  await refuseOverlap(runner, plan);
  const { bridgeName, bridgeAddress, bridgeMac, prefixLength, link: link6 } = plan;
  const batch = [
    // With its MAC from the start: udev gives a persistent one of its own to a bridge that was made without.
    ...exists ? [] : [`link add name ${bridgeName} address ${bridgeMac} type bridge`],
    `link set dev ${bridgeName} type bridge stp_state 0 forward_delay 0 mcast_snooping 0`,
    `link set dev ${bridgeName} addrgenmode none`,
    `link set dev ${bridgeName} address ${bridgeMac}`,
    `link set dev ${bridgeName} mtu ${String(link6.mtu)}`,
    `addr replace ${bridgeAddress}/${String(prefixLength)} dev ${bridgeName}`,
    `link set dev ${bridgeName} up`,
    ...links.filter((port) => lostItsBridge(plan, port)).flatMap((port) => attachCommands(plan, port.ifname))
  ];
  await runChecked(runner, "ip", ["-batch", "-"], { input: lines(batch) });
}
async function ensureForwarding(path18) {
  if ((await readFile14(path18, "utf8")).trim() !== "0") return false;
  await writeFile11(path18, "1\n");
  return true;
}
function lostItsBridge(plan, link6) {
  return slotOfName(plan.vethPrefix, link6.ifname) !== void 0 && link6.master !== plan.bridgeName;
}
async function refuseForeignBridge(runner, plan, links) {
  const bridges = await listBridges(runner);
  if (!bridges.some((bridge) => bridge.ifname === plan.bridgeName)) {
    throw new OffshootError("network-setup-failed", {
      message: `There is an interface ${plan.bridgeName} that is not a bridge.`,
      hint: "Remove it, or configure another network.instance."
    });
  }
  const expected = `${plan.bridgeAddress}/${String(plan.prefixLength)}`;
  const stale = (await listAddresses(runner, plan.bridgeName)).filter((address) => address !== expected);
  if (stale.length === 0) return;
  if (links.some((link6) => slotOfName(plan.vethPrefix, link6.ifname) !== void 0)) {
    throw new OffshootError("network-setup-failed", {
      message: `The bridge ${plan.bridgeName} has the address ${stale.join(", ")} and sandboxes use it, but ${expected} is configured.`,
      hint: "Set network.subnet back until those sandboxes are stopped, or configure another network.instance."
    });
  }
  const batch = stale.map((address) => `addr del ${address} dev ${plan.bridgeName}`);
  await runChecked(runner, "ip", ["-batch", "-"], { input: lines(batch) });
}
async function refuseOverlap(runner, plan) {
  const subnet = parseIpv4Network(plan.subnet);
  if (subnet === void 0) return;
  const rival = (await listRoutes(runner)).find((route) => route.dev !== plan.bridgeName && rivals(subnet, route));
  if (rival === void 0) return;
  throw new OffshootError("network-setup-failed", {
    message: `The subnet ${plan.subnet} overlaps the route ${rival.dst}${rival.dev === void 0 ? "" : ` of ${rival.dev}`}.`,
    hint: "Configure a network.subnet that this host does not use; every hostd on a host needs its own.",
    details: { subnet: plan.subnet, route: rival.dst }
  });
}
function rivals(subnet, route) {
  const destination = routeDestination(route.dst);
  if (destination === void 0 || !networksOverlap(subnet, destination)) return false;
  const isWider = networkContains(destination, subnet) && destination.prefixLength < subnet.prefixLength;
  return !isWider || route.gateway === void 0;
}
function routeDestination(text) {
  if (text === "default") return void 0;
  const single = parseIpv4(text);
  return single === void 0 ? parseIpv4Network(text) : { base: single, prefixLength: 32 };
}

// hostd/net/host-firewalls.ts
function passages(plan, hook) {
  const { bridgeName, bridgeAddress, ruleComment } = plan;
  const dns = (direction, protocol, port) => ({
    match: direction === "in" ? `iifname "${bridgeName}" ip daddr ${bridgeAddress} ${protocol} dport ${String(port)}` : `oifname "${bridgeName}" ip saddr ${bridgeAddress} ${protocol} sport ${String(port)}`,
    comment: `${ruleComment} dns ${direction} ${bridgeAddress}:${String(port)}/${protocol}`
  });
  const bothWays = (direction) => [plan.dnsPort, plan.policyDnsPort].flatMap((port) => [dns(direction, "udp", port), dns(direction, "tcp", port)]);
  if (hook === "input") return bothWays("in");
  if (hook === "output") return bothWays("out");
  if (hook !== "forward") return [];
  return [
    { match: `iifname "${bridgeName}"`, comment: `${ruleComment} out` },
    { match: `oifname "${bridgeName}"`, comment: `${ruleComment} back` }
  ];
}
async function openForeignChains(runner, plan, chains2) {
  const foreign = chains2.filter((chain) => isForeignFilter(plan, chain));
  const commands = [];
  const openedTables = /* @__PURE__ */ new Set();
  for (const chain of foreign) {
    const rules = await listRules(runner, chain);
    if (chain.policy !== "drop" && !rules.some(isCatchAllDenial)) continue;
    if (chain.hook === "forward") openedTables.add(`${chain.family} ${chain.table}`);
    commands.push(...commandsToOpen(plan, chain, chain.hook ?? "", rules));
  }
  for (const chain of chains2) {
    if (chain.name !== "DOCKER-USER" || !openedTables.has(`${chain.family} ${chain.table}`)) continue;
    commands.push(...commandsToOpen(plan, chain, "forward", await listRules(runner, chain)));
  }
  if (commands.length > 0) await runChecked(runner, "nft", ["-f", "-"], { input: `${commands.join("\n")}
` });
}
async function closeForeignChains(runner, plan) {
  const commands = [];
  for (const chain of await listChains(runner)) {
    const couldHold = isForeignFilter(plan, chain) || chain.name === "DOCKER-USER";
    if (couldHold) commands.push(...deletions((await listRules(runner, chain)).filter((rule) => isOurs(plan, rule))));
  }
  if (commands.length > 0) await runChecked(runner, "nft", ["-f", "-"], { input: `${commands.join("\n")}
` });
}
function isForeignFilter(plan, chain) {
  const isFilter = chain.type === "filter" && (chain.family === "ip" || chain.family === "inet");
  return isFilter && chain.table !== plan.tableName && passages(plan, chain.hook ?? "").length > 0;
}
function isCatchAllDenial(rule) {
  const statements = rule.expr.filter((statement) => !isObject(statement) || !("counter" in statement));
  const [only, ...others] = statements;
  if (!isObject(only) || others.length > 0) return false;
  if ("drop" in only || "reject" in only) return true;
  if (!("xt" in only)) return false;
  return only.xt === null || isObject(only.xt) && "name" in only.xt && only.xt.name === "REJECT";
}
function isObject(value) {
  return typeof value === "object" && value !== null;
}
function commandsToOpen(plan, chain, hook, rules) {
  const wanted = passages(plan, hook);
  const present = rules.slice(0, wanted.length).map((rule) => rule.comment);
  const ours = rules.filter((rule) => isOurs(plan, rule));
  if (ours.length === wanted.length && wanted.every((passage2, index) => passage2.comment === present[index])) return [];
  const insertions = wanted.toReversed().map(({ match, comment }) => `insert rule ${place(chain)} ${match} counter accept comment "${comment}"`);
  return [...deletions(ours), ...insertions];
}
function deletions(rules) {
  return rules.map((rule) => `delete rule ${rule.family} ${rule.table} ${rule.chain} handle ${String(rule.handle)}`);
}
function isOurs(plan, rule) {
  return rule.comment?.startsWith(`${plan.ruleComment} `) === true;
}
function place(chain) {
  return `${chain.family} ${chain.table} ${chain.name}`;
}

// hostd/net/host-rules.ts
var idleConnectionSeconds = 7500;
function hostRules(plan) {
  const { bridgeName, bridgeAddress, subnet, tableName } = plan;
  const dnsPorts = `{ ${String(plan.dnsPort)}, ${String(plan.policyDnsPort)} }`;
  return `table inet ${tableName}
delete table inet ${tableName}
table inet ${tableName} {
  ct timeout idle {
    protocol tcp
    l3proto ip
    policy = { established : ${String(idleConnectionSeconds)} }
  }
  chain refuse {
    meta l4proto tcp reject with tcp reset
    reject with icmp admin-prohibited
  }
  chain guard {
    type filter hook prerouting priority raw; policy accept;
${passage(plan, "guard")}    iifname != { "${bridgeName}", "lo" } ip daddr ${subnet} goto refuse
    iifname != "${bridgeName}" accept
    meta nfproto != ipv4 drop
    ip saddr != ${subnet} drop
    ip daddr ${bridgeAddress} udp dport ${dnsPorts} accept
    ip daddr ${bridgeAddress} tcp dport ${dnsPorts} accept
    fib daddr type local goto refuse
    ip daddr ${subnet} goto refuse
  }
  chain forward {
    type filter hook forward priority filter; policy accept;
${passage(plan, "forward")}    iifname "${bridgeName}" oifname "${bridgeName}" drop
    iifname "${bridgeName}" meta l4proto tcp ct state new ct timeout set "idle"
    iifname "${bridgeName}" tcp flags & (syn | rst) == syn tcp option maxseg size set rt mtu
    oifname "${bridgeName}" tcp flags & (syn | rst) == syn tcp option maxseg size set rt mtu
    oifname "${bridgeName}" ct state established,related accept
    oifname "${bridgeName}" drop
  }
  chain outward {
    type nat hook postrouting priority srcnat; policy accept;
    ip saddr ${subnet} oifname != "${bridgeName}" masquerade
  }
}
`;
}
function passage(plan, into) {
  return proxyPassage(plan, planProxy(plan)).filter(({ chain }) => chain === into).map(({ rule }) => `    ${rule} comment "${passageComment}"
`).join("");
}

// hostd/net/legacy-firewalls.ts
import { readFile as readFile15 } from "node:fs/promises";
var program = "iptables-legacy";
function legacyPassages(plan) {
  const { bridgeName, bridgeAddress } = plan;
  const dns = [plan.dnsPort, plan.policyDnsPort].map(String).flatMap(
    (port) => ["udp", "tcp"].flatMap((protocol) => [
      {
        chain: "INPUT",
        match: ["-d", `${bridgeAddress}/32`, "-i", bridgeName, "-p", protocol, "-m", protocol, "--dport", port]
      },
      {
        chain: "OUTPUT",
        match: ["-s", `${bridgeAddress}/32`, "-o", bridgeName, "-p", protocol, "-m", protocol, "--sport", port]
      }
    ])
  );
  return [{ chain: "FORWARD", match: ["-i", bridgeName] }, { chain: "FORWARD", match: ["-o", bridgeName] }, ...dns];
}
async function openLegacyChains(runner, plan, tablesFile = "/proc/net/ip_tables_names") {
  if (!await hasFilterTable(tablesFile)) return void 0;
  const listing2 = await listFilter(runner);
  if (listing2 === void 0) {
    return `This host has legacy iptables rules, which only ${program} shows, and it is not installed: if they drop forwarded packets, sandboxes reach nothing. Mend it with: apt-get install iptables`;
  }
  for (const rule of legacyPassages(plan).toReversed()) {
    if (!isClosed(listing2, rule.chain)) continue;
    const spec = [...rule.match, "-m", "comment", "--comment", plan.ruleComment, "-j", "ACCEPT"];
    if (listing2.some((line) => sameRule(line, ["-A", rule.chain, ...spec]))) continue;
    await runChecked(runner, program, ["-w", "5", "-I", rule.chain, "1", ...spec]);
  }
  return void 0;
}
async function closeLegacyChains(runner, plan, tablesFile = "/proc/net/ip_tables_names") {
  if (!await hasFilterTable(tablesFile)) return;
  for (const line of await listFilter(runner) ?? []) {
    const words = unquoted(line);
    if (words[0] !== "-A" || words[words.indexOf("--comment") + 1] !== plan.ruleComment) continue;
    await runChecked(runner, program, ["-w", "5", "-D", ...words.slice(1)]);
  }
}
async function hasFilterTable(tablesFile) {
  const names3 = await readFile15(tablesFile, "utf8").catch(() => "");
  return names3.split("\n").includes("filter");
}
async function listFilter(runner) {
  try {
    const { stdout } = await runChecked(runner, program, ["-w", "5", "-S"]);
    return stdout.split("\n");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return void 0;
    throw error;
  }
}
function isClosed(listing2, chain) {
  return listing2.some(
    (line) => line === `-P ${chain} DROP` || line === `-A ${chain} -j DROP` || line.startsWith(`-A ${chain} -j REJECT`)
  );
}
function sameRule(line, words) {
  return unquoted(line).join(" ") === words.join(" ");
}
function unquoted(line) {
  return line.split(" ").map((word) => word.replace(/^"(.*)"$/, "$1"));
}

// hostd/net/host-side.ts
var HostSide = class {
  #runner;
  #plan;
  #tableLoaded = false;
  #turnedForwardingOn = false;
  #legacyFinding;
  constructor(runner, plan) {
    this.#runner = runner;
    this.#plan = plan;
  }
  get findings() {
    const forwarding = "IPv4 forwarding (net.ipv4.ip_forward) was off; hostd turned it on and leaves it on.";
    return [this.#turnedForwardingOn ? forwarding : [], this.#legacyFinding ?? []].flat();
  }
  /** Makes what is missing. Throws `network-setup-failed`, `tool-missing`. */
  async ensure() {
    await step("Making the bridge", () => ensureBridge(this.#runner, this.#plan));
    await step("Turning IPv4 forwarding on", async () => {
      if (await ensureForwarding("/proc/sys/net/ipv4/ip_forward")) this.#turnedForwardingOn = true;
      await ensureForwarding(`/proc/sys/net/ipv4/conf/${this.#plan.bridgeName}/forwarding`);
    });
    await step("Loading the rules of the host", () => this.#ensureTable());
    await step("Opening other firewalls for the bridge", async () => {
      await openForeignChains(this.#runner, this.#plan, await listChains(this.#runner));
      this.#legacyFinding = await openLegacyChains(this.#runner, this.#plan);
    });
  }
  /** Removes what is there; forwarding stays on, for others may rely on it by now. Throws `network-setup-failed`, `tool-missing`. */
  async remove() {
    await step("Taking the passages out of other firewalls", async () => {
      await closeForeignChains(this.#runner, this.#plan);
      await closeLegacyChains(this.#runner, this.#plan);
    });
    await step("Removing the bridge and the rules of the host", async () => {
      const { tableName, bridgeName } = this.#plan;
      await runChecked(this.#runner, "nft", [`table inet ${tableName}; delete table inet ${tableName}`]);
      const links = await listLinks(this.#runner);
      if (!links.some((link6) => link6.ifname === bridgeName)) return;
      await runChecked(this.#runner, "ip", ["link", "del", "dev", bridgeName]);
    });
  }
  /** Once by each hostd, whose rules may differ from those of an earlier one; later only where someone has flushed them. */
  async #ensureTable() {
    const chains2 = await listChains(this.#runner);
    if (this.#tableLoaded && chains2.some((chain) => chain.table === this.#plan.tableName)) return;
    await runChecked(this.#runner, "nft", ["-f", "-"], { input: hostRules(this.#plan) });
    this.#tableLoaded = true;
  }
};

// hostd/net/linux-network.ts
async function openLinuxNetwork(config, runner, openGate2) {
  try {
    return new LinuxNetwork(config, runner, planNetwork(config, config.mtu ?? await uplinkMtu(runner)), openGate2);
  } catch (error) {
    throw setupError("Reading the MTU of the uplink", error);
  }
}
var LinuxNetwork = class {
  link;
  capacity;
  #config;
  #runner;
  #plan;
  #host;
  #egress;
  #dns;
  #checks;
  #failedCheck;
  /** Starting, checking and stopping take turns. */
  #turn = Promise.resolve();
  constructor(config, runner, plan, openGate2) {
    this.#config = config;
    this.#runner = runner;
    this.#plan = plan;
    this.#host = new HostSide(runner, plan);
    const dns = { resolvConf: config.resolvConf, upstreams: config.dnsUpstreams };
    this.#egress = new EgressSide({ runner, plan, openGate: openGate2, dns });
    this.link = plan.link;
    this.capacity = plan.capacity;
  }
  get findings() {
    return [...this.#host.findings, ...this.#failedCheck === void 0 ? [] : [this.#failedCheck]];
  }
  async start(options) {
    await this.#inTurn(async () => {
      await this.#setUp();
      const living = options.living.map(({ slot, egress }) => ({ slot: this.#slot(slot), egress }));
      await step("Starting resolver and proxy", () => this.#egress.open(living, options.onHelperEvent));
    });
    this.#checks ??= setInterval(() => void this.#check(), this.#config.checkSeconds * 1e3).unref();
  }
  describe(slot) {
    return publicPart(this.#slot(slot));
  }
  async create(slot, uid, egress) {
    const planned2 = this.#slot(slot);
    await step(`Making the network of slot ${String(slot)}`, async () => {
      try {
        await this.#make(planned2, uid, egress);
      } catch (firstError) {
        if (isOffshootError(firstError)) throw firstError;
        await this.#remove(slot);
        await this.#make(planned2, uid, egress);
      }
    });
    return publicPart(planned2);
  }
  async setEgress(slot, egress) {
    await step(`Changing what slot ${String(slot)} may reach`, () => this.#egress.change(this.#slot(slot), egress));
  }
  pinsOf(sandboxId) {
    return this.#gate().pinsOf(sandboxId);
  }
  restorePins(sandboxId, document) {
    return this.#gate().restorePins(sandboxId, document);
  }
  countedByGate(since) {
    return this.#gate().report(since);
  }
  async countedByFilter(slot) {
    const { netnsPath } = this.#slot(slot);
    return step(`Reading what slot ${String(slot)} was refused`, () => countedTraffic(this.#runner, netnsPath));
  }
  async remove(slot) {
    await step(`Removing the network of slot ${String(slot)}`, async () => {
      await Promise.all([this.#remove(slot), this.#egress.forget(slot)]);
    });
  }
  async existing() {
    return step("Listing network namespaces", async () => {
      const [names3, links] = await Promise.all([netnsNames(), listLinks(this.#runner)]);
      const slots = [
        ...names3.map((name) => slotOfName(this.#plan.netnsPrefix, name)),
        ...links.map((link6) => slotOfName(this.#plan.vethPrefix, link6.ifname))
      ];
      return [...new Set(slots.flatMap((slot) => slot ?? []))].sort((a, b) => a - b);
    });
  }
  stop(keep) {
    clearInterval(this.#checks);
    this.#checks = void 0;
    return this.#inTurn(async () => {
      await this.#dns?.close();
      this.#dns = void 0;
      if (keep) return this.#egress.close(true);
      await Promise.all((await this.existing()).map((slot) => this.remove(slot)));
      await this.#egress.close(false);
      await this.#host.remove();
    });
  }
  async #setUp() {
    const { resolvConf, dnsUpstreams } = this.#config;
    await this.#host.ensure();
    await step("Answering DNS on the bridge", async () => {
      this.#dns ??= await openDnsForwarder({
        address: this.#plan.bridgeAddress,
        port: this.#plan.dnsPort,
        resolvConf,
        ...dnsUpstreams === void 0 ? {} : { upstreams: dnsUpstreams }
      });
    });
    await step("Letting sandboxes reach resolver and proxy", () => this.#egress.ensure());
  }
  async #check() {
    try {
      await this.#inTurn(async () => {
        if (this.#checks !== void 0) await this.#setUp();
      });
      this.#failedCheck = void 0;
    } catch (error) {
      this.#failedCheck = `The last check of the network failed: ${String(error)}`;
    }
  }
  #inTurn(work) {
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => void 0);
    return result;
  }
  #gate() {
    const { gate } = this.#egress;
    if (gate !== void 0) return gate;
    throw new OffshootError("network-setup-failed", { message: "Resolver and proxy were not started." });
  }
  #slot(slot) {
    return planSlot(this.#plan, this.#config.subnet.base, slot);
  }
  async #make(slot, uid, egress) {
    const [rules] = await settleAll([
      this.#egress.prepare(slot, egress),
      runChecked(this.#runner, "ip", ["-batch", "-"], { input: outsideBatch(this.#plan, slot) })
    ]);
    const batch = insideBatch(this.#plan, slot, uid);
    const inside = [`--net=${slot.netnsPath}`, "--", "sh", "-c", insideScript, "sh", batch];
    await settleAll([
      runChecked(this.#runner, "nsenter", inside, { input: rules }),
      this.#egress.admit(slot, egress)
    ]);
  }
  async #remove(slot) {
    const input = removeBatch(slotNames(this.#plan, slot));
    const result = await this.#runner.run("ip", ["-force", "-batch", "-"], { input });
    const problems = result.stderr.split("\n").filter((line) => line !== "" && !isAbsence2(line));
    if (problems.length > 0) throw new Error(problems.join("; "));
  }
};
function isAbsence2(line) {
  return /Cannot find device|No such file or directory|^Command failed -:\d+$/.test(line);
}
function publicPart(slot) {
  const { vethName: _vethName, ...rest } = slot;
  return rest;
}
async function netnsNames() {
  return readdir12(netnsDirectory).catch(() => []);
}

// hostd/sandbox/host-resources.ts
import { readFile as readFile16, statfs as statfs2 } from "node:fs/promises";
import { availableParallelism } from "node:os";
var mib = 1024 * 1024;
function linuxResources(stateDirectory) {
  return {
    cpus: availableParallelism(),
    read: async () => {
      const [meminfo, pressure, disk] = await Promise.all([
        readFile16("/proc/meminfo", "utf8"),
        readFile16("/proc/pressure/memory", "utf8").catch(() => ""),
        statfs2(stateDirectory)
      ]);
      return {
        memoryTotalMiB: memoryField(meminfo, "MemTotal"),
        memoryAvailableMiB: memoryField(meminfo, "MemAvailable"),
        memoryPressurePercent: parsePressure(pressure),
        diskTotalMiB: Math.floor(disk.blocks * disk.bsize / mib),
        diskFreeMiB: Math.floor(disk.bavail * disk.bsize / mib)
      };
    },
    roomMiB: async (folder) => {
      const found = await statfs2(folder).catch(() => void 0);
      return found === void 0 ? 0 : Math.floor(found.bavail * found.bsize / mib);
    }
  };
}
function memoryField(meminfo, name) {
  const match = new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(meminfo);
  return Math.floor(Number(match?.[1] ?? 0) / 1024);
}
function parsePressure(text) {
  const match = /^some avg10=([\d.]+)/m.exec(text);
  return Number(match?.[1] ?? 0);
}

// hostd/daemon/host-tools.ts
import { constants as constants7 } from "node:fs";
import { access as access5 } from "node:fs/promises";
import { join as join18 } from "node:path";
var runtimeTools = {
  "qemu-system-x86_64": "qemu-system-x86",
  "qemu-img": "qemu-utils",
  nft: "nftables",
  ip: "iproute2",
  nsenter: "util-linux"
};
var systemFolders = ["/usr/local/sbin", "/usr/sbin", "/sbin"];
function systemSearchPath(path18) {
  const folders = (path18 ?? "/usr/local/bin:/usr/bin:/bin").split(":");
  return [...folders, ...systemFolders.filter((folder) => !folders.includes(folder))].join(":");
}
async function missingTools(tools2, searchPath) {
  const found = await Promise.all(tools2.map((tool) => isOnPath2(tool, searchPath)));
  return tools2.filter((_tool, index) => found[index] !== true);
}
async function requireTools(searchPath) {
  const missing = await missingTools(Object.keys(runtimeTools), searchPath);
  if (missing.length === 0) return;
  const packages = [...new Set(missing.map((tool) => runtimeTools[tool] ?? tool))];
  throw new OffshootError("tool-missing", {
    message: `hostd needs ${missing.join(", ")}, which ${missing.length === 1 ? "is" : "are"} not installed.`,
    hint: `Install what is missing: sudo apt-get install --no-install-recommends ${packages.join(" ")}`,
    details: { tools: missing, packages }
  });
}
async function isOnPath2(tool, searchPath) {
  for (const folder of searchPath.split(":")) {
    const found = await access5(join18(folder, tool), constants7.X_OK).then(
      () => true,
      () => false
    );
    if (found) return true;
  }
  return false;
}

// hostd/daemon/system-parts.ts
function qemuOptions(config) {
  const { nativeDirectory } = installation;
  return { runner: systemRunner, nativeDirectory, kvm: config.kvm, kvmDeadlineMs: config.kvmProbeDeadlineMs };
}
function gateIn(stateDirectory) {
  const { resolverProcess, proxyProcess } = installation;
  return (proxyNetnsPath, options) => openGate({
    ...options,
    stateDirectory,
    commands: {
      resolver: [...helperNode(), resolverProcess],
      proxy: ["nsenter", `--net=${proxyNetnsPath}`, "--", ...helperNode(), proxyProcess]
    }
  });
}
var systemParts = {
  checkHost: async () => {
    if (process.getuid?.() !== 0)
      throw new OffshootError("not-root", { hint: "Start it with sudo: sudo offshoot hostd" });
    process.env.PATH = systemSearchPath(process.env.PATH);
    await requireTools(process.env.PATH);
  },
  openVmm: (config) => openQemuVmm(qemuOptions(config)),
  openNetwork: (config) => openLinuxNetwork(config.network, systemRunner, gateIn(config.stateDirectory)),
  openImages: (config) => createImageStore({ stateDirectory: config.stateDirectory }),
  guests: new ChannelConnector(),
  resources: (config) => linuxResources(config.stateDirectory)
};

export {
  requiredFreeMiB,
  makeFolder,
  settleAll,
  planNetwork,
  listChains,
  isHeldByName,
  writeDurably,
  faultPoint,
  reportQemu,
  openQemuVmm,
  runtimeTools,
  systemSearchPath,
  missingTools,
  qemuOptions,
  systemParts
};
