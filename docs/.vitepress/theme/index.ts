import type { Theme } from 'vitepress';
import theme from 'vitepress/theme-without-fonts';
import './style.css';

/** Words of a question that say nothing about its subject. */
const COMMON = new Set(
  (
    'a an and are at be by can do does for from get give given has have how i if in is it its me my not of on or that ' +
    'the their them they this to use was what when where which who why will with without you your'
  ).split(' '),
);

function processTerm(term: string): string | null {
  const word = term.toLowerCase();
  return COMMON.has(word) ? null : word;
}

export default {
  extends: theme,
  enhanceApp({ siteData }) {
    // Set here and not in the settings: a function there would reach the browser as text, and no policy lets text run.
    siteData.value.themeConfig.search.options.miniSearch.options = { processTerm };
  },
} satisfies Theme;
