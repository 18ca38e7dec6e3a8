import { defineConfig } from 'vitest/config';

/** Node 24 knows `await using` itself. */
const oxc = { target: 'esnext' };

export default defineConfig({
  test: {
    projects: [
      {
        oxc,
        test: {
          name: 'unit',
          include: ['{action,jenkins-bridge,hostd,examples,test}/**/*.test.ts'],
          exclude: ['**/node_modules/**', '**/*.e2e.test.ts', '**/*.full.test.ts'],
          testTimeout: 20_000,
        },
      },
      {
        oxc,
        test: {
          name: 'e2e',
          include: ['test/**/*.e2e.test.ts', 'hostd/**/*.e2e.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 300_000,
          fileParallelism: false,
        },
      },
      {
        oxc,
        test: {
          name: 'full',
          include: ['test/**/*.full.test.ts', 'hostd/**/*.full.test.ts'],
          testTimeout: 1_800_000,
          hookTimeout: 300_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
