import { attachPolicies, detachPolicies, type Environment, listSnapshotArtifacts } from '@waymark/contract';
import { useState } from 'react';
import { paths } from '../../lib/paths.ts';
import { useRead, useWrite } from '../../lib/queries.ts';
import { useOrg } from '../../lib/route.ts';
import { useWhyNot } from '../../lib/session.ts';
import { Button, LinkButton } from '../../ui/Button.tsx';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { DialogButton } from '../../ui/Dialog.tsx';
import { Form } from '../../ui/Form.tsx';
import { Link } from '../../ui/Link.tsx';
import { Panel, Tag } from '../../ui/Panel.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { Empty, Failure } from '../../ui/States.tsx';
import { policyVerdict } from '../policies/policy-verdict.ts';
import { PolicyBox } from './PolicyBox.tsx';
import type { SnapshotHead } from './PolicyChips.tsx';

interface OfEnvironment {
  readonly environment: Environment;
}

type Applied = SnapshotHead['applied_policies'][number];

export function AttachedPolicies({ environment }: OfEnvironment) {
  const org = useOrg();
  const whyNot = useWhyNot('manage_environments');
  const [leaving, setLeaving] = useState<string>();
  const hasSnapshot = environment.latest_snapshot_index > 0;
  const latest = useRead(
    listSnapshotArtifacts,
    { params: { org, env_name: environment.name, snapshot_expression: '-1' }, query: { per_page: 1 } },
    { enabled: hasSnapshot, fresh: true },
  );
  const { data, error } = latest;
  const applied = new Map(data?.snapshot.applied_policies.map((policy) => [policy.name, policy]));
  // Before the first snapshot no policy applies; after it, that is unknown until the snapshot was read.
  const unapplied = data || !hasSnapshot ? 'not applied yet' : error ? 'unknown' : '…';
  return (
    <>
      <Panel
        title="Attached policies"
        note="Every artifact must satisfy all of them."
        actions={<AttachButton environment={environment} whyNot={whyNot} />}
        flush
      >
        {error && (
          <div className="px-4 pb-3">
            <Failure error={error} retry={() => void latest.refetch()} />
          </div>
        )}
        <DataTable
          caption={`Policies attached to ${environment.name}`}
          columns={columnsOf({ org, environment, applied, unapplied, whyNot, onDetach: setLeaving })}
          rows={environment.policies}
          rowKey={(name) => name}
          empty={<NoPolicies environment={environment} />}
        />
      </Panel>
      {leaving !== undefined && (
        <Detach environment={environment} policy={leaving} onClose={() => setLeaving(undefined)} />
      )}
    </>
  );
}

interface Shown extends OfEnvironment {
  readonly org: string;
  readonly applied: ReadonlyMap<string, Applied>;
  /** The text for the others. */
  readonly unapplied: string;
  readonly whyNot: string | undefined;
  readonly onDetach: (name: string) => void;
}

function columnsOf({ org, environment, applied, unapplied, whyNot, onDetach }: Shown): readonly Column<string>[] {
  return [
    {
      key: 'name',
      title: 'Policy',
      wide: true,
      cell: (name) => (
        <Link href={paths.policy(org, name)} className="font-medium">
          {name}
        </Link>
      ),
    },
    {
      key: 'version',
      title: 'Version',
      cell: (name) => {
        const version = applied.get(name)?.version;
        if (version === undefined) return <span className="whitespace-nowrap text-quiet">{unapplied}</span>;
        return <Tag>v{version}</Tag>;
      },
    },
    {
      key: 'verdict',
      title: 'Result',
      cell: (name) => <PolicyVerdict policy={applied.get(name)} isStale={environment.stale} />,
    },
    {
      key: 'actions',
      title: 'Actions',
      cell: (name) => (
        <span className="flex flex-wrap gap-2 sm:flex-nowrap">
          <LinkButton href={paths.policyTest(org, name)} aria-label={`Back-test ${name}`}>
            Back-test
          </LinkButton>
          <Button
            variant="remove"
            isDisabled={whyNot !== undefined}
            onPress={() => onDetach(name)}
            aria-label={`Detach ${name}`}
          >
            Detach
          </Button>
        </span>
      ),
    },
  ];
}

function PolicyVerdict({ policy, isStale }: { readonly policy: Applied | undefined; readonly isStale: boolean }) {
  if (!policy) return <span className="text-quiet">–</span>;
  return <StateBadge {...policyVerdict(policy, isStale)} />;
}

function AttachButton({ environment, whyNot }: OfEnvironment & { readonly whyNot: string | undefined }) {
  return (
    <DialogButton
      label="Attach policy"
      variant="primary"
      title={`Attach policy to ${environment.name}`}
      inAddress="attach-policy"
      whyNot={whyNot}
    >
      {(close) => <Attach environment={environment} onClose={close} />}
    </DialogButton>
  );
}

function Attach({ environment, onClose }: OfEnvironment & { readonly onClose: () => void }) {
  const org = useOrg();
  const [policy, setPolicy] = useState<string>();
  const attach = useWrite(attachPolicies, { done: `Policy ‘${policy}’ attached`, onDone: onClose });
  return (
    <Form
      submit="Attach policy"
      error={attach.error}
      isPending={attach.isPending}
      onCancel={onClose}
      whyNot={policy === undefined ? 'Choose a policy first' : undefined}
      onSubmit={() =>
        policy !== undefined &&
        attach.mutate({ params: { org, env_name: environment.name }, body: { policy_names: [policy] } })
      }
    >
      <PolicyBox value={policy} onPick={setPolicy} leaveOut={environment.policies} />
      <p className="text-quiet">
        Waymark re-evaluates {environment.name} at once and records the result in a new snapshot.
      </p>
      {policy !== undefined && <Link href={paths.policyTest(org, policy)}>Back-test it first</Link>}
    </Form>
  );
}

function Detach({
  environment,
  policy,
  onClose,
}: OfEnvironment & { readonly policy: string; readonly onClose: () => void }) {
  const org = useOrg();
  const detach = useWrite(detachPolicies, { done: `Policy ‘${policy}’ detached`, onDone: onClose });
  const isLast = environment.policies.length === 1;
  return (
    <ConfirmDialog
      title={`Detach ${policy} from ${environment.name}?`}
      confirm="Detach policy"
      write={detach}
      onClose={onClose}
      onConfirm={() => detach.mutate({ params: { org, env_name: environment.name }, body: { policy_names: [policy] } })}
    >
      <p>
        Waymark re-evaluates the environment without it at once. Past verdicts stay, and the activity log records who
        detached it.
      </p>
      {isLast && <p>It is the last policy: without one, nothing is evaluated and the environment becomes unknown.</p>}
    </ConfirmDialog>
  );
}

function NoPolicies({ environment }: OfEnvironment) {
  const org = useOrg();
  return (
    <Empty title="No policies attached" command={`waymark env policies attach ${environment.name} POLICY --org ${org}`}>
      Without a policy, nothing is evaluated and the state is unknown. Attach one above, or run:
    </Empty>
  );
}
