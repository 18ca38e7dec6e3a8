import { formatAddress } from '../api/address.ts';
import { version } from '../version.ts';
import { loadConfig, type ConfigFlags, type HostdConfig } from './config.ts';
import { startDaemon, type Daemon } from './daemon.ts';
import { createLogger, type DaemonLogger } from './logger.ts';
import { systemParts } from './system-parts.ts';

const endingSignals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
/** How long something forgotten may keep a stopped hostd from ending. */
const lingerMs = 2_000;

/**
 * Runs hostd until a signal ends it: the first one gracefully, a second one at once. Prints one line for people when it is ready; the log
 * goes to stderr as JSON lines. Resolves with the exit code. Throws what `startDaemon` throws.
 */
export async function runDaemon(flags: ConfigFlags): Promise<number> {
  const config = await loadConfig(flags);
  const { log, flush } = createLogger(config.logLevel);
  const ended = new AbortController();
  const endOnSignal = onSignals((signal, times) => {
    if (times > 1) {
      log.warn({ signal }, 'ended at once');
      flush();
      process.exit(130);
    }
    log.info({ signal }, 'stopping; sandboxes go on');
    ended.abort();
  });
  watchUnforeseen(log, flush);
  try {
    const daemon = await startDaemon(config, { log, parts: systemParts });
    process.stdout.write(readyLine(daemon, config));
    if (!ended.signal.aborted) await new Promise((resolve) => ended.signal.addEventListener('abort', resolve));
    await daemon.stop();
    log.info({}, 'stopped');
  } finally {
    endOnSignal();
    flush();
  }
  setTimeout(() => process.exit(), lingerMs).unref();
  return 0;
}

function readyLine(daemon: Daemon, config: HostdConfig): string {
  const { tier, reason } = daemon.vmm.features.isolation;
  const where = `${formatAddress(daemon.address)}, state in ${config.stateDirectory}`;
  return `offshoot hostd ${version} is ready on ${where}; isolation: ${tier} (${reason})\n`;
}

function onSignals(handler: (signal: NodeJS.Signals, times: number) => void): () => void {
  let times = 0;
  const listener = (signal: NodeJS.Signals) => {
    times += 1;
    handler(signal, times);
  };
  for (const signal of endingSignals) process.on(signal, listener);
  return () => {
    for (const signal of endingSignals) process.off(signal, listener);
  };
}

/** A rejection nobody waited for is a defect of one request; an exception nobody caught leaves unknown state, which the next start mends. */
function watchUnforeseen(log: DaemonLogger, flush: () => void): void {
  process.on('unhandledRejection', (reason) => {
    log.error({ err: reason }, 'unhandled rejection');
  });
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'uncaught exception; sandboxes go on and the next hostd takes them up');
    flush();
    process.exit(125);
  });
}
