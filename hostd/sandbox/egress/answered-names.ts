import type { EgressCountRow } from '../../store/rows.ts';

type Answered = Pick<EgressCountRow, 'countedBy' | 'name' | 'address'>;

/** The name that an address was used for, where it is just one: for a filter's rows, which know addresses alone. */
export function answeredNames(rows: readonly Answered[]): (address: string) => string | undefined {
  const names = new Map<string, Set<string>>();
  for (const { countedBy, name, address } of rows) {
    if (countedBy === 'filter' || name === null || address === null || name.startsWith('*')) continue;
    names.set(address, (names.get(address) ?? new Set()).add(name));
  }
  return (address) => {
    const [name, ...others] = names.get(address) ?? [];
    return others.length > 0 ? undefined : name;
  };
}
