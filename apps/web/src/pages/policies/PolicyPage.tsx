import { archivePolicy, getPolicy, type Policy } from '@waymark/contract';
import { z } from 'zod';
import { YamlEditor } from '../../editor/YamlEditor.tsx';
import { paths } from '../../lib/paths.ts';
import { useRead, useWrite } from '../../lib/queries.ts';
import { useOrg, useParam, useSearchState } from '../../lib/route.ts';
import { useWhyNot } from '../../lib/session.ts';
import { Button, LinkButton } from '../../ui/Button.tsx';
import { CopyButton } from '../../ui/Copy.tsx';
import { DialogButton } from '../../ui/Dialog.tsx';
import { Form } from '../../ui/Form.tsx';
import { Link } from '../../ui/Link.tsx';
import { NewNotice } from '../../ui/NewNotice.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { Notice, Panel, Tag } from '../../ui/Panel.tsx';
import { Loaded } from '../../ui/States.tsx';
import { Time } from '../../ui/Time.tsx';
import { storedDraft } from './drafts.ts';
import { EditPolicy } from './EditPolicy.tsx';
import { PolicyEffect } from './PolicyEffect.tsx';
import { PolicyEvents } from './PolicyEvents.tsx';
import { PolicyVersions, VersionDiff } from './PolicyVersions.tsx';

const Search = z.object({
  version: z.coerce.number().int().min(1).optional(),
  line: z.coerce.number().int().min(1).optional(),
  /** The version that the shown one is compared with. */
  compare: z.coerce.number().int().min(0).optional(),
  edit: z.literal('yes').optional(),
});
type Search = z.output<typeof Search>;
type Change = (changes: z.input<typeof Search>) => void;

export function PolicyPage() {
  const org = useOrg();
  const name = useParam('policy');
  const [search, change] = useSearchState(Search);
  const policy = useRead(getPolicy, { params: { org, name } }, { fresh: true });
  const { data } = policy;
  const isEditing = search.edit === 'yes' && data !== undefined && !data.archived;
  return (
    <>
      <PageHead
        title={name}
        crumbs={[{ href: paths.policies(org), label: 'Policies' }]}
        state={data && <Tag>{data.archived ? 'archived' : `version ${data.versions.at(-1)?.version}`}</Tag>}
        note={data && <HeadNote policy={data} />}
        actions={
          data &&
          !data.archived &&
          !isEditing && <Actions org={org} policy={data} onEdit={() => change({ edit: 'yes' })} />
        }
      />
      <NewNotice kinds={['policy']} loadedAt={policy.dataUpdatedAt} onShow={() => void policy.refetch()} />
      <Loaded of={policy}>
        {(found) =>
          isEditing ? (
            <EditPolicy
              org={org}
              policy={found}
              onClose={() => change({ edit: undefined, version: undefined }, { replace: true })}
            />
          ) : (
            <Parts org={org} policy={found} search={search} onChange={change} />
          )
        }
      </Loaded>
    </>
  );
}

function HeadNote({ policy }: { readonly policy: Policy }) {
  return (
    <span className="flex flex-wrap gap-x-4">
      <span>
        Last change <Time at={policy.last_modified_at} />
      </span>
      {policy.description !== '' && <span>{policy.description}</span>}
    </span>
  );
}

function Actions({
  org,
  policy,
  onEdit,
}: {
  readonly org: string;
  readonly policy: Policy;
  readonly onEdit: () => void;
}) {
  const whyNot = useWhyNot('manage_policies');
  return (
    <>
      <LinkButton href={paths.policyTest(org, policy.name)}>Back-test</LinkButton>
      <Button onPress={onEdit} whyNot={whyNot}>
        {storedDraft(org, policy.name) === undefined ? 'Edit' : 'Continue draft'}
      </Button>
      <ArchiveButton org={org} policy={policy} whyNot={whyNot} />
    </>
  );
}

function ArchiveButton({
  org,
  policy,
  whyNot,
}: {
  readonly org: string;
  readonly policy: Policy;
  readonly whyNot: string | undefined;
}) {
  const archive = useWrite(archivePolicy, { done: `${policy.name} archived` });
  const attached = policy.consuming_envs.length + policy.report_only_envs.length;
  const inUse = attached === 0 ? undefined : 'Detach it from its environments first';
  return (
    <DialogButton label="Archive" variant="danger" title={`Archive ${policy.name}`} whyNot={whyNot ?? inUse}>
      {(close) => (
        <Form
          danger
          submit="Archive"
          error={archive.error}
          isPending={archive.isPending}
          onCancel={close}
          onSubmit={() => archive.mutate({ params: { org, name: policy.name } })}
        >
          <p>Waymark removes the policy from the list, and its name becomes available. Past verdicts stay.</p>
        </Form>
      )}
    </DialogButton>
  );
}

function Parts({
  org,
  policy,
  search,
  onChange,
}: {
  readonly org: string;
  readonly policy: Policy;
  readonly search: Search;
  readonly onChange: Change;
}) {
  const latest = policy.versions.at(-1);
  const shown = policy.versions.find(({ version }) => version === search.version) ?? latest;
  if (!shown || !latest) return null;
  const isMissing = search.version !== undefined && shown.version !== search.version;
  return (
    <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,3fr)_minmax(20rem,2fr)]">
      <div className="space-y-4">
        {isMissing && (
          <Notice kind="unsure">
            Version {search.version} does not exist; the latest is shown. The name may have belonged to another policy
            before.
          </Notice>
        )}
        <Panel
          title={`Version ${shown.version}`}
          note={shown.version === latest.version ? 'in force' : `version ${latest.version} is in force`}
          actions={<CopyButton text={shown.policy_yaml} what="policy" label="Copy" />}
        >
          <YamlEditor label={`Policy, version ${shown.version}`} value={shown.policy_yaml} line={search.line} />
        </Panel>
        {search.compare !== undefined && (
          <VersionDiff
            policy={policy}
            before={search.compare}
            after={shown.version}
            onChoose={(before, after) => onChange({ compare: before, version: after })}
            onClose={() => onChange({ compare: undefined })}
          />
        )}
        <PolicyVersions
          org={org}
          policy={policy}
          shown={shown.version}
          onCompare={(version, compare) => onChange({ version, compare })}
        />
      </div>
      <div className="space-y-4">
        <PolicyEffect org={org} policy={policy} />
        <PolicyEvents org={org} policy={policy} />
        {policy.archived && (
          <Notice kind="info" title="Archived">
            It no longer has any effect. Its name is available for{' '}
            <Link href={paths.newPolicy(org)} className="underline">
              a new policy
            </Link>
            .
          </Notice>
        )}
      </div>
    </div>
  );
}
