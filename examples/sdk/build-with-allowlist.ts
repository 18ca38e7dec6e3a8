import { Sandbox } from 'offshoot';

/** Runs a command that may reach what the rules name and nothing else, and says what it was denied: node build-with-allowlist.ts COMMAND RULE... */

const [command = 'true', ...rules] = process.argv.slice(2);

await using sandbox = await Sandbox.create({
  egress: rules, // a list alone means enforce; without a rule it reaches nothing
  timeoutSeconds: 900,
  labels: { example: 'build-with-allowlist' },
});
const { exitCode } = await sandbox.exec(command, {
  timeoutMs: 600_000,
  onStdout: (text) => void process.stdout.write(text),
  onStderr: (text) => void process.stderr.write(text),
});

const { denied, suggestedAllow } = await sandbox.egressReport();
for (const { name, address, port, reason } of denied) {
  console.log(`denied: ${name ?? address ?? 'unknown'}${port === null ? '' : ` port ${String(port)}`}, ${reason}`);
}
if (denied.length > 0) console.log(`rules that allow it, if it is meant:\n${suggestedAllow.join('\n')}`);
process.exitCode = exitCode;
