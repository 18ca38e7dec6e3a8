/** Every place where a test can crash hostd, in the order of the operation: end-to-end tests go through the list. */
export const faultPoints = [
  'create.journaled',
  'create.after-directory',
  'create.after-network',
  'create.vm-recorded',
  'create.after-vm',
  'create.after-connect',
  'create.after-prepare',
  'create.running',
  'exec.journaled',
  'exec.after-start',
  'exec.index-written',
  'exec.output-written',
  'exec.before-result',
  'exec.result-stored',
  'stop.journaled',
  'stop.after-kill',
  'stop.after-network',
  'stop.after-files',
  'stop.gone',
  'fork.journaled',
  'fork.copy-prepared',
  'fork.after-stand-still',
  'fork.after-capture',
  'fork.image-written',
  'fork.copy-restored',
  'fork.copy-running',
  'snapshot.after-capture',
  'snapshot.before-manifest',
  'snapshot.made',
  'pause.after-stand-still',
  'pause.stopped',
  'hibernate.journaled',
  'hibernate.after-save',
  'hibernate.stored',
  'resume.machine-started',
  'resume.after-prepare',
  'template.journaled',
  'template.after-boot',
  'template.after-warm-up',
  'template.after-freeze',
  'template.before-manifest',
  'template.made',
  'capture.prepared',
  'capture.stopped',
  'capture.frozen',
  'capture.switched',
  'capture.woken',
  'capture.written',
  'hibernate.saved',
  'hibernate.written',
  'hibernate.ended',
  'compact.streamed',
] as const;
export type FaultPoint = (typeof faultPoints)[number];

type FaultHandler = (point: FaultPoint) => Promise<void> | undefined;

const named = process.env.OFFSHOOT_FAULT;
let remaining = Number(process.env.OFFSHOOT_FAULT_AFTER ?? '0');
let handler: FaultHandler | undefined;

/**
 * Does nothing, unless the environment variable OFFSHOOT_FAULT names this point: then the process kills itself with
 * SIGKILL here, at the passage after OFFSHOOT_FAULT_AFTER others (default 0).
 */
export function faultPoint(point: FaultPoint): Promise<void> | undefined {
  if (named === point && remaining-- <= 0) process.kill(process.pid, 'SIGKILL');
  return handler?.(point);
}

/** Unit tests put their own fault in; the result takes it out again. */
export function onFaultPoint(replacement: FaultHandler): () => void {
  handler = replacement;
  return () => {
    handler = undefined;
  };
}
