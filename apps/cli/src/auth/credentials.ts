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

/** The one that was named, or the one that is used when none is. */
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
  /** Whether it is good at the host without a context too. */
  readonly isForHost: boolean;
}

export function storeKey(place: Place, { host, context, key, isForHost }: NewKey): void {
  // A file that others can read is refused before a key is put into it.
  readCredentials(place);
  changeYaml(credentialsPath(place), (document) => {
    document.set(slotOf(host, context), key);
    if (isForHost) document.set(host, key);
  });
}

/** Forgets the key of a context wherever it is stored for the host. */
export function forgetKey(place: Place, host: string, context: string | undefined): number {
  const key = storedKey(place, host, context)?.key;
  return forget(place, (slot, stored) => isOf(host, slot) && stored === key);
}

export function forgetAllKeys(place: Place, host: string): number {
  return forget(place, (slot) => isOf(host, slot));
}

/** With its context. A key that is good for the host as a whole stays. */
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
