import { type Environment, type EnvironmentExplanation, explainEnvironment, explainSnapshot } from '@waymark/contract';
import { z } from 'zod';
import { paths } from '../../lib/paths.ts';
import { useRead } from '../../lib/queries.ts';
import { useOrg, useParam, useSearchState } from '../../lib/route.ts';
import { fixesIn } from '../../pictures/why-tree.ts';
import { Button, LinkButton } from '../../ui/Button.tsx';
import { Link } from '../../ui/Link.tsx';
import { NewNotice } from '../../ui/NewNotice.tsx';
import { Notice, Panel } from '../../ui/Panel.tsx';
import { Loaded, Loading } from '../../ui/States.tsx';
import { Time } from '../../ui/Time.tsx';
import { EnvironmentHead, useEnvironment } from '../environments/EnvironmentHead.tsx';
import { AtButton } from './AtButton.tsx';
import { plainActions, ToFix } from './ToFix.tsx';
import { WhyPanel } from './WhyPanel.tsx';

const Search = z.object({
  at: z.string().optional(),
  show: z.enum(['failing', 'all']).optional(),
  all: z.enum(['true']).optional(),
});

export function EnvironmentWhyPage() {
  const { data: environment, error } = useEnvironment();
  const [{ at }, change] = useSearchState(Search);
  // Requested beside the environment.
  useReasons();
  const isExplained = environment !== undefined && environment.type !== 'logical';
  return (
    <>
      <EnvironmentHead actions={isExplained && <AtButton at={at} onAt={(next) => change({ at: next })} />} />
      {!environment && !error && <Loading />}
      {environment?.type === 'logical' && <Members names={environment.included_environments} />}
      {isExplained && <WhyOfEnvironment environment={environment} />}
    </>
  );
}

/** The reasons now, or those of the snapshot in the address. */
function useReasons() {
  const params = { org: useOrg(), env_name: useParam('env') };
  const [{ at, all }] = useSearchState(Search);
  const now = useRead(explainEnvironment, { params, query: { all } }, { enabled: at === undefined, fresh: true });
  const then = useRead(
    explainSnapshot,
    { params: { ...params, snapshot_expression: at ?? '' }, query: { all } },
    { enabled: at !== undefined, fresh: true },
  );
  return at === undefined ? now : then;
}

function WhyOfEnvironment({ environment }: { readonly environment: Environment }) {
  const org = useOrg();
  const env = useParam('env');
  const [{ at, show, all }, change] = useSearchState(Search);
  const answer = useReasons();
  const isStale = environment.stale && at === undefined;
  return (
    <div className="space-y-4">
      <NewNotice
        kinds={['environment']}
        subjectId={environment.id}
        loadedAt={answer.dataUpdatedAt}
        onShow={() => void answer.refetch()}
      />
      {at !== undefined && (
        <Notice kind="info" actions={<Button onPress={() => change({ at: undefined })}>Back to now</Button>}>
          This explains the decisions made with snapshot <code>{at}</code>.
        </Notice>
      )}
      <Loaded of={answer}>
        {(explanation) => (
          <>
            {isStale && <Doubts since={environment.stale_since} />}
            <WhyPanel
              org={org}
              subject={at === undefined ? env : `${env} #${explanation.snapshot_index ?? 0}`}
              root={explanation}
              fixes={actionsOf(explanation).map(({ fix }) => fix)}
              toFix={<ToFix org={org} actions={actionsOf(explanation)} {...(at === undefined && { waiveIn: env })} />}
              note={<VerdictTimes of={explanation} env={env} />}
              brokeAt={explanation.first_broke_at}
              isStale={isStale}
              show={show}
              onShow={(next) => change({ show: next })}
            />
            {explanation.left_out > 0 && (
              <Notice
                kind="info"
                {...(all === undefined && {
                  actions: <Button onPress={() => change({ all: 'true' })}>Also show passing artifacts</Button>,
                })}
              >
                {explanation.left_out.toLocaleString('en')} of {explanation.artifact_count.toLocaleString('en')}{' '}
                artifacts are not in the tree: failing ones come first.
              </Notice>
            )}
          </>
        )}
      </Loaded>
    </div>
  );
}

/** Without policies or reports, the environment itself says what is missing. */
function actionsOf(root: EnvironmentExplanation) {
  if (root.actions.length > 0 || root.status === 'COMPLIANT') return root.actions;
  return plainActions(root.status === 'UNKNOWN' ? [root.fix ?? ''].filter(Boolean) : fixesIn(root));
}

function VerdictTimes({ of, env }: { readonly of: EnvironmentExplanation; readonly env: string }) {
  const org = useOrg();
  const { first_broke_at, first_broke_in, since, judged_at, snapshot_index, is_stored } = of;
  return (
    <>
      {first_broke_at !== null && (
        <span>
          Became non-compliant <Time at={first_broke_at} as="exact" /> (<Time at={first_broke_at} />)
          {first_broke_in !== null && (
            <>
              {' '}
              in{' '}
              <Link className="underline" href={paths.snapshot(org, env, first_broke_in)}>
                snapshot #{first_broke_in}
              </Link>
            </>
          )}
        </span>
      )}
      {first_broke_at === null && since !== null && (
        <span>
          Since <Time at={since} as="exact" /> (<Time at={since} />)
        </span>
      )}
      {is_stored && snapshot_index !== null ? (
        <span>
          As decided when{' '}
          <Link className="underline" href={paths.snapshot(org, env, snapshot_index)}>
            snapshot #{snapshot_index}
          </Link>{' '}
          was created
        </span>
      ) : (
        <span>
          Evaluated just now; the recorded verdict is from <Time at={judged_at} none="never" />
        </span>
      )}
    </>
  );
}

/** A stale environment may have changed, whatever the tree says. */
function Doubts({ since }: { readonly since: number | null }) {
  return (
    <Notice kind="unsure" title="Report overdue">
      A report has been overdue since <Time at={since} as="exact" /> (<Time at={since} />
      ). The tree shows the last report; what runs there may have changed.
    </Notice>
  );
}

function Members({ names }: { readonly names: readonly string[] }) {
  const org = useOrg();
  return (
    <Panel title="Each member has its own reasons">
      <p className="mb-3">
        A logical environment combines other environments and has no policies of its own. Open one of its members:
      </p>
      <ul className="flex flex-wrap gap-2">
        {names.map((name) => (
          <li key={name}>
            <LinkButton href={paths.environmentWhy(org, name)}>Why {name}?</LinkButton>
          </li>
        ))}
      </ul>
      {names.length === 0 && <p className="text-quiet">No members yet.</p>}
    </Panel>
  );
}
