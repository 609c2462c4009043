import { listSnapshotArtifacts } from '@waymark/contract';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { serviceUrl } from '../../lib/base-path.ts';
import { useNow } from '../../lib/now.ts';
import { paths, withQuery } from '../../lib/paths.ts';
import { useRead } from '../../lib/queries.ts';
import { useOrg, useParam, useSearchState } from '../../lib/route.ts';
import { duration } from '../../lib/time.ts';
import { Button, LinkButton } from '../../ui/Button.tsx';
import { CopyButton } from '../../ui/Copy.tsx';
import { Link } from '../../ui/Link.tsx';
import { NewNotice } from '../../ui/NewNotice.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { Facts, Notice, Panel } from '../../ui/Panel.tsx';
import { Failure, Loading } from '../../ui/States.tsx';
import { Time } from '../../ui/Time.tsx';
import { ProofLine } from '../proofs/ProofLine.tsx';
import { snapshotSubject } from '../proofs/proof-subject.ts';
import { ArtifactSearch } from './ArtifactFilters.tsx';
import { ArtifactPanel, artifactQuery } from './ArtifactPanel.tsx';
import { useEnvironment } from './EnvironmentHead.tsx';
import { MembersInstead } from './MembersInstead.tsx';
import type { SnapshotHead } from './PolicyChips.tsx';
import { SnapshotVerdict } from './SnapshotVerdict.tsx';
import { triggerWords } from './trigger-words.ts';

export function SnapshotPage() {
  const env = useParam('env');
  return <OneSnapshot key={env} env={env} />;
}

function OneSnapshot({ env }: { readonly env: string }) {
  const org = useOrg();
  const expression = useParam('expression');
  const { data: environment } = useEnvironment();
  const [search, change] = useSearchState(ArtifactSearch);
  const isLogical = environment?.type === 'logical';
  const answer = useRead(
    listSnapshotArtifacts,
    { params: { org, env_name: env, snapshot_expression: expression }, query: artifactQuery(search) },
    { enabled: !isLogical },
  );
  const snapshot = answer.data?.snapshot;
  // The latest snapshot holds until the next report. That is overdue, so it may no longer hold.
  const isStale = Boolean(snapshot?.is_latest && environment?.stale);
  return (
    <>
      <PageHead
        title={snapshot ? `${env} snapshot #${snapshot.index}` : `${env} snapshot ${expression}`}
        crumbs={[
          { href: paths.environments(org), label: 'Environments' },
          { href: paths.environment(org, env), label: env },
          { href: paths.snapshots(org, env), label: 'Snapshots' },
        ]}
        {...(snapshot && {
          state: <SnapshotVerdict compliance={snapshot.compliance} isStale={isStale} size="large" />,
          note: <ProofLine of={snapshotSubject(env, snapshot.index)} />,
          actions: <Actions env={env} snapshot={snapshot} />,
        })}
      />
      {isLogical && environment && (
        <MembersInstead
          environment={environment}
          what="snapshots"
          to={(name) => paths.snapshot(org, name, expression)}
        />
      )}
      {!isLogical && answer.error && <Failure error={answer.error} retry={() => void answer.refetch()} />}
      {!isLogical && !answer.error && !answer.data && <Loading />}
      {answer.data && snapshot && (
        <div className="space-y-4">
          {snapshot.is_latest && environment && (
            <NewNotice
              kinds={['environment']}
              subjectId={environment.id}
              loadedAt={answer.dataUpdatedAt}
              onShow={() => void answer.refetch()}
            />
          )}
          <Frozen expression={expression} index={snapshot.index} />
          <Head env={env} snapshot={snapshot} isStale={isStale} />
          <ArtifactPanel
            of={answer.data}
            title="Artifacts"
            where={{ env, index: snapshot.index, isStale, staleSince: environment?.stale_since }}
            search={search}
            onChange={change}
          />
        </div>
      )}
    </>
  );
}

/** An address with a time or an offset leads to another snapshot later, which somebody who shares it should know. */
function Frozen({ expression, index }: { readonly expression: string; readonly index: number }) {
  if (/^#?[1-9]\d*$/.test(expression)) return null;
  return (
    <Notice kind="info">
      This URL refers to <code>{expression}</code>, which is currently snapshot #{index} and may change. The permalink
      always leads to #{index}.
    </Notice>
  );
}

interface HeadProps {
  readonly env: string;
  readonly snapshot: SnapshotHead;
}

function Head({ env, snapshot, isStale }: HeadProps & { readonly isStale: boolean }) {
  const org = useOrg();
  const now = useNow();
  const { index, timestamp, next_snapshot_timestamp: next, trigger, is_latest } = snapshot;
  return (
    <Panel title="Snapshot details">
      <Facts
        rows={[
          [
            'Period',
            <span key="held">
              <Time at={timestamp} as="exact" /> – {next === null ? 'now' : <Time at={next} as="exact" />}{' '}
              <span className="whitespace-nowrap">
                ({duration((next ?? Math.max(now, timestamp)) - timestamp)}
                {is_latest && ' so far'})
              </span>
              {isStale && <div className="text-unsure">A report is overdue, so this may no longer be current.</div>}
            </span>,
          ],
          ['Trigger', triggerWords(trigger)],
          [
            'History',
            <span key="where" className="flex flex-wrap gap-x-3">
              {is_latest ? 'the latest snapshot' : 'an earlier snapshot'}
              <LinkTo href={withQuery(paths.timeline(org, env), { at: index })} text="show on timeline" />
              {index > 1 && (
                <LinkTo href={paths.compare(org, env, index - 1, index)} text={`changes since #${index - 1}`} />
              )}
              {!is_latest && <LinkTo href={paths.compare(org, env, index, '@{now}')} text="changes until now" />}
            </span>,
          ],
        ]}
      />
    </Panel>
  );
}

function LinkTo({ href, text }: { readonly href: string; readonly text: string }) {
  return (
    <Link href={href} className="no-print">
      {text}
    </Link>
  );
}

function Actions({ env, snapshot: { index, is_latest } }: HeadProps) {
  const org = useOrg();
  return (
    <>
      <CopyButton
        text={`${serviceUrl()}${paths.snapshot(org, env, index)}`}
        what={`permalink to snapshot ${index}`}
        label="Copy permalink"
      />
      <LinkButton href={paths.environmentWhy(org, env, index)}>Why?</LinkButton>
      <Step env={env} to={index > 1 ? index - 1 : undefined} label="Previous" />
      <Step env={env} to={is_latest ? undefined : index + 1} label="Next" />
    </>
  );
}

/** `[` and `]` press these. */
function Step({
  env,
  to,
  label,
}: {
  readonly env: string;
  readonly to: number | undefined;
  readonly label: 'Previous' | 'Next';
}) {
  const org = useOrg();
  const isNext = label === 'Next';
  const text = (
    <>
      {!isNext && <ChevronLeft size={15} aria-hidden />}
      {label}
      {isNext && <ChevronRight size={15} aria-hidden />}
    </>
  );
  if (to === undefined) return <Button isDisabled>{text}</Button>;
  return (
    <LinkButton href={paths.snapshot(org, env, to)} data-key={isNext ? ']' : '['}>
      {text}
    </LinkButton>
  );
}
