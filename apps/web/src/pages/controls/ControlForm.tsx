import type { Control } from '@waymark/contract';
import { useState } from 'react';
import { Field } from '../../ui/Fields.tsx';
import { Form } from '../../ui/Form.tsx';
import { Notice } from '../../ui/Panel.tsx';
import { type Pairs, readPairs, writePairs } from './written-pairs.ts';

export interface WrittenControl {
  readonly identifier: string;
  readonly name: string;
  readonly description: string;
  readonly links: Record<string, string>;
}

/** For a new control, and to edit one. */
export function ControlForm({
  control,
  submit,
  error,
  isPending,
  onCancel,
  onSubmit,
}: {
  readonly control?: Control;
  readonly submit: string;
  readonly error: Error | null;
  readonly isPending: boolean;
  readonly onCancel: () => void;
  readonly onSubmit: (written: WrittenControl) => void;
}) {
  const [wrongLine, setWrongLine] = useState<string>();
  return (
    <Form
      submit={submit}
      error={error}
      isPending={isPending}
      onCancel={onCancel}
      onSubmit={({ identifier = control?.identifier ?? '', name = '', description = '', links = '' }) => {
        const read = readPairs(links, ': ');
        setWrongLine('wrongLine' in read ? read.wrongLine : undefined);
        if ('pairs' in read) onSubmit({ identifier, name, description, links: { ...read.pairs } });
      }}
    >
      {!control && (
        <Field
          name="identifier"
          label="Identifier"
          isRequired
          mono
          placeholder="SDLC-7"
          help="Letters, digits, and - . _ ~. Decisions and policies refer to it, so it cannot be changed later."
        />
      )}
      <Field
        name="name"
        label="Name"
        isRequired
        defaultValue={control?.name ?? ''}
        placeholder="Every change is reviewed"
      />
      <Field name="description" label="Description" lines={4} defaultValue={control?.description ?? ''} />
      <Field
        name="links"
        label="Links"
        lines={3}
        mono
        defaultValue={writePairs(control?.links ?? ({} as Pairs), ': ')}
        help="One per line: a label, a colon, and a URL"
        placeholder="Runbook: https://example.com/runbook"
      />
      {wrongLine !== undefined && (
        <Notice kind="bad" announce>
          <code>{wrongLine}</code> is not a valid link: write a label, a colon, and a URL.
        </Notice>
      )}
    </Form>
  );
}
