import { describe, expect, it } from 'vitest';
import { givenTgz } from './given/archive.ts';
import { readJunit } from './junit.ts';
import { Unreadable } from './unreadable.ts';

function read(xml: string) {
  return readJunit({ name: 'report.xml', bytes: Buffer.from(xml) });
}

const MAVEN = `<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="com.acme.CartTest" tests="4" failures="1" errors="1" skipped="1" time="1,234.5"
  timestamp="2026-11-15T03:00:00">
  <properties><property name="os" value="linux"/></properties>
  <testcase classname="com.acme.CartTest" name="adds" time="0.5"/>
  <testcase classname="com.acme.CartTest" name="removes"><failure message="expected 1 &lt; 0">at line 3</failure></testcase>
  <testcase classname="com.acme.CartTest" name="pays"><error type="Timeout"><![CDATA[no answer]]> in time</error></testcase>
  <testcase classname="com.acme.CartTest" name="ships"><skipped/></testcase>
  <system-out>noise</system-out>
</testsuite>`;

describe('a JUnit report', () => {
  it('is counted by its test cases, with the failures', () => {
    expect(read(MAVEN)).toEqual({
      suites: [
        {
          name: 'com.acme.CartTest',
          failures: 1,
          errors: 1,
          skipped: 1,
          total: 4,
          duration: 1234.5,
          timestamp: 1794711600,
        },
      ],
      failures: 1,
      errors: 1,
      skipped: 1,
      total: 4,
      failed: [
        { suite: 'com.acme.CartTest', test: 'com.acme.CartTest.removes', message: 'expected 1 < 0' },
        { suite: 'com.acme.CartTest', test: 'com.acme.CartTest.pays', message: 'no answer in time' },
      ],
    });
  });

  it('counts nested suites once, although the outer ones count them too', () => {
    const report = read(`<testsuites tests="3" failures="1">
      <testsuite name="outer" tests="3" failures="1">
        <testsuite name="inner" tests="2" failures="1"><testcase name="a" time="1"/><testcase name="b" time="2"><failure/></testcase></testsuite>
        <testcase name="c"/>
      </testsuite>
    </testsuites>`);
    expect(report.suites).toEqual([
      { name: 'outer', failures: 0, errors: 0, skipped: 0, total: 1, duration: 0 },
      { name: 'inner', failures: 1, errors: 0, skipped: 0, total: 2, duration: 3 },
    ]);
    expect(report).toMatchObject({ failures: 1, errors: 0, total: 3 });
  });

  it('is counted by its attributes where there are no test cases', () => {
    expect(
      read('<testsuites><testsuite name="s" tests="7" failures="2" errors="1" skipped="3"/></testsuites>'),
    ).toEqual({
      suites: [{ name: 's', failures: 2, errors: 1, skipped: 3, total: 7, duration: 0 }],
      failures: 2,
      errors: 1,
      skipped: 3,
      total: 7,
      failed: [],
    });
  });

  it.each([
    ['the suite', '<testsuite name="s" failures="2"><testcase name="a"/></testsuite>', 2],
    ['the root', '<testsuites failures="3"><testsuite name="s"><testcase name="a"/></testsuite></testsuites>', 3],
    ['the test cases', '<testsuite failures="0"><testcase name="a"><failure/></testcase></testsuite>', 1],
  ])('is as red as its reddest part: %s', (_, xml, failures) => {
    const report = read(xml);
    expect(report.failures).toBe(failures);
    expect(report.suites.reduce((sum, suite) => sum + suite.failures, 0)).toBe(failures);
  });

  it('counts errors of a suite outside of any test case', () => {
    const report = read('<testsuite name="s"><error message="no database"/></testsuite>');
    expect(report).toMatchObject({ errors: 1, total: 0 });
    expect(report.failed).toEqual([{ suite: 's', test: '', message: 'no database' }]);
  });

  it('counts a test case that failed twice once, and one that was skipped after a failure as failed', () => {
    const report = read('<testsuite><testcase name="a"><failure/><failure/><skipped/></testcase></testsuite>');
    expect(report).toMatchObject({ failures: 1, skipped: 0, total: 1 });
  });

  it('counts test cases below unknown elements and directly below the root', () => {
    const report = read('<testsuites><x><testcase name="a"><error/></testcase></x><testcase name="b"/></testsuites>');
    expect(report).toMatchObject({ errors: 1, total: 2 });
    expect(report.suites).toHaveLength(1);
  });

  it('may be empty', () => {
    expect(read('<testsuites/>')).toEqual({ suites: [], failures: 0, errors: 0, skipped: 0, total: 0, failed: [] });
  });

  it('leaves out an invalid time, and reads one without a zone as UTC', () => {
    const times = read(
      `<testsuites>
        <testsuite timestamp="yesterday" time="NaN"><testcase time="-1"/></testsuite>
        <testsuite timestamp="2026-11-15T03:00:00.75+01:00"/>
      </testsuites>`,
    ).suites.map(({ duration, timestamp }) => [duration, timestamp]);
    expect(times).toEqual([
      [0, undefined],
      [0, 1794708000],
    ]);
  });

  it('lists the first 100 failed tests and cuts their messages', () => {
    const cases = `<testcase name="t"><failure>${'m'.repeat(600)}</failure></testcase>`.repeat(150);
    const { failed, failures } = read(`<testsuite>${cases}</testsuite>`);
    expect(failures).toBe(150);
    expect(failed).toHaveLength(100);
    expect(failed[0]?.message).toBe(`${'m'.repeat(499)}…`);
  });
});

describe('an archive of JUnit reports', () => {
  it('is read as one report, without the files of other formats', () => {
    const bytes = givenTgz([
      { path: 'target/a.xml', content: MAVEN },
      { path: 'target/b.XML', content: '<testsuite name="b" tests="2"/>' },
      { path: 'coverage.xml', content: '<!DOCTYPE coverage SYSTEM "x.dtd"><coverage/>' },
      { path: 'pom.xml', content: '<project/>' },
      { path: 'notes.txt', content: 'hello' },
    ]);
    const report = readJunit({ name: 'evidence.tgz', bytes });
    expect(report).toMatchObject({ failures: 1, errors: 1, skipped: 1, total: 6 });
    expect(report.suites.map((suite) => suite.name)).toEqual(['com.acme.CartTest', 'b']);
    expect(report.failed).toHaveLength(2);
  });

  it('is refused with the name of the file that is broken', () => {
    const bytes = givenTgz([
      { path: 'a.xml', content: '<testsuite/>' },
      { path: 'b.xml', content: '<testsuite>' },
    ]);
    expect(() => readJunit({ name: 'evidence.tgz', bytes })).toThrow(
      new Unreadable('evidence.tgz: b.xml: line 1, column 11: unclosed tag: testsuite.'),
    );
  });

  it('is refused when it holds none', () => {
    const bytes = givenTgz([{ path: 'pom.xml', content: '<project/>' }]);
    expect(() => readJunit({ name: 'evidence.tgz', bytes })).toThrow(
      new Unreadable('evidence.tgz: contains no JUnit report (.xml).'),
    );
  });
});

describe('a file that is not a JUnit report is refused with the position', () => {
  it.each([
    ['<test-run/>', 'the root is <test-run>; a JUnit report has <testsuites> or <testsuite>.'],
    ['<testsuite>\n<a></b></testsuite>', 'line 2, column 7: unexpected close tag.'],
    ['', 'line 1, column 0: document must contain a root element.'],
    ['<testsuite tests="NaN"/>', 'line 1, column 24: the attribute tests is not a count: "NaN".'],
    ['<testsuite failures="-1"/>', 'line 1, column 26: the attribute failures is not a count: "-1".'],
    ['<testsuite errors="1e3"/>', 'line 1, column 25: the attribute errors is not a count: "1e3".'],
    ['<testsuite skipped="9999999999"/>', 'line 1, column 33: the attribute skipped is not a count: "9999999999".'],
  ])('%s', (xml, message) => {
    expect(() => read(xml)).toThrow(new Unreadable(`report.xml: ${message}`));
  });
});
