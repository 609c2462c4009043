/**
 * How an entry of the journal is summarized. `{a.b}` is replaced by that value of the payload, or by all items of a
 * list; `.length` is the number of items; `[…]` is left out unless every value in it is known.
 */
export interface SummaryTemplate {
  readonly says: string;
  /** The name of the subject. */
  readonly name?: string;
  /** The page that shows it, relative to the org. */
  readonly path?: string;
}

export type EntryPayload = Readonly<Record<string, unknown>>;

const ITEMS_SHOWN = 3;
const DIGITS_SHOWN = 12;
const TEXT_MAX = 200;

/** Undefined when a value outside of brackets is not known. Values that were filled in are not expanded again. */
export function fill(
  pattern: string,
  payload: EntryPayload,
  write: (value: string) => string = (value) => value,
): string | undefined {
  let isWhole = true;
  const text = pattern.replace(/\[([^\]]*)\]|\{([\w.]+)\}/g, (_, optional?: string, path?: string) => {
    if (optional !== undefined) return fill(optional, payload, write) ?? '';
    const value = textAt(payload, path?.split('.') ?? []);
    if (value === undefined) isWhole = false;
    return write(value ?? '');
  });
  return isWhole ? text : undefined;
}

function textAt(value: unknown, path: readonly string[]): string | undefined {
  const [key, ...rest] = path;
  if (key === undefined) return plain(value);
  if (Array.isArray(value)) return key === 'length' ? String(value.length) : list(value, path);
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  return textAt((value as EntryPayload)[key], rest);
}

function plain(value: unknown): string | undefined {
  if (Array.isArray(value)) return list(value, []);
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string' || value === '') return undefined;
  return value.length > TEXT_MAX ? `${value.slice(0, TEXT_MAX)}…` : value;
}

function list(items: readonly unknown[], path: readonly string[]): string | undefined {
  if (items.length === 0) return undefined;
  const shown = items.slice(0, ITEMS_SHOWN).flatMap((item) => textAt(item, path) ?? []);
  const more = items.length - ITEMS_SHOWN;
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
}

const APPROVALS: Readonly<Record<string, string>> = {
  APPROVED: 'approved',
  UNAPPROVED: 'did not approve',
  PENDING: 'requested approval of',
};

/** Where the keys of an owner are shown. */
function keysOf({ owner }: EntryPayload): EntryPayload {
  if (typeof owner !== 'object' || owner === null) return {};
  const { kind, name } = owner as EntryPayload;
  return kind === 'service_account' ? { account: name } : { own_keys: 'keys' };
}

/** The payload with derived values that are easier to put into a summary. */
export function withDerived(payload: EntryPayload): EntryPayload {
  const { fingerprint, is_compliant, enabled, part, parts, state, set } = payload;
  return {
    ...payload,
    ...(typeof fingerprint === 'string' && { digits: fingerprint.slice(0, DIGITS_SHOWN) }),
    ...(typeof is_compliant === 'boolean' && { verdict: is_compliant ? 'compliant' : 'non-compliant' }),
    ...(typeof enabled === 'boolean' && { on_or_off: enabled ? 'on' : 'off' }),
    ...(typeof parts === 'number' && parts > 1 && { part_of: `part ${String(part)} of ${parts}` }),
    ...(typeof state === 'string' && { approval: APPROVALS[state] }),
    ...(typeof set === 'object' && set !== null && { set_keys: Object.keys(set) }),
    ...keysOf(payload),
  };
}
