import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { envFileEntries } from './env-file.ts';
import { addPath, saveState, setEnv, type JobState, type StepState } from './job-state.ts';

/** The files a step writes commands to, by the rules of actions/runner src/Runner.Worker/FileCommandManager.cs. */

const summaryLimitBytes = 1024 * 1024;

type Effect = (job: JobState, step: StepState, file: string) => Promise<void>;

const kinds: Record<string, { prefix: string; effect: Effect }> = {
  path: { prefix: 'add_path_', effect: readPath },
  env: { prefix: 'set_env_', effect: readEnv },
  output: { prefix: 'set_output_', effect: readOutputs },
  state: { prefix: 'save_state_', effect: readState },
  step_summary: { prefix: 'step_summary_', effect: readSummary },
};

/** Empty files of one step. */
export class FileCommands {
  readonly #files: Record<string, string>;

  private constructor(files: Record<string, string>) {
    this.#files = files;
  }

  static async create(temp: string): Promise<FileCommands> {
    const folder = path.join(temp, '_runner_file_commands');
    await mkdir(folder, { recursive: true });
    const suffix = randomUUID();
    const files: Record<string, string> = {};
    for (const [name, { prefix }] of Object.entries(kinds)) {
      const file = path.join(folder, prefix + suffix);
      await writeFile(file, '');
      files[name] = file;
    }
    return new FileCommands(files);
  }

  /** What the github context has of them: `env`, `output`, `path`, `state`, `step_summary`. */
  get context(): Readonly<Record<string, string>> {
    return this.#files;
  }

  /** After the step, whatever its end was: an error in one file fails the step and leaves the other files alone. */
  async process(job: JobState, step: StepState): Promise<void> {
    for (const [name, file] of Object.entries(this.#files)) {
      try {
        await kinds[name]?.effect(job, step, file);
      } catch (error) {
        step.log.error(`Unable to process file command '${name}' successfully.`);
        step.log.error(error instanceof Error ? error.message : String(error));
        step.commandFailed = true;
      }
      await rm(file, { force: true });
    }
  }
}

/** As the runner reads text: UTF-8 without its mark, what is not UTF-8 replaced. A file that is gone is an empty one. */
async function readText(file: string): Promise<string> {
  const bytes = await readFile(file).catch(() => Buffer.alloc(0));
  return new TextDecoder().decode(bytes);
}

async function readPath(job: JobState, step: StepState, file: string): Promise<void> {
  for (const line of (await readText(file)).split(/\r\n|\r|\n/)) if (line !== '') addPath(job, step, line);
}

async function readEnv(job: JobState, step: StepState, file: string): Promise<void> {
  for (const [name, value] of envFileEntries(await readText(file))) {
    if (name.toUpperCase() === 'NODE_OPTIONS') {
      step.log.error("Can't store NODE_OPTIONS output parameter using '$GITHUB_ENV' command.");
    } else setEnv(job, step, name, value);
  }
}

async function readOutputs(_job: JobState, step: StepState, file: string): Promise<void> {
  for (const [name, value] of envFileEntries(await readText(file))) {
    if (name === '') throw new Error('an output without a name');
    step.outputs[name] = value;
  }
}

async function readState(_job: JobState, step: StepState, file: string): Promise<void> {
  for (const [name, value] of envFileEntries(await readText(file))) saveState(step, name, value);
}

async function readSummary(job: JobState, step: StepState, file: string): Promise<void> {
  const sizeBytes = await stat(file).then(
    ({ size }) => size,
    () => 0,
  );
  if (sizeBytes === 0) return;
  if (sizeBytes > summaryLimitBytes) {
    step.log.error(
      `$GITHUB_STEP_SUMMARY upload aborted, supports content up to a size of 1024k, got ${String(Math.floor(sizeBytes / 1024))}k.`,
    );
    return;
  }
  const lines = (await readText(file)).split(/\r\n|\r|\n/);
  if (lines.at(-1) === '') lines.pop();
  step.summary = lines.map((line) => `${job.masker.mask(line)}\n`).join('');
}
