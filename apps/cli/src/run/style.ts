import { styleText } from 'node:util';
import type { Io, OutStream } from './io.ts';

/** The style of text for people. Every state has a sign besides its color. */
export interface Style {
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly doubtful: (text: string) => string;
  readonly strong: (text: string) => string;
  readonly faint: (text: string) => string;
  /** Of the stream that is written to. */
  readonly columns: number;
  /** The width of a table: that of the terminal, and unlimited elsewhere. */
  readonly tableColumns: number;
  readonly hasColours: boolean;
}

export type ColourChoice = 'auto' | 'always' | 'never';

export function styleFor(stream: OutStream, env: Io['env'], choice: ColourChoice): Style {
  const hasColours = usesColours(stream, env, choice);
  const paint =
    (...format: Parameters<typeof styleText>[0][]) =>
    (text: string) =>
      hasColours ? styleText(format.flat() as Parameters<typeof styleText>[0], text, { validateStream: false }) : text;
  return {
    good: paint('green'),
    bad: paint('red', 'bold'),
    doubtful: paint('yellow'),
    strong: paint('bold'),
    faint: paint('dim'),
    columns: stream.columns,
    tableColumns: stream.isTty ? stream.columns : Number.POSITIVE_INFINITY,
    hasColours,
  };
}

function usesColours(stream: OutStream, env: Io['env'], choice: ColourChoice): boolean {
  if (choice !== 'auto') return choice === 'always';
  if (env['NO_COLOR']) return false;
  if (isOn(env['FORCE_COLOR']) || isOn(env['CLICOLOR_FORCE'])) return true;
  return stream.isTty && env['TERM'] !== 'dumb';
}

function isOn(value: string | undefined): boolean {
  return value !== undefined && value !== '' && value !== '0';
}

export const plain: Style = styleFor({ write: () => undefined, isTty: false, columns: 120 }, {}, 'never');
