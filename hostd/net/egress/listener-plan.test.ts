import { expect, test } from 'vitest';
import { ledTo, listenersFor, needsListeners } from './listener-plan.ts';
import { parsePolicy } from './policy/parse-rules.ts';

const address = '10.83.255.251';
const open = [
  { address, port: 35_001, forPort: 443, layer: 'tls' as const },
  { address, port: 35_002, forPort: 8443, layer: 'http' as const },
];

test('a port that two policies read in two ways has a listener for each; what is open stays', () => {
  const policies = ['tls:a.example:8443', 'http:a.example:8443'].map((rule) => parsePolicy('enforce', [rule]));
  expect(listenersFor(policies, open, address)).toEqual([
    open[0],
    { address, port: 0, forPort: 80, layer: 'http' },
    { address, port: 0, forPort: 8443, layer: 'tls' },
    open[1],
  ]);
});

test('a policy is led to the listeners that read its ports as it does', () => {
  const both = [...open, { address, port: 35_003, forPort: 8443, layer: 'tls' as const }];
  expect(ledTo(parsePolicy('enforce', ['tls:a.example:8443']), both)).toEqual(
    new Map([
      [443, 35_001],
      [8443, 35_003],
    ]),
  );
  expect(ledTo(parsePolicy('audit', []), both)).toEqual(new Map([[443, 35_001]]));
});

test('only tls: and http: rules need listeners of their own', () => {
  expect(needsListeners(parsePolicy('enforce', ['a.example', 'a.example:80,22', 'udp:a.example:7']))).toBe(false);
  expect(needsListeners(parsePolicy('enforce', ['http:a.example:8080']))).toBe(true);
});
