import path from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild';
import { lazyOidc } from './lazy-oidc.ts';
import { programs, replacedModules } from './layout.ts';

/** CommonJS dependencies ask for Node's own modules with `require`, which an ES module lacks. */
const banner = `import { createRequire as createBundleRequire } from 'node:module';
const require = createBundleRequire(import.meta.url);`;

/**
 * Bundles the programs of a checkout into `into`: readable, and the same bytes for the same sources wherever and whenever. What a program
 * imports dynamically is in chunks of its own, loaded when it is used. Throws esbuild's BuildFailure.
 */
export async function bundleCode(root: string, into: string, version: string): Promise<Metafile> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { ...programs },
    outdir: into,
    outExtension: { '.js': '.mjs' },
    chunkNames: 'chunk-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    packages: 'bundle',
    // a linked node_modules must not show in the comments that name the sources
    preserveSymlinks: true,
    charset: 'utf8',
    legalComments: 'inline',
    sourcemap: false,
    minify: false,
    metafile: true,
    logLevel: 'warning',
    banner: { js: banner },
    define: { OFFSHOOT_VERSION: JSON.stringify(version) },
    plugins: [replaceModules(root), lazyOidc],
  });
  return metafile;
}

/** Puts the bundle's own modules in the place of the checkout's. */
function replaceModules(root: string): Plugin {
  const replacements = new Map(
    Object.entries(replacedModules).map(([from, to]) => [path.join(root, from), path.join(root, to)]),
  );
  return {
    name: 'replace-modules',
    setup: ({ onResolve }) => {
      onResolve({ filter: /\.ts$/ }, ({ path: asked, resolveDir }) => {
        const replacement = replacements.get(path.resolve(resolveDir, asked));
        return replacement === undefined ? undefined : { path: replacement };
      });
    },
  };
}
