import { type Environment, explainEnvironment } from '@waymark/contract';
import { paths } from '../../lib/paths.ts';
import { useRead } from '../../lib/queries.ts';
import { Link } from '../../ui/Link.tsx';
import { StaleMark } from '../../ui/StaleMark.tsx';
import { LineLoading } from '../../ui/States.tsx';
import { Time } from '../../ui/Time.tsx';
import { NeedItem } from './NeedItem.tsx';

/** Since when and why it fails takes a request each: the list of environments does not have it. */
export function FailingEnvironment({ of: { org, name, stale, stale_since } }: { readonly of: Environment }) {
  const { data, isPending } = useRead(explainEnvironment, { params: { org, env_name: name } }, { fresh: true });
  return (
    <NeedItem
      state="non-compliant"
      word="Non-compliant"
      step="Why?"
      href={paths.environmentWhy(org, name)}
      {...(stale && { mark: <StaleMark since={stale_since} /> })}
      {...(data && { more: data.fix ?? data.because })}
      {...(isPending && { more: <LineLoading /> })}
    >
      <Link href={paths.environment(org, name)} className="font-medium">
        {name}
      </Link>
      {data?.first_broke_at != null && (
        <>
          {' became non-compliant '}
          <Time at={data.first_broke_at} />
        </>
      )}
      {data && `. ${data.because}`}
    </NeedItem>
  );
}

export function StaleEnvironment({ of }: { readonly of: Environment }) {
  return (
    <NeedItem
      state="unknown"
      word="Stale"
      step="Show timeline"
      href={paths.timeline(of.org, of.name)}
      more="Its running artifacts are unknown. Check that its reporter is running."
    >
      <Link href={paths.environment(of.org, of.name)} className="font-medium">
        {of.name}
      </Link>
      {': last report '}
      <Time at={of.last_reported_at} />
      {'; the next report is overdue'}
    </NeedItem>
  );
}
