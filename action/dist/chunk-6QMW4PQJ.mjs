import { createRequire as createBundleRequire } from 'node:module';
const require = createBundleRequire(import.meta.url);
import {
  OffshootError
} from "./chunk-LTWX3RIA.mjs";

// hostd/cli/print.ts
function printJson(value) {
  process.stdout.write(`${JSON.stringify(value, null, 2)}
`);
}
function printJsonLine(value) {
  process.stdout.write(`${JSON.stringify(value)}
`);
}
function table(header, rows) {
  const all = [header, ...rows];
  const widths = header.map((_, column) => Math.max(...all.map((row) => (row[column] ?? "").length)));
  return all.map(
    (row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ").trimEnd()
  ).map((line) => `${line}
`).join("");
}
function shortDuration(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 120) return `${String(whole)}s`;
  if (whole < 7200) return `${String(Math.round(whole / 60))}m`;
  if (whole < 172800) return `${String(Math.round(whole / 3600))}h`;
  return `${String(Math.round(whole / 86400))}d`;
}
function milliseconds(value) {
  if (value == null) return "-";
  return value < 1e4 ? `${String(Math.round(value))} ms` : `${(value / 1e3).toFixed(1)} s`;
}
function byteSize(bytes) {
  if (bytes < 1024) return `${String(bytes)} B`;
  let size = bytes / 1024;
  for (const unit of ["KiB", "MiB", "GiB"]) {
    if (size < 1023.95) return `${size.toFixed(1)} ${unit}`;
    size /= 1024;
  }
  return `${size.toFixed(1)} TiB`;
}
function printable(text) {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "?");
}
async function writeAll(stream, bytes) {
  if (stream.destroyed) return;
  await new Promise((resolve) => {
    stream.write(bytes, () => {
      resolve();
    });
  });
}

// hostd/cli/stream-exec.ts
async function streamExec(handle, options = {}) {
  const feeding = options.forwardInput === true ? handle.pipeInput(process.stdin).catch(() => void 0) : void 0;
  const { from = 0, follow = true, signal } = options;
  const chunks = handle.output({ from, follow, signal });
  let first = true;
  for (; ; ) {
    const next = await chunks.next();
    if (next.done === true) {
      if (feeding !== void 0) process.stdin.destroy();
      return next.value ?? await handle.info();
    }
    if (first) options.onFirstOutput?.();
    first = false;
    await writeAll(next.value.stream === "stdout" ? process.stdout : process.stderr, next.value.bytes);
  }
}
function exitCodeOf(exec) {
  if (exec.failure !== null && exec.exitCode === null) {
    const code = exec.failure.code === "sandbox-ended" ? "sandbox-gone" : "guest-unresponsive";
    throw new OffshootError(code, { message: exec.failure.message });
  }
  if (exec.failure !== null) process.stderr.write(`offshoot: ${exec.failure.message} [${exec.failure.code}]
`);
  if (exec.timedOut) process.stderr.write("offshoot: the command ran out of its time and was ended\n");
  if (exec.oomKilled) process.stderr.write("offshoot: the sandbox ran out of memory; give it more with --memory\n");
  if (exec.truncated)
    process.stderr.write("offshoot: the output was longer than this host keeps; its end is missing\n");
  return exec.exitCode ?? 0;
}

export {
  printJson,
  printJsonLine,
  table,
  shortDuration,
  milliseconds,
  byteSize,
  printable,
  streamExec,
  exitCodeOf
};
