import { createHash } from 'node:crypto';

/** What of the host's CPU a saved machine depends on. */
export interface HostCpu {
  /** Vendor and model, as /proc/cpuinfo names them. */
  model: string;
  /** Hash of the sorted feature flags. */
  flagsDigest: string;
}

/** Reads the first processor of /proc/cpuinfo. */
export function parseCpuInfo(text: string): HostCpu {
  const first = text.split('\n\n')[0] ?? '';
  const field = (name: string) => new RegExp(`^${name}\\s*:\\s*(.*)$`, 'm').exec(first)?.[1]?.trim() ?? '';
  const flags = field('flags').split(/\s+/).toSorted().join(' ');
  return {
    model: `${field('vendor_id')} ${field('cpu family')}/${field('model')}/${field('stepping')} ${field('model name')}`,
    flagsDigest: createHash('sha256').update(flags).digest('hex').slice(0, 16),
  };
}
