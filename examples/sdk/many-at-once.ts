import { isOffshootError, Sandbox } from 'offshoot';

/** The same question to several machines at once; what fails is told apart by its code. */

const versions = ['python3 --version', 'node --version', 'gcc --version | head -1', 'no-such-tool --version'];

const answers = await Promise.all(
  versions.map(async (command) => {
    await using sandbox = await Sandbox.create({ waitSeconds: 60, labels: { example: 'many-at-once' } });
    try {
      return (await sandbox.exec(command, { check: true, timeoutMs: 60_000 })).stdout.trim();
    } catch (error) {
      if (!isOffshootError(error) || error.code !== 'command-failed') throw error;
      return `${command}: exit code ${String(error.details['exitCode'])}`;
    }
  }),
);
console.log(answers.join('\n'));
