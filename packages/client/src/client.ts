import type { Contract, FileContract, Reply } from '@waymark/contract';
import type { z } from 'zod';
import { type Answer, readAnswer, refuse, requireDryRun } from './answer.ts';
import { type Following, followEvents, type StreamEvent } from './events.ts';
import type { CallInput, LooseInput } from './input.ts';
import { type ClientOptions, settingsFrom } from './options.ts';
import { type Pace, realPace } from './pace.ts';
import { followPages, type ItemOf, itemsOf } from './paging.ts';
import { prepareRequest } from './request.ts';
import { sendWithRetries } from './retry.ts';

/** An operation whose reply is a stream of events. */
export type EventContract = Contract & { readonly replyType: 'text/event-stream' };

export type ReplyOf<C extends Contract> = z.output<C['reply']> & Reply<C>;

export interface Client {
  call<C extends Contract>(contract: C, input: CallInput<C>): Promise<ReplyOf<C>>;
  /** Like `call`, with the status and the headers of the response. */
  exchange<C extends Contract>(
    contract: C,
    input: CallInput<C>,
  ): Promise<{ readonly status: number; readonly body: ReplyOf<C>; readonly headers: Headers }>;
  /** The response of an operation that sends a file, as soon as it begins; reading it fails if it is truncated. */
  download<C extends FileContract>(contract: C, input: CallInput<C>): Promise<Response>;
  /** All pages of a list, each requested after the previous one was consumed. */
  pages<C extends Contract>(contract: C, input: CallInput<C>): AsyncIterable<ReplyOf<C>>;
  /** The same, item by item. */
  items<C extends Contract>(contract: C, input: CallInput<C>): AsyncIterable<ItemOf<z.output<C['reply']>>>;
  /** Events as they happen, until the caller stops. With `lastEventId` it resumes after that event. */
  events<C extends EventContract>(
    contract: C,
    input: CallInput<C> & Following,
  ): AsyncIterable<StreamEvent<z.output<C['reply']>>>;
}

/** Calls operations by their contract, with their types, over `fetch`. */
export function createClient(options: ClientOptions): Client {
  return createPacedClient(options, realPace);
}

export function createPacedClient(options: ClientOptions, pace: Pace): Client {
  const settings = settingsFrom(options);

  const send = async <T>(contract: Contract, input: LooseInput, read: (response: Response) => Promise<T>) =>
    sendWithRetries(settings, pace, prepareRequest(settings, contract, input), input.signal, async (response) => {
      await refuse(contract, response, pace.now());
      if (input.dryRun) requireDryRun(contract, response);
      return read(response);
    });
  const exchange = (contract: Contract, input: LooseInput): Promise<Answer> =>
    send(contract, input, (response) => readAnswer(contract, response));
  const pages = (contract: Contract, input: LooseInput) =>
    followPages(contract, input, (page) => exchange(contract, page));

  // The compiler can't follow a validated response through an unknown contract.
  return {
    call: async (contract, input) => (await exchange(contract, input)).body as never,
    exchange: (contract, input) => exchange(contract, input) as never,
    download: (contract, input) => send(contract, input, async (response) => response),
    pages: (contract, input) => pages(contract, input) as never,
    items: (contract, input) => items(contract, pages(contract, input)) as never,
    events: (contract, input) => followEvents(settings, pace, contract, input) as never,
  };
}

async function* items(contract: Contract, pages: AsyncIterable<unknown>): AsyncGenerator<unknown, void, undefined> {
  for await (const page of pages) yield* itemsOf(contract, page);
}
