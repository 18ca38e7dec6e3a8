import { installation } from '../../platform/installation.ts';
import type { OpenGate } from './egress-side.ts';
import { openGate } from './gate/gate.ts';
import { helperNode } from './gate/helper-flags.ts';

/** Resolver and proxy as they are installed, with what they keep in this directory. */
export function installedGate(stateDirectory: string): OpenGate {
  const { resolverProcess, proxyProcess } = installation;
  const commands = { resolver: [...helperNode(), resolverProcess], proxy: [...helperNode(), proxyProcess] };
  return (proxyNetnsPath, options) => openGate({ ...options, stateDirectory, proxyNetnsPath, commands });
}
