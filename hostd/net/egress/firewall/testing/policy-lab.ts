import { networkConfigSchema } from '../../../config.ts';
import type { NetworkSlot } from '../../../network.ts';
import { planNetwork, planSlot, uplinkName, type NetworkPlan } from '../../../plan.ts';
import { freshInstance, Lab } from '../../../testing/lab.ts';
import type { RemoteNetwork } from '../../../testing/remote-network.ts';
import type { StandInGuest } from '../../../testing/stand-in-guest.ts';
import { lines } from '../../../slot-commands.ts';
import { runChecked, systemRunner, type Runner } from '../../../../platform/run.ts';
import { parsePolicy } from '../../policy/parse-rules.ts';
import type { HostAddresses } from '../../policy/policy.ts';
import { outside } from '../../../../../test/doubles/outside-world.ts';
import { loadRules } from '../load-rules.ts';
import { ProxyNamespace } from '../proxy-namespace.ts';
import { slotToProxyBatch } from '../proxy-plan.ts';
import { slotPolicyRules } from '../slot-policy-rules.ts';

export interface PolicySandbox {
  slot: NetworkSlot;
  guest: StandInGuest;
  /** Puts a policy in force; resolves with the milliseconds that took. */
  apply: (
    mode: 'enforce' | 'audit',
    rules: readonly string[],
    listeners?: ReadonlyMap<number, number>,
  ) => Promise<number>;
}

/** The listener of each port that tests proxy. */
export const listeners: ReadonlyMap<number, number> = new Map([
  [443, 18_443],
  [80, 18_080],
  [8443, 18_444],
]);

export interface PolicyLab {
  lab: Lab;
  network: RemoteNetwork;
  plan: NetworkPlan;
  proxy: ProxyNamespace;
  /** Runs programs in the pretended host's network. */
  runner: Runner;
  sandbox: (slot: number) => Promise<PolicySandbox>;
}

/** A pretended host with a network and the proxy's namespace on it. */
export async function openPolicyLab(): Promise<PolicyLab> {
  const lab = await Lab.open();
  const instance = freshInstance();
  const network = await lab.startedNetwork({ instance });
  const config = networkConfigSchema.parse({ instance });
  const plan = planNetwork(config, (await network.facts()).link.mtu);
  const runner: Runner = {
    run: (command, args, options) => {
      const inside = lab.world.inHost(command, args);
      return systemRunner.run(inside.command, inside.args, options);
    },
  };
  const proxy = new ProxyNamespace(runner, plan);
  await proxy.ensure([...listeners.values()]);
  const host: HostAddresses = { own: [outside.hostAddress] };
  const sandbox = async (slot: number): Promise<PolicySandbox> => {
    const made = await lab.sandbox(network, slot, 'open');
    const slotPlan = planSlot(plan, config.subnet.base, slot);
    await runChecked(runner, 'ip', ['-n', slotPlan.netnsName, '-batch', '-'], {
      input: lines(slotToProxyBatch(slotPlan, proxy.proxy, uplinkName)),
    });
    // The kernel's own brake on ICMP errors would leave the later ones of many refusals unsaid.
    const noBrake = ['-c', 'echo 0 > /proc/sys/net/ipv4/icmp_ratelimit'];
    await runChecked(runner, 'nsenter', [`--net=${slotPlan.netnsPath}`, '--', 'sh', ...noBrake]);
    const apply: PolicySandbox['apply'] = async (mode, rules, usedListeners = listeners) => {
      const startedMs = performance.now();
      const helpers = {
        resolver: { address: plan.bridgeAddress, port: plan.dnsPort },
        proxy: { address: proxy.proxy.address, listeners: usedListeners },
      };
      await loadRules(
        runner,
        slotPlan.netnsPath,
        slotPolicyRules(plan, slotPlan, parsePolicy(mode, rules), host, helpers),
      );
      return performance.now() - startedMs;
    };
    return { ...made, apply };
  };
  return { lab, network, plan, proxy, runner, sandbox };
}
