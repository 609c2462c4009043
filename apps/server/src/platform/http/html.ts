/** Markup that may be sent as it is. Made by `html`, or by `trusted` from a constant. */
export class Html {
  readonly markup: string;

  constructor(markup: string) {
    this.markup = markup;
  }
}

export type Part = Html | string | number | undefined | false | readonly Part[];

/** Escapes every inserted value that is not markup already. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.map((text, index) => text + render(parts[index])).join(''));
}

export function trusted(markup: string): Html {
  return new Html(markup);
}

/** Descriptions use one kind of markup: names between backticks. */
export function prose(text: string): Html {
  return html`${text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}

/** Lets a long name wrap at the given places only. */
export function breakable(text: string, places: RegExp): Html {
  return html`${joined(text.split(places), html`<wbr>`)}`;
}

export function joined(parts: readonly Part[], separator: Part): Part {
  return parts.map((part, index) => (index === 0 ? part : [separator, part]));
}

function render(part: Part): string {
  if (part === undefined || part === false) return '';
  if (part instanceof Html) return part.markup;
  if (typeof part === 'object') return part.map(render).join('');
  return escaped(String(part));
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char);
}
