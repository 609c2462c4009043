export interface NameBoxProps {
  readonly label: string;
  /** What is named, such as `flows`. */
  readonly what: string;
  readonly value: string | undefined;
  /** The names that match the typed text. */
  readonly names: readonly string[];
  readonly onType: (text: string) => void;
  readonly onPick: (name: string) => void;
  readonly placeholder?: string | undefined;
}

export const NAME_BOX = {
  frame: 'block w-56 no-print',
  label: 'mb-1 block text-[13px] font-medium',
  input: 'w-full rounded-md border border-field bg-panel py-1.5 pr-8 pl-2.5 text-[14px] text-ink',
  chevron: 'absolute top-1.5 right-1.5 cursor-pointer rounded p-1 text-quiet hover:text-ink',
};
