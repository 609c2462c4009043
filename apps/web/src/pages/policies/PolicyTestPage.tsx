import { useNavigate } from '@tanstack/react-router';
import { ApiError } from '@waymark/client';
import { getPolicy, POLICY_EXAMPLE, type Policy } from '@waymark/contract';
import { paths } from '../../lib/paths.ts';
import { useRead } from '../../lib/queries.ts';
import { useOrg, useParam } from '../../lib/route.ts';
import { Button } from '../../ui/Button.tsx';
import { Link } from '../../ui/Link.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { Failure, Loading } from '../../ui/States.tsx';
import { BackTestResult } from './BackTestResult.tsx';
import { BackTestSettings } from './BackTestSettings.tsx';
import { useDraft } from './drafts.ts';
import { useWhyNotSaved } from './EditPolicy.tsx';
import { PolicyEditor } from './PolicyEditor.tsx';
import { SavePolicy } from './SavePolicy.tsx';
import { useBackTest } from './use-back-test.ts';

/** A draft on the left, and what it would have changed on the right. */
export function PolicyTestPage() {
  const org = useOrg();
  const name = useParam('policy');
  const { data, error, refetch } = useRead(getPolicy, { params: { org, name } }, { fresh: true });
  const isNew = (error instanceof ApiError && error.status === 404) || data?.archived === true;
  const isKnown = data !== undefined || isNew;
  return (
    <>
      <PageHead
        title={`Back-test ${name}`}
        crumbs={[
          { href: paths.policies(org), label: 'Policies' },
          ...(isNew ? [] : [{ href: paths.policy(org, name), label: name }]),
        ]}
        note="Preview the past verdicts that the draft would have changed. Nothing is saved."
      />
      {isKnown ? (
        <TestBench key={name} org={org} name={name} policy={isNew ? undefined : data} />
      ) : error ? (
        <Failure error={error} retry={() => void refetch()} />
      ) : (
        <Loading />
      )}
    </>
  );
}

function TestBench({
  org,
  name,
  policy,
}: {
  readonly org: string;
  readonly name: string;
  /** Undefined for one that is not saved yet. */
  readonly policy: Policy | undefined;
}) {
  const navigate = useNavigate();
  const latest = policy?.versions.at(-1);
  const [draft, setDraft] = useDraft(org, name);
  const text = draft ?? latest?.policy_yaml ?? POLICY_EXAMPLE;
  const test = useBackTest(org);
  const whyNotSaved = useWhyNotSaved(org, text, latest?.policy_yaml);
  return (
    <div className="grid items-start gap-4 xl:grid-cols-2">
      <Panel
        className="xl:sticky xl:top-16"
        title={draft === undefined && latest ? `Version ${latest.version}` : 'Draft'}
        note={draft !== undefined && 'kept in this tab until it is saved'}
        actions={
          draft !== undefined &&
          latest && (
            <Button variant="quiet" onPress={() => setDraft(undefined)}>
              Back to version {latest.version}
            </Button>
          )
        }
      >
        {!policy && (
          <p className="mb-3 text-quiet">
            This policy is not saved yet. Add a description on the page for{' '}
            <Link href={paths.newPolicy(org)} className="underline">
              new policies
            </Link>
            .
          </p>
        )}
        <PolicyEditor org={org} label="Policy (YAML)" value={text} onChange={setDraft} />
        <div className="mt-4">
          <SavePolicy
            org={org}
            name={name}
            policy={policy}
            text={text}
            whyNot={whyNotSaved}
            onSaved={() => {
              setDraft(undefined);
              void navigate({ href: paths.policy(org, name) });
            }}
          />
        </div>
      </Panel>
      <div className="space-y-4">
        <BackTestSettings org={org} name={name} policy={policy} text={text} test={test} />
        <BackTestResult org={org} text={text} test={test} />
      </div>
    </div>
  );
}
