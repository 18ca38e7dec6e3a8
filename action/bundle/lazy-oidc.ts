import path from 'node:path';
import type { Plugin } from 'esbuild';

const namespace = 'lazy-oidc';

/** What @actions/core's own module exports, with the module itself loaded when a token is asked for. */
const contents = `export const OidcClient = {
  async getIDToken(audience) {
    const { OidcClient } = await import('./oidc-utils.js');
    return OidcClient.getIDToken(audience);
  },
};`;

/**
 * @actions/core loads an HTTP client, some 600 kB of code, for identity tokens at every start. Only who asks for one should wait for that
 * (seen: 90 ms of 240).
 */
export const lazyOidc: Plugin = {
  name: 'lazy-oidc',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^\.\/oidc-utils\.js$/ }, ({ path: asked, importer, resolveDir, namespace: from }) => {
      if (from === namespace || !importer.endsWith('@actions/core/lib/core.js')) return undefined;
      return { path: path.join(resolveDir, asked), namespace, pluginData: resolveDir };
    });
    onLoad({ filter: /./, namespace }, ({ pluginData }) => ({ contents, resolveDir: String(pluginData) }));
  },
};
