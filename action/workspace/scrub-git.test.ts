import { describe, expect, test } from 'vitest';
import { scrubConfig, withoutUserInfo } from './scrub-git.ts';

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

  test('keeps an include that comes along', () => {
    const text = '[include]\n\tpath = ../shared.config\n';
    expect(scrub(text, ['../shared.config'])).toBe(text);
    expect(scrub(text)).toBe('');
  });

  test('that git could not read is not guessed at', () => {
    expect(scrub('[http\n\textraheader = c2VjcmV0\n')).toBeUndefined();
  });
});

test('user information in URLs', () => {
  expect(withoutUserInfo('a https://u:p@x/y b http://t@z c')).toBe('a https://x/y b http://z c');
  expect(withoutUserInfo('https://u:p@ss@x/y')).toBe('https://x/y');
  expect(withoutUserInfo('ssh://git:pw@x/y ssh://git@x git+ssh://a@b')).toBe('ssh://git@x/y ssh://git@x git+ssh://a@b');
  expect(withoutUserInfo('https://x/y@v1 mail@x.org')).toBe('https://x/y@v1 mail@x.org');
  expect(withoutUserInfo('ssh://:pw@x/y')).toBe('ssh://x/y');
});
