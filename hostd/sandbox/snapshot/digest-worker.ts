import { parentPort, workerData } from 'node:worker_threads';
import { z } from 'zod';
import { digestFile } from './digest.ts';

/** The thread behind `digestFiles`: answers with the digests of the paths it is started with. */
const { digestPaths } = z.object({ digestPaths: z.array(z.string()) }).parse(workerData);
parentPort?.postMessage(digestPaths.map(digestFile));
