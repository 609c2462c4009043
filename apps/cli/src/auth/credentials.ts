import { credentialsPath, readCredentials, readUserFile } from '../run/config-files.ts';
import type { Io } from '../run/io.ts';
import { changeYaml } from './write-yaml.ts';

type Place = Pick<Io, 'env' | 'home'>;

interface StoredKey {
  readonly key: string;
  readonly source: string;
}

/** Keys are stored by context, so that one can be a person and another a service account at the same host. */
const slotOf = (host: string, context: string) => `${host}#${context}`;

/** Returns the named context, or the default one. */
export function contextInUse(place: Place, named: string | undefined): string | undefined {
  return named ?? readUserFile(place).current;
}

export function storedKey(place: Place, host: string, context: string | undefined): StoredKey | undefined {
  const stored = readCredentials(place);
  const keys = [context === undefined ? undefined : stored[slotOf(host, context)], stored[host]];
  const key = keys.find((one) => typeof one === 'string');
  return key === undefined ? undefined : { key, source: credentialsPath(place) };
}

interface NewKey {
  readonly host: string;
  readonly context: string;
  readonly key: string;
  /** Whether the key is also valid for the host without a context. */
  readonly isForHost: boolean;
}

export function storeKey(place: Place, { host, context, key, isForHost }: NewKey): void {
  // A file that others can read is refused before a key is written to it.
  readCredentials(place);
  changeYaml(credentialsPath(place), (document) => {
    document.set(slotOf(host, context), key);
    if (isForHost) document.set(host, key);
  });
}

/** Removes the key of a context wherever it is stored for the host. */
export function forgetKey(place: Place, host: string, context: string | undefined): number {
  const key = storedKey(place, host, context)?.key;
  return forget(place, (slot, stored) => isOf(host, slot) && stored === key);
}

export function forgetAllKeys(place: Place, host: string): number {
  return forget(place, (slot) => isOf(host, slot));
}

/** Removes the key with its context. A key that is valid for the whole host stays. */
export function forgetContext(place: Place, host: string, context: string): void {
  forget(place, (slot) => slot === slotOf(host, context));
}

function isOf(host: string, slot: string): boolean {
  return slot === host || slot.startsWith(slotOf(host, ''));
}

function forget(place: Place, isMeant: (slot: string, key: string) => boolean): number {
  const slots = Object.entries(readCredentials(place)).filter(([slot, key]) => isMeant(slot, key));
  if (slots.length === 0) return 0;
  changeYaml(credentialsPath(place), (document) => {
    for (const [slot] of slots) document.delete(slot);
  });
  return new Set(slots.map(([, key]) => key)).size;
}
