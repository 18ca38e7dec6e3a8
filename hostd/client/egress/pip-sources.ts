import { askTool, type AskContext } from './package-tool.ts';

/** Sections that `pip install` goes by, later ones win: https://pip.pypa.io/en/stable/topics/configuration/#precedence-override-order */
const sections = ['global', 'install', ':env:'];

/** The indexes and links that pip is configured with; where no index is, the default that its help names. */
export async function pipSources(context: AskContext): Promise<string[]> {
  const settings = parsePipConfigList(await ask(context, ['config', 'list']));
  const links = words(settings.get('find-links'));
  if (isTrue(settings.get('no-index'))) return links;
  const index = words(settings.get('index-url') ?? settings.get('pypi-url'));
  const extra = words(settings.get('extra-index-url'));
  return [...(index.length > 0 ? index : await defaultIndex(context)), ...extra, ...links];
}

/** Lines of `pip config list`, `section.name='value'`: the settings that `pip install` goes by, names in their long spelling. */
export function parsePipConfigList(output: string): Map<string, string> {
  const bySection = new Map(sections.map((section) => [section, new Map<string, string>()]));
  for (const line of output.split('\n')) {
    const [, section = '', name = '', value = ''] = /^([^.]+)\.([^=]+)=(.*)$/.exec(line.trim()) ?? [];
    bySection.get(section)?.set(name.toLowerCase().replaceAll('_', '-'), unquoted(value));
  }
  return new Map([...bySection.values()].flatMap((settings) => [...settings]));
}

/** The default stands in the help and nowhere else. */
async function defaultIndex(context: AskContext): Promise<string[]> {
  const wide = { ...context, env: { ...context.env, COLUMNS: '4000' } };
  const help = (await ask(wide, ['install', '--help'])).replaceAll(/\s+/g, ' ');
  const found = /--index-url <url>[^()]*\(default:? (https?:\/\/[^\s)]+)\)/.exec(help)?.[1];
  return found === undefined ? [] : [found];
}

function ask(context: AskContext, args: readonly string[]): Promise<string> {
  return askTool(
    'pip',
    [
      ['pip', ...args],
      ['pip3', ...args],
      ['python3', '-m', 'pip', ...args],
    ],
    context,
  );
}

/** Values are printed as Python writes strings: https://docs.python.org/3/library/functions.html#repr */
function unquoted(value: string): string {
  const inside = /^(['"])(.*)\1$/.exec(value)?.[2] ?? value;
  return inside.replaceAll(/\\[nrt]/g, ' ').replaceAll(/\\(['"\\])/g, '$1');
}

function words(value: string | undefined): string[] {
  return (value ?? '').split(/\s+/).filter((word) => word !== '');
}

function isTrue(value: string | undefined): boolean {
  return ['1', 'true', 'yes', 'on', 't', 'y'].includes((value ?? '').toLowerCase());
}
