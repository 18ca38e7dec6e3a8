import path from 'node:path';
import { existsSync } from 'node:fs';
import type { CommandProcessor } from './command-processor.ts';
import type { Annotation } from './contract.ts';
import type { JobState, StepState } from './job-state.ts';
import { ProblemMatcher, type Match } from './problem-matcher.ts';

/** Lines of one stream of a step: a command, what a problem matcher makes of it, or a line of the log. */
export class OutputLines {
  readonly #job: JobState;
  readonly #step: StepState;
  readonly #commands: CommandProcessor;
  #matchers: ProblemMatcher[];

  constructor(job: JobState, step: StepState, commands: CommandProcessor) {
    this.#job = job;
    this.#step = step;
    this.#commands = commands;
    this.#matchers = job.matchers.map((config) => new ProblemMatcher(config));
  }

  /** The job's matchers changed; those that stay keep what they have seen. */
  takeUpMatchers(): void {
    this.#matchers = this.#job.matchers.map(
      (config) => this.#matchers.find((matcher) => matcher.made(config)) ?? new ProblemMatcher(config),
    );
  }

  async take(line: string): Promise<void> {
    if ((line.includes('[') || line.includes(':')) && (await this.#commands.process(line))) return;
    const safe = line.replace(/##\[(start|end)-action/g, '##[\\$1-action');
    if (this.#matched(safe)) return;
    this.#step.log.output(safe);
  }

  #matched(line: string): boolean {
    for (const matcher of this.#matchers) {
      const match = matcher.match(line);
      if (match === undefined) continue;
      for (const other of this.#matchers) if (other !== matcher) other.reset();
      const annotation = this.#annotation(match);
      if (annotation === undefined) continue;
      this.#step.log.annotate(annotation, line);
      return true;
    }
    return false;
  }

  #annotation(match: Match): Annotation | undefined {
    if (match.message === undefined || match.message.trim() === '') return undefined;
    const level = (match.severity ?? '').toLowerCase() || 'error';
    if (level !== 'error' && level !== 'warning' && level !== 'notice') return undefined;
    const properties: Record<string, string> = {};
    if (match.line !== undefined && /^\d+$/.test(match.line)) properties['line'] = match.line;
    if (match.column !== undefined && /^\d+$/.test(match.column)) properties['col'] = match.column;
    if (match.code !== undefined && match.code.trim() !== '') properties['code'] = match.code.trim();
    const file = this.#file(match);
    if (file !== undefined) properties['file'] = file;
    return { level, message: match.message, properties };
  }

  /** Relative to the workspace, when it is there. */
  #file({ file, fromPath }: Match): string | undefined {
    if (file === undefined || file.trim() === '') return undefined;
    const { workspace } = this.#job.request;
    const full = path.resolve(workspace, fromPath === undefined ? '' : path.dirname(fromPath), file);
    return full.startsWith(`${workspace}/`) && existsSync(full) ? path.relative(workspace, full) : undefined;
  }
}
