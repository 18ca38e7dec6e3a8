import { createRequire as createBundleRequire } from 'node:module';
const require = createBundleRequire(import.meta.url);
import {
  bringBack,
  loadJobState,
  tearDown,
  writeSummary
} from "./chunk-UVEQXSIE.mjs";
import {
  Cancellation,
  explain,
  leaseSeconds,
  readSession,
  reconnectTimeoutMs,
  removeSession,
  takeReport,
  tellDenials,
  warn
} from "./chunk-PFPPHYGU.mjs";
import {
  say
} from "./chunk-5RNB6BKN.mjs";
import "./chunk-HGD2WCUR.mjs";
import {
  Stopwatch
} from "./chunk-2J7B57AF.mjs";
import {
  Sandbox
} from "./chunk-7WZNFVLZ.mjs";
import "./chunk-J2RS5RRK.mjs";
import "./chunk-HDXKHYD2.mjs";
import "./chunk-3D7ZWVTF.mjs";
import "./chunk-CIXUOV6D.mjs";
import "./chunk-LTWX3RIA.mjs";
import {
  signalProcess
} from "./chunk-LTHL2XHT.mjs";
import "./chunk-DPK6MB3H.mjs";
import "./chunk-RXM3SW5I.mjs";
import "./chunk-GCJLRCZB.mjs";

// action/job/post-job.ts
async function postJob(state) {
  const egress = {};
  try {
    await endSandbox(state, egress);
  } catch (error) {
    warn(`The clean-up failed: ${explain(error).message}`);
  } finally {
    if (state.local !== void 0) await endLocalHost(state.local);
  }
  return egress.failure === void 0 ? 0 : 1;
}
async function endSandbox(state, egress) {
  const { sandboxId, host, sessionFile } = state;
  const session = sessionFile === void 0 ? void 0 : await sessionOf(sessionFile);
  if (sessionFile !== void 0 && host !== void 0 && !state.destroyed) {
    egress.taken = await takeReport(host, sandboxId);
    egress.failure = tellDenials(egress.taken, { fail: state.failOnEgressDenied, seen: session?.deniedSeen ?? 0 });
  }
  if (state.heartbeat !== void 0) await signalProcess(state.heartbeat, "SIGTERM");
  if (host === void 0 || state.destroyed) return;
  const timings = new Stopwatch(session?.timings);
  if (session !== void 0 && session.artifacts.length > 0) await bringSessionBack(session, timings);
  timings.lap();
  const end = await tearDown(host, sandboxId);
  timings.lap("destroyed");
  if (sessionFile !== void 0) await removeSession(sessionFile);
  sayWhatWasFound(sandboxId, end, session !== void 0);
  if (session === void 0 || end.found === "unknown" || end.found === "never-made") return;
  const outcome = session.failure ?? egress.failure ?? "no step of it failed";
  await writeSummary({
    sandbox: end.info,
    outcome,
    timings: timings.toJSON(),
    kept: session.kept,
    egress: egress.taken
  });
}
async function sessionOf(file) {
  try {
    return await readSession(file);
  } catch (error) {
    warn(`What the steps of the sandbox left is not known, artifacts neither: ${explain(error).message}`);
    return void 0;
  }
}
async function bringSessionBack(session, timings) {
  const cancellation = new Cancellation();
  let sandbox;
  try {
    sandbox = await Sandbox.connect(session.sandboxId, { host: session.host, reconnectTimeoutMs });
    await bringBack(sandbox, {
      globs: session.artifacts,
      workspace: session.workspace,
      into: session.artifactsFolder,
      signal: cancellation.signal
    });
    timings.lap("brought back");
  } catch (error) {
    warn(`The artifacts could not be brought back: ${explain(error).message}`);
  } finally {
    await sandbox?.disconnect();
  }
}
function sayWhatWasFound(sandboxId, end, expected) {
  if (end.found === "unknown") {
    warn(
      `${sandboxId} could not be destroyed: ${explain(end.error).message}
Its lease ends it within ${String(leaseSeconds)} s.`
    );
    return;
  }
  if (end.found === "never-made") say(`${sandboxId} was not made`);
  else if (end.found === "gone") say(`${sandboxId} was gone already: ${end.info.end?.message ?? ""}`);
  else say(expected ? `${sandboxId} is destroyed` : `${sandboxId} was still there and is destroyed`);
}
async function endLocalHost(saved) {
  try {
    const { stopLocalHost } = await import("./local-host.mjs");
    await stopLocalHost(saved);
  } catch (error) {
    warn(`The host of this job could not be ended: ${explain(error).message}`);
  }
}

// action/post.ts
var exitCode = 0;
try {
  const state = loadJobState();
  if (state !== void 0) exitCode = await postJob(state);
} catch (error) {
  warn(`The state that main saved is damaged, so the sandbox is left to its lease: ${explain(error).message}`);
}
process.exit(exitCode);
