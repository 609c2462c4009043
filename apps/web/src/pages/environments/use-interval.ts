import { ApiError } from '@waymark/client';
import { listSnapshotArtifacts } from '@waymark/contract';
import { dayEnd, dayStart } from '../../lib/day.ts';
import { useRead } from '../../lib/queries.ts';
import { useOrg } from '../../lib/route.ts';
import { expressionAt, type Interval, intervalOf } from './snapshot-interval.ts';

interface Found {
  readonly index: number | null | undefined;
  readonly isKnown: boolean;
  readonly error: Error | null;
}

/** The snapshot that held at a time; null before the first. */
function useIndexAt(env: string, seconds: number | undefined): Found {
  const org = useOrg();
  const { data, error } = useRead(
    listSnapshotArtifacts,
    {
      params: { org, env_name: env, snapshot_expression: expressionAt(seconds ?? 0) },
      query: { per_page: 1 },
    },
    { enabled: seconds !== undefined, fresh: true },
  );
  if (seconds === undefined) return { index: undefined, isKnown: true, error: null };
  if (error instanceof ApiError && error.status === 404) return { index: null, isKnown: true, error: null };
  return { index: data?.snapshot.index, isKnown: data !== undefined, error };
}

interface Days {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** The API lists snapshots by number, people filter by day. */
export function useInterval(
  env: string,
  { from, to }: Days,
  latest: number,
): { readonly interval: Interval | null | undefined; readonly error: Error | null } {
  const first = useIndexAt(env, dayStart(from));
  const last = useIndexAt(env, dayEnd(to));
  const error = first.error ?? last.error;
  if (error || !first.isKnown || !last.isKnown) return { interval: undefined, error };
  return { interval: intervalOf({ first: first.index, last: last.index }, latest), error: null };
}
