import type { Policy } from './policy.ts';

/** How the proxy reads each TCP port that goes to it under this policy: 443 as TLS, 80 as HTTP, and those that rules name with `tls:` or `http:`. */
export function proxiedPorts(policy: Policy): ReadonlyMap<number, 'tls' | 'http'> {
  const ports = new Map<number, 'tls' | 'http'>([
    [443, 'tls'],
    [80, 'http'],
  ]);
  for (const rule of policy.rules) {
    if (rule.kind === 'name' && rule.layer !== 'raw' && rule.port !== 'any') ports.set(rule.port, rule.layer);
  }
  return ports;
}
