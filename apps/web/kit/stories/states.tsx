import { WaiverStateBadge } from '../../src/pages/audit/exceptions/WaiverStateBadge.tsx';
import { ChangeState } from '../../src/pages/changes/ChangeState.tsx';
import { DeliveryState } from '../../src/pages/deliveries/DeliveryState.tsx';
import { ArtifactVerdict } from '../../src/pages/environments/ArtifactVerdict.tsx';
import { EnvironmentState } from '../../src/pages/environments/EnvironmentState.tsx';
import { PolicyChips } from '../../src/pages/environments/PolicyChips.tsx';
import { SnapshotVerdict } from '../../src/pages/environments/SnapshotVerdict.tsx';
import { TrailState } from '../../src/pages/trails/TrailState.tsx';
import { StaleMark } from '../../src/ui/StaleMark.tsx';
import { StateBadge, StateIcon } from '../../src/ui/StateBadge.tsx';
import { artifact, ENVIRONMENTS, STATES } from '../given.ts';
import { DAY, HOUR, NOW, type Story } from '../story.ts';

const ROW = 'flex flex-wrap items-center gap-3';
const CHANGES = ['pending', 'approved', 'refused', 'withdrawn', 'expired'] as const;
const DELIVERIES = ['waiting', 'delivered', 'failed', 'dropped'] as const;
const WAIVERS = ['active', 'expiring', 'expired', 'withdrawn', 'replaced'] as const;
const TRAILS = ['COMPLIANT', 'NON-COMPLIANT', 'INCOMPLETE'] as const;

function policy(name: string, failing_count: number, waived_count: number) {
  return { id: name, name, version: 3, policy_dump: {}, failing_count, waived_count };
}

const POLICIES = [policy('fails', 2, 0), policy('fails-and-waived', 2, 1), policy('waived', 0, 1), policy('ok', 0, 0)];

/** Verdicts beside their stale form: what is red stays red. */
function FreshAndStale({ show }: { readonly show: (isStale: boolean) => React.ReactNode }) {
  return (
    <div className="grid grid-cols-2 gap-3">
      {[false, true].map((isStale) => (
        <div key={String(isStale)} className="space-y-2">
          <p className="text-[12.5px] text-quiet">{isStale ? 'stale' : 'fresh'}</p>
          {show(isStale)}
        </div>
      ))}
    </div>
  );
}

export const stateStories: readonly Story[] = [
  {
    of: 'StateBadge',
    show: () => (
      <div className="space-y-2">
        {(['normal', 'large'] as const).map((size) => (
          <div key={size} className={ROW}>
            {STATES.map((state) => (
              <StateBadge key={state} state={state} size={size} />
            ))}
            {STATES.map((state) => (
              <StateIcon key={state} state={state} />
            ))}
          </div>
        ))}
      </div>
    ),
  },
  {
    of: 'StaleMark',
    show: () => (
      <div className={ROW}>
        <StaleMark />
        <StaleMark since={NOW - 60} />
        <StaleMark since={NOW - 3 * HOUR} />
        <StaleMark since={NOW - 40 * DAY} />
      </div>
    ),
  },
  {
    of: 'EnvironmentState',
    show: () => (
      <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-5 gap-y-2">
        {ENVIRONMENTS.map(([name, environment]) => (
          <div key={name} className="contents">
            <dt className="text-quiet">{name}</dt>
            <dd className={ROW}>
              <EnvironmentState of={environment} />
              <EnvironmentState of={environment} size="large" />
            </dd>
          </div>
        ))}
      </dl>
    ),
  },
  {
    of: 'SnapshotVerdict',
    show: () => (
      <FreshAndStale
        show={(isStale) => (
          <div className={ROW}>
            {(['non-compliant', 'unknown', 'compliant'] as const).map((compliance) => (
              <SnapshotVerdict key={compliance} compliance={compliance} isStale={isStale} />
            ))}
          </div>
        )}
      />
    ),
  },
  {
    of: 'ArtifactVerdict',
    show: () => (
      <FreshAndStale
        show={(isStale) =>
          STATES.map((state) => (
            <ArtifactVerdict
              key={state}
              artifact={artifact(state)}
              where={{ env: 'production', isStale, staleSince: NOW - 3 * HOUR }}
            />
          ))
        }
      />
    ),
  },
  {
    of: 'PolicyChips',
    show: () => (
      <FreshAndStale
        show={(isStale) => (
          <>
            <PolicyChips policies={POLICIES} isStale={isStale} />
            <PolicyChips policies={[]} isStale={isStale} />
          </>
        )}
      />
    ),
  },
  {
    of: 'TrailState',
    show: () => (
      <div className={ROW}>
        {TRAILS.map((state) => (
          <TrailState key={state} state={state} />
        ))}
      </div>
    ),
  },
  {
    of: 'WaiverStateBadge',
    show: () => (
      <div className={ROW}>
        {WAIVERS.map((state) => (
          <WaiverStateBadge key={state} state={state} />
        ))}
      </div>
    ),
  },
  {
    of: 'DeliveryState',
    show: () => (
      <div className={ROW}>
        {DELIVERIES.map((state) => (
          <DeliveryState key={state} state={state} />
        ))}
      </div>
    ),
  },
  {
    of: 'ChangeState',
    show: () => (
      <div className={ROW}>
        {CHANGES.map((state) => (
          <ChangeState key={state} state={state} />
        ))}
      </div>
    ),
  },
];
