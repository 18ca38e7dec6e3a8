import { describe, expect, test } from 'vitest';
import { scrubConfig, withoutCredentials } from './scrub-git.ts';

const scrub = (text: string, inside: readonly string[] = []): string | undefined =>
  scrubConfig(text, { isInside: (included) => inside.includes(included) });

const origin = '[remote "origin"]\n\turl = https://example.org/a.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n';

describe('a config', () => {
  test('without credentials stays as it is, comments and all', () => {
    const text = `# mine\n[core]\n\tbare = false ; really\n${origin}[user]\n\temail = a@example.org\n`;
    expect(scrub(text)).toBe(text);
  });

  test.each([
    '[http "https://example.org/"]\n\textraheader = AUTHORIZATION: basic c2VjcmV0',
    '[http]\n\tExtraHeader = x: c2VjcmV0',
    '[HTTP "https://example.org/"]\n\tcookieFile = /tmp/c2VjcmV0',
    '[http]\n\tsslKey = /home/c2VjcmV0\n\tsslCert = c2VjcmV0\n\tproxySSLKey=c2VjcmV0',
    '[credential]\n\thelper = "!f() { echo password=c2VjcmV0; }; f"',
    '[credential "https://example.org"]\n\tusername = c2VjcmV0',
    '[core]\n\tsshCommand = ssh -i /home/c2VjcmV0\n\taskPass = /tmp/c2VjcmV0',
    '[include]\n\tpath = /runner/_temp/c2VjcmV0',
    '[includeIf "gitdir:/w/.git"]\n\tpath = /runner/_temp/c2VjcmV0',
    '[sendemail]\n\tsmtpPass = c2VjcmV0',
    '[imap]\n\tpass = c2VjcmV0',
    '[hub]\n\toauthtoken = c2VjcmV0',
    '[x]\n\ty = "Authorization: c2VjcmV0"',
    '[x]\n\ty = ghp_c2VjcmV0c2VjcmV0c2VjcmV0',
    '# [http] extraheader = c2VjcmV0',
    '# url = https://c2VjcmV0@example.org/',
    '[x]\n\ty = z ; token c2VjcmV0',
    '[http]\n\tproxy = user:c2VjcmV0@proxy:3128',
    '[http "https://example.org"]\n\tproxy = c2VjcmV0@proxy:3128',
    '[remote "o"]\n\tproxy = u:c2V@jcmV0c2VjcmV0@h:1',
    '# proxy = u:c2VjcmV0@h:1',
    '[remote "o"]\n\turl = https://host/r.git?private_token=c2VjcmV0',
    '[remote "o"]\n\turl = "https://host/r.git?a=b&access_token=c2VjcmV0#x"',
    '[remote "o"]\n\turl = "https://host/r.git#token=c2VjcmV0"',
    '[url "https://host/?api_key=c2VjcmV0"]\n\tinsteadOf = https://host/',
    '[remote "o"]\n\turl = "https://host/r.git?X-Amz-Signature=c2VjcmV0&sig=c2VjcmV0"',
    '[remote "o"]\n\turl = https://user:pa/c2VjcmV0@host/x.git',
    '[remote "o"]\n\turl = https://user:12/c2VjcmV0@host/x.git',
    '[remote "o"]\n\turl = https://user:pa?c2VjcmV0@host.example/x.git',
    '[remote "o"]\n\turl = "https://user:pa c2VjcmV0@host/x.git"',
    '[remote "o"]\n\turl = git::https://u:c2VjcmV0@h/x',
    '[lfs]\n\tauth = c2VjcmV0',
    '[lfs "https://host/"]\n\taccesskey = c2VjcmV0\n\tprivateKey = c2VjcmV0\n\tkey = c2VjcmV0',
    '[lfs "customtransfer.x"]\n\targs = --key AKIAC2VJCMV0C2VJCMV0 c2VjcmV0',
    '[alias]\n\tx = !curl -H \\"PRIVATE-TOKEN: c2VjcmV0\\" h',
    '[alias]\n\tx = !tool --auth-token c2VjcmV0',
    '[alias]\n\tx = !PASSWORD=c2VjcmV0 tool',
  ])('loses %j', (secret) => {
    const cleaned = scrub(`${secret}\n${origin}`);
    expect(cleaned).not.toContain('c2VjcmV0');
    expect(cleaned).toContain('url = "https://example.org/a.git"');
  });

  test('keeps where to fetch from but not as whom', () => {
    expect(scrub('[remote "o"]\n\turl = https://x-access-token:c2VjcmV0@example.org/a.git\n')).toBe(
      '[remote "o"]\n\turl = "https://example.org/a.git"\n',
    );
    expect(scrub('[url "https://c2VjcmV0@example.org/"]\n\tinsteadOf = https://example.org/\n')).toBe(
      '[url "https://example.org/"]\n\tinsteadof = "https://example.org/"\n',
    );
    const ssh = '[remote "o"]\n\turl = ssh://git@example.org/a.git\n\tpushurl = git@example.org:a.git\n';
    expect(scrub(ssh)).toBe(ssh);
  });

  test('keeps a URL whose parameters were credentials', () => {
    expect(scrub('[remote "o"]\n\turl = "https://host/r.git?private_token=c2VjcmV0&a=b"\n\tfetch = x\n')).toBe(
      '[remote "o"]\n\turl = "https://host/r.git?private_token=&a=b"\n\tfetch = "x"\n',
    );
  });

  test('keeps an include that comes along', () => {
    const text = '[include]\n\tpath = ../shared.config\n';
    expect(scrub(text, ['../shared.config'])).toBe(text);
    expect(scrub(text)).toBe('');
  });

  test('keeps what only looks like it', () => {
    const text =
      '[user]\n\tname = A. Author\n\tsigningkey = ABC\n[sendemail]\n\tsmtpauth = PLAIN\n[http]\n\tproxy = http://proxy:3128\n\tsslVerify = true\n[lfs "https://h/"]\n\taccess = basic\n[alias]\n\tl = log --sort=key\n[remote "o"]\n\turl = https://host.example:8080/x@v1?ref=a\n';
    expect(scrub(text)).toBe(text);
    expect(scrub('[http]\n\tproxy = u:p@proxy:3128\n')).toBe('[http]\n\tproxy = "proxy:3128"\n');
  });

  test('that git could not read is not guessed at', () => {
    expect(scrub('[http\n\textraheader = c2VjcmV0\n')).toBeUndefined();
  });
});

test('user information in URLs', () => {
  expect(withoutCredentials('a https://u:p@x/y b http://t@z c')).toBe('a https://x/y b http://z c');
  expect(withoutCredentials('https://u:p@ss@x/y')).toBe('https://x/y');
  expect(withoutCredentials('ssh://git:pw@x/y ssh://git@x git+ssh://a@b')).toBe(
    'ssh://git@x/y ssh://git@x git+ssh://a@b',
  );
  expect(withoutCredentials('https://x/y@v1 mail@x.org')).toBe('https://x/y@v1 mail@x.org');
  expect(withoutCredentials('ssh://:pw@x/y')).toBe('ssh://x/y');
  expect(withoutCredentials('https://user:pa/ss@host/x.git http://h.x:80/a@b http://localhost:1/a@b')).toBe(
    'https://host/x.git http://h.x:80/a@b http://localhost:1/a@b',
  );
  expect(withoutCredentials('x https://h/x?private_token=abc&ref=main y')).toBe(
    'x https://h/x?private_token=&ref=main y',
  );
});
