import { createRequire as createBundleRequire } from 'node:module';
const require = createBundleRequire(import.meta.url);

// hostd/platform/run.ts
import { spawn } from "node:child_process";
var CommandError = class extends Error {
  command;
  result;
  constructor(command, args, result) {
    const how = result.signal === null ? `exit code ${String(result.code)}` : `signal ${result.signal}`;
    super(`${[command, ...args].join(" ")}: ${how}: ${result.stderr.trim().slice(-2e3)}`);
    this.name = "CommandError";
    this.command = command;
    this.result = result;
  }
};
async function runChecked(runner, command, args, options) {
  const result = await runner.run(command, args, options);
  if (result.code !== 0) throw new CommandError(command, args, result);
  return result;
}
var systemRunner = {
  run: (command, args, options = {}) => new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: options.cwd,
      env: options.env ?? process.env,
      stdio: [options.input === void 0 ? "ignore" : "pipe", "pipe", "pipe"],
      ...options.signal === void 0 ? {} : { signal: options.signal, killSignal: "SIGKILL" }
    });
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      reject(new Error(`${command} did not end within ${String(options.timeoutMs ?? 3e4)} ms`));
    }, options.timeoutMs ?? 3e4);
    const stdout = collect(child.stdout, options.onLine);
    const stderr = collect(child.stderr, options.onLine);
    child.on("error", (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      resolve({ code, signal, stdout: stdout(), stderr: stderr() });
    });
    feed(child, options.input);
  })
};
function feed(child, input) {
  if (input === void 0 || child.stdin === null) return;
  child.stdin.on("error", () => void 0);
  child.stdin.end(input);
}
function collect(stream, onLine) {
  const chunks = [];
  let rest = "";
  stream?.on("data", (chunk) => {
    chunks.push(chunk);
    if (onLine === void 0) return;
    const lines = (rest + chunk.toString("utf8")).split(/[\r\n]+/);
    rest = lines.pop() ?? "";
    for (const line of lines) if (line !== "") onLine(line);
  });
  stream?.on("end", () => {
    if (onLine !== void 0 && rest !== "") onLine(rest);
  });
  return () => Buffer.concat(chunks).toString("utf8");
}

export {
  CommandError,
  runChecked,
  systemRunner
};
