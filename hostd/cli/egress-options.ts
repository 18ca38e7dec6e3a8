import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { Option, type Command } from 'commander';
import { egressModes, type EgressMode, type EgressPolicyInput } from '../contract/egress.ts';
import { egressWords } from '../contract/egress-words.ts';
import { OffshootError } from '../errors/offshoot-error.ts';
import { repeated } from './common.ts';

/** What the commands that start sandboxes take about what those may reach. */
export interface EgressOptions {
  egress?: EgressMode;
  allow?: string[];
  allowFrom?: string[];
}

/** Printed below the options of every command that takes rules. */
export const ruleHelp = `
A rule is host[:port] (443 unless given), host:*, *.domain[:port] (not the
domain itself), CIDR:port or [IPv6]:port, with udp:, tls: or http: in front
where it is not plain. "private" after a rule lets its name have private
addresses. auto:npm, auto:pip and auto:apt stand for the hosts that this
machine's configuration of npm, pip or apt names. Lists may have # comments.

Modes: enforce allows what the rules name and nothing else; audit lets
everything public through and records what the rules do not name; open lets
everything public through; none nothing, not even DNS. What is private is
closed in every mode, unless a rule names it.`;

/** Printed below the options of the command that shows denials. */
export const reasonHelp = `
Why something was denied:
  dns-name, sni, host-header  no rule names the host that DNS, TLS or HTTP asked for
  port                        a rule names the host, but not this port
  address                     no rule opens the address
  protocol                    not TLS on a TLS port, not HTTP on an HTTP port, ICMP and the like
  no-name                     TLS or HTTP that names no host
  private-range               a private address, or another that is closed in every mode
  rebind                      a name that leads to one; "private" after its rule lets it`;

/** `absent` says what holds without the options. */
export function addEgressOptions(command: Command, absent: string): Command {
  return command
    .addOption(modeOption('--egress <mode>', `what it may reach (default: ${absent}; enforce with --allow)`))
    .option('--allow <rule>', 'let it reach this, or this list; may be repeated; see below', repeated)
    .option('--allow-from <file>', 'the same from a file; - is standard input; may be repeated', repeated)
    .addHelpText('after', ruleHelp);
}

export function modeOption(flags: string, description: string): Option {
  return new Option(flags, description).choices(egressModes);
}

/** Part of a request; empty when none of the options was given. Throws `local-file-error` and `usage`. */
export async function egressRequest(options: EgressOptions): Promise<{ egress?: EgressPolicyInput }> {
  const { egress, allow, allowFrom } = options;
  if (allow === undefined && allowFrom === undefined) return egress === undefined ? {} : { egress: { mode: egress } };
  const rules = [...(allow ?? []), ...(await readRules(allowFrom ?? []))];
  refuseRulesOfNone(egress, rules);
  return { egress: egress === undefined ? rules : { mode: egress, allow: rules } };
}

/** Throws `usage` where rules come with the mode that takes none. */
export function refuseRulesOfNone(mode: EgressMode | undefined, rules: readonly string[]): void {
  if (mode !== 'none' || egressWords(rules).length === 0) return;
  throw new OffshootError('usage', {
    message: 'Mode none allows nothing, so it takes no rules.',
    hint: 'Leave out the rules, or the mode: rules alone mean enforce.',
  });
}

/** Each file is one text of rules; `-` is standard input. Throws `local-file-error` and `usage`. */
export async function readRules(files: readonly string[]): Promise<string[]> {
  if (files.filter((file) => file === '-').length > 1) {
    throw new OffshootError('usage', {
      message: 'Standard input can be read as rules only once.',
      hint: 'Give - once.',
    });
  }
  const texts: string[] = [];
  for (const file of files) texts.push(await readList(file));
  return texts;
}

async function readList(file: string): Promise<string> {
  try {
    return file === '-' ? await text(process.stdin) : await readFile(file, 'utf8');
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new OffshootError('local-file-error', { message: `The rules could not be read: ${why}`, cause: error });
  }
}
