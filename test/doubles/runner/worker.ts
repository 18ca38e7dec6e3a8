import { createInterface } from 'node:readline';
import { toRunnerSchema, type FromRunner, type ResolvedStep } from './contract.ts';
import { StepsRunner } from './steps-runner.ts';

/** The runner's own process: the parent of every step. It hears of jobs on stdin and tells of them on stdout, a line of JSON each. */

let runner: StepsRunner | undefined;
let waiting: { resolve: (step: ResolvedStep) => void; reject: (error: Error) => void } | undefined;

function tell(message: FromRunner): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

for await (const line of createInterface({ input: process.stdin })) {
  const message = toRunnerSchema.parse(JSON.parse(line));
  switch (message.type) {
    case 'run': {
      runner = new StepsRunner(message.job, {
        resolve: (step, contexts) =>
          new Promise<ResolvedStep>((resolve, reject) => {
            waiting = { resolve, reject };
            tell({ type: 'resolve', step, contexts });
          }),
        started: (step, pid) => {
          tell({ type: 'started', step, pid });
        },
        ...(message.job.forwardLines && {
          line: (step, text) => {
            tell({ type: 'line', step, line: text });
          },
        }),
      });
      void runner.run().then(
        (job) => {
          tell({ type: 'finished', job });
        },
        (error: unknown) => {
          tell({ type: 'broken', message: error instanceof Error ? (error.stack ?? error.message) : String(error) });
        },
      );
      break;
    }
    case 'resolved':
      waiting?.resolve(message.step);
      break;
    case 'unresolved':
      waiting?.reject(new Error(message.message));
      break;
    case 'cancel':
      runner?.cancel();
      break;
  }
}
