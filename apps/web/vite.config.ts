import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** React Aria brings its few words in thirty languages. What the pages say is English, so one is enough. */
const oneLanguage: Plugin = {
  name: 'one-language',
  enforce: 'pre',
  load: {
    filter: { id: /\/react-aria\/.*\/intl\/.*\/(?!en-US)[a-z]{2}-[A-Z]{2}\.m?js$/ },
    handler: () => 'export default undefined',
  },
};

export default defineConfig({
  root: import.meta.dirname,
  plugins: [oneLanguage, react(), tailwindcss()],
  build: {
    target: 'es2024',
    // The server sends these, with a policy that allows no inline script: nothing may be put into the page itself.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: true,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1000,
  },
});
