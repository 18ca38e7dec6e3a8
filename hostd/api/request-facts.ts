import type { ServerResponse } from 'node:http';

/** What the stages of a request leave for each other. */
export interface RequestFacts {
  requestId: string;
  /** The path of the route in the table; empty while none is known. */
  route: string;
}

const known = new WeakMap<ServerResponse, RequestFacts>();

export function openFacts(response: ServerResponse, requestId: string): RequestFacts {
  const facts = { requestId, route: '' };
  known.set(response, facts);
  return facts;
}

export function factsOf(response: ServerResponse): RequestFacts {
  return known.get(response) ?? openFacts(response, '');
}
