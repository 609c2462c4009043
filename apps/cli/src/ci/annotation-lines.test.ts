import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { annotationLines } from './annotation-lines.ts';

const annotation = {
  level: 'error',
  title: 'Not compliant, 1 of 2: prod',
  message: '50% of\r\nreviews [are] missing; see |it|',
  file: 'src/a,b;c].ts',
  line: 7,
} as const;

describe('an annotation', () => {
  it('is a workflow command at GitHub and Gitea', () => {
    const line =
      '::error title=Not compliant%2C 1 of 2%3A prod,file=src/a%2Cb;c].ts,line=7::50%25 of%0D%0Areviews [are] missing; see |it|';
    expect(annotationLines('github', annotation)).toEqual([line]);
    expect(annotationLines('gitea', annotation)).toEqual([line]);
  });

  it('is an issue of the log at Azure, which has no notices', () => {
    expect(annotationLines('azure', annotation)).toEqual([
      '##vso[task.logissue type=error;sourcepath=src/a,b%3Bc%5D.ts;linenumber=7]Not compliant, 1 of 2: prod: 50%AZP25 of%0D%0Areviews [are] missing; see |it|',
    ]);
    expect(annotationLines('azure', { ...annotation, level: 'notice' })).toEqual([]);
  });

  it('is a service message at TeamCity', () => {
    expect(annotationLines('teamcity', { level: 'warning', title: 'It’s', message: "a [b] 'c' | d\ne" })).toEqual([
      "##teamcity[message text='It|0x2019s: a |[b|] |'c|' || d|ne' status='WARNING']",
    ]);
  });

  it('is nothing elsewhere', () => {
    for (const provider of ['gitlab', 'jenkins', 'circleci', 'bitbucket', 'buildkite', 'none'] as const) {
      expect(annotationLines(provider, annotation)).toEqual([]);
    }
  });

  it('does not accept anything else as a line', () => {
    for (const line of [0, -1, 1.5, Number.NaN]) {
      expect(annotationLines('github', { ...annotation, line })[0]).not.toContain('line=');
    }
  });

  it('holds exactly one command, whatever the text is', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        'a\n::set-env name=PATH::x',
        'a\r::error::x',
        "']\n##teamcity[buildStop]",
        '##vso[task.setvariable variable=PATH]x',
        ']##vso[task.complete result=Succeeded]',
        '##[error]x',
        ',file=other::x',
        "' status='NORMAL'",
      ),
    );
    const level = fc.constantFrom('error' as const, 'warning' as const, 'notice' as const);
    fc.assert(
      fc.property(
        fc.constantFrom('github', 'azure', 'teamcity'),
        level,
        text,
        text,
        text,
        (provider, level, title, message, file) => {
          for (const line of annotationLines(provider as 'github', { level, title, message, file })) {
            expect(line).not.toMatch(/(?![\t\u007f-\u009f])\p{Cc}/u);
            expect(line.match(/##(?:vso|teamcity)?\[/g) ?? []).toHaveLength(provider === 'github' ? 0 : 1);
            expect(header(provider, line)).toBe(true);
          }
        },
      ),
      { numRuns: 2000 },
    );
  });
});

/** Splits a line as the agents do: what precedes the text is ours. */
function header(provider: string, line: string): boolean {
  if (provider === 'github') return /^::(?:error|warning|notice) title=[^:,]*,file=[^:,]*::/.test(line);
  if (provider === 'azure') return /^##vso\[task\.logissue type=(?:error|warning);sourcepath=[^;\]]*\]/.test(line);
  return /^##teamcity\[message text='(?:[^|'[\]\n]|\|.)*' status='(?:ERROR|WARNING|NORMAL)'\]$/.test(line);
}
