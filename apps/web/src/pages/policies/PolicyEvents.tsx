import type { Policy, PolicyEvent } from '@waymark/contract';
import { useState } from 'react';
import { paths } from '../../lib/paths.ts';
import { Button } from '../../ui/Button.tsx';
import { Link } from '../../ui/Link.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { Time } from '../../ui/Time.tsx';

const SHOWN = 8;

/** What happened to the policy, newest first. */
export function PolicyEvents({ org, policy }: { readonly org: string; readonly policy: Policy }) {
  const [all, setAll] = useState(false);
  const newestFirst = policy.events.toReversed();
  const shown = all ? newestFirst : newestFirst.slice(0, SHOWN);
  return (
    <Panel title="History">
      <ol className="space-y-1 text-[13px]">
        {shown.map((event, i) => (
          <li key={newestFirst.length - i} className="flex flex-wrap gap-x-2">
            <span>
              <EventWords org={org} event={event} />
            </span>
            <span className="text-quiet">
              by {event.user}, <Time at={event.timestamp} />
            </span>
          </li>
        ))}
      </ol>
      {!all && newestFirst.length > SHOWN && (
        <Button variant="quiet" className="mt-2 -ml-3" onPress={() => setAll(true)}>
          Show all {newestFirst.length}
        </Button>
      )}
    </Panel>
  );
}

function EventWords({ org, event: { type, data } }: { readonly org: string; readonly event: PolicyEvent }) {
  const environment = String(data['environment'] ?? '');
  const place = (
    <Link href={paths.environment(org, environment)} className="underline">
      {environment}
    </Link>
  );
  switch (type) {
    case 'policy_created':
      return 'Created';
    case 'policy_updated':
      return 'Description changed';
    case 'policy_version_created':
      return `Version ${String(data['version'] ?? '')} saved`;
    case 'policy_attached':
      return <>Attached to {place}</>;
    case 'policy_detached':
      return <>Detached from {place}</>;
    case 'policy_report_only_attached':
      return <>Attached to {place} as report-only</>;
    case 'policy_report_only_detached':
      return <>No longer report-only in {place}</>;
    case 'policy_promoted':
      return <>Promoted in {place}</>;
    case 'policy_archived':
      return 'Archived';
    default:
      return type;
  }
}
