import { useQuery } from '@tanstack/react-query';
import { type Erasure, listErasures } from '@waymark/contract';
import { client } from '../../lib/client.ts';

const STALE_MS = 60_000;
const NONE: ReadonlyMap<string, Erasure> = new Map();

/** The erased attestations of an org by their id. Most orgs have none, so all lists share one query. */
export function useErased(org: string): ReadonlyMap<string, Erasure> {
  const { data } = useQuery({
    queryKey: [listErasures.id, org],
    staleTime: STALE_MS,
    queryFn: async ({ signal }) => {
      const erased = new Map<string, Erasure>();
      for await (const one of client.items(listErasures, { params: { org }, query: {}, signal }))
        erased.set(one.attestation_id, one);
      return erased;
    },
  });
  return data ?? NONE;
}
