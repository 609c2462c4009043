import type { Activity } from '@waymark/contract';

export interface EntryParts {
  readonly before: string;
  /** What leads to the subject; empty if nothing does. */
  readonly linked: string;
  readonly after: string;
}

/** The summary without its actor, who has a column, divided so that only the name of the subject is a link. */
export function partsOf({ text, actor, subject, html_path }: Activity): EntryParts {
  const rest = text.startsWith(`${actor} `) ? text.slice(actor.length + 1) : text;
  const whole = rest.slice(0, 1).toUpperCase() + rest.slice(1);
  if (html_path === null) return { before: whole, linked: '', after: '' };
  const name = subject.name ?? '';
  const place = name === '' ? -1 : placeOf(whole, name);
  if (place === -1) return { before: '', linked: whole, after: '' };
  const end = place + name.length;
  return { before: whole.slice(0, place), linked: whole.slice(place, end), after: whole.slice(end) };
}

/** Where the name is as a whole word: the flow `a` is not in `created`. */
function placeOf(text: string, name: string): number {
  const isPart = (letter: string | undefined) => letter !== undefined && /[\p{L}\p{N}]/u.test(letter);
  for (let place = text.indexOf(name); place !== -1; place = text.indexOf(name, place + 1))
    if (!isPart(text[place - 1]) && !isPart(text[place + name.length])) return place;
  return -1;
}
