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
        {['Edit', 'Tags', 'Rename', 'Archive'].map((label) => (
          <Button key={label} isDisabled>
            {label}
          </Button>
        ))}
        <span className="text-[12.5px] text-quiet">{whyNot}</span>
      </>
    );
  return (
    <>
      <DialogButton label="Edit" title={`Edit ${flow.name}`}>
        {(close) => <Edit org={org} flow={flow} onClose={close} />}
      </DialogButton>
      <DialogButton label="Tags" title={`Tags of ${flow.name}`}>
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
  const put = useWrite(putFlow, { done: 'The flow is changed', onDone: onClose });
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
      <Field name="description" label="What it builds" defaultValue={flow.description} lines={3} />
      <Field name="repo_url" label="Where its source is" type="url" defaultValue={flow.repo_url} />
    </Form>
  );
}

function EditTags({ org, flow, onClose }: DialogProps) {
  const [text, setText] = useState(tagLines(flow.tags));
  const patch = useWrite(patchTags, { done: 'The tags are changed', onDone: onClose });
  return (
    <Form
      submit="Save the tags"
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
        help="One on each line, as key=value. A line that is taken out removes the tag."
      />
    </Form>
  );
}

function Rename({ org, flow, onClose }: DialogProps) {
  const navigate = useNavigate();
  const [name, setName] = useState(flow.name);
  const rename = useWrite(renameFlow, {
    done: `The flow is called ‘${name}’ now`,
    onDone: () => {
      onClose();
      void navigate({ href: paths.flow(org, name), replace: true });
    },
  });
  return (
    <Form
      submit="Rename"
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
        help="The old name goes on leading here until another flow takes it."
      />
    </Form>
  );
}

function Archive({ org, flow, onClose }: DialogProps) {
  const navigate = useNavigate();
  const archive = useWrite(archiveFlow, {
    done: `Flow ‘${flow.name}’ is archived`,
    onDone: () => {
      onClose();
      void navigate({ href: paths.flows(org) });
    },
  });
  return (
    <Form
      submit="Archive the flow"
      danger
      error={archive.error}
      isPending={archive.isPending}
      onCancel={onClose}
      onSubmit={() => archive.mutate({ params: { org, flow_name: flow.name } })}
    >
      <p>
        The flow is hidden and its name is free. Everything that was recorded in it is kept and still counts as
        evidence. It cannot be brought back.
      </p>
    </Form>
  );
}
