import { renderMermaidSVG } from 'beautiful-mermaid';

/**
 * Draws a Mermaid diagram while the site is built, so that a page needs no script to show it. The colors are those of
 * the page (theme/style.css), in both themes. A reader who cannot see it hears the title.
 */
export function drawDiagram(source: string): string {
  const [, title] = /^ *accTitle: *(.+)$/m.exec(source) ?? [];
  if (title === undefined) throw new Error(`a diagram has no accTitle:\n${source}`);
  const drawn = renderMermaidSVG(source.replace(/^ *accTitle:.*\n/m, ''), { padding: 4 })
    .replace(/<style>[\s\S]*?<\/style>\n?/, '')
    .replace(/^<svg ([^>]*?) style="[^"]*"/, `<svg $1 role="img" aria-label="${escapeAttribute(title)}"`)
    .replace(/\d+\.\d{2,}/g, (number) => String(Number(Number(number).toFixed(1))));
  return `<figure class="diagram" tabindex="0" v-pre>${drawn}</figure>\n`;
}

function escapeAttribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
