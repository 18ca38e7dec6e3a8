import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** The files a runner gives to one step, and a second reading of its rules for them (actions/runner: FileCommandManager.cs). */
export class RunnerFiles implements Disposable {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'offshoot-runner-files-'));
  readonly env: NodeJS.ProcessEnv;

  constructor() {
    const file = (name: string): string => {
      const target = path.join(this.folder, name);
      writeFileSync(target, '');
      return target;
    };
    this.env = {
      GITHUB_OUTPUT: file('set_output'),
      GITHUB_ENV: file('set_env'),
      GITHUB_PATH: file('add_path'),
      GITHUB_STEP_SUMMARY: file('step_summary'),
    };
  }

  bytes(variable: string): Buffer {
    return readFileSync(this.env[variable] ?? '');
  }

  /** Throws where the runner would fail the step. */
  pairs(variable: string): [name: string, value: string][] {
    const lines = this.bytes(variable).toString('utf8').split('\n');
    const pairs: [string, string][] = [];
    for (let index = 0; index < lines.length; index++) {
      const line = lines[index] ?? '';
      if (line === '') continue;
      const plain = /^((?:(?!<<)[^=])*)=(.*)$/s.exec(line);
      if (plain !== null) {
        pairs.push([plain[1] ?? '', plain[2] ?? '']);
        continue;
      }
      const [name = '', ...rest] = line.split('<<');
      const delimiter = rest.join('<<');
      if (name === '' || delimiter === '') throw new Error(`invalid: ${line}`);
      const end = lines.indexOf(delimiter, index + 1);
      if (end < 0) throw new Error(`no end: ${delimiter}`);
      pairs.push([name, lines.slice(index + 1, end).join('\n')]);
      index = end;
    }
    return pairs;
  }

  paths(): string[] {
    return this.bytes('GITHUB_PATH')
      .toString('utf8')
      .split(/\r\n|\n|\r/)
      .filter((line) => line !== '');
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
