import type { Message } from '@waymark/messages';
import type { Mailer } from '../../../platform/mail/mailer.ts';
import type { GuardedFetch } from '../../../platform/outbound/guarded-fetch.ts';

/** A delivery with everything that a sender needs to know. */
export interface Outgoing {
  readonly orgId: string;
  /** Its id is the one of the delivery. */
  readonly message: Message;
  /** Of a mail. */
  readonly address: string | null;
  readonly target: {
    readonly id: string;
    readonly kind: 'CHAT' | 'WEBHOOK' | 'EMAIL';
    readonly url: string | null;
    /** `whsec_…`, the newest first. */
    readonly secrets: readonly string[];
    /** Of the notification; null for what the service raises itself. */
    readonly sourceName: string | null;
    readonly derived: boolean;
  };
}

export type Outcome =
  | { readonly delivered: true; readonly status: number | null }
  | {
      readonly delivered: false;
      readonly status: number | null;
      /** For people of the org: it names no address, no secret and nothing of what was answered. */
      readonly error: string;
      /** This installation is at fault, not the receiver. */
      readonly ours?: true;
      /** Trying again would change nothing. */
      readonly final: boolean;
      /** The receiver wants nothing any more. */
      readonly gone: boolean;
      /** How long the receiver asked to be left alone. */
      readonly retryAfterMs: number | null;
    };

export interface SendParts {
  readonly publicUrl: string;
  readonly outbound: GuardedFetch;
  /** Absent when the installation sends no mail. */
  readonly mailer: Mailer | undefined;
  /** `v1a,…` over the text; undefined when the org has no key. */
  readonly signWithOrgKey: (orgId: string, text: string) => Promise<string | undefined>;
  readonly unsubscribeUrl: (orgId: string, targetId: string, address: string) => string | undefined;
}

export interface SendAttempt {
  readonly requestId: string;
  readonly at: Date;
  readonly signal?: AbortSignal;
}

/** Tries once. What the receiver or the way to it did wrong is an outcome; an error that is thrown is a bug of ours. */
export type Send = (parts: SendParts, outgoing: Outgoing, attempt: SendAttempt) => Promise<Outcome>;
