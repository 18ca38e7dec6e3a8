import { installation } from './platform/installation.ts';

/** Offshoot's version, from package.json. */
export const version: string = installation.version;
