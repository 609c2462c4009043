import { explainTrail } from '@waymark/contract';
import { z } from 'zod';
import { paths } from '../../lib/paths.ts';
import { useRead } from '../../lib/queries.ts';
import { useOrg, useParam, useSearchState } from '../../lib/route.ts';
import { fixesIn, overridableIn, stateOfNode, wordOfNode } from '../../pictures/why-tree.ts';
import { LinkButton } from '../../ui/Button.tsx';
import { NewNotice } from '../../ui/NewNotice.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { Loaded } from '../../ui/States.tsx';
import { Time } from '../../ui/Time.tsx';
import { plainActions, ToFix } from './ToFix.tsx';
import { WhyPanel } from './WhyPanel.tsx';

const Search = z.object({ show: z.enum(['failing', 'all']).optional() });

export function TrailWhyPage() {
  const org = useOrg();
  const flow = useParam('flow');
  const trail = useParam('trail');
  const [{ show }, change] = useSearchState(Search);
  const answer = useRead(explainTrail, { params: { org, flow_name: flow, trail_name: trail } }, { fresh: true });
  const root = answer.data;
  return (
    <>
      <PageHead
        title={`Why ${trail}?`}
        crumbs={[
          { href: paths.flows(org), label: 'Flows' },
          { href: paths.flow(org, flow), label: flow },
          { href: paths.trail(org, flow, trail), label: trail },
        ]}
        state={root && <StateBadge state={stateOfNode(root)} word={wordOfNode(root)} size="large" />}
        note="The trail’s evidence, compared with the template of its flow."
        actions={<LinkButton href={paths.trail(org, flow, trail)}>Open trail</LinkButton>}
      />
      <NewNotice kinds={['trail']} loadedAt={answer.dataUpdatedAt} onShow={() => void answer.refetch()} />
      <Loaded of={{ ...answer, data: root }}>
        {(explanation) => (
          <div className="space-y-4">
            <WhyPanel
              org={org}
              subject={trail}
              root={explanation}
              trail={{ flow, trail }}
              title="Reasons"
              fixes={fixesIn(explanation)}
              toFix={<ToFix org={org} actions={plainActions(fixesIn(explanation), overridableIn(explanation))} />}
              note={
                <span>
                  Since <Time at={explanation.since} as="exact" none="the beginning" />
                  {explanation.since !== null && (
                    <>
                      {' '}
                      (<Time at={explanation.since} />)
                    </>
                  )}
                  , evaluated just now
                </span>
              }
              show={show}
              onShow={(next) => change({ show: next })}
            />
          </div>
        )}
      </Loaded>
    </>
  );
}
