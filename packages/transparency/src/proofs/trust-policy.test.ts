import * as fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { givenLogKey, givenWitnessKey } from '../../test/keys.ts';
import { fuzz } from '../../test/parse-or-fail.ts';
import { formatVerifierKey, verifierKey } from '../notes/keys.ts';
import { isQuorum, parsePolicy } from './trust-policy.ts';

let log = '';
let witnesses: string[] = [];
let policy = '';

beforeAll(async () => {
  log = formatVerifierKey(await givenLogKey());
  witnesses = await Promise.all([1, 2, 3, 4, 5, 6].map(async (n) => formatVerifierKey(await givenWitnessKey(n))));
  const [x1, x2, x3, y1, y2, y3] = witnesses;
  // The example of the specification.
  policy = `log ${log}

witness X1 ${x1}
witness X2 ${x2}
witness X3 ${x3}
group X-witnesses 2 X1 X2 X3

witness Y1 ${y1}
witness Y2 ${y2}
witness Y3 ${y3}
group Y-witnesses any Y1 Y2 Y3

group X-and-Y all X-witnesses Y-witnesses
quorum X-and-Y
`;
});

it('the example of the specification reads', () => {
  const { logs, groups, quorum } = parsePolicy(policy);
  expect(logs.map(({ key }) => key.name)).toEqual(['waymark.example/region']);
  expect(groups).toEqual([
    { name: 'X-witnesses', threshold: 2, members: ['X1', 'X2', 'X3'] },
    { name: 'Y-witnesses', threshold: 1, members: ['Y1', 'Y2', 'Y3'] },
    { name: 'X-and-Y', threshold: 2, members: ['X-witnesses', 'Y-witnesses'] },
  ]);
  expect(quorum).toBe('X-and-Y');
});

it('two of X and any of Y are the quorum, and nothing less is', () => {
  const names = ['X1', 'X2', 'X3', 'Y1', 'Y2', 'Y3'];
  fc.assert(
    fc.property(fc.subarray(names), (cosigned) => {
      const of = (letter: string) => cosigned.filter((name) => name.startsWith(letter)).length;
      expect(isQuorum(parsePolicy(policy), new Set(cosigned))).toBe(of('X') >= 2 && of('Y') >= 1);
    }),
  );
});

it('a quorum can be one witness, or none', () => {
  const one = parsePolicy(`witness w ${witnesses[0]} https://w.example\nquorum w`);
  expect(one.witnesses[0]?.url).toBe('https://w.example');
  expect(isQuorum(one, new Set())).toBe(false);
  expect(isQuorum(one, new Set(['w']))).toBe(true);
  // The name of a group that somebody claims to be has no effect.
  expect(isQuorum(parsePolicy(policy), new Set(['X-and-Y', 'X-witnesses']))).toBe(false);
  expect(isQuorum(parsePolicy('quorum none'), new Set())).toBe(true);
});

it('comments, blank lines, tabs and names in other scripts are allowed', () => {
  const text = `# a comment\n\n  # another\n\twitness\t \u{212a} ${witnesses[0]}  \nquorum \u{212a}\n`;
  expect(parsePolicy(text).quorum).toBe('\u{212a}');
  expect(() => parsePolicy(text.replace('quorum \u{212a}', 'quorum K'))).toThrow("line 5: 'K' is not a witness");
});

describe('rejects', () => {
  const cases: readonly (readonly [string, () => string, string])[] = [
    ['no quorum', () => `log ${log}`, 'trust policy: has no quorum line'],
    ['two quorums', () => 'quorum none\nquorum none', 'line 2: has a second quorum line'],
    ['an unknown quorum', () => 'quorum w', "line 1: 'w' is not a witness or a group of a line above"],
    ['a quorum above its group', () => `quorum w\nwitness w ${witnesses[0]}`, 'line 1'],
    ['an unknown word', () => 'logs x', "line 1: begins with 'logs', not with log, witness, group or quorum"],
    ['an inherited word', () => 'constructor x', "line 1: begins with 'constructor'"],
    ['a log without a key', () => 'log', 'line 1: a log has a key'],
    ['a log twice', () => `log ${log}\nlog ${log}`, 'line 2: the key of'],
    ['a witness that cannot cosign', () => `witness w ${log}`, 'is not one for cosignatures'],
    ['a name twice', () => `witness w ${witnesses[0]}\nwitness w ${witnesses[1]}`, "line 2: the name 'w' is taken"],
    ['the name none', () => `witness none ${witnesses[0]}`, "line 1: the name 'none' is taken"],
    ['a threshold of 0', () => `witness w ${witnesses[0]}\ngroup g 0 w`, 'line 2: '],
    [
      'a threshold above n',
      () => `witness w ${witnesses[0]}\ngroup g 2 w`,
      "'2' is not any, all, or a number from 1 to 1",
    ],
    ['an inherited threshold', () => `witness w ${witnesses[0]}\ngroup g constructor w`, 'line 2: '],
    ['a group without members', () => 'group g any', 'line 1: a group has'],
    ['a member that is unknown', () => 'group g any w', "line 1: 'w' is not a witness or a group of a line above"],
    ['a member of itself', () => 'group g any g', "line 1: 'g' is not"],
    ['none as a member', () => 'group g any none', "line 1: 'none' is not"],
    ['a member twice', () => `witness w ${witnesses[0]}\ngroup g any w w`, "line 2: 'w' is in a group already"],
    ['a key with a typo', () => `log ${log.slice(0, -2)}`, 'line 1: verifier key: '],
    ['a carriage return', () => 'quorum none\r\n', 'line 1: has a control character'],
  ];
  it.each(cases)('%s', (_, text, problem) => {
    expect(() => parsePolicy(text())).toThrow(problem);
  });

  it('the key of one witness under two names, which would count twice', async () => {
    const { publicKey, algorithm } = await givenWitnessKey(1);
    const same = formatVerifierKey(verifierKey('other.example', algorithm, publicKey));
    expect(() => parsePolicy(`witness a ${witnesses[0]}\nwitness b ${same}\nquorum a`)).toThrow(
      "line 2: the key of 'other.example' is in the policy already",
    );
  });
});

it('no text makes the parser throw anything but a FormatError', async () => {
  await fuzz(parsePolicy, [policy]);
});
