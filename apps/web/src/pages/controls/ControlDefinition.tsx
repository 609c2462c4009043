import { type Control, patchTags } from '@waymark/contract';
import { useState } from 'react';
import { paths } from '../../lib/paths.ts';
import { useWrite } from '../../lib/queries.ts';
import { useWhyNot } from '../../lib/session.ts';
import { DialogButton } from '../../ui/Dialog.tsx';
import { Field } from '../../ui/Fields.tsx';
import { Form } from '../../ui/Form.tsx';
import { Link, OutsideLink } from '../../ui/Link.tsx';
import { Facts, Notice, Panel, Tag } from '../../ui/Panel.tsx';
import { Empty } from '../../ui/States.tsx';
import { Time } from '../../ui/Time.tsx';
import { readPairs, tagChanges, writePairs } from './written-pairs.ts';

export function ControlDefinition({ org, control }: { readonly org: string; readonly control: Control }) {
  const links = Object.entries(control.links);
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(18rem,2fr)]">
      <div className="space-y-4">
        <Panel title="Definition">
          {control.description === '' ? (
            <p className="text-quiet">No description yet.</p>
          ) : (
            <p className="max-w-prose whitespace-pre-line [overflow-wrap:anywhere]">{control.description}</p>
          )}
          {links.length > 0 && (
            <ul className="mt-3 space-y-1">
              {links.map(([label, address]) => (
                <li key={label}>
                  <OutsideLink href={address}>{label}</OutsideLink>
                </li>
              ))}
            </ul>
          )}
        </Panel>
        <Panel title="Policies requiring this control" flush={control.policies_referencing.length === 0}>
          {control.policies_referencing.length === 0 ? (
            <Empty
              title="No policy requires this control"
              command={`- name: ${control.identifier.toLowerCase().replaceAll(/[^a-z0-9_-]/g, '-')}\n  type: decision\n  for_control: ${control.identifier}`}
            >
              Add these lines to the attestations of a policy to require a decision on this control:
            </Empty>
          ) : (
            <ul className="space-y-1">
              {control.policies_referencing.map((name) => (
                <li key={name}>
                  <Link href={paths.policy(org, name)}>{name}</Link>
                </li>
              ))}
            </ul>
          )}
        </Panel>
      </div>
      <Panel title="Details" actions={<TagsButton org={org} control={control} />}>
        <Facts
          rows={[
            ['Identifier', <code key="identifier">{control.identifier}</code>],
            [
              'Version',
              <Link key="version" href={paths.control(org, control.identifier, 'versions')}>
                {control.version}
              </Link>,
            ],
            [
              'Created',
              <span key="created">
                <Time at={control.created_at} /> by {control.created_by}
              </span>,
            ],
            ['Tags', <Tags key="tags" tags={control.tags} />],
          ]}
        />
      </Panel>
    </div>
  );
}

function Tags({ tags }: { readonly tags: Control['tags'] }) {
  const all = Object.entries(tags);
  if (all.length === 0) return <span className="text-quiet">none</span>;
  return (
    <span className="flex flex-wrap gap-1">
      {all.map(([key, value]) => (
        <Tag key={key}>
          {key}: {value}
        </Tag>
      ))}
    </span>
  );
}

function TagsButton({ org, control }: { readonly org: string; readonly control: Control }) {
  const [wrongLine, setWrongLine] = useState<string>();
  const change = useWrite(patchTags, { done: 'Tags saved' });
  return (
    <DialogButton label="Edit tags" title={`Tags of ${control.identifier}`} whyNot={useWhyNot('manage_controls')}>
      {(close) => (
        <Form
          submit="Save tags"
          error={change.error}
          isPending={change.isPending}
          onCancel={close}
          onSubmit={({ tags = '' }) => {
            const read = readPairs(tags, '=');
            setWrongLine('wrongLine' in read ? read.wrongLine : undefined);
            if (!('pairs' in read)) return;
            const params = { org, type: 'control' as const, id: control.identifier };
            change.mutate({ params, body: tagChanges(control.tags, read.pairs) }, { onSuccess: close });
          }}
        >
          <Field
            name="tags"
            label="Tags"
            lines={5}
            mono
            defaultValue={writePairs(control.tags, '=')}
            help="One per line, such as framework=SOC2"
          />
          {wrongLine !== undefined && (
            <Notice kind="bad" announce>
              <code>{wrongLine}</code> is not a valid tag: write a key, an equals sign, and a value.
            </Notice>
          )}
        </Form>
      )}
    </DialogButton>
  );
}
