import { parseCommand } from './action-command.ts';
import { applyCommand, isCommand, omitsEcho } from './commands.ts';
import type { Command } from './contract.ts';
import type { JobState, StepState } from './job-state.ts';

/** Commands in the lines of one step, both streams together, by the rules of actions/runner src/Runner.Worker/ActionCommandManager.cs. */
export class CommandProcessor {
  readonly #job: JobState;
  readonly #step: StepState;
  #stopToken: string | undefined;
  #echo: boolean;
  /** Matchers are read from files: everything after such a command waits for it. */
  onMatchersChanged: () => void = () => undefined;

  constructor(job: JobState, step: StepState) {
    this.#job = job;
    this.#step = step;
    this.#echo = job.request.debug;
  }

  /** Whether the line was a command and is done with; else it is a line of the log. */
  async process(line: string): Promise<boolean> {
    if (line === '') return false;
    const command = parseCommand(line, (name) => isCommand(name) || name === this.#stopToken?.toLowerCase());
    if (command === undefined) return false;
    const name = command.name.toLowerCase();
    if (this.#stopToken !== undefined) {
      if (name !== this.#stopToken.toLowerCase()) {
        this.#step.stoppedCommands += 1;
        return false;
      }
      this.#stopToken = undefined;
      this.#took(command, line);
      return true;
    }
    try {
      if (name === 'stop-commands') this.#stop(command, line);
      else await this.#apply(command, line);
    } catch (error) {
      this.#step.log.error(`Unable to process command '${omitsEcho(name) ? name : line}' successfully.`);
      this.#step.log.error(error instanceof Error ? error.message : String(error));
      this.#step.commandFailed = true;
    }
    return true;
  }

  #stop(command: Command, line: string): void {
    const token = command.data;
    const insecure = this.#step.envContext['ACTIONS_ALLOW_UNSECURE_STOPCOMMAND_TOKENS'] === 'true';
    const weak = token === '' || isCommand(token.toLowerCase()) || token.toLowerCase() === 'pause-logging';
    if (weak && !insecure) throw new Error('the token of stop-commands is empty, pause-logging or a command');
    this.#stopToken = token;
    if (token.length > 6) this.#job.masker.addExact(token);
    this.#took(command, line);
  }

  async #apply(command: Command, line: string): Promise<void> {
    const name = command.name.toLowerCase();
    if (this.#echo && !omitsEcho(name)) this.#step.log.output(line);
    if (name === 'echo') this.#setEcho(command.data);
    else await applyCommand(this.#job, this.#step, command, this.#echo);
    this.#step.commands.push(command);
    if (name === 'add-matcher' || name === 'remove-matcher') this.onMatchersChanged();
  }

  #setEcho(data: string): void {
    const wanted = data.trim().toLowerCase();
    if (wanted !== 'on' && wanted !== 'off') throw new Error(`echo is on or off, not '${data}'`);
    this.#echo = wanted === 'on';
  }

  #took(command: Command, line: string): void {
    this.#step.commands.push(command);
    this.#step.log.output(line);
  }
}
