import type { Known } from './ci-context.ts';
import { isUnexpanded, usableText, withoutCredentials } from './usable-text.ts';
import { webAddress } from './web-address.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Both return undefined for what is missing. */
export interface Sources {
  readFile(path: string): string | undefined;
  git(...args: string[]): string | undefined;
}

/** Reads variables, drops unusable values, and records what was left out. */
export interface Reader {
  /** A variable that the system fills. An unusable value is noted. */
  text(name: string): Known<string> | undefined;
  /** A variable that the system leaves empty when it does not apply. */
  optional(name: string): Known<string> | undefined;
  first(...names: string[]): Known<string> | undefined;
  /** A web address, without credentials. */
  address(name: string): Known<string> | undefined;
  /** Whether it has a value. Also for secrets, such as a token, which must not be read. */
  has(name: string): boolean;
  isTrue(name: string): boolean;
  /** The same checks for a value from a file or from git. */
  checked(value: unknown, source: string, trust?: Known<string>['trust']): Known<string> | undefined;
  checkedAddress(value: unknown, source: string): Known<string> | undefined;
  /** The file whose path is in a variable. */
  file(name: string): string | undefined;
  fileAt(path: string | undefined): string | undefined;
  git(...args: string[]): string | undefined;
  note(text: string): void;
}

export function createReader(env: Environment, sources: Sources, notes: Set<string>): Reader {
  const note = (text: string) => void notes.add(text);

  function checked(value: unknown, source: string, trust: Known<string>['trust'] = 'ci', emptyIsFine = false) {
    if (typeof value === 'number' && Number.isSafeInteger(value)) return { value: String(value), source, trust };
    if (typeof value !== 'string') return undefined;
    const usable = usableText(value);
    if ('text' in usable) return { value: publicPart(usable.text, source), source, trust };
    if (!(emptyIsFine && value.trim() === '')) note(`${source} ${usable.problem} and was left out`);
    return undefined;
  }

  function publicPart(text: string, source: string): string {
    const rest = withoutCredentials(text);
    // The ssh user is not a secret.
    if (rest !== text && /^https?:/i.test(text)) note(`${source} held credentials, which were removed`);
    return rest;
  }

  function checkedAddress(value: unknown, source: string): Known<string> | undefined {
    const known = checked(value, source, 'ci', true);
    const address = known && webAddress(known.value);
    if (known && !address) note(`${source} is no web address and was left out`);
    return known && address ? { ...known, value: address } : undefined;
  }

  const fileAt = (path: string | undefined) => (path ? quietly(() => sources.readFile(path)) : undefined);
  const optional = (name: string) => checked(env[name], name, 'ci', true);

  return {
    text: (name) => checked(env[name], name),
    optional,
    first: (...names) => names.map(optional).find((known) => known !== undefined),
    address: (name) => checkedAddress(env[name], name),
    has: (name) => (env[name] ?? '').trim() !== '' && !isUnexpanded(env[name] ?? ''),
    isTrue: (name) => /^(true|1|yes)$/i.test((env[name] ?? '').trim()),
    checked: (value, source, trust = 'ci') => checked(value, source, trust, true),
    checkedAddress,
    file: (name) => fileAt(env[name]),
    fileAt,
    git: (...args) => quietly(() => sources.git(...args)?.trim()),
    note,
  };
}

/** Anything unreadable is unknown. No failure here may end a build. */
function quietly(read: () => string | undefined): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
