import { join } from 'node:path';
import { defineConfig, mergeConfig } from 'vite';
import web from '../vite.config.ts';

/**
 * The story page, at `/_/kit/`. It has its own configuration and its own output, so no build of the application can
 * contain it.
 */
export default mergeConfig(
  web,
  defineConfig({
    base: '/_/',
    build: {
      outDir: join(import.meta.dirname, '../../../.services/kit'),
      emptyOutDir: true,
      manifest: false,
      rolldownOptions: { input: join(import.meta.dirname, 'index.html') },
    },
  }),
);
