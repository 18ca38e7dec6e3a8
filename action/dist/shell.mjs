import { createRequire as createBundleRequire } from 'node:module';
const require = createBundleRequire(import.meta.url);
import {
  beat,
  judge,
  keepSandbox,
  placeScript,
  runScript,
  send
} from "./chunk-USWOJVQK.mjs";
import {
  Cancellation,
  readSession,
  reconnectTimeoutMs,
  sessionFile,
  sessionVariable,
  takeReport,
  tell,
  tellDenials,
  tellFailure,
  writeSession
} from "./chunk-PFPPHYGU.mjs";
import {
  say
} from "./chunk-5RNB6BKN.mjs";
import "./chunk-HGD2WCUR.mjs";
import "./chunk-OZEBK3DO.mjs";
import "./chunk-LJQPOVH3.mjs";
import {
  Sandbox
} from "./chunk-7WZNFVLZ.mjs";
import "./chunk-J2RS5RRK.mjs";
import "./chunk-HDXKHYD2.mjs";
import "./chunk-3D7ZWVTF.mjs";
import "./chunk-CIXUOV6D.mjs";
import "./chunk-LTWX3RIA.mjs";
import {
  identifyProcess,
  isAlive,
  processIdentitySchema
} from "./chunk-LTHL2XHT.mjs";
import "./chunk-DPK6MB3H.mjs";
import "./chunk-RXM3SW5I.mjs";
import {
  __callDispose,
  __using
} from "./chunk-GCJLRCZB.mjs";

// action/shell/main.ts
import { statSync } from "node:fs";
import path2 from "node:path";

// action/shell/run-step.ts
import { readFile as readFile2 } from "node:fs/promises";
import path from "node:path";

// action/egress/step-denials.ts
async function failForDenials(session) {
  if (!session.failOnEgressDenied) return void 0;
  const taken = await takeReport(session.host, session.sandboxId);
  const failure = tellDenials(taken, { fail: true, seen: session.deniedSeen });
  if ("report" in taken) session.deniedSeen = taken.report.deniedCount;
  return failure;
}

// action/job/step-lock.ts
import { readFile, rm, writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
var pollMs = 100;
async function takeTurn(sessionFile2, signal) {
  const file = `${sessionFile2}.lock`;
  const self = await identifyProcess(process.pid);
  if (self === void 0) return { [Symbol.asyncDispose]: () => Promise.resolve() };
  while (!await claim(file, self)) {
    const holder = await holderOf(file);
    if (holder !== void 0 && !await isAlive(holder)) await rm(file, { force: true });
    else await sleep(pollMs, void 0, { signal });
  }
  return { [Symbol.asyncDispose]: () => rm(file, { force: true }) };
}
async function claim(file, self) {
  return writeFile(file, JSON.stringify(self), { flag: "wx", mode: 384 }).then(
    () => true,
    (error) => {
      if (error.code === "EEXIST") return false;
      throw error;
    }
  );
}
async function holderOf(file) {
  try {
    return processIdentitySchema.parse(JSON.parse(await readFile(file, "utf8")));
  } catch {
    return void 0;
  }
}

// action/shell/run-step.ts
var ownFailure = 125;
async function runStep(script, options) {
  const cancellation = new Cancellation();
  try {
    var _stack = [];
    try {
      const file = sessionOfTheJob();
      const _turn = __using(_stack, await takeTurn(file, cancellation.signal), true);
      const session = await readSession(file);
      const sandbox = await Sandbox.connect(session.sandboxId, { host: session.host, reconnectTimeoutMs });
      try {
        await sandbox.renew(session.leaseSeconds);
        if (options.sync) await send(sandbox, session.workspace, session.syncExclude, cancellation.signal);
        const verdict = await runInSession(sandbox, session, script, cancellation.signal);
        if (!verdict.ok) {
          tell("error", verdict.title, verdict.message);
          session.failure ??= verdict.message;
        }
        const denied = await failForDenials(session);
        session.failure ??= denied;
        if (!verdict.ok || denied !== void 0) await keepOnce(sandbox, session);
        return verdict.ok && denied !== void 0 ? 1 : verdict.exitCode;
      } finally {
        await writeSession(file, session);
        await sandbox.disconnect();
      }
    } catch (_) {
      var _error = _, _hasError = true;
    } finally {
      var _promise = __callDispose(_stack, _error, _hasError);
      _promise && await _promise;
    }
  } catch (error) {
    if (cancellation.cancelled) return 130;
    tellFailure(error);
    return ownFailure;
  }
}
async function hostOfTheJob() {
  return readSession(sessionOfTheJob()).then(
    ({ host }) => host,
    () => void 0
  );
}
function sessionOfTheJob() {
  return sessionFile(process.env["RUNNER_TEMP"] ?? "", process.env[sessionVariable] ?? "");
}
async function runInSession(sandbox, session, script, signal) {
  const exec = await runScript(sandbox, session, {
    script: await placeScript(sandbox, await readFile2(script), session.shell, signal),
    workingDirectory: workingDirectory(session.workspace),
    timeoutMs: session.timeoutMs,
    // a later step may go on in this sandbox
    onSignal: "end",
    reservedOutputs: [],
    summaryReserveBytes: 0,
    signal
  });
  return judge("the script", exec, sandbox, session.timeoutMs);
}
function workingDirectory(workspace) {
  const here = process.cwd();
  return here === workspace || here.startsWith(workspace + path.sep) ? here : workspace;
}
async function keepOnce(sandbox, session) {
  if (session.keepMinutes === 0 || session.kept !== void 0) return;
  session.kept = await keepSandbox(sandbox, session.host, session.keepMinutes);
  if (session.kept !== void 0) say(`kept for ${String(session.kept.minutes)} minutes: ${session.kept.command}`);
}

// action/shell/main.ts
async function main(args) {
  if (args[0] === "--heartbeat") {
    const [, file = "", pid = "", startTicks = ""] = args;
    await beat(file, processIdentitySchema.parse({ pid: Number(pid), startTicks: Number(startTicks) }));
    return 0;
  }
  const sync = args[0] === "--sync";
  const script = sync ? args[1] : args[0];
  if (script !== void 0 && isScript(script)) return runStep(script, { sync });
  const { runCommandLine } = await import("./chunk-U4GYTHRC.mjs");
  const host = process.env["OFFSHOOT_HOST"] ?? await hostOfTheJob();
  if (host !== void 0) process.env["OFFSHOOT_HOST"] = host;
  await runCommandLine(["node", "offshoot", ...args]);
  return Number(process.exitCode ?? 0);
}
function isScript(word) {
  return path2.isAbsolute(word) && statSync(word, { throwIfNoEntry: false })?.isFile() === true;
}
process.exit(await main(process.argv.slice(2)));
