import { useMemo, useState } from 'react';
import { Form as AriaForm } from 'react-aria-components';
import { problemOf } from '../lib/queries.ts';
import { Button } from './Button.tsx';
import { Notice } from './Panel.tsx';

/** What was filled in, by the names of the fields. */
export type Filled = Readonly<Record<string, string>>;

/**
 * Fields and a button. What the server refuses is shown at the field that it names; what it says about none of them, above
 * the button.
 */
export function Form({
  onSubmit,
  error,
  isPending,
  submit,
  onCancel,
  danger = false,
  whyNot,
  children,
}: {
  readonly onSubmit: (filled: Filled, data: FormData) => void;
  readonly error: Error | null;
  readonly isPending: boolean;
  /** What the button says: the verb, not `OK`. */
  readonly submit: string;
  readonly onCancel?: () => void;
  readonly danger?: boolean;
  readonly whyNot?: string | undefined;
  readonly children?: React.ReactNode;
}) {
  const [answered, setAnswered] = useState<Error | null>(null);
  const problem = useMemo(() => problemOf(error === answered ? null : error), [error, answered]);
  return (
    <AriaForm
      className="space-y-4"
      {...(problem && { validationErrors: problem.fields })}
      onSubmit={(event) => {
        event.preventDefault();
        // The button stays in reach meanwhile: a button that is switched off loses the focus, and Escape its way.
        if (isPending) return;
        const data = new FormData(event.currentTarget);
        const texts = [...data].filter((entry): entry is [string, string] => typeof entry[1] === 'string');
        onSubmit(Object.fromEntries(texts), data);
      }}
    >
      {/* While it is corrected, not when the field is left: then the button would move away under the pointer. */}
      <div className="space-y-4" onInput={() => setAnswered(error)}>
        {children}
      </div>
      {problem && (
        <Notice kind="bad" announce>
          <p>{problem.message}</p>
          {Object.entries(problem.fields).map(([name, text]) => (
            <p key={name} className="text-[13px]">
              <code>{name}</code> {text}
            </p>
          ))}
        </Notice>
      )}
      <div className="flex items-start gap-2">
        <Button
          type="submit"
          look={danger ? 'danger' : 'primary'}
          className={isPending ? 'opacity-55' : ''}
          whyNot={whyNot}
        >
          {isPending ? `${submit} …` : submit}
        </Button>
        {onCancel && (
          <Button look="quiet" onPress={onCancel}>
            Cancel
          </Button>
        )}
      </div>
    </AriaForm>
  );
}
