import type { Contract, StoredFile, UploadedFile } from '@waymark/contract';
import type { Ctx } from '../ctx.ts';
import type { StoredAnswer } from './idempotency.ts';

/** The input of any operation: its contract gives the types of the parts. */
export interface SentInput {
  readonly params: unknown;
  readonly query: unknown;
  readonly headers: unknown;
  readonly body: unknown;
  readonly file: UploadedFile | StoredFile | undefined;
}

/** An operation under change control, in the two parts in which it runs. */
export interface ControlledOperation {
  readonly contract: Contract;
  /** Slow work, done before the transaction. */
  prepare(ctx: Ctx, input: SentInput): Promise<unknown>;
  work(ctx: Ctx, input: SentInput, prepared: unknown): Promise<StoredAnswer>;
}

/** Stores changes that another person has to approve. */
export interface ChangeHolder<Examined = unknown> {
  /** Refuses at once what could not be done, and determines what it would change. Changes nothing. */
  examine(ctx: Ctx, operation: ControlledOperation, input: SentInput): Promise<Examined>;
  /** Responds in place of the operation. */
  ask(ctx: Ctx, operation: ControlledOperation, input: SentInput, examined: Examined): Promise<StoredAnswer>;
}

export interface ChangeControl {
  readonly operations: ReadonlyMap<string, ControlledOperation>;
  readonly holder: ChangeHolder;
  add(operation: ControlledOperation): void;
  /** Called once, by the feature that stores them. */
  holdWith<Examined>(holder: ChangeHolder<Examined>): void;
}

export function createChangeControl(): ChangeControl {
  const operations = new Map<string, ControlledOperation>();
  let holder: ChangeHolder | undefined;
  return {
    operations,
    get holder() {
      if (!holder) throw new Error('nothing keeps changes that have to be approved');
      return holder;
    },
    add(operation) {
      operations.set(operation.contract.id, operation);
    },
    holdWith(given) {
      holder = given as ChangeHolder;
    },
  };
}
