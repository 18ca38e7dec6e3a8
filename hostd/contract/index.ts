export * from './common.ts';
export * from './sandbox.ts';
export * from './exec.ts';
export * from './files.ts';
export * from './image.ts';
export * from './event.ts';
export * from './host.ts';
export * from './problem.ts';
