import type { Processor } from '../../../platform/journal/processor.ts';
import { addToStorage, COUNTED_TYPES } from './storage-quota.store.ts';

const COUNTED = new Set<string>(Object.values(COUNTED_TYPES).flat());

/** Counts the evidence that orgs store, apart from files, so that no request waits for another to count. */
export const countStorage: Processor = {
  name: 'storage',
  begins: 'at the first entry',
  async apply(db, entries) {
    const counted = entries.filter(({ type }) => COUNTED.has(type));
    if (counted.length > 0) await addToStorage(db, counted);
  },
};
