import { useNavigate } from '@tanstack/react-router';
import { archiveFlow, type Flow, patchTags, putFlow, renameFlow } from '@waymark/contract';
import { useState } from 'react';
import { paths } from '../../lib/paths.ts';
import { useWrite } from '../../lib/queries.ts';
import { useWhyNot } from '../../lib/session.ts';
import { Button } from '../../ui/Button.tsx';
import { DialogButton } from '../../ui/Dialog.tsx';
import { Field } from '../../ui/Fields.tsx';
import { Form } from '../../ui/Form.tsx';
import { tagChanges, tagLines } from './tag-lines.ts';

interface ChangeProps {
  readonly org: string;
  readonly flow: Flow;
}

/** The actions on a flow. Without permission they are disabled, with the role that is needed. */
export function FlowChanges({ org, flow }: ChangeProps) {
  const whyNot = useWhyNot('record_evidence');
  if (whyNot !== undefined)
    return (
      <>
        {['Edit', 'Edit tags', 'Rename', 'Archive'].map((label) => (
          <Button key={label} whyNot={whyNot}>
            {label}
          </Button>
        ))}
      </>
    );
  return (
    <>
      <DialogButton label="Edit" title={`Edit ${flow.name}`}>
        {(close) => <Edit org={org} flow={flow} onClose={close} />}
      </DialogButton>
      <DialogButton label="Edit tags" title={`Tags of ${flow.name}`}>
        {(close) => <EditTags org={org} flow={flow} onClose={close} />}
      </DialogButton>
      <DialogButton label="Rename" title={`Rename ${flow.name}`}>
        {(close) => <Rename org={org} flow={flow} onClose={close} />}
      </DialogButton>
      <DialogButton label="Archive" variant="danger" title={`Archive ${flow.name}?`}>
        {(close) => <Archive org={org} flow={flow} onClose={close} />}
      </DialogButton>
    </>
  );
}

type DialogProps = ChangeProps & { readonly onClose: () => void };

function Edit({ org, flow, onClose }: DialogProps) {
  const put = useWrite(putFlow, { done: 'Flow saved', onDone: onClose });
  return (
    <Form
      submit="Save"
      error={put.error}
      isPending={put.isPending}
      onCancel={onClose}
      onSubmit={({ description = '', repo_url = '' }) =>
        put.mutate({ params: { org }, body: { name: flow.name, description, repo_url } })
      }
    >
      <Field name="description" label="Description" defaultValue={flow.description} lines={3} />
      <Field name="repo_url" label="Source URL" type="url" defaultValue={flow.repo_url} />
    </Form>
  );
}

function EditTags({ org, flow, onClose }: DialogProps) {
  const [text, setText] = useState(tagLines(flow.tags));
  const patch = useWrite(patchTags, { done: 'Tags saved', onDone: onClose });
  return (
    <Form
      submit="Save tags"
      error={patch.error}
      isPending={patch.isPending}
      onCancel={onClose}
      onSubmit={() => patch.mutate({ params: { org, type: 'flow', id: flow.name }, body: tagChanges(flow.tags, text) })}
    >
      <Field
        name="tags"
        label="Tags"
        value={text}
        onChange={setText}
        lines={6}
        mono
        help="One per line, as key=value. Deleting a line removes the tag."
      />
    </Form>
  );
}

function Rename({ org, flow, onClose }: DialogProps) {
  const navigate = useNavigate();
  const [name, setName] = useState(flow.name);
  const rename = useWrite(renameFlow, {
    done: `Flow renamed to ‘${name}’`,
    onDone: () => {
      onClose();
      void navigate({ href: paths.flow(org, name), replace: true });
    },
  });
  return (
    <Form
      submit="Rename flow"
      error={rename.error}
      isPending={rename.isPending}
      onCancel={onClose}
      onSubmit={() => rename.mutate({ params: { org, flow_name: flow.name }, body: { new_name: name } })}
    >
      <Field
        name="new_name"
        label="New name"
        value={name}
        onChange={setName}
        isRequired
        autoFocus
        help="The old name redirects here until another flow takes it."
      />
    </Form>
  );
}

function Archive({ org, flow, onClose }: DialogProps) {
  const navigate = useNavigate();
  const archive = useWrite(archiveFlow, {
    done: `Flow ‘${flow.name}’ archived`,
    onDone: () => {
      onClose();
      void navigate({ href: paths.flows(org) });
    },
  });
  return (
    <Form
      submit="Archive flow"
      danger
      error={archive.error}
      isPending={archive.isPending}
      onCancel={onClose}
      onSubmit={() => archive.mutate({ params: { org, flow_name: flow.name } })}
    >
      <p>
        Waymark hides the flow, and its name becomes available. Its records are kept and still count as evidence. It
        cannot be restored.
      </p>
    </Form>
  );
}
