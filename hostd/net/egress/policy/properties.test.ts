import { isIPv4 } from 'node:net';
import { domainToASCII } from 'node:url';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { isOffshootError } from '../../../errors/offshoot-error.ts';
import { formatRules } from './format-rule.ts';
import { parsePolicy, parseRules } from './parse-rules.ts';
import { compilePolicy, type EgressRule } from './policy.ts';
import { refuseOddIpv4 } from './rule-network.ts';

const runs = { numRuns: 500 };

/** The rules; undefined when the list is refused in the one way there is. */
function rulesOrRefusal(text: string | readonly string[]): EgressRule[] | undefined {
  try {
    return parseRules(text).rules;
  } catch (error) {
    if (isOffshootError(error) && error.code === 'egress-rules-invalid') return undefined;
    throw error;
  }
}

const label = fc.stringMatching(/^[a-z]([a-z0-9-]{0,10}[a-z0-9])?$/).filter((text) => text.slice(2, 4) !== '--');
const host = fc.tuple(label, label).map(([one, two]) => `${one}.${two}.example`);
const port = fc.integer({ min: 1, max: 65_535 }).filter((number) => number !== 53);
const ports = fc.oneof(
  fc.constant(''),
  fc.constant(':*'),
  fc.array(port, { minLength: 1, maxLength: 3 }).map((list) => `:${list.join(',')}`),
);
const ipv4 = fc
  .tuple(fc.integer({ min: 1, max: 223 }), fc.nat(255), fc.nat(255), fc.nat(255), fc.integer({ min: 8, max: 31 }))
  .filter(([first]) => first !== 127)
  .map(([a, b, c, d, length]) => `${[a, b, c, d].join('.')}/${String(length)}`);
const ipv6 = fc
  .tuple(fc.nat(0xffff), fc.nat(0xffff), fc.integer({ min: 20, max: 128 }))
  .map(([one, two, length]) => `[2600:${one.toString(16)}::${two.toString(16)}]/${String(length)}`);
const nameRule = fc
  .tuple(fc.constantFrom('', '*.'), host, ports, fc.constantFrom('', ' private'))
  .map(([star, name, suffix, word]) => `${star}${name}${suffix}${word}`);
const addressRule = fc.tuple(fc.oneof(ipv4, ipv6), ports).map((parts) => parts.join(''));
const udpRule = fc.tuple(fc.oneof(host, ipv4, ipv6), port).map(([target, number]) => `udp:${target}:${String(number)}`);
const prefixedRule = host.map((name) => `tls:${name}:8443`);
const rule = fc.oneof(nameRule, addressRule, udpRule, prefixedRule);

describe('a host without blanks, in letters and digits', () => {
  // Few of each, so that numbers in every form come up.
  const letters = fc.constantFrom(...'0123789abfxX.-_'.split(''), 'xn--', '0x', 'com', '.com');
  const text = fc.array(letters, { minLength: 1, maxLength: 8 }).map((parts) => parts.join(''));

  it('is taken for a way to write an address just where the URL parser reads it as one', () => {
    fc.assert(
      fc.property(text, (written) => {
        expect(refuseOddIpv4(written) !== undefined).toBe(isIPv4(domainToASCII(written)));
      }),
      { numRuns: 5000 },
    );
  });
});

describe('rules that are valid', () => {
  it('are formatted to what reads as the same rules', () => {
    fc.assert(
      fc.property(fc.array(rule, { maxLength: 20 }), (list) => {
        const { rules } = parseRules(list);
        expect(parseRules(formatRules(rules)).rules).toEqual(rules);
        expect(parseRules(rules.map(({ text }) => text)).rules).toEqual(rules);
      }),
      runs,
    );
  });

  it('say the same in any case, order of lines kept, with trailing dots', () => {
    fc.assert(
      fc.property(nameRule, (text) => {
        const [word = '', ...rest] = text.split(' ');
        const loud = [word.toUpperCase().replace(/^([^:]+)/, '$1.'), ...rest].join(' ');
        expect(parseRules(loud).rules).toEqual(parseRules(text).rules);
      }),
      runs,
    );
  });
});

describe('rules that are not', () => {
  const breaks: readonly ((text: string) => string)[] = [
    (text) => `https://${text}`,
    (text) => `${text}/path`,
    (text) => `user:pw@${text}`,
    (text) => `${text}:0`,
    (text) => `${text}:65536`,
    (text) => `${text}:53`,
    (text) => `${text}:443-445`,
    (text) => `${text}:x`,
    (text) => `${text}:`,
    (text) => `${text}:443,`,
    (text) => `*${text}`,
    (text) => `*.*.${text}`,
    (text) => `x.*.${text}`,
    (text) => `.${text}`,
    (text) => `-${text}`,
    (text) => `${text}..`,
    (text) => `${text}.123`,
    (text) => `${text}\u200b`,
    (text) => `${text}%2e`,
    (text) => `"${text}"`,
    (text) => `[${text}]`,
    (text) => `tcp:${text}:1`,
    (text) => `udp:${text}`,
    (text) => `http:${text}:443`,
    (text) => `tls:${text}:*`,
    (text) => `${text},${text}`,
    (text) => `${text}\0`,
  ];

  it('are refused, and so is the list they stand in', () => {
    fc.assert(
      fc.property(host, fc.constantFrom(...breaks), rule, (name, broken, good) => {
        expect(rulesOrRefusal([good, broken(name)])).toBeUndefined();
      }),
      runs,
    );
  });

  it('whatever the text is: a list or a refusal, and nothing opens that no rule names', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc.constantFrom(
        '*',
        '*.',
        '.',
        ':',
        '/',
        '[',
        ']',
        '::',
        ',',
        '#',
        '@',
        'udp:',
        'tls:',
        'xn--',
        '0x7f',
        '443',
        'a.example',
        '\0',
        '%',
        ' private',
      ),
    );
    const text = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(text, (list) => {
        const rules = rulesOrRefusal(list);
        if (rules === undefined) return;
        const view = compilePolicy({ mode: 'enforce', rules }, { own: [] });
        expect(view.mayResolve('unnamed.host.test').allowed).toBe(false);
        expect(view.mayConnect({ name: 'unnamed.host.test', port: 443, layer: 'tls' }).allowed).toBe(false);
        expect(view.mayReach({ address: '169.254.169.254', port: 80, transport: 'tcp' }).allowed).toBe(false);
        expect(parseRules(formatRules(rules)).rules).toEqual(rules);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('names against rules', () => {
  it('a wildcard takes what is below, at any depth, never the apex or a look-alike; a name takes only itself', () => {
    fc.assert(
      fc.property(host, fc.array(label, { minLength: 1, maxLength: 5 }), label, (name, below, extra) => {
        const deep = `${below.join('.')}.${name}`;
        const wild = compilePolicy(parsePolicy('enforce', `*.${name}`), { own: [] });
        const exact = compilePolicy(parsePolicy('enforce', name), { own: [] });
        for (const asked of [deep, deep.toUpperCase(), `${deep}.`]) {
          expect(wild.mayResolve(asked).allowed).toBe(true);
          expect(exact.mayResolve(asked).allowed).toBe(false);
        }
        for (const asked of [
          name,
          `${name}.`,
          `${extra}${name}`,
          `${deep}.${extra}.test`,
          name.slice(name.indexOf('.') + 1),
        ]) {
          expect(wild.mayResolve(asked).allowed).toBe(false);
        }
        for (const asked of [`${extra}${name}`, `${name}.${extra}`, `${name}${extra}`]) {
          expect(exact.mayResolve(asked).allowed).toBe(false);
        }
        expect(exact.mayResolve(`${name.toUpperCase()}.`).allowed).toBe(true);
      }),
      runs,
    );
  });
});

it('whatever a guest asks for, the answer is a verdict', () => {
  const view = compilePolicy(parsePolicy('enforce', '*.example.org:* 192.0.2.0/24:* [2600::]/16:*'), {
    own: ['10.83.0.0/16'],
  });
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('__proto__', 'constructor', '.example.org', '*.example.org', '%', '::', '1.1.1.1/0'),
  );
  const number = fc.oneof(fc.integer(), fc.constantFrom(NaN, -1, Infinity));
  fc.assert(
    fc.property(text, number, (asked, port) => {
      expect(view.mayResolve(asked).allowed).toBe(false);
      expect(view.mayConnect({ name: asked, port, layer: 'tls' }).allowed).toBe(false);
      expect(view.mayReach({ address: asked, port, transport: 'udp' }).allowed).toBe(false);
      expect(view.mayUseAddress(asked, asked, port).allowed).toBe(false);
      expect(view.rawPorts(asked)).toEqual([]);
    }),
    runs,
  );
});

describe('a decision', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  /** Look-ups in maps, the only thing that a decision does for rules. */
  function lookups(count: number): { found: number; shown: number } {
    const list = Array.from({ length: count / 2 }, (_, index) => [
      `*.w${String(index)}.example.org:${String(1000 + index)}`,
      `${String(11 + (index % 80))}.${String(index % 250)}.7.0/${String(24 + (index % 4))}:${String(1000 + index)}`,
    ]).flat();
    const same = Array.from({ length: count / 2 }, (_, index) => [
      `same.example:${String(1000 + index)}`,
      `9.9.9.9:${String(1000 + index)}`,
    ]).flat();
    const view = compilePolicy(parsePolicy('enforce', [...list, ...same]), { own: ['10.83.0.0/16'] });
    const gets = vi.spyOn(Map.prototype, 'get');
    view.mayResolve('a.b.c.w3.example.org');
    view.mayResolve('a.b.c.none.example.org');
    view.mayConnect({ name: 'x.w3.example.org', port: 1003, layer: 'tls' });
    view.mayConnect({ name: 'same.example', port: 999, layer: 'tls' });
    view.mayUseAddress('x.w3.example.org', '14.3.7.1', 1003);
    view.mayReach({ address: '14.3.7.1', port: 1003, transport: 'tcp' });
    view.mayReach({ address: '9.9.9.9', port: 999, transport: 'tcp' });
    view.mayReach({ address: '203.0.113.1', port: 1, transport: 'tcp' });
    const found = gets.mock.calls.length;
    gets.mockRestore();
    return { found, shown: view.policy.rules.length };
  }

  it('takes as many steps with 1,000 rules as with 10', () => {
    const [few, many] = [lookups(10), lookups(1000)];
    expect(few.shown).toBe(20);
    expect(many.shown).toBeGreaterThan(1900);
    expect(few.found).toBeGreaterThan(20);
    expect(many.found).toBe(few.found);
  });

  it('takes at most one step for each prefix length there is, and each label of the name', () => {
    const list = Array.from(
      { length: 1000 },
      (_, index) =>
        `${String(1 + (index % 9))}.${String(index % 256)}.0.0/${String(1 + (index % 32))}:${String(1000 + index)}`,
    );
    const view = compilePolicy(
      parsePolicy(
        'enforce',
        list.filter((text) => !text.includes('/32')),
      ),
      { own: [] },
    );
    const gets = vi.spyOn(Map.prototype, 'get');
    view.mayReach({ address: '1.7.0.1', port: 1, transport: 'tcp' });
    expect(gets.mock.calls.length).toBeLessThan(4 * 33 * 2);
    gets.mockClear();
    view.mayResolve(`${'a.'.repeat(126)}b`);
    expect(gets.mock.calls.length).toBeLessThanOrEqual(127);
  });
});
