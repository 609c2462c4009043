import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** React Aria ships its strings in thirty languages. The pages are in English, so one is enough. */
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
  // The server knows the path below which it is reached, and puts it before what the page names.
  base: './',
  plugins: [oneLanguage, react(), tailwindcss()],
  build: {
    target: 'es2024',
    // The server's content security policy allows no inline scripts, so nothing is inlined into the page.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: true,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1000,
  },
});
