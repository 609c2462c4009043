const MAX_LENGTH = 400;
const MAX_SHOWN_LENGTH = 40;

/** The problem follows the name of the field: "is empty; write …". */
export interface Refused {
  readonly ok: false;
  readonly problem: string;
}

export function refused(what: string, forms: string): Refused {
  return { ok: false, problem: `${what}; write ${forms}` };
}

export function lengthProblem(text: string): string | undefined {
  if (text === '') return 'is empty';
  return text.length > MAX_LENGTH ? `is longer than ${MAX_LENGTH} characters` : undefined;
}

/** A surrogate half, left by the cut, could not be sent. */
export function shown(text: string): string {
  const cut = text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}…` : text;
  return `'${cut.toWellFormed()}'`;
}
