import fc from 'fast-check';
import { expect, it } from 'vitest';
import { addToLine, closeDue, type Draft, newLine, type PlannedMessage } from './message-line.ts';

const NOTHING: PlannedMessage['content'] = {
  environment: 'prod',
  flow: null,
  snapshot: null,
  artifact: null,
  trail: null,
  attestation: null,
  apiKey: null,
  names: [],
  why: null,
};
const START = 1_800_000_000_000;

function plannedMessage(trigger: PlannedMessage['trigger'], at: number, count = 1): PlannedMessage {
  const groups = !trigger.endsWith('_ENV');
  const source = { id: 'n', configType: null };
  return {
    source,
    scopeId: 's',
    trigger,
    content: NOTHING,
    count,
    at: new Date(at),
    entryIds: [],
    entriesKey: '',
    groups,
  };
}

const brief = (drafts: readonly Draft[]) => drafts.map(({ sequence, trigger, count }) => [sequence, trigger, count]);

it('the first message of a trigger is sent at once, the next ones together ten seconds later', () => {
  const line = newLine(4);
  let ids = 0;
  const add = (trigger: PlannedMessage['trigger'], ms: number) =>
    addToLine(line, plannedMessage(trigger, START + ms), new Date(START + ms), () => `m${++ids}`);
  const close = (ms: number) => closeDue(line, new Date(START + ms));
  add('ON_STARTED_ARTIFACT', 0);
  close(0);
  add('ON_STARTED_ARTIFACT', 1_000);
  add('ON_EXITED_ARTIFACT', 1_500);
  add('ON_STARTED_ARTIFACT', 9_000);
  close(9_999);
  expect(brief(line.numbered)).toEqual([
    [5, 'ON_STARTED_ARTIFACT', 1],
    [6, 'ON_EXITED_ARTIFACT', 1],
  ]);
  close(10_000);
  expect(brief(line.numbered).slice(2)).toEqual([[7, 'ON_STARTED_ARTIFACT', 2]]);
  add('ON_STARTED_ARTIFACT', 15_000);
  close(19_999);
  expect(line.numbered.length).toBe(3);
  add('ON_NON_COMPLIANT_ENV', 19_999);
  expect(brief(line.numbered).slice(3)).toEqual([
    [8, 'ON_STARTED_ARTIFACT', 1],
    [9, 'ON_NON_COMPLIANT_ENV', 1],
  ]);
});

it('a message about several events takes the place of the last one, and earlier ones go with what is due', () => {
  const line = newLine(0);
  const add = (trigger: PlannedMessage['trigger'], ms: number) => {
    addToLine(line, plannedMessage(trigger, START + ms), new Date(START + ms), () => 'm');
    closeDue(line, new Date(START + ms));
  };
  add('ON_ATTESTED_PROVENANCE', 0);
  add('ON_ATTESTED_PROVENANCE', 1_000);
  add('ON_ATTESTATION', 2_000);
  expect(brief(line.numbered)).toEqual([
    [1, 'ON_ATTESTED_PROVENANCE', 1],
    [2, 'ON_ATTESTED_PROVENANCE', 1],
    [3, 'ON_ATTESTATION', 1],
  ]);
  add('ON_ATTESTATION', 3_000);
  add('ON_ATTESTED_PROVENANCE', 4_000);
  add('ON_ATTESTATION', 5_000);
  closeDue(line, new Date(START + 12_000));
  expect(brief(line.numbered).slice(3)).toEqual([
    [4, 'ON_ATTESTED_PROVENANCE', 1],
    [5, 'ON_ATTESTATION', 2],
  ]);
});

it('a clock that is set back keeps nothing open for longer than ten seconds', () => {
  const line = newLine(0);
  line.numberedAt.set('ON_STARTED_TRAIL', new Date(START + 3_600_000));
  addToLine(line, plannedMessage('ON_STARTED_TRAIL', START), new Date(START), () => 'm');
  closeDue(line, new Date(START + 10_000));
  expect(brief(line.numbered)).toEqual([[1, 'ON_STARTED_TRAIL', 1]]);
});

type Counts = Partial<Record<PlannedMessage['trigger'], number>>;

function add(counts: Counts, { trigger, count }: Pick<PlannedMessage, 'trigger' | 'count'>): void {
  counts[trigger] = (counts[trigger] ?? 0) + count;
}

const isState = ({ trigger }: Pick<PlannedMessage, 'trigger'>) => trigger.endsWith('_ENV');

/** Events before each state change, and in all. */
function tally(messages: readonly Pick<PlannedMessage, 'trigger' | 'count'>[]): Counts[] {
  const counts: Counts = {};
  const seen: Counts[] = [];
  for (const one of messages) {
    if (isState(one)) seen.push({ ...counts });
    add(counts, one);
  }
  return [...seen, counts];
}

it('in any history, numbers have no gap and follow last events, counts add up, states keep their places', () => {
  const steps = fc.array(
    fc.record({
      trigger: fc.constantFrom<PlannedMessage['trigger']>(
        'ON_STARTED_ARTIFACT',
        'ON_EXITED_ARTIFACT',
        'ON_COMPLIANT_ENV',
        'ON_NON_COMPLIANT_ENV',
      ),
      count: fc.integer({ min: 1, max: 5 }),
      later: fc.integer({ min: 0, max: 6_000 }),
      closes: fc.boolean(),
    }),
    { maxLength: 60 },
  );
  fc.assert(
    fc.property(steps, (steps) => {
      const line = newLine(0);
      const lastEvents = new Map<Draft | undefined, number>();
      let now = START;
      for (const [i, { trigger, count, later, closes }] of steps.entries()) {
        now += later;
        addToLine(line, plannedMessage(trigger, now, count), new Date(now), () => 'm');
        lastEvents.set(line.open.get(trigger) ?? line.numbered.at(-1), i);
        if (closes) closeDue(line, new Date(now));
      }
      closeDue(line, new Date(now + 10_000));
      expect(line.open.size).toBe(0);
      expect(line.numbered.map(({ sequence }) => sequence)).toEqual(line.numbered.map((_, i) => i + 1));
      expect(tally(line.numbered)).toEqual(tally(steps));
      const order = line.numbered.map((draft) => lastEvents.get(draft) ?? -1);
      expect(order).toEqual(order.toSorted((a, b) => a - b));
    }),
    { numRuns: 500 },
  );
});
