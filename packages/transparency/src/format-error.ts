/** The only error that parsers throw: what was read, where it is wrong, and how. */
export class FormatError extends Error {
  readonly format: string;
  /** Counted from 1, if the format has lines. */
  readonly line: number | undefined;

  constructor(format: string, problem: string, line?: number) {
    super(line === undefined ? `${format}: ${problem}` : `${format}, line ${line}: ${problem}`);
    this.name = 'FormatError';
    this.format = format;
    this.line = line;
  }
}
