import { useMemo, useState } from 'react';
import { Form as AriaForm } from 'react-aria-components';
import { problemOf } from '../lib/queries.ts';
import { Button } from './Button.tsx';
import { formProblem } from './form-problem.ts';
import { Notice } from './Panel.tsx';

/** The values by field name. */
export type Filled = Readonly<Record<string, string>>;

/** The names of the fields that show an error of the server themselves: lists and checkboxes don't. */
function fieldsWithErrors(form: HTMLFormElement): ReadonlySet<string> {
  const texts = [...form.elements].filter(
    (element): element is HTMLInputElement | HTMLTextAreaElement =>
      element instanceof HTMLTextAreaElement ||
      (element instanceof HTMLInputElement && !['hidden', 'checkbox', 'radio', 'file'].includes(element.type)),
  );
  return new Set(texts.map(({ name }) => name).filter((name) => name !== ''));
}

/** Returns what the browser finds wrong with the values of a form, by the names of the fields, and the first such field. */
function faultsIn(form: HTMLFormElement) {
  const invalid = [...form.elements].filter(
    (element): element is HTMLInputElement | HTMLTextAreaElement =>
      (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) &&
      element.willValidate &&
      !element.validity.valid,
  );
  return {
    first: invalid[0],
    byName: Object.fromEntries(invalid.map(({ name, validationMessage }) => [name, validationMessage])),
  };
}

/**
 * Fields and a button. An error of the server is shown at the field that it names, or above the button if it names none.
 *
 * Fields are checked when the form is sent, and an error goes away with the first correction. Leaving a field never shows or
 * hides an error: the pointer that leaves it may be on its way down on a button, which would move away under it.
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
  /** The label of the button: a verb, not `OK`. */
  readonly submit: string;
  readonly onCancel?: () => void;
  readonly danger?: boolean;
  readonly whyNot?: string | undefined;
  readonly children?: React.ReactNode;
}) {
  const [answered, setAnswered] = useState<Error | null>(null);
  const [shown, setShown] = useState<ReadonlySet<string>>(new Set());
  const [faults, setFaults] = useState<Record<string, string>>({});
  const problem = useMemo(() => problemOf(error === answered ? null : error), [error, answered]);
  const shownProblem = problem && formProblem(problem.message, problem.fields, shown);
  return (
    <AriaForm
      className="space-y-4"
      validationBehavior="aria"
      validationErrors={problem?.fields ?? faults}
      onSubmit={(event) => {
        event.preventDefault();
        // The button stays enabled meanwhile: a disabled button loses the focus, and Escape would no longer work.
        if (isPending) return;
        const { first, byName } = faultsIn(event.currentTarget);
        setFaults(byName);
        if (first) {
          setAnswered(error);
          first.focus();
          return;
        }
        setShown(fieldsWithErrors(event.currentTarget));
        const data = new FormData(event.currentTarget);
        const texts = [...data].filter((entry): entry is [string, string] => typeof entry[1] === 'string');
        onSubmit(Object.fromEntries(texts), data);
      }}
    >
      <div
        className="space-y-4"
        onInput={({ target }) => {
          setAnswered(error);
          if (!(target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement)) return;
          const { [target.name]: corrected, ...left } = faults;
          if (corrected !== undefined) setFaults(left);
        }}
      >
        {children}
      </div>
      {problem && shownProblem && (
        <Notice kind={problem.isHeld ? 'unsure' : 'bad'} announce>
          <p>{shownProblem.message}</p>
          {shownProblem.others.map((text) => (
            <p key={text} className="text-[13px]">
              {text}
            </p>
          ))}
        </Notice>
      )}
      <div className="flex items-start gap-2">
        <Button
          type="submit"
          variant={danger ? 'danger' : 'primary'}
          className={isPending ? 'cursor-progress' : ''}
          whyNot={whyNot}
        >
          {isPending ? `${submit} …` : submit}
        </Button>
        {onCancel && (
          <Button variant="quiet" onPress={onCancel}>
            Cancel
          </Button>
        )}
      </div>
    </AriaForm>
  );
}
