import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';

/** Problem matchers, by the rules of actions/runner src/Runner.Worker/IssueMatcher.cs and Handlers/OutputManager.cs. */

const group = z.number().int().nonnegative().optional();
const patternSchema = z.object({
  regexp: z.string(),
  file: group,
  fromPath: group,
  line: group,
  column: group,
  severity: group,
  code: group,
  message: group,
  loop: z.boolean().optional(),
});
const matcherSchema = z.object({
  owner: z.string().min(1),
  severity: z.enum(['error', 'warning', 'notice']).optional(),
  fromPath: z.string().optional(),
  pattern: z.array(patternSchema).min(1),
});
const fileSchema = z.object({ problemMatcher: z.array(matcherSchema) });

export type MatcherConfig = z.infer<typeof matcherSchema>;
type Pattern = z.infer<typeof patternSchema>;

const fields = ['file', 'fromPath', 'line', 'column', 'severity', 'code', 'message'] as const;
export type Match = Partial<Record<(typeof fields)[number], string>>;

/** Reads a matcher file; throws when it is not one. */
export async function readMatchers(file: string, workspace: string): Promise<MatcherConfig[]> {
  const matchers = fileSchema.parse(JSON.parse(await readFile(path.resolve(workspace, file), 'utf8'))).problemMatcher;
  for (const { owner, pattern } of matchers) {
    if (!pattern.some(({ message }) => message !== undefined))
      throw new Error(`matcher ${owner}: no pattern has a message`);
    for (const each of pattern.slice(0, -1)) if (each.loop) throw new Error(`matcher ${owner}: only the last may loop`);
  }
  return matchers;
}

/** One matcher over the lines of one stream. */
export class ProblemMatcher {
  readonly owner: string;
  readonly #config: MatcherConfig;
  readonly #patterns: (Pattern & { expression: RegExp })[];
  /** What was matched up to each pattern but the last. */
  #state: (Match | undefined)[] = [];

  constructor(config: MatcherConfig) {
    this.owner = config.owner;
    this.#config = config;
    this.#patterns = config.pattern.map((pattern) => ({ ...pattern, expression: new RegExp(pattern.regexp) }));
  }

  made(config: MatcherConfig): boolean {
    return this.#config === config;
  }

  reset(): void {
    this.#state = [];
  }

  /** The finished match that this line makes. */
  match(line: string): Match | undefined {
    const last = this.#patterns.length - 1;
    for (let at = last; at >= 0; at--) {
      const pattern = this.#patterns[at];
      const running = at > 0 ? this.#state[at - 1] : {};
      if (pattern === undefined || running === undefined) continue;
      const groups = pattern.expression.exec(line);
      if (at === last && groups === null) {
        if (at > 0) this.#state[at - 1] = undefined;
      } else if (at === last && groups !== null) {
        this.reset();
        if (pattern.loop && at > 0) this.#state[at - 1] = running;
        return this.#withDefaults(extend(running, pattern, groups));
      } else {
        this.#state[at] = groups === null ? undefined : extend(running, pattern, groups);
      }
    }
    return undefined;
  }

  #withDefaults(match: Match): Match {
    const { severity, fromPath } = this.#config;
    return {
      ...match,
      ...(!match.severity && severity !== undefined && { severity }),
      ...(!match.fromPath && fromPath !== undefined && { fromPath }),
    };
  }
}

function extend(running: Match, pattern: Pattern, groups: RegExpExecArray): Match {
  const match: Match = { ...running };
  for (const field of fields) {
    const number = pattern[field];
    const value = number === undefined ? undefined : groups[number];
    if (match[field] === undefined && value !== undefined) match[field] = value;
  }
  return match;
}
