import { useQuery } from '@tanstack/react-query';
import { ApiError } from '@waymark/client';
import { getTrustPolicy } from '@waymark/contract';
import { client } from '../../lib/client.ts';
import { isSamePolicy } from './policy-changes.ts';
import { type TrustedKeys, useTrustedKeys } from './trusted-keys.ts';

/** The trust policy that this server offers, and the one that the user saved in this browser. */
export interface TrustState {
  /** Undefined while it is loading, null if the server has none. */
  readonly offered: string | null | undefined;
  readonly saved: TrustedKeys | null;
  readonly isChanged: boolean;
  readonly error: Error | null;
}

export function useTrustPolicy(): TrustState {
  const saved = useTrustedKeys();
  const { data, error } = useQuery({
    queryKey: [getTrustPolicy.id],
    queryFn: ({ signal }) => fetchPolicy(signal),
  });
  const isChanged = saved !== null && typeof data === 'string' && !isSamePolicy(saved.policy, data);
  return { offered: data, saved, isChanged, error };
}

async function fetchPolicy(signal: AbortSignal): Promise<string | null> {
  try {
    return await (await client.download(getTrustPolicy, { signal })).text();
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}
