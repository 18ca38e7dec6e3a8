import type { HostContext } from './host-context.ts';
import type { Metric } from './host.ts';
import { sandboxStates } from '../contract/sandbox.ts';
import type { TemplateManager } from './template/template-manager.ts';

const deniedPrefix = 'egress_denied.';

function counter(name: string, help: string, values: Metric['values']): Metric {
  return { name, help, type: 'counter', values };
}

function gauge(name: string, help: string, value: number): Metric {
  return { name, help, type: 'gauge', values: [{ value }] };
}

/** Totals come from the store and so outlive hostd. */
export async function hostMetrics(host: HostContext, templates: TemplateManager): Promise<Metric[]> {
  const totals = host.store.counters.all();
  const total = (name: string) => [{ value: totals[name] ?? 0 }];
  const live = host.registry.live;
  const ended = Object.entries(totals)
    .filter(([name]) => name.startsWith('sandboxes_ended.'))
    .map(([name, value]) => ({ labels: { reason: name.slice('sandboxes_ended.'.length) }, value }));
  const denied = Object.entries(totals)
    .filter(([name]) => name.startsWith(deniedPrefix))
    .map(([name, value]) => {
      const [reason = '', outcome = ''] = name.slice(deniedPrefix.length).split('.');
      return { labels: { reason, outcome }, value };
    });
  const capacity = await host.admission.capacity();
  return [
    counter('offshoot_sandboxes_created_total', 'Sandboxes that came to run.', total('sandboxes_created')),
    counter('offshoot_sandboxes_ended_total', 'Sandboxes that ended, by reason.', ended),
    counter('offshoot_forks_total', 'Forks that started all their copies.', total('forks')),
    counter('offshoot_execs_started_total', 'Execs that were started.', total('execs_started')),
    counter('offshoot_execs_ended_total', 'Execs that ended.', total('execs_ended')),
    counter('offshoot_output_bytes_total', 'Output of ended execs that was kept.', total('output_bytes')),
    counter(
      'offshoot_egress_denied_total',
      'What egress policies denied, by reason: blocked, or passed as its policy only audits.',
      denied,
    ),
    counter('offshoot_templates_made_total', 'Templates that were made.', total('templates_made')),
    {
      name: 'offshoot_sandboxes',
      help: 'Live sandboxes by state.',
      type: 'gauge',
      values: sandboxStates
        .filter((state) => state !== 'gone')
        .map((state) => ({ labels: { state }, value: live.filter(({ row }) => row.state === state).length })),
    },
    gauge('offshoot_queue_length', 'Requests that wait for room.', host.admission.queued),
    gauge('offshoot_templates', 'Templates that can be restored.', templates.count),
    gauge(
      'offshoot_execs_running',
      'Execs that run.',
      live.reduce((sum, { execs }) => sum + execs.size, 0),
    ),
    gauge(
      'offshoot_sandbox_memory_mebibytes',
      'Memory that sandboxes take now.',
      live.reduce((sum, { usage }) => sum + usage.residentMiB, 0),
    ),
    gauge(
      'offshoot_fork_image_mebibytes',
      'Memory that images of forks take, or are going to.',
      host.checkpoints.inMemoryMiB,
    ),
    gauge('offshoot_memory_committed_mebibytes', 'Memory taken or held back for growth.', host.admission.committedMiB),
    gauge('offshoot_memory_capacity_mebibytes', 'Memory that sandboxes may take together.', capacity.memoryMiB),
    gauge('offshoot_disk_free_mebibytes', 'Free space in the state directory.', capacity.diskFreeMiB),
  ];
}
