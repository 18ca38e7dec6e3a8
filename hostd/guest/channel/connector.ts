import type { Guest, GuestConnectOptions, GuestConnector } from '../guest.ts';
import { GuestChannel } from './channel.ts';
import { ChannelGuest } from './channel-guest.ts';
import { aborted, unresponsive } from './errors.ts';

/** Opens agent channels over unix sockets. */
export class ChannelConnector implements GuestConnector {
  /**
   * Dials until the agent has answered. Fails with `guest-unresponsive` at helloTimeoutMs, `guest-protocol` when the
   * agent breaks the protocol again and again, `aborted` by the signal.
   */
  async connect(options: GuestConnectOptions): Promise<Guest> {
    const { signal, helloTimeoutMs } = options;
    if (signal?.aborted === true) throw aborted(signal.reason);
    const channel = new GuestChannel(options.socketPath, options.midStream);
    let giveUp: (error: Error) => void = () => undefined;
    const given = new Promise<never>((_resolve, reject) => {
      giveUp = reject;
    });
    const timer = setTimeout(() => giveUp(unresponsive('the first contact', helloTimeoutMs)), helloTimeoutMs);
    const onAbort = (): void => giveUp(aborted(signal?.reason));
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      return new ChannelGuest(channel, await Promise.race([channel.ready, given]));
    } catch (error) {
      channel.disconnect();
      throw error;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    }
  }
}
