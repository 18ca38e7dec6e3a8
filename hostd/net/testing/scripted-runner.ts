import type { Runner, RunOptions, RunResult } from '../../platform/run.ts';

export interface SeenCommand {
  line: string;
  input: string;
}

/** Answers commands from a script and remembers them. */
export class ScriptedRunner implements Runner {
  readonly seen: SeenCommand[] = [];
  readonly #answer: (line: string) => Partial<RunResult> | Error;

  constructor(answer: (line: string) => Partial<RunResult> | Error) {
    this.#answer = answer;
  }

  run(command: string, args: readonly string[], options?: RunOptions): Promise<RunResult> {
    const line = [command, ...args].join(' ');
    this.seen.push({ line, input: String(options?.input ?? '') });
    const answer = this.#answer(line);
    if (answer instanceof Error) return Promise.reject(answer);
    return Promise.resolve({ code: 0, signal: null, stdout: '', stderr: '', ...answer });
  }
}
