import type { OutputConsumer } from './output-window.ts';

/** What a stream is made of; the channel adds the callbacks. */
export interface StreamSetup {
  id: number;
  /** Fields of OPEN, asked for at the moment of sending; absent for a stream that an earlier host opened. */
  fields?: () => Buffer;
  consume: OutputConsumer;
  /** Output and input offsets to go on from, for a stream that an earlier host opened. */
  adopted?: { outputOffset: number; inputOffset: number };
  /** Calls back when all that was sent before has arrived. */
  confirm: (arrived: () => void) => void;
  onClosed: () => void;
}

/** The guest does not know the stream any more. */
export class StreamLostError extends Error {
  constructor() {
    super('the agent has lost the stream');
    this.name = 'StreamLostError';
  }
}
