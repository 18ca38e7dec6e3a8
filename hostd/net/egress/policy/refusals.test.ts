import { describe, expect, it } from 'vitest';
import { isOffshootError } from '../../../errors/offshoot-error.ts';
import { parseRules } from './parse-rules.ts';

function issuesOf(text: string | readonly string[]): { path: string; message: string }[] {
  try {
    parseRules(text);
  } catch (error) {
    if (isOffshootError(error) && error.code === 'egress-rules-invalid') {
      return error.details['issues'] as { path: string; message: string }[];
    }
    throw error;
  }
  return [];
}

describe('refused, saying what to write', () => {
  it.each([
    // too wide
    ['*', /every host.*audit/],
    ['*:443', /every host/],
    ['*.*', /every host/],
    ['**', /every host/],
    ['*.', /every host/],
    ['*.com', /under com.*`\*\.example\.com`/],
    ['*.COM.:443', /under com/],
    ['*.co.uk', /under co\.uk/],
    ['*.公司.cn', /under xn--55qx5d\.cn/],
    ['*.xn--p1ai', /under xn--p1ai/],
    ['*.com private', /under com/],
    ['*.corp', /word `private` after/],
    ['**.example.org', /`\*\.example\.org`/],
    ['*example.org', /`\*\.example\.org`/],
    ['a.*.example.org', /`\*\.example\.org`/],
    ['results*.blob.example.net', /`\*\.blob\.example\.net`/],
    ['*.*.example.org', /`\*\.example\.org`/],
    // ports
    ['a.example:', /port missing/],
    ['a.example:443,', /ends with a separator/],
    ['a.example,b.example', /separator in its middle/],
    ['a.example:443,b.example:443', /separator in its middle/],
    ['a.example;b', /separator in its middle/],
    ['192.0.2.1,192.0.2.2', /separator in its middle/],
    ['192.0.2.1,[2001:db8::1]:443', /separator in its middle/],
    ['|', /YAML/],
    ['>-', /YAML/],
    ['\\', /several lines/],
    ['a.example:,443', /port missing/],
    ['a.example:0', /does not exist, 0/],
    ['a.example:65536', /does not exist, 65536/],
    ['a.example:0443', /leading zeros/],
    ['a.example:99999999999999999999', /does not exist/],
    ['a.example:https', /no port number.*`https`/],
    ['a.example:-1', /no port number/],
    ['a.example:4e2', /no port number/],
    ['a.example:0x50', /no port number/],
    ['a.example:80-90', /range.*each port/],
    ['a.example:443,*', /only `:\*`/],
    ['a.example:53', /port 53.*resolver/],
    ['udp:192.0.2.1:53', /port 53/],
    ['udp:a.example', /no port.*`udp:ntp\.example\.org:123`/],
    ['tls:a.example:*', /can not read every port as tls/],
    ['http:a.example:443', /leave out `http:`/],
    ['tls:a.example:80', /leave out `tls:`/],
    ['tls:8443', /`tls:HOST:8443`/],
    // what is no rule
    ['https://a.example', /is a URL: write `a\.example:443`/],
    ['https://a.example/', /is a URL: write `a\.example:443`/],
    ['https://a.example:8443', /write `tls:a\.example:8443`/],
    ['https://a.example/simple/x', /URL with a path.*write `a\.example:443`/],
    ['https://a.example?q=1', /URL with a path/],
    ['http://a.example', /write `a\.example:80`/],
    ['http://a.example:8080/', /write `http:a\.example:8080`/],
    ['ssh://git@a.example/x.git', /write `a\.example:22`/],
    ['ssh://git@a.example:2222', /write `a\.example:2222`/],
    ['foo://a.example', /write `a\.example:PORT`/],
    ['https://', /write a host and a port/],
    ['git@a.example:x/y.git', /user name.*`a\.example:22`/],
    ['a.example/path', /path.*write `a\.example`/],
    ['a.example/24:443', /path.*write `a\.example`/],
    ['a.example:443/path', /no port number/],
    ['tcp:a.example:22', /goes without saying: write `a\.example:22`/],
    ['https:a.example:443', /write `tls:a\.example:443`/],
    ['udp:tls:a.example:443', /too many `:`/],
    ['a:b:c', /too many `:`/],
    ['"a.example"', /quotes/],
    ["'a.example:443'", /quotes/],
    ['“a.example”', /quotes/],
    // As a rule in force they would read `tls:443`.
    ['tls', /is a prefix/],
    ['TLS.:22', /is a prefix/],
    ['tls:tls:443', /is a prefix/],
    ['auto', /is a prefix/],
    ['«a.example:22»', /quotes/],
    ['a.example,', /separator/],
    ['a.example;', /separator/],
    ['-', /mark of a list/],
    ['!a.example', /rules only allow/],
    ['auto:npm', /command line, the SDK or the action/],
    ['private', /follows no rule/],
    ['a.example private private', /follows no rule/],
    // names
    ['a..example', /empty label/],
    ['.example.org', /empty label/],
    ['.', /names no host/],
    [':443', /names no host/],
    ['tls:', /names no host/],
    ['-a.example', /no `-` at either end/],
    ['a-.example', /no `-` at either end/],
    ['a.example..', /empty label/],
    [`${'a'.repeat(64)}.example`, /63 characters/],
    [`${'a.'.repeat(130)}example`, /253 characters/],
    ['a'.repeat(301), /300 characters/],
    ['a.ex%61mple', /`%`/],
    ['a$.example', /no host name/],
    ['a\0b.example', /no host name/],
    ['localhost:8080', /guest itself/],
    ['x.localhost', /guest itself/],
    ['*.localhost', /guest itself/],
    ['exam\u00ADple.org', /IDN.*write `example\.org`/],
    ['example\u200b.org', /IDN.*write `example\.org`/],
    ['ｅxample.org', /IDN.*write `example\.org`/],
    ['example。org', /IDN.*write `example\.org`/],
    ['x\u200d.example', /host name/],
    ['xn--zzzzzz.example', /IDN.*own letters/],
    ['xn--a.example', /IDN/],
    // addresses
    ['2130706433', /127\.0\.0\.1/],
    ['0x7f.1', /127\.0\.0\.1/],
    ['0177.0.0.1', /127\.0\.0\.1/],
    ['0xa9fea9fe:80', /169\.254\.169\.254/],
    ['169.254.43518', /169\.254\.169\.254/],
    ['010.0.0.1/8', /8\.0\.0\.1/],
    ['0x0a000000/8', /10\.0\.0\.0/],
    ['*.0x7f.1', /number/],
    ['１.2.3.4', /1\.2\.3\.4/],
    ['1.2.3.4.5', /number/],
    ['example.123', /number/],
    ['256.1.1.1', /number/],
    ['192.0.2.1/33', /prefix length.*32/],
    ['192.0.2.1/', /prefix length/],
    ['192.0.2.0/024', /prefix length/],
    ['192.0.2.0/24/8', /prefix length/],
    ['192.0.2.0/255.255.255.0', /prefix length/],
    ['2001:db8::1', /`\[2001:db8::1\]:443`/],
    ['::1', /guest itself/],
    ['udp:::1', /guest itself/],
    ['::1/128', /guest itself/],
    ['fe80::1', /does not leave its own link/],
    ['::ffff:10.0.0.1', /write `10\.0\.0\.1`/],
    ['fd00:ec2::254', /write `\[fd00:ec2::254\]\/128:443`/],
    ['2001:db8::/129', /prefix length.*128/],
    ['2001:db8::/32', /`\[2001:db8::\]\/32:443`/],
    ['[2001:db8::1', /brackets/],
    ['[a.example]:443', /no IPv6 address/],
    ['[192.0.2.1]:443', /no IPv6 address/],
    ['[]:443', /no IPv6 address/],
    ['[2001:db8::]/129', /prefix length.*128/],
    ['[fe80::1%eth0]:22', /zone/],
    ['[fe80::1]:22', /link/],
    ['[::ffff:10.0.0.1]:22', /write `10\.0\.0\.1`/],
    ['[::ffff:a9fe:a9fe]:80', /write `169\.254\.169\.254`/],
    ['[64:ff9b::808:808]:443', /write `8\.8\.8\.8`/],
    ['[2002:0a00:0001::]/48:443', /write those/],
    ['127.0.0.1:80', /guest itself/],
    ['127.0.0.0/8:80', /guest itself/],
    ['[::1]:80', /guest itself/],
    ['0.0.0.0:80', /no address/],
    ['224.0.0.1:80', /multicast/],
    ['[ff02::1]:80', /multicast/],
    ['169.254.169.254:80', /`169\.254\.169\.254\/32:80`/],
    ['169.254.169.254', /`169\.254\.169\.254\/32`/],
    ['udp:168.63.129.16:123', /`udp:168\.63\.129\.16\/32:123`/],
    ['[fd00:ec2::254]:80', /`\[fd00:ec2::254\]\/128:80`/],
    ['tls:192.0.2.1:443', /leave out `tls:`/],
    ['10.0.0.0/8:22 private', /`private` does not go with/],
  ])('%j', (text, why) => {
    const issues = issuesOf(text);
    expect(issues).toHaveLength(1);
    expect(issues[0]?.message).toMatch(why);
  });

  it('each bad rule by itself, none of the list taken', () => {
    expect(issuesOf('good.example *.com other.example a.example:0').map(({ path }) => path)).toEqual([
      '*.com',
      'a.example:0',
    ]);
  });

  it('one port read in two ways', () => {
    expect(issuesOf('tls:a.example:8443 http:b.example:8443')).toEqual([
      {
        path: 'http:b.example:8443',
        message: 'reads port 8443 as http, but `tls:a.example:8443` as tls: a port is read in one way',
      },
    ]);
  });

  it('without showing passwords or characters that move the cursor', () => {
    const told = JSON.stringify(
      issuesOf(['https://user:hunter2@a.example/x', 'me:hunter2@a.example', 'a\u001b[2J.example']),
    );
    expect(told).not.toContain('hunter2');
    expect(told).not.toContain('u001b');
  });

  it('with what to write instead being a rule', () => {
    const refusedTexts = ['https://a.example:8443/x', 'http://a.example:8080', '2001:db8::/32', 'a.*.example.org'];
    for (const text of [...refusedTexts, 'ｅxample.org', '169.254.169.254:80', '[::ffff:192.0.2.1]:22', '0xc0000201']) {
      const [, instead = ''] = /write `([^`]+)`/.exec(issuesOf(text)[0]?.message ?? '') ?? [];
      if (text !== '0xc0000201') expect(instead).not.toBe('');
      expect(issuesOf(instead)).toEqual([]);
    }
  });
});
