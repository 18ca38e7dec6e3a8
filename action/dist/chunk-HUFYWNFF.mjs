import { createRequire as createBundleRequire } from 'node:module';
const require = createBundleRequire(import.meta.url);
import {
  hostRules,
  listChains,
  missingTools,
  openQemuVmm,
  parsePolicy,
  planNetwork,
  planProxy,
  planSlot,
  proxyRules,
  qemuOptions,
  reportQemu,
  requiredFreeMiB,
  runtimeTools,
  slotPolicyRules,
  systemSearchPath
} from "./chunk-JC7IKTOB.mjs";
import "./chunk-FRYVKTQY.mjs";
import {
  formatIpv4Network,
  networksOverlap,
  parseIpv4
} from "./chunk-UIMXNFRT.mjs";
import {
  installCommand,
  missingPackages,
  readHostPackages
} from "./chunk-JGUHUCBY.mjs";
import {
  version
} from "./chunk-GNMEBZAE.mjs";
import "./chunk-3D7ZWVTF.mjs";
import {
  installation
} from "./chunk-ZKOMBEYM.mjs";
import "./chunk-4VJ64A2N.mjs";
import {
  systemRunner
} from "./chunk-CIXUOV6D.mjs";
import "./chunk-LTWX3RIA.mjs";
import {
  proxiedPorts
} from "./chunk-DMNCN2ZG.mjs";
import "./chunk-LTHL2XHT.mjs";
import "./chunk-DPK6MB3H.mjs";
import "./chunk-RXM3SW5I.mjs";
import "./chunk-GCJLRCZB.mjs";

// hostd/doctor/doctor-host.ts
import { constants } from "node:fs";
import { access, copyFile, mkdtemp, readdir, readFile, rm, statfs, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
var memoryFileSystems = /* @__PURE__ */ new Set([16914836, 2240043254]);
function thisHost() {
  process.env.PATH = systemSearchPath(process.env.PATH);
  return {
    uid: process.getuid?.() ?? -1,
    architecture: process.arch,
    searchPath: process.env.PATH,
    runner: systemRunner,
    readText: (path) => readFile(path, "utf8").catch(() => void 0),
    exists: (path) => succeeds(access(path)),
    list: (path) => readdir(path).catch(() => []),
    fileSystem: async (path) => {
      const { type, blocks, bavail, bsize } = await statfs(path);
      const inMiB = (count) => Math.floor(count * bsize / 1024 / 1024);
      return { sizeMiB: inMiB(blocks), freeMiB: inMiB(bavail), isInMemory: memoryFileSystems.has(type) };
    },
    reflinks,
    addresses: () => Object.entries(networkInterfaces()).flatMap(
      ([name, all = []]) => all.flatMap(({ family, cidr }) => family === "IPv4" && cidr !== null ? [{ name, cidr }] : [])
    ),
    answers: (socketPath) => new Promise((resolve) => {
      const socket = connect(socketPath);
      socket.once("connect", () => resolve(true));
      socket.once("error", () => resolve(false));
      socket.once("connect", () => socket.destroy());
    })
  };
}
async function reflinks(path) {
  const folder = await mkdtemp(join(path, ".doctor-")).catch(() => void 0);
  if (folder === void 0) return void 0;
  try {
    const source = join(folder, "a");
    await writeFile(source, Buffer.alloc(65536, 1));
    return await succeeds(copyFile(source, join(folder, "b"), constants.COPYFILE_FICLONE_FORCE));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
function succeeds(promise) {
  return promise.then(
    () => true,
    () => false
  );
}

// hostd/doctor/nearest.ts
import { dirname } from "node:path";
async function nearest(host, path) {
  let folder = path;
  while (folder !== "/" && !await host.exists(folder)) folder = dirname(folder);
  return folder;
}

// hostd/doctor/fork-checks.ts
var comfortableImagesMiB = 1024;
async function checkFreezing(host, freezeMethod) {
  const name = "memory duplication";
  if (host.uid !== 0) return { name, result: "warn", found: "not checked without root", mend: "sudo offshoot doctor" };
  try {
    const { method, reason } = await freezeMethod();
    if (method === "clone")
      return { name, result: "ok", found: `clone: a fork's pause does not grow with memory (${reason})` };
    return {
      name,
      result: "warn",
      found: `copy: a sandbox that is forked stands still while its memory is copied, the longer the more it has (${reason})`,
      mend: await allowPtrace(host)
    };
  } catch (error) {
    return {
      name,
      result: "warn",
      found: `not known: ${error instanceof Error ? error.message.slice(0, 200) : String(error)}`
    };
  }
}
async function allowPtrace(host) {
  const scope = (await host.readText("/proc/sys/kernel/yama/ptrace_scope"))?.trim();
  if (scope === "3")
    return "Set kernel.yama.ptrace_scope to 1 in /etc/sysctl.conf and /etc/sysctl.d, and reboot: 3 can not be undone before.";
  return "Let hostd use ptrace: in a container, add the capability SYS_PTRACE and let the seccomp profile allow ptrace (docker run --cap-add SYS_PTRACE).";
}
async function checkForkImages(host, config) {
  const name = "fork images";
  const { forkImageDirectory, forkImageMiB } = config.sandboxes;
  const folder = await nearest(host, forkImageDirectory);
  const { sizeMiB, freeMiB, isInMemory } = await host.fileSystem(folder);
  const cap = forkImageMiB === void 0 ? "a quarter of the memory" : `${String(forkImageMiB)} MiB`;
  if (forkImageMiB === 0) return { name, result: "ok", found: "in the state directory (sandboxes.forkImageMiB is 0)" };
  if (!isInMemory)
    return {
      name,
      result: "warn",
      found: `${forkImageDirectory} lies on a disk: forks wait for it`,
      mend: "Set sandboxes.forkImageDirectory to a tmpfs, for example /dev/shm."
    };
  const found = `in ${forkImageDirectory}, a tmpfs of ${String(sizeMiB)} MiB with ${String(freeMiB)} MiB free; at most ${cap}`;
  if (freeMiB >= comfortableImagesMiB) return { name, result: "ok", found };
  return {
    name,
    result: "warn",
    found: `${found}; what does not fit goes to the state directory`,
    mend: `sudo mount -o remount,size=50% ${folder} (in a container: docker run --shm-size 4g)`
  };
}
async function checkReflink(host, config) {
  const name = "reflinks";
  const { stateDirectory } = config;
  const folder = await nearest(host, stateDirectory);
  const works = await host.reflinks(folder);
  if (works === void 0) return { name, result: "ok", found: `not checked: ${folder} can not be written to` };
  if (works) return { name, result: "ok", found: "the state directory has them: images share what did not change" };
  return {
    name,
    result: "ok",
    found: "the state directory has none: images of memory that go there are copied, not shared; nothing depends on it",
    mend: reflinkSteps(stateDirectory)
  };
}
function reflinkSteps(stateDirectory) {
  const file = `${stateDirectory}.xfs`;
  return [
    "for less writing, put the state directory on xfs or btrfs (package xfsprogs), before it is filled. A volume of its own:",
    `  sudo mkfs.xfs -m reflink=1 /dev/VOLUME && sudo mkdir -p ${stateDirectory} && sudo mount /dev/VOLUME ${stateDirectory}`,
    "or a file:",
    `  sudo truncate -s 100G ${file} && sudo mkfs.xfs -m reflink=1 ${file} && sudo mkdir -p ${stateDirectory} && sudo mount -o loop ${file} ${stateDirectory}`
  ].join("\n");
}

// hostd/net/trial-rules.ts
var mtu = 1500;
var rules = ["a.example.com", "tls:a.example.com:8443", "192.0.2.0/24:5432", "udp:192.0.2.1:*"];
function trialRules(config) {
  const plan = planNetwork(config, mtu);
  const proxy = planProxy(plan);
  const slot = planSlot(plan, config.subnet.base, 0);
  const policies = ["enforce", "audit"].map((mode) => {
    const policy = parsePolicy(mode, rules);
    const listeners = new Map([...proxiedPorts(policy).keys()].map((port) => [port, port]));
    const helpers = {
      resolver: { address: plan.bridgeAddress, port: plan.policyDnsPort },
      proxy: { address: proxy.address, listeners }
    };
    return slotPolicyRules(plan, slot, policy, { own: [] }, helpers);
  });
  return [hostRules(plan), proxyRules(plan, proxy, [443]), ...policies];
}

// hostd/doctor/network-checks.ts
var trackingRules = `table inet trial {
  chain forward { type filter hook forward priority filter; ct state established accept; }
}
`;
function trials(config) {
  return [
    { name: "network namespaces", command: ["true"], mend: "Use a kernel with CONFIG_NET_NS." },
    { name: "tun device", command: ["ip", "tuntap", "add", "dev", "trial0", "mode", "tap"], mend: "sudo modprobe tun" },
    { name: "bridges", command: ["ip", "link", "add", "trial0", "type", "bridge"], mend: "sudo modprobe bridge" },
    { name: "veth pairs", command: ["ip", "link", "add", "trial0", "type", "veth"], mend: "sudo modprobe veth" },
    {
      name: "nftables",
      command: ["nft", "-f", "-"],
      input: trialRules(config).join(""),
      mend: "sudo modprobe nf_tables nft_chain_nat nft_masq nft_ct nft_limit nft_connlimit nft_fib_inet nft_reject_inet"
    },
    {
      // By it pins stay while a connection uses them, and audit finds where a connection without a name was to go.
      name: "connection tracking",
      command: ["sh", "-c", "nft -f - && head -c 1 /proc/net/nf_conntrack"],
      input: trackingRules,
      mend: "sudo modprobe nf_conntrack; if that is not it, use a kernel with CONFIG_NF_CONNTRACK_PROCFS."
    }
  ];
}
async function checkKernelNetworking(host, config) {
  const all = trials(config);
  if (host.uid !== 0) {
    const found = `not checked without root: ${all.map(({ name }) => name).join(", ")}`;
    return [{ name: "kernel networking", result: "warn", found, mend: "sudo offshoot doctor" }];
  }
  return Promise.all(
    all.map(async ({ name, command, mend, input }) => {
      const failure = await tryIn(host, command, input);
      if (failure === void 0) return { name, result: "ok", found: "work" };
      return { name, result: "fail", found: failure, mend };
    })
  );
}
async function tryIn(host, command, input) {
  try {
    const options = { timeoutMs: 1e4, ...input === void 0 ? {} : { input } };
    const { code, stderr } = await host.runner.run("unshare", ["--net", "--", ...command], options);
    return code === 0 ? void 0 : stderr.trim().slice(0, 200) || `${command.join(" ")} ended with ${String(code)}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
async function checkForwarding(host) {
  const name = "IPv4 forwarding";
  const value = (await host.readText("/proc/sys/net/ipv4/ip_forward"))?.trim();
  if (value === "1") return { name, result: "ok", found: "on" };
  return { name, result: "ok", found: "off; hostd turns it on when it starts" };
}
async function checkFirewalls(host, config) {
  const name = "other firewalls";
  if (host.uid !== 0) return { name, result: "warn", found: "not checked without root", mend: "sudo offshoot doctor" };
  try {
    const ours = planNetwork(config, 1500).tableName;
    const dropping = (await listChains(host.runner)).filter(
      (chain) => chain.hook === "forward" && chain.policy === "drop" && chain.table !== ours
    );
    if (dropping.length === 0) return { name, result: "ok", found: "none that drops forwarded traffic" };
    const names = dropping.map(({ family, table, name: chain }) => `${family} ${table} ${chain}`);
    return { name, result: "ok", found: `${names.join(", ")} drops by default; hostd adds a passage for its bridge` };
  } catch (error) {
    const found = `the rules can not be listed: ${error instanceof Error ? error.message.slice(0, 200) : String(error)}`;
    return { name, result: "fail", found, mend: "sudo nft list ruleset" };
  }
}
function checkSubnet(host, config) {
  const name = "subnet";
  const { subnet } = config;
  const { bridgeName } = planNetwork(config, 1500);
  const clash = host.addresses().find(({ name: link, cidr }) => link !== bridgeName && overlaps(cidr, subnet));
  const text = formatIpv4Network(subnet);
  if (clash === void 0) return { name, result: "ok", found: `${text} is free` };
  return {
    name,
    result: "fail",
    found: `${text} overlaps ${clash.cidr} of ${clash.name}`,
    mend: "Set network.subnet in the configuration file to a range that this host does not use."
  };
}
function overlaps(cidr, subnet) {
  const [address = "", prefix = ""] = cidr.split("/");
  const base = parseIpv4(address);
  return base !== void 0 && networksOverlap(subnet, networkAround(base, Number(prefix)));
}
function networkAround(address, prefixLength) {
  const size = 2 ** (32 - prefixLength);
  return { base: Math.floor(address / size) * size, prefixLength };
}
async function checkResolvers(host, config) {
  const name = "DNS";
  if (config.dnsUpstreams !== void 0)
    return { name, result: "ok", found: config.dnsUpstreams.map(({ address }) => address).join(", ") };
  const text = await host.readText(config.resolvConf) ?? "";
  const servers = [...text.matchAll(/^\s*nameserver\s+(\S+)/gm)].map((match) => match[1] ?? "");
  if (servers.length > 0)
    return { name, result: "ok", found: `sandboxes are answered by way of ${servers.join(", ")}` };
  return {
    name,
    result: "warn",
    found: `${config.resolvConf} names no server, so sandboxes can look nothing up`,
    mend: "Set network.dnsUpstreams in the configuration file."
  };
}

// hostd/doctor/state-checks.ts
async function checkDisk(host, config) {
  const folder = await nearest(host, config.stateDirectory);
  const { freeMiB } = await host.fileSystem(folder);
  const found = `${String(freeMiB)} MiB free for ${config.stateDirectory}`;
  return judgeSpace(found, freeMiB, config, folder);
}
function judgeSpace(found, freeMiB, config, folder) {
  const name = "disk space";
  const mend = `Free space (df -h ${folder}), or give --state another directory.`;
  const leastMiB2 = config.sandboxes.minDiskFreeMiB;
  if (freeMiB < leastMiB2)
    return { name, result: "fail", found: `${found}; sandboxes need ${String(leastMiB2)} MiB to be left`, mend };
  if (freeMiB < requiredFreeMiB)
    return { name, result: "warn", found: `${found}; building an image needs ${String(requiredFreeMiB)} MiB`, mend };
  return { name, result: "ok", found };
}
async function checkRunning(host, config) {
  const name = "hostd";
  if (config.listen.kind === "tcp")
    return { name, result: "ok", found: `to listen on tcp port ${String(config.listen.port)}` };
  const running = await host.answers(config.listen.path);
  return { name, result: "ok", found: `${running ? "running" : "not running"} at ${config.listen.path}` };
}

// hostd/doctor/system-checks.ts
var comfortableMiB = 2048;
var leastMiB = 1024;
function checkArchitecture(host) {
  const name = "processor";
  if (host.architecture === "x64") return { name, result: "ok", found: "x86_64" };
  return {
    name,
    result: "fail",
    found: `${host.architecture}; sandboxes run on x86_64 hosts only`,
    mend: "Run hostd on an x86_64 machine; this one can be a client of it."
  };
}
function checkRoot(host) {
  const name = "root";
  if (host.uid === 0) return { name, result: "ok", found: "running as root" };
  return {
    name,
    result: "warn",
    found: `running as uid ${String(host.uid)}; hostd needs root, and some checks below were left out`,
    mend: "sudo offshoot doctor"
  };
}
async function checkMemory(host) {
  const name = "memory";
  const meminfo = await host.readText("/proc/meminfo") ?? "";
  const field = (key) => Math.floor(Number(new RegExp(`^${key}:\\s+(\\d+) kB`, "m").exec(meminfo)?.[1] ?? 0) / 1024);
  const [totalMiB, availableMiB] = [field("MemTotal"), field("MemAvailable")];
  const found = `${String(availableMiB)} MiB of ${String(totalMiB)} MiB available`;
  if (availableMiB >= comfortableMiB) return { name, result: "ok", found };
  return {
    name,
    result: availableMiB >= leastMiB ? "warn" : "fail",
    found: `${found}; a sandbox takes 512 MiB by default`,
    mend: "Give the machine more memory, or stop what uses it."
  };
}
async function checkCgroups(host) {
  const unified = await host.exists("/sys/fs/cgroup/cgroup.controllers");
  return { name: "cgroups", result: "ok", found: unified ? "version 2" : "version 1 (nothing depends on it yet)" };
}
async function checkTools(host) {
  const name = "programs";
  const missing = await missingTools(Object.keys(runtimeTools), host.searchPath);
  if (missing.length === 0) return { name, result: "ok", found: Object.keys(runtimeTools).join(", ") };
  const packages = [...new Set(missing.map((tool) => runtimeTools[tool] ?? tool))];
  return {
    name,
    result: "fail",
    found: `missing: ${missing.join(", ")}`,
    mend: `sudo apt-get install --no-install-recommends ${packages.join(" ")}`
  };
}
async function checkPackages(host, stateDirectory) {
  const name = "packages";
  const packages = await readHostPackages();
  const missing = await missingPackages(packages);
  const mend = installCommand(missing);
  if (mend === void 0) return { name, result: "ok", found: `all ${String(packages.length)} are installed` };
  const hasImage = await host.exists(`${stateDirectory}/images/default/manifest.json`);
  return {
    name,
    result: hasImage ? "warn" : "fail",
    found: `missing: ${missing.map((one) => `${one.name} (${one.purpose})`).join(", ")}`,
    mend: `sudo ${mend}`
  };
}
async function checkNative(host, { nativeDirectory, agentPath, mendNative }) {
  const name = "native parts";
  const wanted = [`${nativeDirectory}/launcher`, `${nativeDirectory}/kvm-probe.bin`, agentPath];
  const missing = [];
  for (const file of wanted) if (!await host.exists(file)) missing.push(file);
  if (missing.length === 0) return { name, result: "ok", found: "launcher, KVM probe and guest agent are built" };
  return { name, result: "fail", found: `not there: ${missing.join(", ")}`, mend: mendNative };
}
async function checkImages(host, stateDirectory) {
  const name = "images";
  if (host.uid !== 0 && (await host.list(stateDirectory)).length === 0)
    return {
      name,
      result: "warn",
      found: "not checked: the state directory can not be read",
      mend: "sudo offshoot doctor"
    };
  const folders = await host.list(`${stateDirectory}/images`);
  const images = [];
  for (const image of folders)
    if (await host.exists(`${stateDirectory}/images/${image}/manifest.json`)) images.push(image);
  if (images.includes("default")) return { name, result: "ok", found: images.join(", ") };
  return {
    name,
    result: "warn",
    found: images.length === 0 ? "none yet" : `${images.join(", ")}, but no default`,
    mend: "offshoot image build default (with hostd running)"
  };
}

// hostd/doctor/vmm-checks.ts
async function checkVmm(options, asked) {
  return judgeQemu(await reportQemu(options), asked);
}
function judgeQemu({ qemu, kvm }, asked) {
  if (!("program" in qemu)) {
    const check = { name: "QEMU", result: "fail", found: qemu.problem, mend: sudo(qemu.mend) };
    return { checks: [check], isolation: null };
  }
  const found = `${qemu.version.text} at ${qemu.program}, with the microvm machine`;
  const tier = kvm.works ? "kvm" : "emulated";
  const isKnown = kvm.works || asked.isRoot;
  return {
    checks: [{ name: "QEMU", result: "ok", found }, isKnown ? judgeKvm(kvm, asked.requireKvm) : unknownKvm(kvm)],
    isolation: isKnown && (kvm.works || !asked.requireKvm) ? { tier, reason: kvm.reason } : null
  };
}
function unknownKvm(kvm) {
  return {
    name: "isolation",
    result: "warn",
    found: `not known without root: ${kvm.reason}`,
    mend: "sudo offshoot doctor"
  };
}
function judgeKvm(kvm, requireKvm) {
  if (kvm.works) return { name: "isolation", result: "ok", found: `kvm: ${kvm.reason}` };
  return {
    name: "isolation",
    result: requireKvm ? "fail" : "warn",
    found: requireKvm ? `the configuration requires KVM, and KVM does not work here: ${kvm.reason}` : `emulated, which is slow and by QEMU's own policy no security boundary: ${kvm.reason}`,
    mend: "Use a host with hardware virtualization, or turn nested virtualization on; then: sudo modprobe kvm-intel (or kvm-amd)"
  };
}
function sudo(command) {
  return command.startsWith("apt-get") ? `sudo ${command}` : command;
}

// hostd/doctor/run-doctor.ts
async function runDoctor(config, host = thisHost()) {
  const { network, stateDirectory, requireKvm } = config;
  const options = { ...qemuOptions(config), runner: host.runner };
  const vmm = await checkVmm(options, { requireKvm, isRoot: host.uid === 0 });
  const checks = [
    checkArchitecture(host),
    checkRoot(host),
    await checkTools(host),
    await checkPackages(host, stateDirectory),
    await checkNative(host, installation),
    ...vmm.checks,
    // whether KVM works was found above, and does not matter for this
    await checkFreezing(host, async () => (await openQemuVmm({ ...options, kvm: "off" })).freezeMethod()),
    await checkForkImages(host, config),
    ...await checkKernelNetworking(host, network),
    await checkForwarding(host),
    await checkFirewalls(host, network),
    checkSubnet(host, network),
    await checkResolvers(host, network),
    await checkDisk(host, config),
    await checkReflink(host, config),
    await checkMemory(host),
    await checkCgroups(host),
    await checkImages(host, stateDirectory),
    await checkRunning(host, config)
  ];
  return { ok: checks.every(({ result }) => result !== "fail"), version, isolation: vmm.isolation, checks };
}
export {
  runDoctor
};
