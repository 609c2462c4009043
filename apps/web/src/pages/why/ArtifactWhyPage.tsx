import { type ArtifactExplanation, type Explanation, explainArtifact, getArtifact } from '@waymark/contract';
import { useMemo } from 'react';
import { z } from 'zod';
import { paths, withQuery } from '../../lib/paths.ts';
import { useRead } from '../../lib/queries.ts';
import { useOrg, useParam, useSearchState } from '../../lib/route.ts';
import { fixesIn, stateOfNode, wordOfNode } from '../../pictures/why-tree.ts';
import { Button, LinkButton } from '../../ui/Button.tsx';
import { Link } from '../../ui/Link.tsx';
import { NewNotice } from '../../ui/NewNotice.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { Loaded } from '../../ui/States.tsx';
import { Time } from '../../ui/Time.tsx';
import { EnvironmentBox } from '../environments/EnvironmentBox.tsx';
import { plainActions, ToFix } from './ToFix.tsx';
import { WhyPanel } from './WhyPanel.tsx';

const Search = z.object({
  env: z.string().optional(),
  trail: z.string().optional(),
  show: z.enum(['failing', 'all']).optional(),
});

export function ArtifactWhyPage() {
  const org = useOrg();
  const flow = useParam('flow');
  const fingerprint = useParam('fingerprint');
  const [{ env, trail, show }, change] = useSearchState(Search);
  const params = { org, flow_name: flow, fingerprint };
  const answer = useRead(explainArtifact, { params, query: { environment_name: env, trail } }, { fresh: true });
  const artifact = useRead(getArtifact, { params, query: { trail } }, { fresh: true });
  const root = useMemo(() => answer.data && withTrailApart(answer.data, env), [answer.data, env]);
  const name = artifact.data?.filename ?? fingerprint.slice(0, 12);
  const artifactHref = withQuery(paths.artifact(org, flow, fingerprint), { trail });
  return (
    <>
      <PageHead
        title={env === undefined ? `Why ${name}?` : `Why ${name} in ${env}?`}
        crumbs={[
          { href: paths.flows(org), label: 'Flows' },
          { href: paths.flow(org, flow), label: flow },
          { href: artifactHref, label: name },
        ]}
        state={root && <StateBadge state={stateOfNode(root)} word={wordOfNode(root)} size="large" />}
        note={
          env === undefined
            ? 'The artifact’s evidence, compared with the template of its flow.'
            : `The artifact’s verdicts in its trail and under the current policies of ${env}, even if it does not run there.`
        }
        actions={<LinkButton href={artifactHref}>Open artifact</LinkButton>}
      />
      <NewNotice
        kinds={['trail', 'environment']}
        loadedAt={answer.dataUpdatedAt}
        onShow={() => void answer.refetch()}
      />
      <div className="mb-4 flex flex-wrap items-end gap-2 no-print">
        <EnvironmentBox label="Evaluate by the policies of" value={env} onPick={(next) => change({ env: next })} />
        {env !== undefined && (
          <Button variant="quiet" onPress={() => change({ env: undefined })}>
            Clear environment
          </Button>
        )}
      </div>
      <Loaded of={answer}>
        {(explanation) => (
          <div className="space-y-4">
            <WhyPanel
              org={org}
              subject={env === undefined ? name : `${name} in ${env}`}
              root={root ?? explanation}
              title="Reasons"
              fixes={actionsOf(explanation).map(({ fix }) => fix)}
              toFix={
                <ToFix
                  org={org}
                  actions={actionsOf(explanation)}
                  {...(env !== undefined && { waiveIn: env, waived: { name, fingerprint } })}
                />
              }
              {...(env === undefined && artifact.data && { trail: { flow, trail: artifact.data.trail_name } })}
              note={<VerdictTimes of={explanation} env={env} />}
              brokeAt={explanation.first_broke_at}
              show={show}
              onShow={(next) => change({ show: next })}
            />
          </div>
        )}
      </Loaded>
    </>
  );
}

/** For an environment the last branch is about the trail, and has nothing about the environment. */
function withTrailApart(root: ArtifactExplanation, env: string | undefined): Explanation {
  if (env === undefined) return root;
  const children = root.children.map((child) =>
    child.id.startsWith('trail/') ? { ...child, kind: 'trail-branch' } : child,
  );
  return { ...root, children };
}

function actionsOf({ actions, ...root }: ArtifactExplanation) {
  // There is just one artifact, so a fix need not name it.
  if (actions.length > 0) return actions.map((action) => ({ ...action, artifacts: [], artifact_count: 0 }));
  if (root.status === 'COMPLIANT' || root.status === 'WAIVED') return [];
  return plainActions(root.status === 'UNKNOWN' ? [root.fix ?? ''].filter(Boolean) : fixesIn(root));
}

function VerdictTimes({ of, env }: { readonly of: ArtifactExplanation; readonly env: string | undefined }) {
  const org = useOrg();
  const { first_broke_at, first_broke_in, since } = of;
  // An artifact that does not run there has broken nothing.
  if (env !== undefined && first_broke_in === null && first_broke_at !== null)
    return <span>Evaluated just now; no snapshot has that verdict yet</span>;
  if (first_broke_at === null)
    return since === null ? (
      <span>Evaluated just now</span>
    ) : (
      <span>
        Since <Time at={since} as="exact" /> (<Time at={since} />
        ), evaluated just now
      </span>
    );
  return (
    <span>
      Became non-compliant <Time at={first_broke_at} as="exact" /> (<Time at={first_broke_at} />)
      {first_broke_in !== null && env !== undefined && (
        <>
          {' '}
          in{' '}
          <Link className="underline" href={paths.snapshot(org, env, first_broke_in)}>
            snapshot #{first_broke_in}
          </Link>
        </>
      )}
    </span>
  );
}
