import { createRequire as createBundleRequire } from 'node:module';
const require = createBundleRequire(import.meta.url);
import {
  OffshootError
} from "./chunk-LTWX3RIA.mjs";

// hostd/client/exec-result.ts
async function collectOutput(handle, handlers) {
  const limit = handlers.maxOutputBytes ?? 64 * 1024 * 1024;
  const gather = { stdout: newStream(handlers.onStdout), stderr: newStream(handlers.onStderr) };
  let kept = 0;
  let cut = false;
  const chunks = handle.output();
  for (; ; ) {
    const next = await chunks.next();
    if (next.done === true) {
      const info = next.value ?? await handle.info();
      for (const stream2 of Object.values(gather)) await stream2.take(stream2.decoder.decode(), true);
      if (info.exitCode === null) throw execLost(info.failure);
      return {
        execId: handle.id,
        exitCode: info.exitCode,
        signal: info.signal,
        timedOut: info.timedOut,
        oomKilled: info.oomKilled,
        stdout: gather.stdout.text(),
        stderr: gather.stderr.text(),
        truncated: cut || info.truncated
      };
    }
    const { stream, bytes } = next.value;
    const text = gather[stream].decoder.decode(bytes, { stream: true });
    const fits = kept + bytes.length <= limit;
    cut ||= !fits;
    if (fits) kept += bytes.length;
    await gather[stream].take(text, fits);
  }
}
function newStream(handler) {
  const parts = [];
  return {
    decoder: new TextDecoder("utf-8", { ignoreBOM: true }),
    take: async (text, keep) => {
      if (text === "") return;
      if (keep) parts.push(text);
      await handler?.(text);
    },
    text: () => parts.join("")
  };
}
function execLost(failure) {
  const code = failure?.code === "sandbox-ended" ? "sandbox-gone" : "guest-unresponsive";
  return new OffshootError(code, {
    message: failure?.message ?? "The result of the exec is not known.",
    details: failure === null ? {} : { failure }
  });
}

export {
  collectOutput
};
