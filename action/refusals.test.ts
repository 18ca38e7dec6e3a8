import { describe, expect, test } from 'vitest';
import { refuseUnsafeTriggers, refuseUnservedHosts } from './refusals.ts';

const own = { id: 1 };
const fork = { id: 2 };
const pull = (head: { id: number } | null) => ({
  repository: own,
  pull_request: { head: { repo: head }, base: { repo: own } },
});
const run = (head: { id: number } | null | undefined) => ({ repository: own, workflow_run: { head_repository: head } });

describe('jobs with the rights of the base repository', () => {
  test.each([
    ['pull_request_target', pull(fork)],
    ['pull_request_target', pull(null)],
    ['pull_request_target', undefined],
    ['workflow_run', run(fork)],
    ['workflow_run', run(null)],
    ['workflow_run', run(undefined)],
    ['workflow_run', {}],
  ])('%s of a fork is refused unless opted in', (name, payload) => {
    const refuse = (allow: boolean) => () => {
      refuseUnsafeTriggers({ name, payload }, 'unix:/x', allow);
    };
    expect(refuse(false)).toThrow(expect.objectContaining({ code: 'unsafe-fork-code' }));
    expect(refuse(true)).not.toThrow();
  });

  test.each([
    ['pull_request_target', pull(own)],
    ['workflow_run', run(own)],
    ['push', undefined],
    ['pull_request', pull(fork)],
  ])('%s without a fork’s code and secrets at once runs', (name, payload) => {
    expect(() => {
      refuseUnsafeTriggers({ name, payload }, 'unix:/x', false);
    }).not.toThrow();
  });
});

test('only sockets and hosts of the job are served', () => {
  refuseUnservedHosts('local');
  refuseUnservedHosts('unix:/x');
  expect(() => {
    refuseUnservedHosts('tcp:127.0.0.1:80');
  }).toThrow(expect.objectContaining({ code: 'action-input' }));
});

describe('a fork’s pull request has no token', () => {
  const refuse = (host: string) => () => {
    refuseUnsafeTriggers({ name: 'pull_request', payload: pull(fork) }, host, false);
  };

  test('so it can use a socket or a host of its own', () => {
    expect(refuse('unix:/x')).not.toThrow();
    expect(refuse('local')).not.toThrow();
  });

  test('and no other, also when opted in', () => {
    expect(refuse('https://builds.example.com')).toThrow(expect.objectContaining({ code: 'fork-pr-no-identity' }));
    expect(() => {
      refuseUnsafeTriggers({ name: 'pull_request_target', payload: pull(fork) }, 'tcp:h:1', true);
    }).toThrow(expect.objectContaining({ code: 'fork-pr-no-identity' }));
  });
});
