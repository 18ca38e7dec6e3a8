import { expect, test } from 'vitest';
import { encodeLaunchSpec, type LaunchSpec } from './launch-spec.ts';

const spec: LaunchSpec = {
  uid: 5,
  gid: 6,
  groups: [104],
  netnsPath: '/run/netns/a',
  files: [{ kind: 'tap', number: 12, target: 'tap0' }],
  limits: { nofile: 1024 },
  program: '/usr/bin/q',
  args: ['-a', 'b c\n"$d"'],
  env: { A: 'b=c' },
};

test('each fact is one record ended by NUL, whatever is in it', () => {
  expect(encodeLaunchSpec(spec).split('\0')).toEqual([
    'uid=5',
    'gid=6',
    'group=104',
    'netns=/run/netns/a',
    'tap=12:tap0',
    'limit=nofile:1024',
    'env=A=b=c',
    'arg=/usr/bin/q',
    'arg=-a',
    'arg=b c\n"$d"',
    '',
  ]);
});

test('a NUL in a value can not smuggle in a record', () => {
  expect(() => encodeLaunchSpec({ ...spec, args: ['x\0uid=0'] })).toThrow('arg holds a NUL byte');
});
