import { type Environment, patchEnvironment, patchTags } from '@waymark/contract';
import { useState } from 'react';
import { useWrite } from '../../lib/queries.ts';
import { useOrg } from '../../lib/route.ts';
import { useWhyNot } from '../../lib/session.ts';
import { Field } from '../../ui/Fields.tsx';
import { Form } from '../../ui/Form.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { Time } from '../../ui/Time.tsx';
import { tagChanges, tagLines } from '../flows/tag-lines.ts';
import { readInterval, writeInterval } from './report-interval.ts';

interface OfEnvironment {
  readonly environment: Environment;
}

/** Saving over somebody else's change would undo it, so the fields reset to what is stored. */
export function DetailsPanel({ environment }: OfEnvironment) {
  return (
    <Panel title="Details">
      <Details key={environment.last_modified_at} environment={environment} />
      <p className="mt-3 text-[12.5px] text-quiet">
        Created by {environment.created_by} <Time at={environment.created_at} />, settings last changed{' '}
        <Time at={environment.last_modified_at} />.
      </p>
    </Panel>
  );
}

function Details({ environment }: OfEnvironment) {
  const org = useOrg();
  const isLogical = environment.type === 'logical';
  const stored = environment.expected_report_interval_s;
  const [interval, setInterval] = useState(stored === null ? '' : writeInterval(stored));
  const patch = useWrite(patchEnvironment, { done: 'Environment saved' });
  const seconds = interval.trim() === '' ? 0 : readInterval(interval);
  return (
    <Form
      submit="Save"
      error={patch.error}
      isPending={patch.isPending}
      whyNot={useWhyNot('manage_environments') ?? unreadable(seconds)}
      onSubmit={({ description = '' }) =>
        patch.mutate({
          params: { org, env_name: environment.name },
          body: { description, ...(!isLogical && seconds !== undefined && { expected_report_interval_s: seconds }) },
        })
      }
    >
      <Field name="description" label="Description" defaultValue={environment.description} lines={3} />
      {!isLogical && (
        <Field
          name="expected_report_interval_s"
          label="Expected report interval"
          value={interval}
          onChange={setInterval}
          placeholder="learned from reports"
          help="For example, 30 s, 15 min, 1 h, or 1 d. After this time without a report, the environment becomes stale. Leave empty to derive the interval from past reports."
        />
      )}
    </Form>
  );
}

function unreadable(seconds: number | undefined): string | undefined {
  return seconds === undefined ? 'Enter an interval such as 30 s, 15 min, 1 h, or 1 d' : undefined;
}

export function TagsPanel({ environment }: OfEnvironment) {
  return (
    <Panel title="Tags" note="Policies can refer to tags.">
      <TagFields key={tagLines(environment.tags)} environment={environment} />
    </Panel>
  );
}

function TagFields({ environment }: OfEnvironment) {
  const org = useOrg();
  const [text, setText] = useState(tagLines(environment.tags));
  const patch = useWrite(patchTags, { done: 'Tags saved' });
  return (
    <Form
      submit="Save tags"
      error={patch.error}
      isPending={patch.isPending}
      whyNot={useWhyNot('record_evidence')}
      onSubmit={() =>
        patch.mutate({
          params: { org, type: 'environment', id: environment.name },
          body: tagChanges(environment.tags, text),
        })
      }
    >
      <Field
        name="tags"
        label="Tags"
        value={text}
        onChange={setText}
        lines={4}
        mono
        help="One per line, as key=value. Deleting a line removes the tag."
      />
    </Form>
  );
}
