const LONGEST = 400;
const LONGEST_SHOWN = 40;

/** The problem is said of the field: "is empty; write …". */
export interface Refused {
  readonly ok: false;
  readonly problem: string;
}

export function refused(what: string, forms: string): Refused {
  return { ok: false, problem: `${what}; write ${forms}` };
}

export function lengthProblem(text: string): string | undefined {
  if (text === '') return 'is empty';
  return text.length > LONGEST ? `is longer than ${LONGEST} characters` : undefined;
}

/** Half a character, left by the cut, could not be sent. */
export function shown(text: string): string {
  const cut = text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
  return `'${cut.toWellFormed()}'`;
}
