import { createRequire as createBundleRequire } from 'node:module';
const require = createBundleRequire(import.meta.url);
import {
  bringBack,
  checkArtifactGlobs,
  saveJobState,
  tearDown,
  writeSummary
} from "./chunk-UVEQXSIE.mjs";
import {
  actionOutputs,
  checkSnapshotName,
  furnish,
  judge,
  keepSandbox,
  namedValues,
  placeScript,
  runScript,
  saveSnapshot,
  startHeartbeat
} from "./chunk-USWOJVQK.mjs";
import {
  Cancellation,
  createSandbox,
  explain,
  leaseSeconds,
  sessionFile,
  sessionFolder,
  sessionVariable,
  takeReport,
  tell,
  tellDenials,
  tellFailure,
  warn,
  writeSession
} from "./chunk-PFPPHYGU.mjs";
import {
  say
} from "./chunk-5RNB6BKN.mjs";
import {
  addPath,
  endGroup,
  exportVariable,
  getInput,
  setOutput,
  startGroup
} from "./chunk-HGD2WCUR.mjs";
import {
  keepLease
} from "./chunk-6DJXB2CB.mjs";
import {
  Stopwatch
} from "./chunk-2J7B57AF.mjs";
import "./chunk-OZEBK3DO.mjs";
import "./chunk-LJQPOVH3.mjs";
import {
  parseHostAddress
} from "./chunk-7WZNFVLZ.mjs";
import "./chunk-J2RS5RRK.mjs";
import {
  ulid
} from "./chunk-HDXKHYD2.mjs";
import "./chunk-3D7ZWVTF.mjs";
import "./chunk-CIXUOV6D.mjs";
import {
  OffshootError,
  isOffshootError
} from "./chunk-LTWX3RIA.mjs";
import "./chunk-LTHL2XHT.mjs";
import {
  egressModes,
  egressWords,
  labelsSchema,
  nameSchema
} from "./chunk-DPK6MB3H.mjs";
import {
  external_exports
} from "./chunk-RXM3SW5I.mjs";
import "./chunk-GCJLRCZB.mjs";

// action/job/main-job.ts
import path5 from "node:path";

// action/context.ts
import { readFileSync } from "node:fs";
var labelled = {
  "github.repository": "GITHUB_REPOSITORY",
  "github.run-id": "GITHUB_RUN_ID",
  "github.run-attempt": "GITHUB_RUN_ATTEMPT",
  "github.job": "GITHUB_JOB",
  "github.ref": "GITHUB_REF",
  "github.sha": "GITHUB_SHA",
  "github.actor": "GITHUB_ACTOR"
};
function readContext(env = process.env) {
  const needed = (name) => {
    const value = env[name];
    if (value !== void 0 && value !== "") return value;
    throw new OffshootError("action-input", {
      message: `${name} is not set: this is not a step of a workflow.`,
      hint: "Use the offshoot command outside of workflows."
    });
  };
  return {
    workspace: needed("GITHUB_WORKSPACE").replace(/(?<=.)\/+$/, ""),
    tempFolder: needed("RUNNER_TEMP"),
    trigger: { name: env["GITHUB_EVENT_NAME"] ?? "", payload: readPayload(env["GITHUB_EVENT_PATH"]) },
    labels: Object.fromEntries(
      Object.entries(labelled).flatMap(([label, name]) => {
        const value = env[name];
        return value === void 0 || value === "" ? [] : [[label, value.slice(0, 1024)]];
      })
    )
  };
}
function readPayload(file) {
  if (file === void 0 || file === "") return void 0;
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return void 0;
  }
}

// action/inputs.ts
var units = { "": 1, m: 1, mb: 1, mib: 1, g: 1024, gb: 1024, gib: 1024 };
var sizeMiB = external_exports.string().transform((text, context) => {
  const [, digits = "", unit = ""] = /^(\d{1,9})\s*([a-z]*)$/i.exec(text) ?? [];
  const factor = units[unit.toLowerCase()];
  if (digits !== "" && factor !== void 0 && Number(digits) > 0) return Number(digits) * factor;
  context.addIssue({ code: "custom", message: "must be a whole number of MiB, or have a unit as in 2g" });
  return external_exports.NEVER;
});
var positive = (most) => external_exports.string().regex(/^\d{1,9}$/, "must be a whole number").transform(Number).pipe(
  external_exports.number().min(1, "must be at least 1").max(most, `must be at most ${String(most)}`)
);
var minutes = external_exports.string().regex(/^\d{1,6}(\.\d{1,3})?$/, "must be a number of minutes").transform(Number);
var yesOrNo = external_exports.enum(["true", "True", "TRUE", "false", "False", "FALSE"], "must be true or false").transform((text) => text.toLowerCase() === "true");
var lines = external_exports.string().transform(
  (text) => text.split("\n").map((line) => line.trim()).filter((line) => line !== "" && !line.startsWith("#"))
);
var absentWhenEmpty = (schema) => external_exports.preprocess((value) => value === "" ? void 0 : value, schema.optional());
var host = external_exports.string().superRefine((text, context) => {
  if (text === "local") return;
  if (text === "") {
    context.addIssue({ code: "custom", message: "is needed: unix:PATH, or local" });
    return;
  }
  try {
    parseHostAddress(text);
  } catch {
    context.addIssue({ code: "custom", message: "must be unix:PATH, or local" });
  }
});
var labels = lines.transform((entries, context) => {
  const given = {};
  for (const entry of entries) {
    const at = entry.indexOf("=");
    if (at < 1) context.addIssue({ code: "custom", message: `${JSON.stringify(entry)} is not NAME=VALUE` });
    else given[entry.slice(0, at).trim()] = entry.slice(at + 1).trim();
  }
  return given;
}).pipe(labelsSchema);
var shell = external_exports.string().min(1).refine(
  (text) => ["bash", "sh", "python"].includes(text) || text.includes("{0}"),
  "must be bash, sh, python, or a command line with {0} for the script"
);
var longestScriptMinutes = 10080;
var inputsSchema = external_exports.strictObject({
  host,
  image: absentWhenEmpty(nameSchema),
  snapshot: absentWhenEmpty(nameSchema),
  prepare: external_exports.string(),
  run: external_exports.string(),
  shell,
  "working-directory": external_exports.string(),
  env: external_exports.string(),
  cpus: absentWhenEmpty(positive(64)),
  memory: absentWhenEmpty(sizeMiB),
  disk: absentWhenEmpty(sizeMiB),
  "timeout-minutes": minutes.pipe(
    external_exports.number().positive("must be more than 0").max(longestScriptMinutes, `must be at most ${String(longestScriptMinutes)}`)
  ),
  egress: absentWhenEmpty(external_exports.string().max(2e5, "must be at most 200000 characters")),
  "egress-mode": absentWhenEmpty(external_exports.enum(egressModes, "must be enforce, audit, open or none")),
  "fail-on-egress-denied": yesOrNo,
  sync: yesOrNo,
  "sync-exclude": lines,
  artifacts: lines,
  "artifacts-dir": external_exports.string().min(1).refine((text) => !text.split("/").includes("..") && !text.startsWith("/"), "must lie beneath the workspace"),
  "keep-on-failure": minutes.pipe(
    external_exports.number().max(43200, "must be at most 43200, which is 30 days").refine((value) => value === 0 || value >= 2, "must be 0 or at least 2")
  ),
  "save-snapshot": absentWhenEmpty(nameSchema),
  labels,
  "allow-unsafe-fork-code": yesOrNo
}).superRefine((inputs, context) => {
  const wrong = (name, message) => {
    context.addIssue({ code: "custom", path: [name], message });
  };
  if (inputs.snapshot !== void 0) {
    for (const name of ["image", "cpus", "memory", "disk"]) {
      if (inputs[name] !== void 0)
        wrong(name, "can not be given together with snapshot, which has its own; remove one of them");
    }
  }
  if (inputs["egress-mode"] === "none" && egressWords(inputs.egress ?? "").length > 0)
    wrong("egress", "must be empty with egress-mode none, which allows nothing; remove one of them");
  if (inputs["fail-on-egress-denied"] && ["open", "none"].includes(inputs["egress-mode"] ?? ""))
    wrong("fail-on-egress-denied", "needs egress-mode enforce or audit: the others record no denials");
  if (inputs.host === "local" && inputs.snapshot !== void 0)
    wrong("snapshot", "there is none on a host that is started for this job; name the host that has it");
  if (inputs.host === "local" && inputs["keep-on-failure"] > 0)
    wrong("keep-on-failure", "needs a host that lives longer than the job; host is local");
  if (inputs.host === "local" && inputs["save-snapshot"] !== void 0)
    wrong("save-snapshot", "needs a host that lives longer than the job; host is local");
});
function readInputs(read = untrimmedScript) {
  const given = Object.fromEntries(inputNames.map((name) => [name, read(name)]));
  const result = inputsSchema.safeParse(given);
  if (result.success) return result.data;
  const issues = result.error.issues.map(({ path: path6, message }) => ({ path: path6.map(String).join("."), message }));
  const first = issues[0];
  throw new OffshootError("action-input", {
    message: issues.length > 1 ? `${String(issues.length)} inputs are not valid:` : `The input ${first?.path ?? ""} ${first?.message ?? "is not valid"}.`,
    details: { issues }
  });
}
var inputNames = [
  "host",
  "image",
  "snapshot",
  "prepare",
  "run",
  "shell",
  "working-directory",
  "env",
  "cpus",
  "memory",
  "disk",
  "timeout-minutes",
  "egress",
  "egress-mode",
  "fail-on-egress-denied",
  "sync",
  "sync-exclude",
  "artifacts",
  "artifacts-dir",
  "keep-on-failure",
  "save-snapshot",
  "labels",
  "allow-unsafe-fork-code"
];
function untrimmedScript(name) {
  return getInput(name, { trimWhitespace: !["prepare", "run", "env"].includes(name) });
}

// action/refusals.ts
var repository = external_exports.object({ id: external_exports.number() });
var eventSchema = external_exports.object({
  repository: repository.optional(),
  pull_request: external_exports.object({ head: external_exports.object({ repo: repository.nullable() }), base: external_exports.object({ repo: repository.nullable() }) }).optional(),
  workflow_run: external_exports.object({ head_repository: repository.nullable().optional() }).optional()
});
var privileged = /* @__PURE__ */ new Set(["pull_request_target", "workflow_run"]);
function refuseUnsafeTriggers(trigger, host2, allowUnsafeForkCode) {
  if (privileged.has(trigger.name) && !allowUnsafeForkCode && comesFromFork(trigger)) {
    throw new OffshootError("unsafe-fork-code", {
      message: `This job was started by ${trigger.name} from a fork: its code would run with this repository's secrets and tokens at hand.`
    });
  }
  if (host2 !== "local" && !host2.startsWith("unix:") && comesFromFork(trigger)) {
    throw new OffshootError("fork-pr-no-identity", {
      message: `A pull request from a fork gets no token, so it can not use the host ${host2}.`
    });
  }
}
function refuseUnservedHosts(host2) {
  if (host2 === "local" || host2.startsWith("unix:")) return;
  throw new OffshootError("action-input", { message: `The input host must be unix:PATH, or local; it is ${host2}.` });
}
function comesFromFork({ name, payload }) {
  if (!name.startsWith("pull_request") && name !== "workflow_run") return false;
  const parsed = eventSchema.safeParse(payload);
  if (!parsed.success) return true;
  const { pull_request: pull, workflow_run: run, repository: own } = parsed.data;
  if (name === "workflow_run") return run?.head_repository?.id !== own?.id || own === void 0;
  if (pull === void 0) return true;
  return pull.head.repo === null || pull.head.repo.id !== (pull.base.repo?.id ?? own?.id);
}

// action/job/end-sandbox.ts
import path2 from "node:path";

// action/egress/report-file.ts
import { writeFile } from "node:fs/promises";
import path from "node:path";
async function putOut(taken, tempFolder, sandboxId) {
  if ("missing" in taken) return;
  setOutput("egress-denied-count", taken.report.deniedCount);
  const file = path.join(tempFolder, `offshoot-egress-${sandboxId}.json`);
  try {
    await writeFile(file, `${JSON.stringify(taken.report, void 0, 2)}
`);
  } catch (error) {
    warn(`The egress report could not be written: ${error instanceof Error ? error.message : String(error)}`);
    return;
  }
  setOutput("egress-report", file);
}

// action/job/timings.ts
function renderTimings(timings) {
  const key = (name) => `${name.replace(/ (\w)/g, (_, letter) => letter.toUpperCase())}Ms`;
  return JSON.stringify(
    Object.fromEntries(Object.entries(timings.toJSON()).map(([name, durationMs]) => [key(name), durationMs]))
  );
}

// action/job/end-sandbox.ts
async function endSandbox(job, host2, sandbox, outcome) {
  const { inputs, context, state, timings, cancellation } = job;
  const answers = !("error" in outcome) || !isLost(outcome.error);
  const egress = await reportEgress(job, host2, outcome);
  timings.lap();
  const failed = hasFailed(outcome) || egress.failure !== void 0;
  const kept = answers && failed ? await keep(job, host2, sandbox) : void 0;
  if (answers && inputs.artifacts.length > 0) {
    await bringBack(sandbox, {
      globs: inputs.artifacts,
      workspace: context.workspace,
      into: path2.join(context.workspace, inputs["artifacts-dir"]),
      signal: cancellation.signal
    });
    timings.lap("brought back");
  }
  timings.lap();
  const end = await tearDown(host2, state.sandboxId);
  timings.lap("destroyed");
  setOutput("timings", renderTimings(timings));
  if (end.found === "unknown") {
    warn(
      `${sandbox.id} could not be destroyed: ${explain(end.error).message}
Its lease ends it within ${String(leaseSeconds)} s.`
    );
    return egress.failure === void 0;
  }
  state.destroyed = true;
  saveJobState(state);
  if (end.found !== "never-made") {
    await writeSummary({
      sandbox: end.info,
      outcome: describe(outcome, egress.failure),
      timings: timings.toJSON(),
      kept,
      snapshot: job.saved,
      egress: egress.taken
    });
  }
  return egress.failure === void 0;
}
async function reportEgress({ inputs, context, state }, host2, outcome) {
  const away = "error" in outcome && isOffshootError(outcome.error) && outcome.error.code === "host-unreachable";
  const taken = away ? { missing: "the host is away" } : await takeReport(host2, state.sandboxId);
  await putOut(taken, context.tempFolder, state.sandboxId);
  return { taken, failure: tellDenials(taken, { fail: inputs["fail-on-egress-denied"] }) };
}
async function keep({ inputs, timings }, host2, sandbox) {
  if (inputs["keep-on-failure"] === 0) return void 0;
  timings.lap();
  const kept = await keepSandbox(sandbox, host2, inputs["keep-on-failure"]);
  timings.lap("kept");
  if (kept === void 0) return void 0;
  setOutput("snapshot-id", kept.snapshot);
  say(`kept for ${String(kept.minutes)} minutes: ${kept.command}`);
  return kept;
}
function hasFailed(outcome) {
  return "error" in outcome || outcome.verdict?.ok === false;
}
function describe(outcome, egressFailure) {
  if ("error" in outcome) return explain(outcome.error).title;
  if (outcome.verdict?.ok === false) return outcome.verdict.message;
  return egressFailure ?? (outcome.verdict === void 0 ? void 0 : "succeeded");
}
function isLost(error) {
  return isOffshootError(error) && ["host-unreachable", "sandbox-gone", "guest-unresponsive"].includes(error.code);
}

// action/job/job-host.ts
async function openHost(inputs, state, tempFolder, signal) {
  if (inputs.host !== "local") return inputs.host;
  const { planLocalHost, startLocalHost } = await import("./local-host.mjs");
  const plan = await planLocalHost({ tempFolder, image: inputs.image ?? "default" });
  state.local = plan;
  saveJobState(state);
  const { host: host2 } = await startLocalHost(plan, { signal });
  return host2;
}

// action/job/open-session.ts
import { chmod, mkdir, writeFile as writeFile2 } from "node:fs/promises";
import path4 from "node:path";

// action/entries.ts
import { realpathSync } from "node:fs";
import path3 from "node:path";
function shellEntry(started = process.argv[1]) {
  const main = realpathSync(started ?? "");
  const folder = path3.dirname(main);
  return main.endsWith(".ts") ? path3.join(folder, "shell/main.ts") : path3.join(folder, "shell.mjs");
}

// action/job/open-session.ts
async function openSession({ inputs, context, state, timings }, host2, sandbox, session) {
  const file = sessionFile(context.tempFolder, sandbox.id);
  await writeSession(file, {
    version: 1,
    sandboxId: sandbox.id,
    host: host2,
    ...session,
    shell: inputs.shell,
    timeoutMs: Math.round(inputs["timeout-minutes"] * 6e4),
    leaseSeconds,
    sync: inputs.sync,
    syncExclude: inputs["sync-exclude"],
    artifacts: inputs.artifacts,
    keepMinutes: inputs["keep-on-failure"],
    failOnEgressDenied: inputs["fail-on-egress-denied"],
    deniedSeen: 0,
    timings: timings.toJSON()
  });
  state.sessionFile = file;
  const heartbeat = await startHeartbeat(shellEntry(), file);
  if (heartbeat === void 0) warn("The lease can not be renewed between steps on this runner.");
  else state.heartbeat = heartbeat;
  saveJobState(state);
  exportVariable(sessionVariable, sandbox.id);
  addPath(await writeCommand(path4.join(sessionFolder(context.tempFolder), "bin")));
  say(`steps with \`shell: offshoot {0}\` run in ${sandbox.id}`);
}
async function writeCommand(folder) {
  await mkdir(folder, { recursive: true });
  const command = path4.join(folder, "offshoot");
  await writeFile2(command, `#!/bin/sh
exec ${quoted(process.execPath)} ${quoted(shellEntry())} "$@"
`);
  await chmod(command, 493);
  return folder;
}
function quoted(word) {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

// action/job/run-inputs.ts
var ownSummaryBytes = 65536;
async function runInput(job, sandbox, session, name, script) {
  const { inputs, timings, cancellation } = job;
  const timeoutMs = Math.round(inputs["timeout-minutes"] * 6e4);
  if (name === "prepare") startGroup("prepare");
  const exec = await runScript(sandbox, session, {
    script,
    workingDirectory: inputs["working-directory"],
    timeoutMs,
    reservedOutputs: actionOutputs,
    summaryReserveBytes: ownSummaryBytes,
    signal: cancellation.signal,
    onSignal: "leave",
    ...name === "run" ? {
      onFirstOutput: () => {
        timings.lap("first output");
      }
    } : {}
  }).finally(() => {
    if (name === "prepare") endGroup();
  });
  timings.lap(name === "run" ? "done" : "prepared");
  const verdict = await judge(name, exec, sandbox, timeoutMs);
  if (!verdict.ok) tell("error", verdict.title, verdict.message);
  return verdict;
}

// action/job/main-job.ts
var cancelledTeardown = { patienceMs: 5e3, requestTimeoutMs: 4e3 };
async function mainJob() {
  const cancellation = new Cancellation();
  try {
    const inputs = readInputs();
    checkArtifactGlobs(inputs.artifacts);
    const named = namedValues(inputs.env);
    const context = readContext();
    refuseUnsafeTriggers(context.trigger, inputs.host, inputs["allow-unsafe-fork-code"]);
    refuseUnservedHosts(inputs.host);
    const state = {
      sandboxId: `sbx_${ulid()}`,
      failOnEgressDenied: inputs["fail-on-egress-denied"],
      destroyed: false
    };
    if (inputs.host !== "local") state.host = inputs.host;
    saveJobState(state);
    return await work({ inputs, named, context, state, timings: new Stopwatch(), cancellation });
  } catch (error) {
    await cancellation.settled();
    if (cancellation.cancelled) tell("warning", "Offshoot", "Cancelled.");
    else tellFailure(error);
    return 1;
  }
}
async function work(job) {
  const { inputs, context, state, timings, cancellation } = job;
  const { signal } = cancellation;
  const host2 = await openHost(inputs, state, context.tempFolder, signal);
  timings.lap();
  state.host = host2;
  saveJobState(state);
  cancellation.onCancel(() => tearDown(host2, state.sandboxId, cancelledTeardown));
  const sandbox = await createSandbox(state.sandboxId, host2, inputs, context, timings, signal).catch(
    async (error) => {
      await tearDown(host2, state.sandboxId, cancelledTeardown);
      throw error;
    }
  );
  setOutput("sandbox-id", sandbox.id);
  const lease = keepLease(sandbox, leaseSeconds);
  try {
    return await useSandbox(job, host2, sandbox);
  } catch (error) {
    if (!cancellation.cancelled) await endSandbox(job, host2, sandbox, { error });
    throw error;
  } finally {
    lease.stop();
    await cancellation.settled();
    await sandbox.disconnect();
  }
}
async function useSandbox(job, host2, sandbox) {
  const { inputs, context, timings } = job;
  const { signal } = job.cancellation;
  const { workspace } = context;
  const saveAs = inputs["save-snapshot"];
  const place = (text) => text.trim() === "" ? void 0 : placeScript(sandbox, text, inputs.shell, signal);
  const [prepareScript, runScript2] = await Promise.all([
    place(inputs.prepare),
    place(inputs.run),
    furnish(sandbox, { workspace, sync: inputs.sync, syncExclude: inputs["sync-exclude"], signal }),
    saveAs === void 0 ? void 0 : checkSnapshotName(host2, saveAs)
  ]);
  timings.lap("synced");
  const session = {
    workspace,
    env: inputs.env,
    named: job.named,
    artifactsFolder: path5.join(workspace, inputs["artifacts-dir"]),
    pathEntries: [],
    envEntries: []
  };
  let verdict;
  if (prepareScript !== void 0) verdict = await runInput(job, sandbox, session, "prepare", prepareScript);
  if (verdict?.ok !== false && saveAs !== void 0) {
    await saveSnapshot(sandbox, host2, saveAs);
    job.saved = saveAs;
    setOutput("snapshot-id", saveAs);
    say(`saved as snapshot ${saveAs}`);
    timings.lap("saved");
  }
  if (verdict?.ok !== false && runScript2 !== void 0)
    verdict = await runInput(job, sandbox, session, "run", runScript2);
  if (verdict !== void 0) setOutput("exit-code", verdict.exitCode);
  if (verdict?.ok !== false && runScript2 === void 0 && (prepareScript === void 0 || await mayGoOn(job, host2))) {
    await openSession(job, host2, sandbox, session);
    setOutput("timings", renderTimings(timings));
    return 0;
  }
  const passed = await endSandbox(job, host2, sandbox, { verdict });
  return verdict?.ok === false || !passed ? 1 : 0;
}
async function mayGoOn({ inputs, state }, host2) {
  if (!inputs["fail-on-egress-denied"]) return true;
  const taken = await takeReport(host2, state.sandboxId);
  return "report" in taken && taken.report.deniedCount === 0;
}

// action/main.ts
process.on("unhandledRejection", (reason) => {
  warn(`unexpected: ${reason instanceof Error ? reason.message : String(reason)}`);
});
process.exit(await mainJob());
