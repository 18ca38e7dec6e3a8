/** Why a rule is refused, as a sentence without its subject that says what to write instead. */
export interface Refused {
  refused: string;
}

export function refused(why: string): Refused {
  return { refused: why };
}

export function isRefused(value: object): value is Refused {
  return 'refused' in value;
}
