import { runCommandLine } from './command-line.ts';

/** Entry of the `offshoot` command. */
await runCommandLine(process.argv);
