import { defineConfig } from 'vitepress';
import { drawDiagram } from './diagrams.ts';
import { addressOf } from './outside-links.ts';
import { summaryOf } from './pages.ts';
import { SECTIONS } from './sections.ts';

const RECORDS = /^(?:adr\/|figures\.md|api\/)/;

const sidebar = SECTIONS.map(({ title, pages }) => ({
  text: title,
  items: pages.map((page) => ({ text: summaryOf(page).title, link: `/${page}` })),
}));

export default defineConfig({
  title: 'Waymark',
  description: 'The flight recorder for software delivery',
  lang: 'en-US',
  base: '/help/',
  cacheDir: '../.services/site-cache',
  ignoreDeadLinks: 'localhostLinks',
  srcExclude: ['site/**'],
  // The policy for scripts lists those of a page by their hash, so none of them may differ from page to page.
  metaChunk: true,
  // Several at once put the search index into another order each time, and images would differ from build to build.
  buildConcurrency: 1,
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    // As in the repository, where the same links have to lead to the same headings.
    anchor: {
      slugify: (heading) =>
        heading
          .trim()
          .toLowerCase()
          .replace(/[^\p{L}\p{N}\s_-]/gu, '')
          .replace(/\s/g, '-'),
    },
    config(md) {
      const { code_inline: code, fence, link_open: open } = md.renderer.rules;
      md.renderer.rules.fence = (tokens, index, options, env, self) => {
        const token = tokens[index];
        if (token?.info.trim() === 'mermaid') return drawDiagram(token.content);
        return fence?.(tokens, index, options, env, self) ?? '';
      };
      md.renderer.rules.code_inline = (tokens, index, options, env, self) => {
        // Otherwise Vue would take `{{` in a template of ours for one of its own.
        tokens[index]?.attrSet('v-pre', '');
        return code?.(tokens, index, options, env, self) ?? '';
      };
      md.renderer.rules.link_open = (tokens, index, options, env, self) => {
        const token = tokens[index];
        const href = token?.attrGet('href');
        if (href) token?.attrSet('href', addressOf(href, env.relativePath));
        return open?.(tokens, index, options, env, self) ?? self.renderToken(tokens, index, options);
      };
    },
  },
  themeConfig: {
    nav: [
      { text: 'Install', link: '/install' },
      { text: 'First verdict', link: '/first-verdict' },
      { text: 'Reference', link: '/cli' },
      { text: 'Glossary', link: '/glossary' },
    ],
    sidebar,
    outline: { level: [2, 3] },
    search: {
      provider: 'local',
      options: {
        // Records for engineers, which would hide the pages that answer a question.
        _render: (text, env, md) => (RECORDS.test(env.relativePath) ? '' : md.render(text, env)),
        miniSearch: {
          searchOptions: { boost: { title: 4, titles: 2, text: 1 } },
        },
      },
    },
  },
});
