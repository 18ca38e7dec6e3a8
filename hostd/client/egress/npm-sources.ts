import { z } from 'zod';
import { askTool, autoFailed, type AskContext } from './package-tool.ts';

const configSchema = z.record(z.string(), z.unknown());

const isRegistry = (key: string): boolean => key === 'registry' || /^@[^:/]+:registry$/.test(key);

/** The registry and the scopes' registries, as npm in this folder sees them; its own default where none is set. */
export async function npmSources(context: AskContext): Promise<string[]> {
  const list = ['npm', 'config', 'list'] as const;
  const [output, shown] = await Promise.all([
    askTool('npm', [[...list, '--json']], context),
    askTool('npm', [[...list]], context),
  ]);
  const config = configSchema.safeParse(parseJson(output));
  if (!config.success) throw autoFailed('npm', 'npm config list --json gave no JSON object');
  const told = Object.entries(config.data).flatMap(([key, value]) =>
    typeof value === 'string' && isRegistry(key) ? [value] : [],
  );
  return [...told, ...registriesShown(shown)];
}

/**
 * Newer versions of npm leave a URL with a password out of the JSON, and show it with the password masked to people: `registry =
 * "https://ci:***@npm.example.com/"`, behind `;` when another file overrides it.
 */
function registriesShown(output: string): string[] {
  return output.split('\n').flatMap((line) => {
    const [, key = '', text = ''] = /^(\S+) = (".*")$/.exec(line.trim()) ?? [];
    const value = isRegistry(key) ? parseJson(text) : undefined;
    return typeof value === 'string' ? [value] : [];
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
