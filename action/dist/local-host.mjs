import { createRequire as createBundleRequire } from 'node:module';
const require = createBundleRequire(import.meta.url);
import {
  missingPackages,
  readHostPackages
} from "./chunk-JGUHUCBY.mjs";
import {
  say
} from "./chunk-5RNB6BKN.mjs";
import "./chunk-HGD2WCUR.mjs";
import {
  HostClient
} from "./chunk-OZEBK3DO.mjs";
import "./chunk-LJQPOVH3.mjs";
import {
  Sandbox
} from "./chunk-7WZNFVLZ.mjs";
import "./chunk-J2RS5RRK.mjs";
import "./chunk-HDXKHYD2.mjs";
import "./chunk-3D7ZWVTF.mjs";
import "./chunk-ZKOMBEYM.mjs";
import {
  systemRunner
} from "./chunk-CIXUOV6D.mjs";
import {
  OffshootError
} from "./chunk-LTWX3RIA.mjs";
import {
  identifyProcess,
  isAlive,
  processIdentitySchema
} from "./chunk-LTHL2XHT.mjs";
import "./chunk-DPK6MB3H.mjs";
import {
  external_exports
} from "./chunk-RXM3SW5I.mjs";
import {
  __callDispose,
  __using
} from "./chunk-GCJLRCZB.mjs";

// action/local/local-host.ts
import { mkdir as mkdir3, writeFile as writeFile5 } from "node:fs/promises";
import path10 from "node:path";

// action/local/daemon.ts
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path2 from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

// action/local/plan.ts
import { randomBytes } from "node:crypto";
import path from "node:path";
var localRoot = "/var/lib/offshoot-local";
var localPlanSchema = external_exports.object({
  version: external_exports.literal(1),
  /** Folder of hostd's state, of root. Its parent holds the state of other jobs' hosts. */
  stateFolder: external_exports.string().startsWith("/"),
  /** Files of the runner's user: log, configuration, the image on its way to and from the cache. */
  workFolder: external_exports.string().startsWith("/"),
  /** Where the cache's library finds and puts the image; the same path in every run, for the path is part of a cache entry. */
  cacheFolder: external_exports.string().startsWith("/"),
  image: external_exports.string(),
  /** The runner's process of this job: when it is gone, nobody needs the host any more. */
  owner: processIdentitySchema.optional()
});
function planFiles({ stateFolder, workFolder }) {
  const socket = path.join(stateFolder, "hostd.sock");
  return {
    socket,
    host: `unix:${socket}`,
    config: path.join(stateFolder, "hostd.json"),
    plan: path.join(stateFolder, "plan.json"),
    pid: path.join(stateFolder, "hostd.pid"),
    log: path.join(workFolder, "hostd.log"),
    exit: path.join(workFolder, "hostd.exit"),
    imageKey: path.join(workFolder, "image-key")
  };
}
function makePlan(options) {
  const name = randomBytes(5).toString("hex");
  return {
    version: 1,
    stateFolder: path.join(options.root ?? localRoot, name),
    workFolder: path.join(options.tempFolder, `offshoot-host-${name}`),
    cacheFolder: path.join(options.tempFolder, "offshoot-image"),
    image: options.image,
    ...options.owner === void 0 ? {} : { owner: options.owner }
  };
}

// action/local/daemon.ts
var readyTimeoutMs = 6e4;
var pollMs = 50;
var shownLogLines = 30;
var endTimeoutMs = 15e3;
var keeper = 'log=$1 exit=$2; shift 2; cd /; exec </dev/null >>"$log" 2>&1; "$@"; echo $? >"$exit"';
async function launchDaemon(root, plan, distFolder2) {
  const files = planFiles(plan);
  await mkdir(plan.workFolder, { recursive: true, mode: 448 });
  await writeFile(files.log, "", { flag: "a", mode: 384 });
  await rm(files.exit, { force: true });
  const node = [process.execPath, "--max-semi-space-size=2", "--disable-warning=ExperimentalWarning"];
  const settings = ["--state", plan.stateFolder, "--listen", files.host, "--config", files.config];
  const hostd = [...node, path2.join(distFolder2, "offshoot.mjs"), "hostd", ...settings];
  const kept = ["sh", "-c", keeper, "offshoot-local", files.log, files.exit, ...hostd];
  await root.mustRun("Starting hostd", "setsid", ["--fork", ...kept]);
}
async function whenReady(plan, log, options = {}) {
  var _stack = [];
  try {
    const { signal, timeoutMs = readyTimeoutMs } = options;
    const files = planFiles(plan);
    const client = __using(_stack, new HostClient({ host: files.host, requestTimeoutMs: 5e3 }), true);
    const deadlineMs = performance.now() + timeoutMs;
    for (; ; ) {
      const info = await client.info().catch(() => void 0);
      if (info !== void 0) return info;
      const exitCode = await exitCodeOf(plan);
      if (exitCode !== void 0 || performance.now() > deadlineMs) {
        for (const line of await lastLogLines(plan)) log(`hostd: ${line}`);
        const how = exitCode === void 0 ? `did not answer within ${String(timeoutMs / 1e3)} s` : `ended with exit code ${exitCode}`;
        throw new OffshootError("local-host-failed", { message: `The host of this job ${how} when it was started.` });
      }
      await sleep(pollMs, void 0, signal === void 0 ? {} : { signal });
    }
  } catch (_) {
    var _error = _, _hasError = true;
  } finally {
    var _promise = __callDispose(_stack, _error, _hasError);
    _promise && await _promise;
  }
}
async function daemonOf(plan) {
  const pid = Number(await readFile(planFiles(plan).pid, "utf8").catch(() => ""));
  const identity = pid > 0 ? await identifyProcess(pid) : void 0;
  if (identity === void 0) return void 0;
  const commandLine = await readFile(`/proc/${String(pid)}/cmdline`, "utf8").catch(() => "");
  return commandLine.split("\0").includes(plan.stateFolder) ? identity : void 0;
}
async function endDaemon(root, daemon) {
  for (const signal of ["TERM", "KILL"]) {
    await root.run("kill", [`-${signal}`, String(daemon.pid)]);
    const deadlineMs = performance.now() + endTimeoutMs;
    while (await isAlive(daemon) && performance.now() < deadlineMs) await sleep(pollMs);
    if (!await isAlive(daemon)) return signal === "TERM";
  }
  throw new OffshootError("local-host-failed", {
    message: `hostd (process ${String(daemon.pid)}) does not end, not even by SIGKILL.`,
    hint: "The machine may hang on a disk; look at it."
  });
}
async function exitCodeOf(plan) {
  const text = await readFile(planFiles(plan).exit, "utf8").catch(() => "");
  return text.trim() === "" ? void 0 : text.trim();
}
async function lastLogLines(plan) {
  const text = await readFile(planFiles(plan).log, "utf8").catch(() => "");
  return text.trim().split("\n").slice(-shownLogLines);
}

// action/local/dist-folder-bundle.ts
var distFolder = import.meta.dirname;

// action/local/image.ts
import { readFile as readFile3, rm as rm3, writeFile as writeFile3 } from "node:fs/promises";
import path5 from "node:path";

// action/local/image-archive.ts
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { lstat, mkdir as mkdir2, readFile as readFile2, rm as rm2, writeFile as writeFile2 } from "node:fs/promises";
import path3 from "node:path";
import { pipeline } from "node:stream/promises";
var imageFiles = ["manifest.json", "root.ext4", "vmlinux", "initramfs.cpio", "modules.cpio"];
var archiveTimeoutMs = 3e5;
function filesIn(folder) {
  return { archive: path3.join(folder, "image.tar.zst"), sum: path3.join(folder, "image.tar.zst.sha256") };
}
async function packImage(root, image, folder) {
  const { archive, sum } = filesIn(folder);
  await rm2(folder, { recursive: true, force: true });
  await mkdir2(folder, { recursive: true });
  const tar = ["--create", "--sparse", "--sort=name", "--use-compress-program=zstd -3 -T0", "--file", archive];
  const options = { timeoutMs: archiveTimeoutMs };
  await root.mustRun("Packing the image", "tar", [...tar, "--directory", image, ...imageFiles], options);
  await root.mustRun("Packing the image", "chmod", ["644", archive]);
  await writeFile2(sum, `${await sha256(archive)}
`);
}
async function unpackImage(root, folder, into) {
  const { archive, sum } = filesIn(folder);
  const wanted = (await readFile2(sum, "utf8")).trim();
  if (await sha256(archive) !== wanted) throw new Error("its digest is not the one it was saved with");
  await root.mustRun("Unpacking the image", "mkdir", ["-m", "755", into]);
  const tar = ["--extract", "--no-same-owner", "--use-compress-program=zstd", "--file", archive];
  const options = { timeoutMs: archiveTimeoutMs };
  await root.mustRun("Unpacking the image", "tar", [...tar, "--directory", into, ...imageFiles], options);
  for (const name of imageFiles) {
    if (!(await lstat(path3.join(into, name))).isFile()) throw new Error(`its ${name} is no plain file`);
  }
}
async function sha256(file) {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  return hash.digest("hex");
}

// action/local/image-cache.ts
import { stat } from "node:fs/promises";
var restoreTimeoutMs = 18e4;
var saveTimeoutMs = 24e4;
async function openImageCache(log) {
  const cache = await import("./chunk-PGEMZTPN.mjs");
  if (!cache.isFeatureAvailable()) {
    log("no Actions cache here: the image is built in every job");
    return void 0;
  }
  return {
    restore: (folder, key) => attempt(log, "the image was not restored", restoreTimeoutMs, async () => {
      const found = await cache.restoreCache([folder], key);
      return found !== void 0 && (await stat(folder)).isDirectory();
    }),
    save: (folder, key) => attempt(log, "the image was not saved to the Actions cache", saveTimeoutMs, async () => {
      return await cache.saveCache([folder], key) >= 0;
    })
  };
}
async function attempt(log, failure, timeoutMs, work) {
  const late = Promise.withResolvers();
  const timer = setTimeout(() => {
    late.reject(new Error(`no end within ${String(timeoutMs / 1e3)} s`));
  }, timeoutMs);
  try {
    return await Promise.race([work(), late.promise]);
  } catch (error) {
    log(`${failure}: ${error instanceof Error ? error.message : String(error)}`);
    return false;
  } finally {
    clearTimeout(timer);
  }
}

// action/local/root.ts
import path4 from "node:path";
var carried = /^(https?_proxy|all_proxy|no_proxy|ssl_cert_file|ssl_cert_dir|node_extra_ca_certs|curl_ca_bundle|requests_ca_bundle|pip_.*|npm_config_.*|lang|lc_all|tz)$/i;
var Root = class {
  #runner;
  #uid;
  #env;
  constructor(runner = systemRunner, uid = process.getuid?.() ?? 0, env = process.env) {
    this.#runner = runner;
    this.#uid = uid;
    this.#env = env;
  }
  /** Throws `local-host-failed` unless this user may become root without a password. */
  async check() {
    if (this.#uid === 0) return;
    const { code, stderr } = await this.#start("sudo", ["-n", "true"], { timeoutMs: 15e3 });
    if (code === 0) return;
    throw new OffshootError("local-host-failed", {
      message: `host: local needs root, and sudo does not give it without a password here: ${lastLine(stderr)}`,
      hint: "Let the runner user sudo without a password, or use host: unix:PATH with a hostd that this machine runs."
    });
  }
  /** The words to start a program as root with, and the environment to start them in. */
  command(command, args = []) {
    const searchPath = `PATH=${rootSearchPath(this.#env["PATH"])}`;
    const names = Object.keys(this.#env).filter((name) => carried.test(name));
    if (this.#uid !== 0) {
      const keep = names.length === 0 ? [] : [`--preserve-env=${names.join(",")}`];
      return { argv: ["sudo", "-n", ...keep, "--", "env", searchPath, command, ...args], env: this.#env };
    }
    const env = Object.fromEntries(names.map((name) => [name, this.#env[name]]));
    return { argv: ["env", searchPath, command, ...args], env: { ...env, HOME: this.#env["HOME"] ?? "/root" } };
  }
  /** Never rejects, but for an aborted signal: why it could not be started or ran out of time is in `stderr`, with no exit code. */
  run(command, args, options = {}) {
    const { argv, env } = this.command(command, args);
    const [first, ...rest] = argv;
    return this.#start(first, rest, { ...options, env: { PATH: this.#env["PATH"], ...env } });
  }
  /** Throws `local-host-failed` with what the program said unless it succeeds. `what` begins the message. */
  async mustRun(what, command, args, options = {}) {
    const result = await this.run(command, args, options);
    if (result.code === 0) return result;
    throw new OffshootError("local-host-failed", {
      message: `${what} failed: ${lastLine(result.stderr) || lastLine(result.stdout) || `exit code ${String(result.code)}`}`
    });
  }
  async #start(command, args, options) {
    try {
      return await this.#runner.run(command, args, options);
    } catch (error) {
      if (options.signal?.aborted === true) throw options.signal.reason;
      return { code: null, signal: null, stdout: "", stderr: error instanceof Error ? error.message : String(error) };
    }
  }
};
function rootSearchPath(given) {
  const folders = (given ?? "/usr/local/bin:/usr/bin:/bin").split(":").filter((folder) => folder.startsWith("/"));
  const added = [
    "/usr/local/sbin",
    "/usr/sbin",
    "/sbin",
    "/usr/local/bin",
    "/usr/bin",
    "/bin",
    path4.dirname(process.execPath)
  ];
  return [.../* @__PURE__ */ new Set([...folders, ...added])].join(":");
}
function lastLine(text) {
  return text.trim().split("\n").at(-1)?.slice(0, 600) ?? "";
}

// action/local/image.ts
var digestSchema = external_exports.object({ version: external_exports.string(), recipeDigest: external_exports.string() });
function imageFolder({ stateFolder, image }) {
  return path5.join(stateFolder, "images", image);
}
async function imageKey(root, plan, distFolder2) {
  const program = path5.join(distFolder2, "image-digest.mjs");
  const { code, stdout, stderr } = await root.run(process.execPath, [program, plan.image], { timeoutMs: 6e4 });
  if (code !== 0) {
    throw new OffshootError("local-host-failed", {
      message: `The image ${plan.image} can not be made here: ${lastLine(stderr)}`,
      hint: "host: local knows the images that have a recipe; leave the input image out for the default one."
    });
  }
  const { version, recipeDigest } = digestSchema.parse(JSON.parse(stdout));
  return `offshoot-image-${process.arch}-${version}-${plan.image}-${recipeDigest}`;
}
async function restoreImage(root, plan, key, log) {
  const cache = await openImageCache(log);
  await rm3(plan.cacheFolder, { recursive: true, force: true });
  if (cache === void 0 || !await cache.restore(plan.cacheFolder, key)) return false;
  const unpacked = path5.join(plan.stateFolder, "restored-image");
  try {
    await unpackImage(root, plan.cacheFolder, unpacked);
    const images = path5.dirname(imageFolder(plan));
    await root.mustRun("Restoring the image", "mkdir", ["-p", "-m", "755", images]);
    await root.mustRun("Restoring the image", "mv", ["-T", unpacked, imageFolder(plan)]);
    return true;
  } catch (error) {
    log(`the image from the cache is not used: ${error instanceof Error ? error.message : String(error)}`);
    await root.run("rm", ["-rf", unpacked]);
    return false;
  } finally {
    await rm3(plan.cacheFolder, { recursive: true, force: true });
  }
}
async function buildImage(plan, log, signal) {
  var _stack = [];
  try {
    const before = await imageDigest(plan);
    const client = __using(_stack, new HostClient({ host: planFiles(plan).host }), true);
    let step = "";
    const built = await client.images.build(
      { name: plan.image, recipe: plan.image, hostCaBundle: true, hostPackageConfig: true },
      (progress) => {
        if (progress.step === step) return;
        step = progress.step;
        log(`image ${plan.image}: ${step}`);
      },
      signal === void 0 ? {} : { signal }
    );
    return built.digest !== before;
  } catch (_) {
    var _error = _, _hasError = true;
  } finally {
    var _promise = __callDispose(_stack, _error, _hasError);
    _promise && await _promise;
  }
}
async function noteImageToSave(plan, key) {
  await writeFile3(planFiles(plan).imageKey, key);
}
async function saveNotedImage(root, plan, log) {
  const key = await readFile3(planFiles(plan).imageKey, "utf8").catch(() => void 0);
  if (key === void 0) return false;
  const cache = await openImageCache(() => void 0);
  if (cache === void 0) return false;
  try {
    await packImage(root, imageFolder(plan), plan.cacheFolder);
    return await cache.save(plan.cacheFolder, key);
  } catch (error) {
    log(`the image was not saved: ${error instanceof Error ? error.message : String(error)}`);
    return false;
  } finally {
    await rm3(plan.cacheFolder, { recursive: true, force: true });
  }
}
async function imageDigest(plan) {
  const text = await readFile3(path5.join(imageFolder(plan), "manifest.json"), "utf8").catch(() => "{}");
  return external_exports.object({ digest: external_exports.string().optional() }).parse(JSON.parse(text)).digest;
}

// action/local/kvm.ts
import { stat as stat2 } from "node:fs/promises";
var permissions = 511;
var groupMayUse = 48;
var othersMayUse = 6;
async function openKvm(root, device = "/dev/kvm") {
  const status = await stat2(device).catch(() => void 0);
  if (status === void 0) return void 0;
  const mode = status.mode & permissions;
  if ((mode & othersMayUse) === othersMayUse) return void 0;
  if ((mode & groupMayUse) === groupMayUse && status.gid !== 0) return void 0;
  const known = await root.run("getent", ["group", "kvm"]);
  if (known.code !== 0) return `${device} is for root only, and there is no group kvm to open it for`;
  const grouped = await root.run("chgrp", ["kvm", device]);
  const opened = grouped.code === 0 ? await root.run("chmod", ["660", device]) : grouped;
  return opened.code === 0 ? void 0 : `${device} stays closed: ${opened.stderr.trim()}`;
}
function describeIsolation({ tier, reason }) {
  if (tier === "kvm") return `Sandboxes run under KVM: ${reason}.`;
  return `Sandboxes are emulated, for KVM does not work here: ${reason}. They are several times slower, and emulation is no security boundary.`;
}

// action/local/requirements.ts
import path7 from "node:path";

// action/bundle/sums.ts
import { createHash as createHash2 } from "node:crypto";
import { readdir, readFile as readFile4, writeFile as writeFile4 } from "node:fs/promises";
import path6 from "node:path";
var sumsFile = "SHA256SUMS";
async function filesOf(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => !entry.isDirectory()).map((entry) => path6.relative(folder, path6.join(entry.parentPath, entry.name))).sort();
}
async function checkSums(folder) {
  const text = await readFile4(path6.join(folder, sumsFile), "utf8").catch(() => void 0);
  if (text === void 0) return [`${sumsFile} is missing`];
  const sums = /* @__PURE__ */ new Map();
  for (const line of text.split("\n")) {
    const match = /^([0-9a-f]{64}) {2}(.+)$/.exec(line);
    if (match?.[1] !== void 0 && match[2] !== void 0) sums.set(match[2], match[1]);
  }
  const problems = [];
  for (const [file, sum] of sums) {
    const bytes = await readFile4(path6.join(folder, file)).catch(() => void 0);
    if (bytes === void 0) problems.push(`${file} is missing`);
    else if (sha2562(bytes) !== sum) problems.push(`${file} is not what it was when it was bundled`);
  }
  for (const file of await filesOf(folder)) {
    if (file !== sumsFile && !sums.has(file)) problems.push(`${file} does not belong there`);
  }
  return problems;
}
function sha2562(bytes) {
  return createHash2("sha256").update(bytes).digest("hex");
}

// action/local/requirements.ts
var aptTimeoutMs = 6e5;
var aptLock = ["-o", "DPkg::Lock::Timeout=120"];
function checkMachine(platform = process.platform, architecture = process.arch) {
  if (platform === "linux" && architecture === "x64") return;
  throw new OffshootError("local-host-failed", {
    message: `host: local needs a Linux runner on x86-64; this one is ${platform} on ${architecture}.`,
    hint: "Use runs-on: ubuntu-latest, or host: unix:PATH."
  });
}
async function checkBundle(distFolder2) {
  const problems = await checkSums(distFolder2);
  if (problems.length === 0) return;
  throw new OffshootError("local-host-failed", {
    message: `The action's files in ${distFolder2} are not those it was published with: ${problems.slice(0, 10).join("; ")}.`,
    hint: "Something changed them after the runner had fetched the action. Remove its folder, so that it is fetched again."
  });
}
async function missingPackages2(list) {
  const needed = (await readHostPackages(list)).filter(({ purpose }) => !purpose.startsWith("compiles"));
  return (await missingPackages(needed)).map(({ name }) => name);
}
async function installPackages(root, distFolder2, log, signal) {
  const missing = await missingPackages2(path7.join(distFolder2, "debian-packages.txt"));
  if (missing.length === 0) return;
  log(`installing ${missing.join(", ")}`);
  const options = { timeoutMs: aptTimeoutMs, ...signal === void 0 ? {} : { signal } };
  const update = await root.run("apt-get", [...aptLock, "-qq", "update"], options);
  const install = await root.run(
    "env",
    [
      ...["DEBIAN_FRONTEND=noninteractive", "apt-get", ...aptLock],
      ...["-qq", "-y", "--no-install-recommends", "install", ...missing]
    ],
    options
  );
  if (install.code === 0) return;
  for (const text of [update.stdout, update.stderr, install.stdout, install.stderr]) {
    for (const line of text.split("\n")) if (line.trim() !== "") log(line);
  }
  throw new OffshootError("local-host-failed", {
    message: `The packages ${missing.join(", ")} could not be installed.`,
    hint: `What apt-get said is above. On a runner of your own install them ahead: apt-get install ${missing.join(" ")}`
  });
}

// action/local/reserve.ts
import { readdir as readdir2, readlink, stat as stat3 } from "node:fs/promises";
import path8 from "node:path";

// action/local/subnet.ts
import { readFile as readFile5 } from "node:fs/promises";
var pools = [
  { base: address(198, 18, 0, 0), prefixLength: 15 },
  { base: address(100, 96, 0, 0), prefixLength: 12 },
  { base: address(10, 192, 0, 0), prefixLength: 12 }
];
var subnetPrefixLength = 24;
function freeSubnets(routes, random = Math.random()) {
  const candidates = pools.flatMap((pool) => {
    const count = 2 ** (subnetPrefixLength - pool.prefixLength);
    const start = Math.floor(random * count);
    return Array.from({ length: count }, (_, index) => ({
      base: pool.base + (start + index) % count * 256,
      prefixLength: subnetPrefixLength
    }));
  });
  return candidates.filter((candidate) => !routes.some((route) => overlaps(route, candidate))).map(
    ({ base, prefixLength }) => `${[24, 16, 8, 0].map((bits) => base >>> bits & 255).join(".")}/${String(prefixLength)}`
  );
}
function parseRoutes(text) {
  return text.split("\n").slice(1).flatMap((line) => {
    const fields = line.split("	");
    const [destination, mask] = [littleEndian(fields[1]), littleEndian(fields[7])];
    if (destination === void 0 || mask === void 0 || mask === 0) return [];
    return [{ base: destination, prefixLength: 32 - Math.log2(2 ** 32 - mask) }];
  });
}
async function readRoutes() {
  return parseRoutes(await readFile5("/proc/net/route", "utf8").catch(() => ""));
}
function overlaps(a, b) {
  const size = 2 ** (32 - Math.min(a.prefixLength, b.prefixLength));
  return Math.floor(a.base / size) === Math.floor(b.base / size);
}
function littleEndian(hex) {
  if (hex === void 0 || !/^[0-9A-F]{8}$/i.test(hex)) return void 0;
  return Buffer.from(hex, "hex").readUInt32LE();
}
function address(a, b, c, d) {
  return ((a * 256 + b) * 256 + c) * 256 + d;
}

// action/local/reserve.ts
var attempts = 20;
function reservations(stateFolder) {
  return path8.join(path8.dirname(stateFolder), ".subnets");
}
async function reserveNetwork(root, stateFolder) {
  const folder = reservations(stateFolder);
  await root.mustRun(`Making ${folder}`, "mkdir", ["-p", "-m", "755", folder]);
  const taken = new Set(await readdir2(folder));
  const free = freeSubnets(await readRoutes()).filter((subnet) => !taken.has(linkName(subnet)));
  for (const subnet of free.slice(0, attempts)) {
    const link = path8.join(folder, linkName(subnet));
    const { code } = await root.run("ln", ["-s", "-T", stateFolder, link]);
    if (code === 0) return reservationOf(subnet);
  }
  throw new OffshootError("local-host-failed", {
    message: "No subnet is free for the sandboxes of this job: every one is in use or has a route.",
    hint: `Look at \`ip route\` and ${folder}.`
  });
}
async function releaseNetwork(root, stateFolder) {
  const folder = reservations(stateFolder);
  for (const name of await readdir2(folder).catch(() => [])) {
    const link = path8.join(folder, name);
    const target = await readlink(link).catch(() => void 0);
    if (target === void 0) continue;
    const isGone = target !== stateFolder && await stat3(target).catch(() => void 0) === void 0;
    if (isGone || target === stateFolder) await root.run("rm", ["-f", link]);
  }
}
function reservationOf(subnet) {
  const [, second = 0, third = 0] = subnet.split(/[./]/).map(Number);
  const number = second * 256 + third;
  return { subnet, instance: `l${number.toString(36)}`, firstUid: 7e5 + number * 256 };
}
function linkName(subnet) {
  return subnet.replace("/", "-");
}

// action/local/stop.ts
import { rm as rm4, stat as stat4 } from "node:fs/promises";

// action/local/remains.ts
import { createHash as createHash3 } from "node:crypto";
import { readFile as readFile6 } from "node:fs/promises";
var findProcesses = `folder=$(cat)
find /proc -mindepth 2 -maxdepth 2 -name cwd '(' -lname "$folder" -o -lname "$folder/*" ')' -printf '%h\\n' 2>/dev/null
grep -lzs -e "^$folder\\(/.*\\)\\?$" /proc/[0-9]*/cmdline | sed 's|/cmdline$||'
exit 0`;
var removeNetwork = `instance=$1
for netns in $(ip netns list | cut -d ' ' -f 1 | grep "^offshoot-$instance-"); do ip netns del "$netns" && echo "namespace $netns"; done
for link in $(ip -o link show | sed -n "s/^[0-9]*: \\(ov-$instance-[0-9]*\\|ov-$instance-proxy\\|ob-$instance\\)[@:].*/\\1/p"); do ip link del "$link" && echo "link $link"; done
nft list table inet "offshoot_$instance" >/dev/null 2>&1 && nft delete table inet "offshoot_$instance" && echo "table offshoot_$instance"
nft -a list ruleset 2>/dev/null | awk -v mark="\\"offshoot:$instance\\"" '
  /^table /{family=$2; table=$3} /^[ \\t]+chain /{chain=$2} index($0, mark){print family, table, chain, $NF}' |
  while read -r family table chain handle; do
    nft delete rule "$family" "$table" "$chain" handle "$handle" && echo "a rule in $table $chain"
  done
exit 0`;
var configSchema = external_exports.object({ network: external_exports.object({ instance: external_exports.string().regex(/^[a-z0-9]{1,6}$/) }) });
async function removeRemains(root, plan) {
  const found = [];
  const pids = await processesOf(root, plan.stateFolder);
  if (pids.length > 0) {
    await root.run("kill", ["-KILL", ...pids]);
    found.push(`${String(pids.length)} processes`);
  }
  const instance = await instanceOf(plan);
  if (instance !== void 0) {
    const { stdout } = await root.run("sh", ["-c", removeNetwork, "sh", instance]);
    found.push(...stdout.split("\n").filter((line) => line !== ""));
  }
  const tag = createHash3("sha256").update(plan.stateFolder).digest("hex").slice(0, 12);
  await root.run("rm", ["-rf", `/dev/shm/offshoot-${tag}`]);
  return found;
}
async function processesOf(root, folder) {
  const { stdout } = await root.run("sh", ["-c", findProcesses], { input: folder });
  const pids = stdout.split("\n").flatMap((line) => /^\/proc\/(\d+)$/.exec(line)?.[1] ?? []);
  return [...new Set(pids)].filter((pid) => pid !== String(process.pid));
}
async function instanceOf(plan) {
  const text = await readFile6(planFiles(plan).config, "utf8").catch(() => void 0);
  if (text === void 0) return void 0;
  const parsed = configSchema.safeParse(JSON.parse(text));
  return parsed.success ? parsed.data.network.instance : void 0;
}

// action/local/stop.ts
var restartTimeoutMs = 2e4;
var sandboxesTimeoutMs = 2e4;
async function stopHost(root, plan, distFolder2, log) {
  const report = { found: "nothing", sandboxes: 0, remains: [], imageSaved: false };
  if (await stat4(plan.stateFolder).catch(() => void 0) !== void 0) {
    report.found = await daemonOf(plan) === void 0 ? "dead" : "running";
    if (report.found === "dead") await revive(root, plan, distFolder2, log);
    const daemon = await daemonOf(plan);
    if (daemon !== void 0) {
      report.sandboxes = await endSandboxes(plan, log);
      await endDaemon(root, daemon);
    }
    report.remains = await removeRemains(root, plan);
    report.imageSaved = await saveNotedImage(root, plan, log);
    await removeState(root, plan);
  }
  await releaseNetwork(root, plan.stateFolder);
  for (const folder of [plan.workFolder, plan.cacheFolder]) await rm4(folder, { recursive: true, force: true });
  return report;
}
async function revive(root, plan, distFolder2, log) {
  if (await stat4(`${plan.stateFolder}/hostd.db`).catch(() => void 0) === void 0) return;
  const exitCode = await exitCodeOf(plan);
  const how = exitCode === void 0 ? "was killed" : `had ended with exit code ${exitCode}`;
  log(`The host of this job ${how}; it is started once more to clean up.`);
  try {
    await launchDaemon(root, plan, distFolder2);
    await whenReady(plan, log, { timeoutMs: restartTimeoutMs });
  } catch (error) {
    log(`It could not be started: ${error instanceof Error ? error.message : String(error)}`);
  }
}
async function endSandboxes(plan, log) {
  const connection = { host: planFiles(plan).host, requestTimeoutMs: sandboxesTimeoutMs, reconnectTimeoutMs: 0 };
  try {
    const sandboxes = await Sandbox.list({ connection });
    const live = sandboxes.filter(({ state }) => state !== "gone");
    const ends = await Promise.allSettled(live.map(({ id }) => endSandbox(id, connection)));
    for (const end of ends) if (end.status === "rejected") log(`A sandbox did not end: ${String(end.reason)}`);
    return live.length;
  } catch (error) {
    log(`The sandboxes could not be asked to end: ${error instanceof Error ? error.message : String(error)}`);
    return 0;
  }
}
async function endSandbox(id, connection) {
  const sandbox = await Sandbox.connect(id, connection);
  try {
    await sandbox.stop();
  } finally {
    await sandbox.disconnect();
  }
}
async function removeState(root, { stateFolder }) {
  const { code, stderr } = await root.run("rm", ["-rf", "--one-file-system", stateFolder], { timeoutMs: 6e4 });
  if (code === 0) return;
  throw new OffshootError("local-host-failed", {
    message: `The state of this job's host could not be removed: ${lastLine(stderr)}`,
    hint: `Remove it by hand: sudo rm -rf ${stateFolder}`
  });
}

// action/local/sweep.ts
import { readdir as readdir3, readFile as readFile7 } from "node:fs/promises";
import path9 from "node:path";
async function abandonedHosts(folder) {
  const abandoned = [];
  for (const name of await readdir3(folder).catch(() => [])) {
    const text = await readFile7(path9.join(folder, name, "plan.json"), "utf8").catch(() => void 0);
    if (text === void 0) continue;
    const plan = parsePlan(text);
    if (plan?.owner !== void 0 && !await isAlive(plan.owner)) abandoned.push(plan);
  }
  return abandoned;
}
function parsePlan(text) {
  try {
    return localPlanSchema.parse(JSON.parse(text));
  } catch {
    return void 0;
  }
}
async function sweepAbandoned(root, folder, distFolder2, log) {
  for (const plan of await abandonedHosts(folder)) {
    log(`removing the host of an earlier job whose runner is gone: ${plan.stateFolder}`);
    try {
      await stopHost(root, plan, distFolder2, log);
    } catch (error) {
      log(`it could not be removed: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}

// action/local/local-host.ts
async function planLocalHost(options) {
  return makePlan({ ...options, owner: process.ppid > 1 ? await identifyProcess(process.ppid) : void 0 });
}
async function startLocalHost(plan, { signal, log = say } = {}) {
  const aborting = signal === void 0 ? {} : { signal };
  checkMachine();
  await checkBundle(distFolder);
  const root = new Root();
  await root.check();
  await installPackages(root, distFolder, log, signal);
  await sweepAbandoned(root, path10.dirname(plan.stateFolder), distFolder, log);
  const kvmProblem = await openKvm(root);
  if (kvmProblem !== void 0) log(kvmProblem);
  await makeFolders(root, plan);
  await configure(root, plan, await reserveNetwork(root, plan.stateFolder));
  signal?.throwIfAborted();
  await launchDaemon(root, plan, distFolder);
  const [{ isolation }, { key, restored }] = await Promise.all([
    whenReady(plan, log, aborting),
    findImage(root, plan, log)
  ]);
  signal?.throwIfAborted();
  log(describeIsolation(isolation));
  const built = await buildImage(plan, log, signal);
  if (built) await noteImageToSave(plan, key);
  return { host: planFiles(plan).host, isolation, image: { restored, built } };
}
async function stopLocalHost(saved, { log = say } = {}) {
  const plan = localPlanSchema.parse(saved);
  const report = await stopHost(new Root(), plan, distFolder, log);
  if (report.found === "nothing") return report;
  const left = report.sandboxes === 0 ? "" : `, with ${String(report.sandboxes)} sandboxes that were still there`;
  log(`The host of this job is stopped and removed${left}.`);
  if (report.remains.length > 0) log(`It had left behind: ${report.remains.join(", ")}.`);
  if (report.imageSaved) log("Its image is in the Actions cache for the next job.");
  return report;
}
async function findImage(root, plan, log) {
  const key = await imageKey(root, plan, distFolder);
  return { key, restored: await restoreImage(root, plan, key, log) };
}
async function makeFolders(root, plan) {
  await mkdir3(plan.workFolder, { recursive: true, mode: 448 });
  await root.mustRun(`Making ${plan.stateFolder}`, "mkdir", ["-p", "-m", "755", path10.dirname(plan.stateFolder)]);
  await root.mustRun(`Making ${plan.stateFolder}`, "mkdir", ["-m", "711", plan.stateFolder]);
}
async function configure(root, plan, { instance, subnet, firstUid }) {
  const config = {
    socketGroup: process.getgid?.() ?? 0,
    network: { instance, subnet },
    sandboxes: { spares: 0, uidBase: firstUid, vmmGid: firstUid }
  };
  const files = planFiles(plan);
  for (const [file, content] of [
    [files.config, config],
    [files.plan, plan]
  ]) {
    const draft = path10.join(plan.workFolder, path10.basename(file));
    await writeFile5(draft, JSON.stringify(content, null, 2));
    await root.mustRun(`Writing ${file}`, "install", ["-m", "644", draft, file]);
  }
}
export {
  planLocalHost,
  startLocalHost,
  stopLocalHost
};
