import { useParams } from '@tanstack/react-router';
import { archiveControl, type Control, getControl, unarchiveControl, updateControl } from '@waymark/contract';
import { paths } from '../../lib/paths.ts';
import { useRead, useWrite } from '../../lib/queries.ts';
import { useOrg, useParam } from '../../lib/route.ts';
import { useWhyNot } from '../../lib/session.ts';
import { Button } from '../../ui/Button.tsx';
import { DialogButton } from '../../ui/Dialog.tsx';
import { Form } from '../../ui/Form.tsx';
import { NewNotice } from '../../ui/NewNotice.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { Tag } from '../../ui/Panel.tsx';
import { Empty, Loaded } from '../../ui/States.tsx';
import { BetaFailure } from './BetaFailure.tsx';
import { ControlCoverage } from './ControlCoverage.tsx';
import { ControlDecisions } from './ControlDecisions.tsx';
import { ControlDefinition } from './ControlDefinition.tsx';
import { ControlForm } from './ControlForm.tsx';
import { ControlVersions } from './ControlVersions.tsx';

export function ControlPage() {
  const org = useOrg();
  const identifier = useParam('control');
  const { tab }: { tab?: string } = useParams({ strict: false });
  const control = useRead(getControl, { params: { org, identifier } }, { fresh: true });
  const { data } = control;
  return (
    <>
      <PageHead
        title={data ? `${identifier}: ${data.name}` : identifier}
        crumbs={[{ href: paths.controls(org), label: 'Controls' }]}
        state={
          data && (
            <>
              <Tag>version {data.version}</Tag>
              {data.archived && <Tag>archived</Tag>}
            </>
          )
        }
        actions={data && <Actions org={org} control={data} />}
        {...((data || !control.error) && {
          tabs: [
            { href: paths.control(org, identifier), label: 'Definition' },
            { href: paths.control(org, identifier, 'versions'), label: 'Versions' },
            { href: paths.control(org, identifier, 'decisions'), label: 'Decisions' },
            { href: paths.control(org, identifier, 'coverage'), label: 'Coverage' },
          ],
        })}
      />
      <NewNotice kinds={['control']} loadedAt={control.dataUpdatedAt} onShow={() => void control.refetch()} />
      <BetaFailure error={control.error} />
      <Loaded of={control}>{(found) => <Part org={org} control={found} tab={tab} />}</Loaded>
    </>
  );
}

function Part({
  org,
  control,
  tab,
}: {
  readonly org: string;
  readonly control: Control;
  readonly tab: string | undefined;
}) {
  switch (tab) {
    case undefined:
      return <ControlDefinition org={org} control={control} />;
    case 'versions':
      return <ControlVersions org={org} control={control} />;
    case 'decisions':
      return <ControlDecisions org={org} control={control} />;
    case 'coverage':
      return <ControlCoverage org={org} control={control} />;
    default:
      return <Empty title="Page not found">Choose one of the tabs above.</Empty>;
  }
}

function Actions({ org, control }: { readonly org: string; readonly control: Control }) {
  const whyNot = useWhyNot('manage_controls');
  return (
    <>
      <EditButton org={org} control={control} whyNot={whyNot} />
      {control.archived ? (
        <UnarchiveButton org={org} control={control} whyNot={whyNot} />
      ) : (
        <ArchiveButton org={org} control={control} whyNot={whyNot} />
      )}
    </>
  );
}

interface ActionProps {
  readonly org: string;
  readonly control: Control;
  readonly whyNot: string | undefined;
}

function EditButton({ org, control, whyNot }: ActionProps) {
  const { identifier } = control;
  const update = useWrite(updateControl, { done: ({ version }) => `${identifier} is now version ${version}` });
  return (
    <DialogButton label="Edit" title={`Edit ${identifier}`} whyNot={whyNot}>
      {(close) => (
        <ControlForm
          control={control}
          submit="Save as new version"
          error={update.error}
          isPending={update.isPending}
          onCancel={close}
          onSubmit={({ name, description, links }) =>
            update.mutate({ params: { org, identifier }, body: { name, description, links } }, { onSuccess: close })
          }
        />
      )}
    </DialogButton>
  );
}

function ArchiveButton({ org, control: { identifier, policies_referencing: policies }, whyNot }: ActionProps) {
  const archive = useWrite(archiveControl, { done: `${identifier} archived` });
  return (
    <DialogButton label="Archive" variant="danger" title={`Archive ${identifier}`} whyNot={whyNot}>
      {(close) => (
        <Form
          danger
          submit="Archive"
          error={archive.error}
          isPending={archive.isPending}
          onCancel={close}
          onSubmit={() => archive.mutate({ params: { org, identifier } }, { onSuccess: close })}
        >
          <p>Waymark removes it from the catalog, and keeps its history, decisions, and identifier.</p>
          {policies.length > 0 && (
            <p>
              {policies.join(', ')} {policies.length === 1 ? 'requires' : 'require'} it, and cannot be saved again until
              that rule is removed.
            </p>
          )}
        </Form>
      )}
    </DialogButton>
  );
}

function UnarchiveButton({ org, control: { identifier }, whyNot }: ActionProps) {
  const unarchive = useWrite(unarchiveControl, { done: `${identifier} unarchived` });
  return (
    <Button
      whyNot={whyNot}
      isDisabled={unarchive.isPending}
      onPress={() => unarchive.mutate({ params: { org, identifier } })}
    >
      Unarchive
    </Button>
  );
}
