import { listSnapshots } from '@waymark/contract';
import type { Session } from '../run/session.ts';

/** Returns when a snapshot was made, without reading its contents. */
export async function snapshotTime(session: Session, env_name: string, index: number): Promise<number | null> {
  const [snapshot] = await session.client().call(listSnapshots, {
    params: { org: session.need('org'), env_name },
    query: { interval: `${index}..${index}`, per_page: 1 },
    signal: session.io.signal,
  });
  return snapshot?.from ?? null;
}
