import type { Command } from 'commander';

interface HostdOptions {
  state?: string;
  listen?: string;
  config?: string;
  requireKvm?: true;
}

/** The one place that starts the daemon. */
export function addHostdCommand(program: Command): void {
  program
    .command('hostd')
    .description('run the host daemon in the foreground')
    .option('--state <folder>', 'where it keeps everything (default: /var/lib/offshoot)')
    .option('--listen <address>', 'unix:PATH or tcp:HOST:PORT (default: unix:/run/offshoot/hostd.sock)')
    .option('--config <file>', 'a JSON file with further settings')
    .option('--require-kvm', 'refuse to run sandboxes under software emulation')
    .action(async (options: HostdOptions) => {
      const { runDaemon } = await import('../../daemon/run-daemon.ts');
      process.exitCode = await runDaemon(options);
    });
}
