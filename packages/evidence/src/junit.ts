import type { SaxesTagPlain } from 'saxes';
import { SaxesParser } from 'saxes';
import { documentText } from './document-text.ts';
import type { EvidenceFile } from './evidence-file.ts';
import { NOTHING, plus } from './junit-tally.ts';
import type { JunitReport, JunitSuite, OpenCase, OpenSuite } from './junit-tree.ts';
import { closeSuite, openCase, openSuite, tallyOfCase } from './junit-tree.ts';
import { readEach } from './read-each.ts';
import { shorten } from './shorten.ts';
import { OtherFormat, Unreadable } from './unreadable.ts';

/** Counts over all files of one archive. */
interface Budget {
  cases: number;
  suites: number;
}

interface Reading {
  readonly budget: Budget;
  /** Fails with the message and the position of the parser. */
  readonly refuse: (message: string) => never;
  readonly open: (OpenSuite | OpenCase | undefined)[];
  /** In document order; a suite that turns out to be a mere container leaves a gap. */
  readonly suites: (JunitSuite | undefined)[];
  readonly failed: JunitReport['failed'];
  /** Collects the text of a failure that has no message of its own. */
  text: string | undefined;
}

const DEEPEST = 64;
export const MAX_CASES = 200_000;
export const MAX_SUITES = 20_000;
const MAX_FAILED = 100;
const MAX_MESSAGE_LENGTH = 500;
const ROOTS = ['testsuites', 'testsuite'];

export function readJunit(file: EvidenceFile): JunitReport {
  const budget = { cases: 0, suites: 0 };
  const reports = readEach(file, { what: 'JUnit report', opening: '<', endings: ['.xml'] }, (one) =>
    parseJunit(one, budget),
  );
  const suites = reports.flatMap((report) => report.suites);
  const failed = reports.flatMap((report) => report.failed).slice(0, MAX_FAILED);
  return { suites, ...reports.reduce(plus, NOTHING), failed };
}

function parseJunit(file: EvidenceFile, budget: Budget): JunitReport {
  const text = documentText(file);
  const parser = new SaxesParser();
  const refuse = (message: string): never => {
    throw new Unreadable(`${file.name}: line ${parser.line}, column ${parser.column}: ${message}.`);
  };
  const reading: Reading = { budget, refuse, open: [], suites: [], failed: [], text: undefined };

  parser.on('error', (error) => refuse(withoutPlace(error.message)));
  parser.on('doctype', (doctype) => {
    const root = doctype.trim().split(/[\s[]/)[0] ?? '';
    if (!ROOTS.includes(root)) throw new OtherFormat(`${file.name}: has a DOCTYPE, which is not accepted.`);
    refuse('a DOCTYPE is not accepted');
  });
  parser.on('opentag', (tag) => {
    if (reading.open.length === 0 && !ROOTS.includes(tag.name)) {
      const found = shorten(tag.name, MAX_MESSAGE_LENGTH);
      throw new OtherFormat(`${file.name}: the root is <${found}>; a JUnit report has <testsuites> or <testsuite>.`);
    }
    enter(reading, tag);
  });
  parser.on('closetag', () => leave(reading));
  parser.on('text', (part) => collect(reading, part));
  parser.on('cdata', (part) => collect(reading, part));
  parser.write(text).close();

  const suites = reading.suites.filter((suite) => suite !== undefined);
  return { suites, ...suites.reduce(plus, NOTHING), failed: reading.failed };
}

function enter(reading: Reading, tag: SaxesTagPlain): void {
  if (reading.open.length >= DEEPEST) reading.refuse(`elements are nested deeper than ${DEEPEST} levels`);
  reading.open.push(openElement(reading, tag));
}

function openElement(reading: Reading, tag: SaxesTagPlain): OpenSuite | OpenCase | undefined {
  switch (tag.name) {
    case 'testsuites':
    case 'testsuite':
      reading.budget.suites += 1;
      if (reading.budget.suites > MAX_SUITES) reading.refuse(`there are more than ${MAX_SUITES} test suites`);
      return openSuite(tag, reading.suites.push(undefined) - 1, reading.refuse);
    case 'testcase':
      reading.budget.cases += 1;
      if (reading.budget.cases > MAX_CASES) reading.refuse(`there are more than ${MAX_CASES} test cases`);
      return openCase(tag.attributes);
    case 'failure':
    case 'error':
    case 'skipped':
      mark(reading, tag.name, tag.attributes['message']);
      return undefined;
    default:
      return undefined;
  }
}

/** A failure or error may also be directly in a suite, for errors outside of any test case. */
function mark(reading: Reading, outcome: 'failure' | 'error' | 'skipped', message: string | undefined): void {
  const holder = reading.open.findLast((element) => element !== undefined);
  if (holder?.kind === 'suite') {
    const key = outcome === 'failure' ? 'failures' : outcome === 'error' ? 'errors' : 'skipped';
    holder.found = { ...holder.found, [key]: holder.found[key] + 1 };
    if (outcome !== 'skipped') note(reading, { suite: holder.name, test: '', message: message ?? '' });
  }
  if (holder?.kind !== 'case') return;
  if (outcome === 'skipped') {
    holder.skipped = true;
    return;
  }
  holder.failed ||= outcome === 'failure';
  holder.errored ||= outcome === 'error';
  holder.message ??= message;
  reading.text = '';
}

function collect(reading: Reading, part: string): void {
  if (reading.text === undefined || reading.text.length > MAX_MESSAGE_LENGTH) return;
  reading.text += part.slice(0, MAX_MESSAGE_LENGTH + 1);
}

function leave(reading: Reading): void {
  const element = reading.open.pop();
  if (element?.kind === 'suite') leaveSuite(reading, element);
  else if (element?.kind === 'case') leaveCase(reading, element);
  else keepText(reading);
}

function keepText(reading: Reading): void {
  const holder = reading.open.at(-1);
  if (holder?.kind === 'case' && reading.text !== undefined) {
    holder.message ??= reading.text.trim() || undefined;
    reading.text = undefined;
  }
}

function leaveCase(reading: Reading, testcase: OpenCase): void {
  const suite = nearestSuite(reading);
  if (!suite) return;
  suite.found = plus(suite.found, tallyOfCase(testcase));
  suite.foundSeconds += testcase.seconds;
  if (testcase.failed || testcase.errored) {
    note(reading, { suite: suite.name, test: testcase.name, message: testcase.message ?? '' });
  }
}

function leaveSuite(reading: Reading, suite: OpenSuite): void {
  const { all, own } = closeSuite(suite);
  reading.suites[suite.place] = own;
  const parent = nearestSuite(reading);
  if (!parent) return;
  parent.nested = plus(parent.nested, all);
  parent.hasNested = true;
}

function nearestSuite(reading: Reading): OpenSuite | undefined {
  return reading.open.findLast((element) => element?.kind === 'suite');
}

function note(reading: Reading, failed: JunitReport['failed'][number]): void {
  if (reading.failed.length >= MAX_FAILED) return;
  reading.failed.push({ ...failed, message: shorten(failed.message, MAX_MESSAGE_LENGTH) });
}

/** The parser adds "line:column: " before its messages and sometimes a period after them. */
function withoutPlace(message: string): string {
  return shorten(message.replace(/^\d+:\d+: /, '').replace(/\.$/, ''), MAX_MESSAGE_LENGTH);
}
