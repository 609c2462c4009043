import { useMutation } from '@tanstack/react-query';
import { getLedgerProof, type LedgerEntry } from '@waymark/contract';
import { client } from '../../lib/client.ts';
import type { ShownValue } from './proof-subject.ts';
import { type Verification, verifyEntry } from './verify-entry.ts';

interface Asked {
  readonly entry: LedgerEntry;
  readonly shows: readonly ShownValue[];
  readonly policy: string;
}

/** The bytes of the proof of an entry. */
export async function fetchProof(org: string, entryId: string): Promise<Uint8Array> {
  const response = await client.download(getLedgerProof, { params: { org }, query: { entry: entryId } });
  return new Uint8Array(await response.arrayBuffer());
}

/** Fetches a proof, and verifies it in this browser. */
export function useVerification(org: string) {
  return useMutation<Verification, Error, Asked>({
    mutationFn: async ({ entry, shows, policy }) => {
      // Browsers offer it to secure pages only.
      if (globalThis.crypto?.subtle === undefined)
        throw new Error(
          'This browser verifies signatures only on pages over HTTPS. Download the proof, and verify it with the command line.',
        );
      return verifyEntry(await fetchProof(org, entry.entry_id), policy, { entry, shows });
    },
  });
}
