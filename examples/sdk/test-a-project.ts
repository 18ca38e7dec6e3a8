import { Sandbox } from 'offshoot';

/** Sends a folder in, runs a command in it, brings a file back: node test-a-project.ts FOLDER COMMAND RESULT */

const [folder = '.', command = 'true', result] = process.argv.slice(2);

await using sandbox = await Sandbox.create({
  memoryMiB: 512,
  timeoutSeconds: 900,
  labels: { example: 'test-a-project' },
});
await sandbox.files.upload(folder, '/workspace', { owner: '0:0', exclude: ['node_modules'] });
const { exitCode } = await sandbox.exec(command, {
  timeoutMs: 600_000,
  onStdout: (text) => void process.stdout.write(text),
  onStderr: (text) => void process.stderr.write(text),
});
if (result !== undefined) await sandbox.files.download(`/workspace/${result}`, result);
process.exitCode = exitCode;
