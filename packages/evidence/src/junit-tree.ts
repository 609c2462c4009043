import type { Attributes } from './junit-attributes.ts';
import { claimedBy, secondsIn, timestampIn } from './junit-attributes.ts';
import type { Tally } from './junit-tally.ts';
import { isNothing, larger, minus, NOTHING, plus } from './junit-tally.ts';
import { shorten } from './shorten.ts';

export interface JunitSuite extends Tally {
  name: string;
  duration: number;
  timestamp?: number;
}

export interface JunitReport extends Tally {
  suites: JunitSuite[];
  /** The first 100. */
  failed: { suite: string; test: string; message: string }[];
}

export interface OpenSuite {
  readonly kind: 'suite';
  readonly place: number;
  readonly name: string;
  readonly isRoot: boolean;
  readonly claimed: Tally;
  readonly seconds: number | undefined;
  readonly timestamp: number | undefined;
  found: Tally;
  foundSeconds: number;
  nested: Tally;
  hasNested: boolean;
}

export interface OpenCase {
  readonly kind: 'case';
  readonly name: string;
  readonly seconds: number;
  failed: boolean;
  errored: boolean;
  skipped: boolean;
  message: string | undefined;
}

const MAX_NAME_LENGTH = 500;

export function openSuite(
  tag: { name: string; attributes: Attributes },
  place: number,
  refuse: (message: string) => never,
): OpenSuite {
  return {
    kind: 'suite',
    place,
    name: shorten(tag.attributes['name'] ?? '', MAX_NAME_LENGTH),
    isRoot: tag.name === 'testsuites',
    claimed: claimedBy(tag.attributes, refuse),
    seconds: secondsIn(tag.attributes),
    timestamp: timestampIn(tag.attributes),
    found: NOTHING,
    foundSeconds: 0,
    nested: NOTHING,
    hasNested: false,
  };
}

export function openCase(attributes: Attributes): OpenCase {
  const name = [attributes['classname'], attributes['name']].filter(Boolean).join('.');
  return {
    kind: 'case',
    name: shorten(name, MAX_NAME_LENGTH),
    seconds: secondsIn(attributes) ?? 0,
    failed: false,
    errored: false,
    skipped: false,
    message: undefined,
  };
}

export function tallyOfCase({ failed, errored, skipped }: OpenCase): Tally {
  return {
    failures: failed ? 1 : 0,
    errors: errored ? 1 : 0,
    skipped: skipped && !failed && !errored ? 1 : 0,
    total: 1,
  };
}

/**
 * A suite's attributes often count its nested suites too, so they are compared with all suites below it. A higher claim
 * than was found holds: a failure without its test case is still a failure.
 */
export function closeSuite(suite: OpenSuite): { all: Tally; own: JunitSuite | undefined } {
  const all = larger(suite.claimed, plus(suite.found, suite.nested));
  const own = minus(all, suite.nested);
  const isContainer = suite.isRoot || suite.hasNested;
  if (isContainer && isNothing(own)) return { all, own: undefined };
  const duration = suite.seconds ?? suite.foundSeconds;
  const timestamp = suite.timestamp === undefined ? {} : { timestamp: suite.timestamp };
  return { all, own: { name: suite.name, ...own, duration, ...timestamp } };
}
