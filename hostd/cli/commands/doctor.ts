import type { Command } from 'commander';
import { printJson, table } from '../print.ts';

export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('what this host can do, and what is missing, with the command that mends it')
    .option('--json', 'print machine-readable JSON')
    .option('--state <folder>', 'the state directory to look at (default: /var/lib/offshoot)')
    .option('--config <file>', 'the configuration file to look at')
    .action(async (options: { json?: true; state?: string; config?: string }) => {
      const { loadConfig } = await import('../../daemon/config.ts');
      const { runDoctor } = await import('../../doctor/run-doctor.ts');
      const report = await runDoctor(await loadConfig(options));
      if (options.json === true) printJson(report);
      else {
        const rows = report.checks.map((check) => [check.result, check.name, check.found]);
        process.stdout.write(table(['', 'CHECK', 'FOUND'], rows));
        for (const check of report.checks) {
          if (check.mend !== undefined) process.stdout.write(`\n${check.name}: ${check.mend}\n`);
        }
      }
      process.exitCode = report.ok ? 0 : 1;
    });
}
