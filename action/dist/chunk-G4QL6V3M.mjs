import { createRequire as createBundleRequire } from 'node:module';
const require = createBundleRequire(import.meta.url);
import {
  exitCodeOf,
  streamExec
} from "./chunk-6QMW4PQJ.mjs";
import {
  Sandbox
} from "./chunk-7WZNFVLZ.mjs";
import "./chunk-J2RS5RRK.mjs";
import "./chunk-HDXKHYD2.mjs";
import "./chunk-3D7ZWVTF.mjs";
import "./chunk-CIXUOV6D.mjs";
import "./chunk-LTWX3RIA.mjs";
import "./chunk-DPK6MB3H.mjs";
import "./chunk-RXM3SW5I.mjs";
import "./chunk-GCJLRCZB.mjs";

// hostd/cli/terminal.ts
async function runInTerminal(id, command, options) {
  const sandbox = await Sandbox.connect(id, options.connection);
  const handle = await sandbox.spawn(command, {
    stdin: true,
    pty: terminalSize(),
    env: { TERM: process.env["TERM"] ?? "xterm", ...options.env },
    ...options.cwd === void 0 ? {} : { cwd: options.cwd },
    ...options.user === void 0 ? {} : { user: options.user }
  });
  const resize = () => {
    const { rows, cols } = terminalSize();
    void handle.resize(rows, cols).catch(() => void 0);
  };
  const { stdin, stdout } = process;
  if (stdin.isTTY) stdin.setRawMode(true);
  stdout.on("resize", resize);
  stdin.on("data", (chunk) => void handle.write(chunk).catch(() => void 0));
  stdin.on("end", () => void handle.endInput().catch(() => void 0));
  try {
    return exitCodeOf(await streamExec(handle));
  } finally {
    stdout.off("resize", resize);
    if (stdin.isTTY) stdin.setRawMode(false);
    stdin.destroy();
  }
}
function terminalSize() {
  return { rows: process.stdout.rows || 24, cols: process.stdout.columns || 80 };
}
export {
  runInTerminal
};
