import type { Action } from '@waymark/contract';
import { paths, withQuery } from '../../lib/paths.ts';
import { useOrg } from '../../lib/route.ts';
import { LinkButton } from '../../ui/Button.tsx';
import { Link } from '../../ui/Link.tsx';
import { Notice } from '../../ui/Panel.tsx';
import { Time } from '../../ui/Time.tsx';
import { healthOf, whereTo } from './target-words.ts';

const NAMED = 5;

/** The targets that messages do not reach at the moment, and why. */
export function FailingNotice({ all }: { readonly all: readonly Action[] }) {
  const org = useOrg();
  const broken = all.flatMap((action) =>
    action.targets
      .filter((target) => ['failing', 'given-up'].includes(healthOf(target)))
      .map((target) => ({ action, target })),
  );
  if (broken.length === 0) return null;
  const failing = new Set(broken.map(({ action }) => action.number)).size;
  return (
    <div className="mb-4">
      <Notice
        kind="bad"
        title={`${failing} of ${all.length} notifications ${failing === 1 ? 'has' : 'have'} failing targets`}
        actions={
          <LinkButton href={withQuery(paths.deliveries(org), { state: 'failed' })}>Show failed deliveries</LinkButton>
        }
      >
        <ul className="mt-1 list-disc space-y-0.5 pl-5">
          {broken.slice(0, NAMED).map(({ action, target }) => (
            <li key={target.id}>
              <Link href={withQuery(paths.notifications(org), { number: action.number })} className="underline">
                {action.name}
              </Link>{' '}
              to {whereTo(target)}: {target.disabled_at === null ? 'failed' : 'disabled'}{' '}
              <Time at={target.disabled_at ?? target.last_failure_at} />
            </li>
          ))}
          {broken.length > NAMED && <li>and {broken.length - NAMED} more targets</li>}
        </ul>
      </Notice>
    </div>
  );
}
