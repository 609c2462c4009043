import {
  attachReportOnlyPolicies,
  detachReportOnlyPolicies,
  type Environment,
  listReportOnlyPolicies,
  promotePolicies,
  type ReportOnlyPolicy,
} from '@waymark/contract';
import { useState } from 'react';
import { paths } from '../../lib/paths.ts';
import { useRead, useWrite } from '../../lib/queries.ts';
import { useOrg } from '../../lib/route.ts';
import { useWhyNot } from '../../lib/session.ts';
import { Button } from '../../ui/Button.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { Dialog, DialogButton } from '../../ui/Dialog.tsx';
import { Form } from '../../ui/Form.tsx';
import { Link } from '../../ui/Link.tsx';
import { Panel, Tag } from '../../ui/Panel.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { Empty, Failure } from '../../ui/States.tsx';
import { PolicyBox } from './PolicyBox.tsx';

interface OfEnvironment {
  readonly environment: Environment;
}

type Ending = { readonly how: 'promote' | 'detach'; readonly policy: string };

/** Policies that are evaluated and explained here, and turn nothing red. */
export function ReportOnlyPolicies({ environment }: OfEnvironment) {
  const org = useOrg();
  const whyNot = useWhyNot('manage_environments');
  const [ending, setEnding] = useState<Ending>();
  const report = useRead(listReportOnlyPolicies, { params: { org, env_name: environment.name } }, { fresh: true });
  const { data, error } = report;
  const policies = data?.policies ?? [];
  return (
    <>
      <Panel
        title="Report-only policies"
        note="Evaluated and explained, without an effect on any verdict."
        actions={
          <DialogButton
            label="Attach as report-only"
            title={`Attach policy to ${environment.name} as report-only`}
            whyNot={whyNot}
          >
            {(close) => (
              <Attach
                environment={environment}
                leaveOut={policies.map(({ policy_name }) => policy_name)}
                onClose={close}
              />
            )}
          </DialogButton>
        }
        flush
      >
        {error && (
          <div className="px-4 pb-3">
            <Failure error={error} retry={() => void report.refetch()} />
          </div>
        )}
        {data?.is_cut && (
          <p className="px-4 pb-3 text-quiet">
            Only {data.artifact_count.toLocaleString('en')} of the running artifacts were evaluated.
          </p>
        )}
        <DataTable
          caption={`Report-only policies of ${environment.name}`}
          columns={columnsOf({ org, whyNot, onEnd: setEnding })}
          rows={policies}
          rowKey={({ policy_name }) => policy_name}
          empty={
            <Empty
              title="No report-only policies"
              command={`waymark env policies attach ${environment.name} POLICY --report-only --org ${org}`}
            >
              Attach a policy as report-only to see what it would make of {environment.name} before you enforce it, or
              run:
            </Empty>
          }
        />
      </Panel>
      {ending && <End environment={environment} {...ending} onClose={() => setEnding(undefined)} />}
    </>
  );
}

interface Shown {
  readonly org: string;
  readonly whyNot: string | undefined;
  readonly onEnd: (ending: Ending) => void;
}

function columnsOf({ org, whyNot, onEnd }: Shown): readonly Column<ReportOnlyPolicy>[] {
  return [
    {
      key: 'name',
      title: 'Policy',
      wide: true,
      cell: (policy) => (
        <>
          <Link href={paths.policy(org, policy.policy_name)} className="font-medium">
            {policy.policy_name}
          </Link>
          <Findings policy={policy} />
        </>
      ),
    },
    { key: 'version', title: 'Version', cell: ({ version }) => <Tag>v{version}</Tag> },
    { key: 'verdict', title: 'Result', cell: (policy) => <StateBadge state={policy.status} word={resultOf(policy)} /> },
    {
      key: 'actions',
      title: 'Actions',
      cell: ({ policy_name: policy }) => (
        <span className="flex flex-wrap gap-2 sm:flex-nowrap">
          <Button
            isDisabled={whyNot !== undefined}
            onPress={() => onEnd({ how: 'promote', policy })}
            aria-label={`Promote ${policy}`}
          >
            Promote
          </Button>
          <Button
            variant="remove"
            isDisabled={whyNot !== undefined}
            onPress={() => onEnd({ how: 'detach', policy })}
            aria-label={`Detach report-only policy ${policy}`}
          >
            Detach
          </Button>
        </span>
      ),
    },
  ];
}

function resultOf({ status, non_compliant_count: failing, waived_count: waived }: ReportOnlyPolicy): string {
  if (status === 'non-compliant') return `Would fail ${failing}`;
  return waived === 0 ? 'Would pass' : `Would pass, ${waived} waived`;
}

const SHOWN = 3;

/** What to do first, and the artifacts that would fail. */
function Findings({ policy: { failing, non_compliant_count: count, actions } }: { readonly policy: ReportOnlyPolicy }) {
  if (count === 0) return null;
  const names = failing.slice(0, SHOWN).map(({ artifact_name }) => artifact_name);
  const rest = count - names.length;
  return (
    <div className="mt-1 space-y-1 text-quiet">
      <p className="break-words">
        {names.join(', ')}
        {rest > 0 && ` and ${rest.toLocaleString('en')} more`}
      </p>
      <ul className="list-disc pl-5">
        {actions.slice(0, SHOWN).map(({ fix }) => (
          <li key={fix}>{fix}</li>
        ))}
      </ul>
    </div>
  );
}

function Attach({
  environment,
  leaveOut,
  onClose,
}: OfEnvironment & { readonly leaveOut: readonly string[]; readonly onClose: () => void }) {
  const org = useOrg();
  const [policy, setPolicy] = useState<string>();
  const attach = useWrite(attachReportOnlyPolicies, {
    done: `Policy ‘${policy}’ attached as report-only`,
    onDone: onClose,
  });
  return (
    <Form
      submit="Attach as report-only"
      error={attach.error}
      isPending={attach.isPending}
      onCancel={onClose}
      whyNot={policy === undefined ? 'Choose a policy first' : undefined}
      onSubmit={() =>
        policy !== undefined &&
        attach.mutate({ params: { org, env_name: environment.name }, body: { policy_names: [policy] } })
      }
    >
      <PolicyBox value={policy} onPick={setPolicy} leaveOut={[...environment.policies, ...leaveOut]} />
      <p className="text-quiet">
        Waymark shows what the policy would make of {environment.name}. No verdict changes, and nobody is notified.
      </p>
    </Form>
  );
}

const ENDINGS = { promote: promotePolicies, detach: detachReportOnlyPolicies } as const;

function End({ environment, how, policy, onClose }: OfEnvironment & Ending & { readonly onClose: () => void }) {
  const org = useOrg();
  const isPromotion = how === 'promote';
  const write = useWrite(ENDINGS[how], {
    done: isPromotion ? `Policy ‘${policy}’ is enforced` : `Policy ‘${policy}’ detached`,
    onDone: onClose,
  });
  return (
    <Dialog
      title={isPromotion ? `Enforce ${policy} in ${environment.name}?` : `Detach ${policy} from ${environment.name}?`}
      onClose={onClose}
    >
      {(close) => (
        <Form
          danger={!isPromotion}
          submit={isPromotion ? 'Promote policy' : 'Detach policy'}
          error={write.error}
          isPending={write.isPending}
          onCancel={close}
          onSubmit={() =>
            write.mutate({ params: { org, env_name: environment.name }, body: { policy_names: [policy] } })
          }
        >
          <p>
            {isPromotion
              ? 'Waymark re-evaluates the environment at once, and every artifact must satisfy the policy from now on.'
              : 'Waymark no longer evaluates it here. No verdict changes.'}
          </p>
        </Form>
      )}
    </Dialog>
  );
}
