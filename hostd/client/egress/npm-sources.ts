import { z } from 'zod';
import { parseNpmConfigList } from '../../platform/npm-config.ts';
import { askTool, autoFailed, type AskContext } from './package-tool.ts';

const configSchema = z.record(z.string(), z.unknown());

/** The registry and the scopes' registries, as npm in this folder sees them; its own default where none is set. */
export async function npmSources(context: AskContext): Promise<string[]> {
  const list = ['npm', 'config', 'list'] as const;
  const [output, shown] = await Promise.all([
    askTool('npm', [[...list, '--json']], context),
    askTool('npm', [[...list]], context),
  ]);
  const config = configSchema.safeParse(parseJson(output));
  if (!config.success) throw autoFailed('npm', 'npm config list --json gave no JSON object');
  return Object.entries({ ...parseNpmConfigList(shown), ...config.data }).flatMap(([key, value]) =>
    typeof value === 'string' && (key === 'registry' || /^@[^:/]+:registry$/.test(key)) ? [value] : [],
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
