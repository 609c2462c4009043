import { ApiError } from '@waymark/client';
import { getEnvironment, listSnapshotArtifacts, type Policy } from '@waymark/contract';
import { useState } from 'react';
import { paths } from '../../lib/paths.ts';
import { useRead } from '../../lib/queries.ts';
import { Button } from '../../ui/Button.tsx';
import { Link } from '../../ui/Link.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { Empty, Failure, Loading } from '../../ui/States.tsx';
import { Time } from '../../ui/Time.tsx';
import { AttachPolicy } from './AttachPolicy.tsx';
import { type Effect, effectOf, verdictOf } from './effect-of.ts';

const SHOWN = 5;

/** Where the policy applies, and what fails it there now. */
export function PolicyEffect({ org, policy }: { readonly org: string; readonly policy: Policy }) {
  const [shown, setShown] = useState(SHOWN);
  const names = policy.consuming_envs;
  return (
    <Panel
      title="Attachments and failing artifacts"
      flush
      actions={!policy.archived && <AttachPolicy org={org} policy={policy} />}
    >
      {names.length === 0 ? (
        <Empty title="Not attached" command={`waymark env policies attach ENVIRONMENT ${policy.name} --org ${org}`}>
          A policy has no effect until it is attached to an environment. Attach it above, or run:
        </Empty>
      ) : (
        <ul className="divide-y divide-line border-t border-line">
          {names.slice(0, shown).map((name) => (
            <li key={name} className="px-4 py-3">
              <EnvironmentEffect org={org} env={name} policy={policy.name} />
            </li>
          ))}
        </ul>
      )}
      {policy.report_only_envs.length > 0 && <ReportOnly org={org} names={policy.report_only_envs} />}
      {names.length > shown && (
        <div className="border-t border-line px-4 py-2">
          <Button variant="quiet" onPress={() => setShown(shown + SHOWN)}>
            Show more of {names.length} environments
          </Button>
        </div>
      )}
    </Panel>
  );
}

/** The environments that it turns nothing red in. */
function ReportOnly({ org, names }: { readonly org: string; readonly names: readonly string[] }) {
  return (
    <p className="flex flex-wrap gap-x-2 border-t border-line px-4 py-3">
      <span className="text-quiet">Report-only in</span>
      {names.map((name) => (
        <Link key={name} href={paths.environmentPolicies(org, name)} className="font-medium">
          {name}
        </Link>
      ))}
    </p>
  );
}

const FAILING_SHOWN = 20;

function EnvironmentEffect({
  org,
  env,
  policy,
}: {
  readonly org: string;
  readonly env: string;
  readonly policy: string;
}) {
  const environment = useRead(getEnvironment, { params: { org, env_name: env } });
  const latest = useRead(listSnapshotArtifacts, {
    params: { org, env_name: env, snapshot_expression: '-1' },
    query: { compliance: ['non-compliant', 'waived'], per_page: FAILING_SHOWN },
  });
  const error = latest.error ?? environment.error;
  const head = (
    <Link href={paths.environment(org, env)} className="font-medium">
      {env}
    </Link>
  );
  if (latest.data && environment.data)
    return (
      <EffectWords
        org={org}
        env={env}
        policy={policy}
        head={head}
        effect={effectOf(latest.data, policy)}
        isStale={environment.data.stale}
      />
    );
  if (error instanceof ApiError && error.status === 404)
    return (
      <p className="flex flex-wrap items-center gap-2">
        {head} <StateBadge state="unknown" word="No report yet" />
      </p>
    );
  return (
    <>
      {head}
      {error ? (
        <Failure error={error} retry={() => void (latest.error ? latest : environment).refetch()} />
      ) : (
        <Loading lines={1} />
      )}
    </>
  );
}

function EffectWords({
  org,
  env,
  policy,
  head,
  effect,
  isStale,
}: {
  readonly org: string;
  readonly env: string;
  readonly policy: string;
  readonly head: React.ReactNode;
  readonly effect: Effect;
  readonly isStale: boolean;
}) {
  const { failing_count = 0, waived_count = 0 } = effect.applied ?? {};
  const unlisted = failing_count + waived_count - effect.artifacts.length;
  return (
    <>
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
        {head}
        <StateBadge {...verdictOf(effect, isStale)} />
        <span className="text-[12.5px] text-quiet">
          {effect.applied && `version ${effect.applied.version}, `}
          snapshot{' '}
          <Link href={paths.snapshot(org, env, effect.snapshot)} className="underline">
            #{effect.snapshot}
          </Link>
          , evaluated <Time at={effect.at} />
        </span>
        <Link href={paths.environmentWhy(org, env)} className="text-[13px]">
          Why?
        </Link>
      </p>
      {effect.artifacts.length > 0 && (
        <ul className="mt-1.5 space-y-1.5 text-[13px]">
          {effect.artifacts.map(({ name, fingerprint, isWaived, messages }) => (
            <li key={`${name} ${fingerprint}`}>
              <span className="[overflow-wrap:anywhere]">
                {fingerprint === '' ? name : <Link href={paths.anyArtifact(org, fingerprint)}>{name}</Link>}
              </span>{' '}
              {isWaived && <StateBadge state="waived" />}
              {messages.map((message) => (
                <p key={message} className="text-quiet">
                  {message}
                </p>
              ))}
            </li>
          ))}
        </ul>
      )}
      {unlisted > 0 && (
        <p className="mt-1 text-[13px] text-quiet">
          {unlisted} more fail {policy};{' '}
          <Link href={paths.environmentWhy(org, env)} className="underline">
            see all of them
          </Link>
          .
        </p>
      )}
    </>
  );
}
