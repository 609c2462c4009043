import type { Known } from './ci-context.ts';
import { isUnexpanded, usableText, withoutCredentials } from './usable-text.ts';
import { webAddress } from './web-address.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Both come back with nothing for what is not there. */
export interface Sources {
  readFile(path: string): string | undefined;
  git(...args: string[]): string | undefined;
}

/** Reads variables so that nothing unusable gets further, and remembers what was left out. */
export interface Reader {
  /** A variable that the system fills. When it is there and cannot be used, a note says so. */
  text(name: string): Known<string> | undefined;
  /** A variable that the system leaves empty when it does not apply. */
  optional(name: string): Known<string> | undefined;
  first(...names: string[]): Known<string> | undefined;
  /** A web address, without credentials. */
  address(name: string): Known<string> | undefined;
  /** Whether there is something in it. For what must not be read, such as a token, too. */
  has(name: string): boolean;
  isTrue(name: string): boolean;
  /** The same care for a value that was found in a file or asked of git. */
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
    // Who connects with ssh is no secret.
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

/** What cannot be read is not known. Nothing that happens here may end a build. */
function quietly(read: () => string | undefined): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
