import { useEffect, useEffectEvent, useState } from 'react';
import { useNewCount } from '../../lib/live.ts';

const PATIENCE_MS = 2_000;

/**
 * How much is new of what is shown. The stream says that something of a kind happened somewhere in the org; whether it was
 * here, `count` asks. A busy org is asked about once in a while, and not with each event.
 */
export function useConfirmedNews(kinds: readonly string[], since: number, count: () => Promise<number>): number {
  const heard = useNewCount(kinds, since);
  const [answered, setAnswered] = useState({ since, heard: 0, count: 0 });
  const confirmed = answered.since === since ? answered : { since, heard: 0, count: 0 };
  const ask = useEffectEvent(async () => ({ since, heard, count: await count().catch(() => 0) }));
  const hasMore = heard > confirmed.heard;
  // What is heard while it waits or asks neither begins that again nor ends it: the next question is about that.
  useEffect(() => {
    if (!hasMore) return undefined;
    let isCurrent = true;
    const timer = setTimeout(() => void ask().then((answer) => isCurrent && setAnswered(answer)), PATIENCE_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [hasMore, confirmed.heard, since]);
  return confirmed.count;
}
