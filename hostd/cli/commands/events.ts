import type { Command } from 'commander';
import { HostClient } from '../../client/host-client.ts';
import { clientCommand, connectionOf, wholeNumber, type CommonOptions } from '../common.ts';
import { printJsonLine } from '../print.ts';

interface EventsOptions extends CommonOptions {
  follow?: true;
  sandbox?: string;
  after?: number;
}

export function addEventsCommand(program: Command): void {
  clientCommand(program, 'events', 'print what happened on the host')
    .option('-f, --follow', 'wait for more')
    .option('--sandbox <id>', "only this sandbox's")
    .option('--after <id>', 'only events after this one', wholeNumber(0))
    .action(async (options: EventsOptions) => {
      await using host = new HostClient(connectionOf(options));
      const leaving = new AbortController();
      process.once('SIGINT', () => {
        leaving.abort();
      });
      const events = host.events({
        follow: options.follow === true,
        signal: leaving.signal,
        ...(options.sandbox === undefined ? {} : { sandboxId: options.sandbox }),
        ...(options.after === undefined ? {} : { afterId: options.after }),
      });
      for await (const event of events) {
        if (options.json === true) printJsonLine(event);
        else {
          const about = [event.sandboxId, event.execId].filter((id) => id !== undefined).join(' ');
          const data = Object.keys(event.data).length === 0 ? '' : JSON.stringify(event.data);
          process.stdout.write(`${[event.at, event.type.padEnd(16), about, data].join('  ').trimEnd()}\n`);
        }
      }
    });
}
