import type { Message } from '@waymark/messages';
import type { Mailer } from '../../../platform/mail/mailer.ts';
import type { GuardedFetch } from '../../../platform/outbound/guarded-fetch.ts';

/** A delivery with everything that a sender needs. */
export interface Outgoing {
  readonly orgId: string;
  /** Has the id of the delivery. */
  readonly message: Message;
  /** Only for mail. */
  readonly address: string | null;
  readonly target: {
    readonly id: string;
    readonly kind: 'CHAT' | 'WEBHOOK' | 'EMAIL';
    readonly url: string | null;
    /** Each `whsec_…`, newest first. */
    readonly secrets: readonly string[];
    /** Name of the notification; null for messages that the service raises itself. */
    readonly sourceName: string | null;
    readonly derived: boolean;
  };
}

export type AttemptOutcome =
  | { readonly delivered: true; readonly status: number | null }
  | {
      readonly delivered: false;
      readonly status: number | null;
      /** For people of the org: includes no address, no secret and nothing of the response. */
      readonly error: string;
      /** This installation is at fault, not the receiver. */
      readonly ours?: true;
      /** A retry would not help. */
      readonly final: boolean;
      /** The receiver wants no more messages. */
      readonly gone: boolean;
      /** How long the receiver asked to wait. */
      readonly retryAfterMs: number | null;
    };

export interface SendParts {
  readonly publicUrl: string;
  readonly outbound: GuardedFetch;
  /** Absent when the installation sends no mail. */
  readonly mailer: Mailer | undefined;
  /** Returns `v1a,…` over the text; undefined when the org has no key. */
  readonly signWithOrgKey: (orgId: string, text: string) => Promise<string | undefined>;
  readonly unsubscribeUrl: (orgId: string, targetId: string, address: string) => string | undefined;
}

export interface SendAttempt {
  readonly requestId: string;
  readonly at: Date;
  readonly signal?: AbortSignal;
}

/** Tries once. A fault of the receiver or the network is an outcome; an exception is a bug. */
export type Send = (parts: SendParts, outgoing: Outgoing, attempt: SendAttempt) => Promise<AttemptOutcome>;
