import type { Command } from 'commander';
import { HostClient } from '../../client/host-client.ts';
import { Sandbox } from '../../client/sandbox.ts';
import { egressModeSchema, type EgressMode, type EgressPolicyInfo } from '../../contract/egress.ts';
import { OffshootError } from '../../errors/offshoot-error.ts';
import { clientCommand, connectionOf, repeated, type CommonOptions } from '../common.ts';
import { modeOption, readRules, reasonHelp, refuseRulesOfNone, ruleHelp } from '../egress-options.ts';
import { describePolicy, describeReport } from '../egress-view.ts';
import { printJson } from '../print.ts';

interface SetOptions extends CommonOptions {
  mode?: EgressMode;
  allow?: string[];
  from?: string[];
}

/** `sandbox firewall set | show | clear` */
export function addFirewallCommands(sandboxCommand: Command): void {
  const parent = sandboxCommand.command('firewall').description('change and show what a sandbox may reach');
  clientCommand(
    parent,
    'set <id> [rule...]',
    'give it these rules in place of its own; in force at once, connections they do not allow are cut',
  )
    .addOption(modeOption('--egress, --mode <mode>', 'how they hold (default: enforce)'))
    .option('--allow <rule>', 'the same as a rule after the id; may be repeated', repeated)
    .option('--allow-from, --from <file>', 'rules from a file; - is standard input; may be repeated', repeated)
    .addHelpText('after', ruleHelp)
    .action(setRules);
  clientCommand(parent, 'show <id>', 'what it may reach, what it reached and what was denied, with a list to paste')
    .addHelpText('after', `\nAlso of a sandbox that has ended, while hostd remembers it.\n${reasonHelp}`)
    .action(async (id: string, options: CommonOptions) => {
      const sandbox = await Sandbox.connect(id, connectionOf(options));
      const report = await sandbox.egressReport();
      if (options.json === true) printJson(report);
      else process.stdout.write(describeReport(id, report));
    });
  clientCommand(parent, 'clear <id>', "take its rules away: back to the host's default mode, without rules")
    .addHelpText('after', '\nThat opens it on most hosts; to close it: offshoot sandbox firewall set ID --mode none')
    .action(async (id: string, options: CommonOptions) => {
      const sandbox = await Sandbox.connect(id, connectionOf(options));
      const mode = await defaultMode(options);
      printPolicy(id, await sandbox.setEgress({ mode, allow: [] }), options);
    });
}

async function setRules(id: string, words: string[], options: SetOptions): Promise<void> {
  const rules = [...words, ...(options.allow ?? [])];
  if (rules.length === 0 && options.from === undefined && options.mode === undefined) {
    throw new OffshootError('usage', {
      message: 'firewall set needs rules, --from FILE or --mode MODE.',
      hint: 'offshoot sandbox firewall set ID registry.example:443; to allow nothing at all: --mode none',
    });
  }
  const allow = [...rules, ...(await readRules(options.from ?? []))];
  refuseRulesOfNone(options.mode, allow);
  const sandbox = await Sandbox.connect(id, connectionOf(options));
  printPolicy(id, await sandbox.setEgress({ mode: options.mode ?? 'enforce', allow }), options);
}

/** What a sandbox of this host has when nobody says anything. */
async function defaultMode(options: CommonOptions): Promise<EgressMode> {
  await using host = new HostClient(connectionOf(options));
  const { defaultEgressMode } = (await host.info()).network;
  const mode = egressModeSchema.safeParse(defaultEgressMode);
  if (mode.success) return mode.data;
  throw new OffshootError('protocol-mismatch', {
    message: `The default egress mode of this host, ${defaultEgressMode}, is not known here.`,
  });
}

function printPolicy(id: string, policy: EgressPolicyInfo, options: CommonOptions): void {
  if (options.json === true) printJson(policy);
  else process.stdout.write(describePolicy(id, policy));
}
