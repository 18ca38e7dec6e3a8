import { closeSync, openSync, writeSync } from 'node:fs';
import type { Annotation } from './contract.ts';
import type { SecretMasker } from './secret-masker.ts';

/** Limits of actions/runner src/Runner.Worker/ExecutionContext.cs. */
const maxAnnotationsPerLevel = 10;
const maxAnnotationCharacters = 4096;
const batchBytes = 64 * 1024;

export interface StepLogOptions {
  file: string;
  masker: SecretMasker;
  debug: boolean;
  onLine?: ((line: string) => void) | undefined;
}

/** What one step shows: its masked log in a file and its annotations. */
export class StepLog {
  readonly annotations: Annotation[] = [];
  droppedAnnotations = 0;
  readonly #options: StepLogOptions;
  readonly #descriptor: number;
  #batch: string[] = [];
  #batchLength = 0;

  constructor(options: StepLogOptions) {
    this.#options = options;
    this.#descriptor = openSync(options.file, 'a');
  }

  output(text: string): void {
    this.#write('', text);
  }

  debug(text: string): void {
    if (this.#options.debug) for (const line of text.split(/\r?\n/)) this.#write('##[debug]', line);
  }

  error(message: string): void {
    this.annotate({ level: 'error', message, properties: {} });
  }

  warning(message: string): void {
    this.annotate({ level: 'warning', message, properties: {} });
  }

  /** Ten of a level are kept; all are in the log, as `shown` or as their message. */
  annotate(annotation: Annotation, shown?: string): void {
    const message = this.#options.masker.mask(annotation.message).slice(0, maxAnnotationCharacters);
    const already = this.annotations.filter(({ level }) => level === annotation.level).length;
    if (already < maxAnnotationsPerLevel) this.annotations.push({ ...annotation, message });
    else this.droppedAnnotations += 1;
    const text = shown ?? message;
    if (text !== '') this.#write(`##[${annotation.level}]`, text);
  }

  flush(): void {
    if (this.#batch.length === 0) return;
    const bytes = Buffer.from(`${this.#batch.join('\n')}\n`);
    for (let at = 0; at < bytes.length;) at += writeSync(this.#descriptor, bytes, at);
    this.#batch = [];
    this.#batchLength = 0;
  }

  close(): void {
    this.flush();
    closeSync(this.#descriptor);
  }

  #write(tag: string, text: string): void {
    for (const line of this.#options.masker.mask(tag + text).split('\n')) {
      this.#batch.push(line);
      this.#batchLength += line.length;
      this.#options.onLine?.(line);
    }
    if (this.#batchLength > batchBytes) this.flush();
  }
}
