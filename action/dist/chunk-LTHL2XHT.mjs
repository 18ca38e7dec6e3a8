import { createRequire as createBundleRequire } from 'node:module';
const require = createBundleRequire(import.meta.url);
import {
  external_exports
} from "./chunk-RXM3SW5I.mjs";

// hostd/platform/process-identity.ts
import { readFile, readlink } from "node:fs/promises";
var processIdentitySchema = external_exports.object({
  pid: external_exports.int().min(1),
  /** Start time in clock ticks since boot: field 22 of /proc/PID/stat. */
  startTicks: external_exports.int().min(0)
});
async function identifyProcess(pid) {
  const stat = await readFile(`/proc/${String(pid)}/stat`, "utf8").catch(() => void 0);
  if (stat === void 0) return void 0;
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, startTicks] = [fields[0], Number(fields[19])];
  if (state === "Z" || state === "X" || !Number.isFinite(startTicks)) return void 0;
  return { pid, startTicks };
}
async function isAlive(identity) {
  const now = await identifyProcess(identity.pid);
  return now?.startTicks === identity.startTicks;
}
async function signalProcess(identity, signal) {
  if (!await isAlive(identity)) return false;
  try {
    process.kill(identity.pid, signal);
    return true;
  } catch {
    return false;
  }
}
async function hostBootId() {
  return (await readFile("/proc/sys/kernel/random/boot_id", "utf8")).trim();
}

export {
  processIdentitySchema,
  identifyProcess,
  isAlive,
  signalProcess,
  hostBootId
};
