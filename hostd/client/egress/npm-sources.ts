import { z } from 'zod';
import { askTool, autoFailed, type AskContext } from './package-tool.ts';

const configSchema = z.record(z.string(), z.unknown());

/** The registry and the scopes' registries, as npm in this folder sees them; its own default where none is set. */
export async function npmSources(context: AskContext): Promise<string[]> {
  const output = await askTool('npm', [['npm', 'config', 'list', '--json']], context);
  const config = configSchema.safeParse(parseJson(output));
  if (!config.success) throw autoFailed('npm', 'npm config list --json gave no JSON object');
  return Object.entries(config.data).flatMap(([key, value]) =>
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
