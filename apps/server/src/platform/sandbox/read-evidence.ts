import * as evidence from '@waymark/evidence';

/** The parsed file, or why it cannot be read; `other` when it is a valid file of another format. */
export type Reading<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problem: string; readonly other: boolean };

interface File {
  readonly name: string;
  readonly bytes: Uint8Array;
}

interface Signed {
  readonly bytes: Uint8Array;
  readonly trust: evidence.Trust;
  readonly fingerprint: string;
  readonly names: readonly string[];
}

export const readJunit = (file: File) => attempt(() => evidence.readJunit(file));
export const readFindings = (file: File) => attempt(() => evidence.readFindings(file));
export const readSbom = (file: File) => attempt(() => evidence.readSbom(file));
export const readVex = ({ subject, ...file }: File & { readonly subject: evidence.VexSubject }) =>
  attempt(() => evidence.readVex(file, subject));
export const verifyInToto = ({ bytes, trust, fingerprint, names }: Signed) =>
  attempt(() => evidence.verifyInToto({ bytes }, trust, fingerprint, names));

async function attempt<Value>(read: () => Value | Promise<Value>): Promise<Reading<Value>> {
  try {
    return { ok: true, value: await read() };
  } catch (error) {
    if (error instanceof evidence.Unreadable)
      return { ok: false, problem: error.message, other: error instanceof evidence.OtherFormat };
    throw error;
  }
}
