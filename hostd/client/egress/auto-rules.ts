import { lookup } from 'node:dns/promises';
import { egressWords } from '../../contract/egress-words.ts';
import { OffshootError } from '../../errors/offshoot-error.ts';
import { systemRunner, type Runner } from '../../platform/run.ts';
import { aptSources } from './apt-sources.ts';
import { npmSources } from './npm-sources.ts';
import { autoFailed, type AskContext, type AskTool } from './package-tool.ts';
import { pipSources } from './pip-sources.ts';
import { isPrivateAddress } from './private-address.ts';
import { isOwnMachine, nameInUrl, ruleForUrl } from './rule-for-url.ts';

const tools: ReadonlyMap<string, AskTool> = new Map([
  ['npm', npmSources],
  ['pip', pipSources],
  ['apt', aptSources],
]);

export interface AutoRuleOptions {
  /** Whose npm configuration counts; default: the current folder. */
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  runner?: Runner;
  /** The addresses of a name, as this machine sees them. */
  resolve?: (name: string) => Promise<string[]>;
}

/**
 * Fills in `auto:npm`, `auto:pip` and `auto:apt`: the hosts that this machine's own configuration of the package manager names, and its
 * default where it names none. Proxies are left out, as they would open everything; hosts that have private addresses here get the word
 * `private`. A list without such words comes back as it was. Throws `egress-auto-failed` and `egress-rules-invalid`.
 */
export async function expandAutoRules(
  allow: string | readonly string[],
  options: AutoRuleOptions = {},
): Promise<string[]> {
  const words = egressWords(allow);
  const autos = [...new Set(words.filter(isAuto).map(toolName))];
  if (autos.length === 0) return typeof allow === 'string' ? [allow] : [...allow];
  const rules = new Map(await Promise.all(autos.map(async (tool) => [tool, await rulesOf(tool, options)] as const)));
  return words.flatMap((word, index) => {
    if (word === 'private') return isAuto(words[index - 1] ?? '') ? [] : [word];
    if (!isAuto(word)) return [word];
    const filled = rules.get(toolName(word)) ?? [];
    return words[index + 1] === 'private' ? filled.map(madePrivate) : filled.map(({ text }) => text);
  });
}

/** Whether `expandAutoRules` would fill something in. */
export function hasAutoRules(allow: string | readonly string[]): boolean {
  return egressWords(allow).some(isAuto);
}

interface AutoRule {
  text: string;
  named: boolean;
}

async function rulesOf(tool: string, options: AutoRuleOptions): Promise<AutoRule[]> {
  const ask = tools.get(tool);
  if (ask === undefined) throw unknownTool(tool);
  const { runner = systemRunner, cwd = process.cwd(), env = process.env } = options;
  const context: AskContext = { runner, cwd, env };
  const urls = await ask(context);
  const own = urls.find(isOwnMachine);
  if (own !== undefined) {
    throw autoFailed(tool, `it is configured with ${new URL(own).host}, which is another machine inside a sandbox`);
  }
  const rules = await Promise.all(urls.map((url) => ruleOf(url, options.resolve ?? resolveHere)));
  const byText = new Map(rules.flatMap((rule) => (rule === undefined ? [] : [[rule.text, rule]])));
  if (byText.size === 0) throw autoFailed(tool, 'it is configured with no host');
  return [...byText.values()].toSorted((one, other) => (one.text < other.text ? -1 : 1));
}

async function ruleOf(url: string, resolve: (name: string) => Promise<string[]>): Promise<AutoRule | undefined> {
  const text = ruleForUrl(url);
  if (text === undefined) return undefined;
  const name = nameInUrl(url);
  if (name === undefined) return { text, named: false };
  const addresses = await resolve(name).catch(() => []);
  return { text: addresses.some(isPrivateAddress) ? `${text} private` : text, named: true };
}

function madePrivate({ text, named }: AutoRule): string {
  return named && !text.endsWith(' private') ? `${text} private` : text;
}

function isAuto(word: string): boolean {
  return /^auto:/i.test(word);
}

function toolName(word: string): string {
  return word.slice('auto:'.length).toLowerCase();
}

function unknownTool(tool: string): OffshootError {
  const message = `names no package manager that can be asked: write ${[...tools.keys()]
    .map((name) => `auto:${name}`)
    .join(', ')}, or hosts`;
  return new OffshootError('egress-rules-invalid', {
    message: `Egress rule \`auto:${tool}\` ${message}`,
    details: { issues: [{ path: `auto:${tool}`, message }] },
  });
}

async function resolveHere(name: string): Promise<string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address);
}
