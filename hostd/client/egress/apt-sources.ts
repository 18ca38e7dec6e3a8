import { readFile } from 'node:fs/promises';
import { askTool, autoFailed, type AskContext } from './package-tool.ts';

/** The repositories of this machine's apt, as it lists them itself; those in a mirror list (apt-transport-mirror(1)) by that list. */
export async function aptSources(context: AskContext): Promise<string[]> {
  const args = ['indextargets', '--no-release-info', '--format', '$(SITE)'] as const;
  const output = await askTool('apt', [['apt-get', ...args]], context);
  const sites = [...new Set(output.split('\n').map((line) => line.trim()))].filter((site) => site !== '');
  return (await Promise.all(sites.map(sourcesOfSite))).flat();
}

async function sourcesOfSite(site: string): Promise<string[]> {
  const list = /^mirror\+file:(?:\/\/)?(\/.*)$/.exec(site)?.[1];
  if (list === undefined)
    return [site.replace(/^(?:mirror|tor)(?:\+|:(?=\/\/))/, (prefix) => (prefix.endsWith(':') ? 'http:' : ''))];
  const text = await readFile(list, 'utf8').catch(() => {
    throw autoFailed('apt', `its list of mirrors can not be read: ${list}`);
  });
  return text.split('\n').flatMap((line) => {
    const [uri = ''] = line.trim().split(/\s+/);
    return uri === '' ? [] : [uri];
  });
}
