/** What a name in an expression stands for. */
export type Reference =
  | { readonly of: 'flow' | 'environment' }
  | { readonly of: 'flow.name' | 'environment.name' | 'artifact.name' | 'artifact.fingerprint' }
  | { readonly of: 'flow.tags' | 'environment.tags'; readonly key: string };

const WHOLE = ['flow', 'environment'] as const;
const FIELDS = ['flow.name', 'artifact.name', 'artifact.fingerprint', 'environment.name'] as const;
const TAGS = ['flow.tags', 'environment.tags'] as const;
const TAG_KEY = /^[a-zA-Z0-9][a-zA-Z0-9\-_.~]*$/;

/** All that can be named, as it is listed for people. */
export const NAMES = [...FIELDS, ...TAGS.map((tags) => `${tags}.<key>`)];
/** What a misspelt name may have meant. */
export const KNOWN_BEGINNINGS = [...FIELDS, ...WHOLE, ...TAGS];

/**
 * The key of a tag is all that follows `tags.`, dots included. Tags are flat: where there is no tag with the whole key,
 * one with a shorter key has nothing in it to read, and the value is null.
 */
export function referenceOf(name: string): Reference | undefined {
  const whole = WHOLE.find((one) => one === name);
  if (whole) return { of: whole };
  const field = FIELDS.find((one) => one === name);
  if (field) return { of: field };
  const tags = TAGS.find((one) => name.startsWith(`${one}.`));
  const key = name.slice((tags?.length ?? 0) + 1);
  return tags && TAG_KEY.test(key) ? { of: tags, key } : undefined;
}
