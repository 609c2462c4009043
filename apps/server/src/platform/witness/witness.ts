import {
  type AddCheckpoint,
  cosign,
  emptyRoot,
  FormatError,
  formatNote,
  type NoteSignature,
  parseAddCheckpoint,
  type Signer,
  type TrustPolicy,
  verifyExtension,
  verifyNote,
} from '@waymark/transparency';
import type { Cosigned, WitnessState } from './witness-state.ts';

interface WitnessParts {
  readonly signer: Signer;
  /** Its logs are those that are cosigned, each under the origin that its key names. */
  readonly policy: Pick<TrustPolicy, 'logs'>;
  readonly state: WitnessState;
  readonly now: () => Date;
}

/** How a request ended, in the terms of C2SP tlog-witness. */
export type Outcome =
  | { readonly kind: 'cosigned'; readonly origin: string; readonly size: number; readonly signature: NoteSignature }
  /** Another size than the latest that was cosigned. */
  | { readonly kind: 'conflict'; readonly origin: string; readonly size: number }
  | { readonly kind: 'malformed' | 'unknown_log' | 'not_signed' | 'inconsistent'; readonly problem: string };

export interface Witness {
  addCheckpoint(body: Uint8Array): Promise<Outcome>;
  /** Returns the latest cosigned checkpoint of a log, if there is one. */
  latest(origin: string): Promise<string | undefined>;
}

/** A witness cosigns each checkpoint that extends the one it cosigned last, and never two that contradict each other. */
export function createWitness({ signer, policy, state, now }: WitnessParts): Witness {
  const inTurn = createTurns();

  async function addCheckpoint(body: Uint8Array): Promise<Outcome> {
    const request = parseOrProblem(body);
    if (typeof request === 'string') return { kind: 'malformed', problem: request };
    const { checkpoint, note } = request.signed;
    const keys = policy.logs.flatMap(({ key }) => (key.name === checkpoint.origin ? [key] : []));
    if (keys.length === 0) return { kind: 'unknown_log', problem: 'this witness does not cosign that log' };
    const { verified, failed } = await verifyNote(note, keys);
    if (verified.length === 0 || failed.length > 0)
      return { kind: 'not_signed', problem: 'the checkpoint has no valid signature of a key of that log' };
    if (request.oldSize > checkpoint.size)
      return { kind: 'malformed', problem: 'the old size is larger than that of the checkpoint' };
    const signatures = note.signatures.filter((signature) =>
      verified.some(({ key }) => key.name === signature.name && key.keyId === signature.keyId),
    );
    return inTurn(checkpoint.origin, () =>
      extend({ ...request, signed: { checkpoint, note: { ...note, signatures } } }),
    );
  }

  /** Decides about a checkpoint that its log signed, while no other of that log is decided about. */
  async function extend(request: AddCheckpoint): Promise<Outcome> {
    const { checkpoint, note } = request.signed;
    const latest = await state.read(checkpoint.origin);
    const conflict = conflictOf(request, latest);
    if (conflict) return conflict;
    const old = latest?.signed.checkpoint ?? { size: 0, root: emptyRoot() };
    if (!verifyExtension(old, checkpoint, request.proof))
      return { kind: 'inconsistent', problem: 'the checkpoint does not extend the latest' };
    const signature = await cosign(note.text, signer, Math.floor(now().getTime() / 1000));
    const cosigned = formatNote({ ...note, signatures: [...note.signatures, signature] });
    if (await state.store(checkpoint.origin, (latest?.generation ?? 0) + 1, cosigned))
      return { kind: 'cosigned', origin: checkpoint.origin, size: checkpoint.size, signature };
    // Another process on the same state was faster.
    return conflictWith(request, await state.read(checkpoint.origin));
  }

  return {
    addCheckpoint,
    async latest(origin) {
      const cosigned = await state.read(origin);
      return cosigned && formatNote(cosigned.signed.note);
    },
  };
}

function parseOrProblem(body: Uint8Array): AddCheckpoint | string {
  try {
    return parseAddCheckpoint(body);
  } catch (error) {
    if (error instanceof FormatError) return error.message;
    throw error;
  }
}

function conflictOf(request: AddCheckpoint, latest: Cosigned | undefined): Outcome | undefined {
  return request.oldSize === (latest?.signed.checkpoint.size ?? 0) ? undefined : conflictWith(request, latest);
}

function conflictWith({ signed }: AddCheckpoint, latest: Cosigned | undefined): Outcome {
  return { kind: 'conflict', origin: signed.checkpoint.origin, size: latest?.signed.checkpoint.size ?? 0 };
}

/** Runs work for one key after the other, and for different keys side by side. */
function createTurns(): <Value>(key: string, work: () => Promise<Value>) => Promise<Value> {
  const last = new Map<string, Promise<unknown>>();
  return (key, work) => {
    const turn = (last.get(key) ?? Promise.resolve()).then(work);
    const ended = turn.catch(() => undefined);
    last.set(key, ended);
    return turn;
  };
}
