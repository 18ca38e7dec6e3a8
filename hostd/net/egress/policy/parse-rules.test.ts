import { describe, expect, it } from 'vitest';
import { formatRules } from './format-rule.ts';
import { maxReadPorts, maxRules, parsePolicy, parseRules } from './parse-rules.ts';

const texts = (text: string | readonly string[]) => parseRules(text).rules.map((rule) => rule.text);

describe('rules', () => {
  it.each([
    ['example.org', ['example.org:443']],
    ['example.org:8080', ['example.org:8080']],
    ['example.org:*', ['example.org:*']],
    ['example.org:443,8080,443', ['example.org:443', 'example.org:8080']],
    ['*.example.org', ['*.example.org:443']],
    ['*.a.example.org:22', ['*.a.example.org:22']],
    ['EXAMPLE.Org.:443', ['example.org:443']],
    ['my_host.example.org', ['my_host.example.org:443']],
    ['registry:5000', ['registry:5000']],
    ['udp:ntp.example.org:123', ['udp:ntp.example.org:123']],
    ['UDP:ntp.example.org:123', ['udp:ntp.example.org:123']],
    ['tls:example.org:8443', ['tls:example.org:8443']],
    ['tls:example.org', ['example.org:443']],
    ['http:example.org', ['example.org:80']],
    ['http:example.org:8080', ['http:example.org:8080']],
    ['192.0.2.1', ['192.0.2.1:443']],
    ['192.0.2.1/32:22', ['192.0.2.1:22']],
    ['192.0.2.77/24:22', ['192.0.2.0/24:22']],
    ['10.0.0.0/8:5432,6432', ['10.0.0.0/8:5432', '10.0.0.0/8:6432']],
    ['0.0.0.0/0:22', ['0.0.0.0/0:22']],
    ['udp:192.0.2.1:123', ['udp:192.0.2.1:123']],
    ['[2001:DB8:0:0::1]', ['[2001:db8::1]:443']],
    ['[2001:db8::1]:22', ['[2001:db8::1]:22']],
    ['[2001:db8::ff]/32:22', ['[2001:db8::]/32:22']],
    ['[2001:db8::/32]:22', ['[2001:db8::]/32:22']],
    ['169.254.169.254/32:80', ['169.254.169.254/32:80']],
    ['[fd00:ec2::254]/128:80', ['[fd00:ec2::254]/128:80']],
    ['bücher.example', ['xn--bcher-kva.example:443']],
    ['BÜCHER.example', ['xn--bcher-kva.example:443']],
    ['bu\u0308cher.example', ['xn--bcher-kva.example:443']],
    ['xn--bcher-kva.example', ['xn--bcher-kva.example:443']],
    ['faß.example', ['xn--fa-hia.example:443']],
    ['*.github.io', ['*.github.io:443']],
    ['*.corp private', ['*.corp:443 private']],
    ['git.corp.example:443,22 private', ['git.corp.example:443 private', 'git.corp.example:22 private']],
  ])('%s', (text, expected) => {
    expect(texts(text)).toEqual(expected);
  });

  it('have their parts apart', () => {
    expect(parseRules('*.Example.org:443 private udp:[2001:db8::]/32:*').rules).toEqual([
      {
        kind: 'name',
        name: 'example.org',
        wildcard: true,
        port: 443,
        transport: 'tcp',
        layer: 'tls',
        allowPrivate: true,
        text: '*.example.org:443 private',
      },
      {
        kind: 'address',
        family: 6,
        network: '2001:db8::',
        prefixLength: 32,
        port: 'any',
        transport: 'udp',
        text: 'udp:[2001:db8::]/32:*',
      },
    ]);
  });

  it.each([
    ['a.example:443', 'tls'],
    ['a.example:80', 'http'],
    ['a.example:8443', 'raw'],
    ['a.example:*', 'raw'],
    ['tls:a.example:8443', 'tls'],
    ['http:a.example:8080', 'http'],
    ['udp:a.example:443', 'raw'],
  ])('%s is read as %s', (text, layer) => {
    expect(parseRules(text).rules).toMatchObject([{ layer }]);
  });
});

describe('lists', () => {
  const expected = ['a.example:443', 'b.example:22', '*.c.example:443'];

  it.each([
    ['lines', 'a.example:443\nb.example:22\n*.c.example:443\n'],
    ['Windows lines', 'a.example:443\r\nb.example:22\r\n*.c.example:443'],
    ['folded', 'a.example:443 b.example:22 *.c.example:443'],
    ['blanks and tabs around', '\n\n   a.example:443\n\tb.example:22   *.c.example:443\n \n'],
    ['comments', '# top\na.example:443 # x.example:443\n  #b\nb.example:22 #c\n*.c.example:443'],
    ['duplicates', 'a.example b.example:22 A.example.:443 *.c.example b.example:22'],
  ])('as %s', (_, text) => {
    expect(texts(text)).toEqual(expected);
  });

  it('as several texts, each of one rule or more', () => {
    expect(texts(['a.example', 'b.example:22\n*.c.example # end', '', '# none'])).toEqual(expected);
  });

  it('take an allowed-endpoints block as it is', () => {
    const block = `
            api.example.com:443
            *.actions.example.com:443
            archive.example.com:80
            *.blob.core.windows.net:443
            time.example.com:123
            1.1.1.1:443
    `;
    expect(texts(block)).toHaveLength(6);
    expect(texts(block.replaceAll(/\s+/g, ' '))).toEqual(texts(block));
  });

  it('bind `private` to the rule before it, over line ends and texts too', () => {
    const bound = ['a.example:443 private', 'b.example:443'];
    expect(texts('a.example private b.example')).toEqual(bound);
    expect(texts('a.example\n  private\nb.example')).toEqual(bound);
    expect(texts(['a.example', 'private', 'b.example'])).toEqual(bound);
    expect(texts('a.example Private b.example')).toEqual(bound);
    expect(texts('a.example\u00a0PRIVATE\ufeff\u3000b.example')).toEqual(bound);
  });

  it('take a host of the name private', () => {
    expect(texts('private:443 a.example')).toEqual(['private:443', 'a.example:443']);
  });

  it('merge a rule with and without `private` to the one with it', () => {
    expect(texts('a.example private a.example')).toEqual(['a.example:443 private']);
    expect(texts('a.example a.example private')).toEqual(['a.example:443 private']);
  });

  it('may be empty', () => {
    expect(parsePolicy('enforce', ' \n# nothing')).toEqual({ mode: 'enforce', rules: [] });
    expect(parsePolicy('enforce', [])).toEqual({ mode: 'enforce', rules: [] });
  });

  it('have a most', () => {
    const list = Array.from({ length: maxRules + 1 }, (_, index) => `h${String(index)}.example`);
    expect(() => parseRules(list)).toThrow(/too many rules.*at most 2000/);
    expect(parseRules(list.slice(1)).rules).toHaveLength(maxRules);
  });

  it('are not even read when there are far too many words', () => {
    expect(() => parseRules('! '.repeat(10 * maxRules + 1))).toThrow(/^Egress rule list has too many rules/);
    expect(parseRules('a.example '.repeat(10 * maxRules)).rules).toHaveLength(1);
  });

  it('have a most of ports that the proxy has to listen on', () => {
    const ports = Array.from({ length: maxReadPorts + 1 }, (_, index) => String(9000 + index));
    const list = ports.map((port, index) => `${index % 2 === 0 ? 'tls' : 'http'}:a.example:${port}`);
    expect(() => parseRules(list)).toThrow(/too many ports with `tls:` or `http:`.*at most 100/);
    const most = [...list.slice(1), 'http:b.example:9001', 'a.example:443', '*.b.example:22'];
    expect(parseRules(most).rules).toHaveLength(maxReadPorts + 3);
  });
});

it('formatted, one a line, read as the same rules', () => {
  const rules = parseRules(
    'a.example:443,8080 private *.b.example:* [2001:db8::]/32:22 10.0.0.0/8:22 tls:c.example:8443',
  ).rules;
  expect(formatRules(rules)).toBe(
    'a.example:443 private\na.example:8080 private\n*.b.example:*\n[2001:db8::]/32:22\n10.0.0.0/8:22\ntls:c.example:8443\n',
  );
  expect(parseRules(formatRules(rules)).rules).toEqual(rules);
});
