import { refused, type Refused } from './refused.ts';

/** Ports after the colon of a rule: `443`, `443,8080` or `*`. */
export function parsePorts(text: string): readonly (number | 'any')[] | Refused {
  if (text === '*') return ['any'];
  const ports: number[] = [];
  for (const part of text.split(',')) {
    if (part === '') return refused('has a port missing after `:` or `,`: write it, or leave out the `:` for 443');
    if (part === '*') return refused('names every port with `*` and others too: write only `:*`, or only the ports');
    if (/^\d+-\d+$/.test(part)) return refused(`has a range of ports, ${part}: write each port, or \`*\` for all`);
    if (!/^\d+$/.test(part)) return refused(`has no port number after \`:\`, but ${quoted(part)}: write 1 to 65535`);
    if (!/^[1-9]\d{0,4}$/.test(part) || Number(part) > 65_535) {
      return refused(`has a port that does not exist, ${part.slice(0, 20)}: write 1 to 65535 without leading zeros`);
    }
    if (part === '53') {
      return refused("opens port 53, where Offshoot's resolver answers for every server: leave it out, names resolve");
    }
    ports.push(Number(part));
  }
  return [...new Set(ports)];
}

function quoted(text: string): string {
  return `\`${text.slice(0, 40)}\``;
}
