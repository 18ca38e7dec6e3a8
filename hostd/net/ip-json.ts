import { isIPv4 } from 'node:net';
import { z } from 'zod';
import { runChecked, type Runner } from '../platform/run.ts';

const linksSchema = z.array(
  z.object({
    ifname: z.string(),
    mtu: z.number(),
    /** The MAC; not every kind of link has one. */
    address: z.string().optional(),
    master: z.string().optional(),
  }),
);

export type Link = z.output<typeof linksSchema>[number];

const addressesSchema = z.array(
  z.object({
    ifname: z.string(),
    addr_info: z.array(z.object({ local: z.string().optional(), prefixlen: z.number(), scope: z.string().optional() })),
  }),
);

const routesSchema = z.array(
  z.object({
    dst: z.string(),
    dev: z.string().optional(),
    gateway: z.string().optional(),
    metrics: z.array(z.object({ mtu: z.number().optional() })).optional(),
    nexthops: z.array(z.object({ dev: z.string().optional() })).optional(),
  }),
);

export type Route = z.output<typeof routesSchema>[number];

/** Links of this network namespace, without their kind. Throws CommandError. */
export async function listLinks(runner: Runner): Promise<Link[]> {
  return linksSchema.parse(await ipJson(runner, ['link', 'show']));
}

/** The bridges among them. Throws CommandError. */
export async function listBridges(runner: Runner): Promise<Link[]> {
  return linksSchema.parse(await ipJson(runner, ['link', 'show', 'type', 'bridge']));
}

/** IPv4 addresses of one interface, as `address/prefix`. Throws CommandError. */
export async function listAddresses(runner: Runner, interfaceName: string): Promise<string[]> {
  const found = addressesSchema.parse(await ipJson(runner, ['-4', 'addr', 'show', 'dev', interfaceName]));
  return found.flatMap((one) =>
    one.addr_info.flatMap((info) => (info.local === undefined ? [] : [`${info.local}/${String(info.prefixlen)}`])),
  );
}

/** All addresses of this network namespace but those that every host has (loopback, link-local IPv6). Throws CommandError. */
export async function listOwnAddresses(runner: Runner): Promise<string[]> {
  const found = addressesSchema.parse(await ipJson(runner, ['addr', 'show']));
  const all = found.flatMap((one) =>
    one.addr_info.flatMap(({ local, scope }) => (local !== undefined && isOwn(local, scope) ? [local] : [])),
  );
  return [...new Set(all)].sort();
}

function isOwn(address: string, scope: string | undefined): boolean {
  return isIPv4(address) ? !address.startsWith('127.') : scope === 'global';
}

/** IPv4 routes of the main table. Throws CommandError. */
export async function listRoutes(runner: Runner): Promise<Route[]> {
  return routesSchema.parse(await ipJson(runner, ['-4', 'route', 'show', 'table', 'main']));
}

async function ipJson(runner: Runner, args: readonly string[]): Promise<unknown> {
  const { stdout } = await runChecked(runner, 'ip', ['-j', ...args]);
  // Nothing found is printed as nothing by some versions, and absent entries as {}.
  const parsed: unknown = stdout.trim() === '' ? [] : JSON.parse(stdout);
  return Array.isArray(parsed) ? parsed.filter((entry) => Object.keys(entry as object).length > 0) : parsed;
}
