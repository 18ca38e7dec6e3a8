import type { Command } from './contract.ts';
import { indexOfSeen, isUnseen, trimStart } from './dotnet-text.ts';

/** The two syntaxes of workflow commands, by the rules of actions/runner src/Runner.Common/ActionCommand.cs. */

const dataEscapes = [
  ['%0D', '\r'],
  ['%0A', '\n'],
  ['%25', '%'],
] as const;
const propertyEscapes = [
  ['%0D', '\r'],
  ['%0A', '\n'],
  ['%3A', ':'],
  ['%2C', ','],
  ['%25', '%'],
] as const;
const bracketEscapes = [
  ['%3B', ';'],
  ['%0D', '\r'],
  ['%0A', '\n'],
  ['%5D', ']'],
  ['%25', '%'],
] as const;

type Escapes = readonly (readonly [string, string])[];

/** The command in a line, or undefined. `known` decides by the lower-case name what is a command at all. */
export function parseCommand(line: string, known: (name: string) => boolean): Command | undefined {
  return parseColons(line, known) ?? parseBrackets(line, known);
}

/** `::name key=value,key=value::data`, at the start of a line but for white space. */
function parseColons(line: string, known: (name: string) => boolean): Command | undefined {
  const text = trimStart(line);
  if (!startsSeen(text, '::')) return undefined;
  const end = indexOfSeen(text, '::', 2);
  if (end < 0) return undefined;
  const [name, properties] = splitInfo(text.slice(2, end));
  if (!known(name.toLowerCase())) return undefined;
  return {
    syntax: 'colons',
    name,
    properties: parseProperties(properties.trim(), ',', propertyEscapes),
    data: unescape(text.slice(end + 2), dataEscapes),
  };
}

/** `##[name key=value;key=value]data`, anywhere in a line; only the first `##[` counts. */
function parseBrackets(line: string, known: (name: string) => boolean): Command | undefined {
  const start = indexOfSeen(line, '##[');
  if (start < 0) return undefined;
  const end = line.indexOf(']', start);
  if (end < 0) return undefined;
  const [name, properties] = splitInfo(line.slice(start + 3, Math.max(end, start + 3)));
  if (!known(name.toLowerCase())) return undefined;
  return {
    syntax: 'brackets',
    name,
    properties: parseProperties(properties, ';', bracketEscapes),
    data: unescape(line.slice(end + 1), bracketEscapes),
  };
}

function startsSeen(text: string, prefix: string): boolean {
  const at = indexOfSeen(text, prefix);
  return at >= 0 && isUnseen(text.slice(0, at));
}

function splitInfo(info: string): [string, string] {
  const space = info.indexOf(' ');
  return space < 0 ? [info, ''] : [info.slice(0, space), space > 0 ? info.slice(space + 1) : ''];
}

function parseProperties(text: string, separator: string, escapes: Escapes): Record<string, string> {
  const properties: Record<string, string> = {};
  for (const part of text.split(separator)) {
    const pair = /^=*([^=]+)=+(.+)$/s.exec(part);
    if (pair?.[1] === undefined || pair[2] === undefined) continue;
    const given = pair[1].toLowerCase();
    const key = Object.keys(properties).find((name) => name.toLowerCase() === given) ?? pair[1];
    properties[key] = unescape(pair[2], escapes);
  }
  return properties;
}

/** One replacement after the other in the runner's order, `%25` last. */
function unescape(text: string, escapes: Escapes): string {
  return escapes.reduce((sofar, [escaped, plain]) => sofar.replaceAll(escaped, plain), text);
}
