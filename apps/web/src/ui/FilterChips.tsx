import { classes } from './classes.ts';

export interface Chip<Id extends string> {
  readonly id: Id;
  readonly label: string;
  readonly icon?: React.ReactNode;
}

/** Filters by one of a few with one press; pressing it once more removes the filter. */
export function FilterChips<Id extends string>({
  label,
  chips,
  chosen,
  onChoose,
}: {
  readonly label: string;
  readonly chips: readonly Chip<Id>[];
  readonly chosen: Id | undefined;
  readonly onChoose: (id: Id | undefined) => void;
}) {
  return (
    <fieldset className="flex flex-wrap gap-1.5">
      <legend className="sr-only">{label}</legend>
      {chips.map(({ id, label: word, icon }) => (
        <button
          key={id}
          type="button"
          aria-pressed={chosen === id}
          onClick={() => onChoose(chosen === id ? undefined : id)}
          className={classes(
            'inline-flex cursor-pointer items-center gap-1.5 rounded-full border px-2.5 py-1 text-[13px]',
            chosen === id ? 'border-accent bg-accent-wash' : 'border-line hover:bg-raised',
          )}
        >
          {icon}
          {word}
        </button>
      ))}
    </fieldset>
  );
}
