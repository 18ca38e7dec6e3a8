import type { EgressCountRow } from '../../store/rows.ts';

type Answered = Pick<EgressCountRow, 'countedBy' | 'name' | 'address'>;

/** The names that each address was used for: for a filter's rows, which know addresses alone. */
export function namesByAddress(rows: readonly Answered[]): ReadonlyMap<string, ReadonlySet<string>> {
  const names = new Map<string, Set<string>>();
  for (const { countedBy, name, address } of rows) {
    if (countedBy === 'filter' || name === null || address === null || name.startsWith('*')) continue;
    names.set(address, (names.get(address) ?? new Set()).add(name));
  }
  return names;
}

/** The name that an address was used for, where it is just one. */
export function answeredNames(rows: readonly Answered[]): (address: string) => string | undefined {
  const names = namesByAddress(rows);
  return (address) => onlyOne(names.get(address) ?? []);
}

export function onlyOne(names: Iterable<string>): string | undefined {
  const [name, ...others] = names;
  return others.length > 0 ? undefined : name;
}
